-- Store time is the database's clock and a shift, which replicas change when they see that the clock was put: so store
-- time goes on as it went, and no seat gains or loses by it.

ALTER TABLE cutpurse.beats ADD COLUMN shift_ms bigint NOT NULL DEFAULT 0;
GRANT UPDATE (shift_ms) ON cutpurse.beats TO cutpurse_service;

CREATE FUNCTION cutpurse.clock_ms() RETURNS double precision LANGUAGE sql VOLATILE
    RETURN extract(epoch FROM clock_timestamp()) * 1000;
