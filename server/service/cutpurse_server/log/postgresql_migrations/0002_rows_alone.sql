-- A stream stands where its last append ends, so that a flush adds rows and changes none: `heads` is gone.
--
-- Two appends that were decided on one version cannot both be there: the key says so, whoever inserts.

ALTER TABLE cutpurse.appends RENAME TO earlier_appends;
ALTER TABLE cutpurse.earlier_appends RENAME CONSTRAINT appends_pkey TO earlier_appends_pkey;

-- One row for each append: it was decided on `expected`, and `version` counts the stream's events with those of it.
CREATE TABLE cutpurse.appends (
    stream text COLLATE "C" NOT NULL,
    expected bigint NOT NULL CHECK (expected >= 0),
    version bigint NOT NULL,
    closed boolean NOT NULL,
    -- Unknown of what was appended before this migration, except for the last append of each stream.
    chain bytea CHECK (octet_length(chain) = 32),
    events bytea NOT NULL,
    CHECK (version > expected),
    PRIMARY KEY (stream, expected)
);

INSERT INTO cutpurse.appends (stream, expected, version, closed, chain, events)
SELECT
    heads.stream,
    lag(earlier.version, 1, 0::bigint) OVER (PARTITION BY heads.key ORDER BY earlier.version),
    earlier.version,
    heads.closed AND earlier.version = heads.version,
    CASE WHEN earlier.version = heads.version THEN heads.chain END,
    earlier.events
FROM cutpurse.heads JOIN cutpurse.earlier_appends AS earlier ON earlier.stream = heads.key;

-- Which streams there are, and whether anything may still be added; appends keep it up to date.
CREATE TABLE cutpurse.streams (
    stream text COLLATE "C" PRIMARY KEY,
    closed boolean NOT NULL
) WITH (fillfactor = 90);

INSERT INTO cutpurse.streams (stream, closed) SELECT stream, closed FROM cutpurse.heads;
CREATE INDEX open_streams ON cutpurse.streams (stream) WHERE NOT closed;

DROP TABLE cutpurse.earlier_appends;
DROP TABLE cutpurse.heads;

CREATE FUNCTION cutpurse.note_stream() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.expected = 0 THEN
        INSERT INTO cutpurse.streams (stream, closed) VALUES (NEW.stream, NEW.closed);
    ELSE
        UPDATE cutpurse.streams SET closed = true WHERE stream = NEW.stream;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER appends_begin_and_close_streams AFTER INSERT ON cutpurse.appends
    FOR EACH ROW WHEN (NEW.expected = 0 OR NEW.closed) EXECUTE FUNCTION cutpurse.note_stream();
CREATE TRIGGER appends_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON cutpurse.appends
    FOR EACH STATEMENT EXECUTE FUNCTION cutpurse.refuse();
CREATE TRIGGER streams_are_never_removed BEFORE DELETE OR TRUNCATE ON cutpurse.streams
    FOR EACH STATEMENT EXECUTE FUNCTION cutpurse.refuse();
CREATE TRIGGER streams_are_never_opened_again BEFORE UPDATE ON cutpurse.streams
    FOR EACH ROW
    WHEN (OLD.closed OR NOT NEW.closed OR NEW.stream <> OLD.stream)
    EXECUTE FUNCTION cutpurse.refuse();

ALTER TABLE cutpurse.appends ENABLE ALWAYS TRIGGER appends_are_never_changed;
ALTER TABLE cutpurse.streams ENABLE ALWAYS TRIGGER streams_are_never_removed;
ALTER TABLE cutpurse.streams ENABLE ALWAYS TRIGGER streams_are_never_opened_again;

GRANT SELECT, INSERT ON cutpurse.appends TO cutpurse_service;
GRANT SELECT ON cutpurse.streams TO cutpurse_service;
