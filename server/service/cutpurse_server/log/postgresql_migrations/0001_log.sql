-- The log's tables, what keeps them append-only, and the role that may do no more than the service has to.
--
-- Whoever applies this owns the tables. The service's own connections work as cutpurse_service, which can neither
-- change nor remove an append, nor take a head away, nor switch off the triggers that refuse it to everybody else.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cutpurse_service') THEN
        CREATE ROLE cutpurse_service NOLOGIN;
    END IF;
EXCEPTION
    -- Made at the same moment for another database of the server: roles belong to all of them.
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

DO $$
BEGIN
    IF NOT pg_has_role(current_user, 'cutpurse_service', 'MEMBER') THEN
        GRANT cutpurse_service TO CURRENT_USER;
    END IF;
END
$$;

-- Names are compared by code point, whatever the database's language: that is the port's order, and the order in which
-- flushes take the heads.
CREATE TABLE cutpurse.heads (
    key bigint GENERATED ALWAYS AS IDENTITY,
    stream text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL CHECK (version > 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    closed boolean NOT NULL
) WITH (fillfactor = 50);
-- Room for the next version beside each row, so that moving a head touches no index.

CREATE INDEX open_heads ON cutpurse.heads (stream) WHERE NOT closed;

-- One row for each append: `version` counts the stream's events with those of the append, `events` holds them.
CREATE TABLE cutpurse.appends (
    stream bigint NOT NULL,
    version bigint NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (stream, version)
);

CREATE TABLE cutpurse.beats (
    number integer PRIMARY KEY CHECK (number = 1),
    at_ms bigint NOT NULL
) WITH (fillfactor = 10);

CREATE FUNCTION cutpurse.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: the log is append-only', TG_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER appends_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON cutpurse.appends
    FOR EACH STATEMENT EXECUTE FUNCTION cutpurse.refuse();
CREATE TRIGGER heads_are_never_removed BEFORE DELETE OR TRUNCATE ON cutpurse.heads
    FOR EACH STATEMENT EXECUTE FUNCTION cutpurse.refuse();
CREATE TRIGGER heads_never_go_back BEFORE UPDATE ON cutpurse.heads
    FOR EACH ROW
    WHEN (OLD.closed OR NEW.version <= OLD.version OR NEW.key <> OLD.key OR NEW.stream <> OLD.stream)
    EXECUTE FUNCTION cutpurse.refuse();

-- `session_replication_role` and the like switch ordinary triggers off; these stay.
ALTER TABLE cutpurse.appends ENABLE ALWAYS TRIGGER appends_are_never_changed;
ALTER TABLE cutpurse.heads ENABLE ALWAYS TRIGGER heads_are_never_removed;
ALTER TABLE cutpurse.heads ENABLE ALWAYS TRIGGER heads_never_go_back;

GRANT USAGE ON SCHEMA cutpurse TO cutpurse_service;
GRANT SELECT ON cutpurse.migrations TO cutpurse_service;
GRANT SELECT, INSERT ON cutpurse.appends TO cutpurse_service;
GRANT SELECT, INSERT, UPDATE (version, chain, closed) ON cutpurse.heads TO cutpurse_service;
GRANT SELECT, INSERT, UPDATE (at_ms) ON cutpurse.beats TO cutpurse_service;
