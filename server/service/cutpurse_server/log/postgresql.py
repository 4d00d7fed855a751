"""The log in a PostgreSQL database, which several replicas share; docs/decisions/0016 says why it is as it is.

A flush is one statement and so one transaction: it moves every head that stands where its command expects it, adds the
appends of those that moved and of no other, and notifies the other replicas once. Every stream has a head and a row for
each append. Whatever the server does not answer is unknown, and the connection is given up with it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncpg

from cutpurse_server.log.packing import packed, unpacked
from cutpurse_server.log.port import (
    Append,
    Head,
    Heard,
    LastSign,
    LogUnavailable,
    StoredEvent,
    Version,
    is_sound,
)
from cutpurse_server.log.postgresql_clock import DatabaseClock
from cutpurse_server.log.postgresql_connections import Connections, Server, end
from cutpurse_server.log.postgresql_schema import prepare
from cutpurse_server.log.postgresql_sentry import CHANNEL, Sentry

__all__ = ["PostgreSQLLog"]

_T = TypeVar("_T")

_WRITERS = 2
_READERS = 2
_LOOKS = 5
"""How often the database's clock is looked at when the log is opened; the quickest answer tells most."""
_ATTEMPTS = 4
"""Of a flush that the server rolled back for the sake of another one."""
_PAYLOAD_BYTES_MAX = 7_900
"""The server takes less than 8,000."""

# The heads are moved in the order of their names, as the arrays are, and new ones begun after that: see `SETTINGS`.
_FLUSH = f"""
WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::boolean[], $6::bytea[])
        AS asked (stream, expected, version, chain, closed, events)
), moved AS (
    UPDATE cutpurse.heads SET version = asked.version, chain = asked.chain, closed = asked.closed
    FROM asked
    WHERE heads.stream = asked.stream AND heads.version = asked.expected AND NOT heads.closed
    RETURNING heads.key, heads.stream, heads.version, asked.events
), begun AS (
    INSERT INTO cutpurse.heads (stream, version, chain, closed)
    SELECT stream, version, chain, closed FROM asked WHERE expected = 0
    ON CONFLICT (stream) DO NOTHING
    RETURNING key, stream, version
), added AS (
    INSERT INTO cutpurse.appends (stream, version, events)
    SELECT key, version, events FROM moved
    UNION ALL
    SELECT begun.key, begun.version, asked.events FROM begun JOIN asked USING (stream)
)
SELECT stream, (SELECT pg_notify('{CHANNEL}', $7)) FROM (
    SELECT stream FROM moved UNION ALL SELECT stream FROM begun
) AS took_place
"""
_READ = """
SELECT appends.version, appends.events FROM cutpurse.heads JOIN cutpurse.appends ON appends.stream = heads.key
WHERE heads.stream = $1 AND appends.version > $2 ORDER BY appends.version
"""
_READ_EACH = """
SELECT heads.stream, appends.version, appends.events FROM unnest($1::text[], $2::bigint[]) AS asked (stream, after)
JOIN cutpurse.heads ON heads.stream = asked.stream
JOIN cutpurse.appends ON appends.stream = heads.key AND appends.version > asked.after
ORDER BY heads.stream, appends.version
"""
_HEAD = "SELECT version, chain, closed FROM cutpurse.heads WHERE stream = $1"
# '0' is the character after '/', so this is the range of all names that begin with the kind and a slash.
_OF_KIND = "(stream = $1 OR (stream > $1 || '/' AND stream < $1 || '0'))"
_STREAMS = f"SELECT stream FROM cutpurse.heads WHERE {_OF_KIND} ORDER BY stream"
_OPEN_STREAMS = f"SELECT stream FROM cutpurse.heads WHERE {_OF_KIND} AND NOT closed ORDER BY stream"
_OPEN_VERSIONS = f"SELECT stream, version FROM cutpurse.heads WHERE {_OF_KIND} AND NOT closed"
_CLOCK = "extract(epoch FROM clock_timestamp()) * 1000"
# The note is never put back by a replica whose clock is a little behind.
_BEAT = f"""
INSERT INTO cutpurse.beats AS noted (number, at_ms) VALUES (1, $1)
ON CONFLICT (number) DO UPDATE SET at_ms = greatest(noted.at_ms, excluded.at_ms)
RETURNING {_CLOCK}
"""
_LAST_BEAT = "SELECT at_ms FROM cutpurse.beats"


class PostgreSQLLog:
    """A `Log` in the database at an address `postgresql://USER@HOST:PORT/DATABASE`, which must exist.

    Its tables are made at the first opening. After a failure the log stays usable: connections are made anew by the
    calls that need them, with pauses of a second at most, and in the pauses calls fail at once.
    """

    shared = True

    def __init__(self, address: str) -> None:
        """A log that is still closed."""
        self._server = Server(address)
        self.shown = self._server.shown
        """The address as it may be shown to anybody."""
        self._clock = DatabaseClock()
        self._name = os.urandom(8).hex()
        self._writers: Connections | None = None
        self._readers: Connections | None = None
        self._sentry: Sentry | None = None

    async def open(self) -> None:
        """Check the database, make its tables if it has none, and learn what time it is there."""
        assert self._writers is None
        # As whoever logs in: the tables are theirs, and the role may not exist yet.
        connection = await self._server.connect(role=None)
        try:
            with self._server.translated("opened"):
                await prepare(connection, self.shown)
                for _ in range(_LOOKS):
                    asked_ms = self._clock.asked_ms()
                    self._clock.look(asked_ms, float(await connection.fetchval(f"SELECT {_CLOCK}")))
        finally:
            await end(connection)
        self._writers, self._readers = Connections(self._server, _WRITERS), Connections(self._server, _READERS)
        self._sentry = Sentry(self._server, self._name)
        try:
            before_ms = await self.last_beat()
        except BaseException:
            await self.close()
            raise
        if before_ms is not None:
            self._clock.not_before(before_ms)

    async def close(self) -> None:
        """Close all connections."""
        writers, self._writers = self._writers, None
        readers, self._readers = self._readers, None
        sentry, self._sentry = self._sentry, None
        for each in (sentry, writers, readers):
            if each is not None:
                await each.close()

    def now_ms(self) -> int:
        """Store time."""
        return self._clock.now_ms()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """One transaction for all appends."""
        assert is_sound(appends)
        writers = self._opened(self._writers)
        if not appends:
            return []
        columns = zip(*(_row(append) for append in sorted(appends, key=_stream_of)), strict=True)
        arguments = [*map(list, columns), self._payload(appends)]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with writers.one("written") as connection:
                    rows = await _rolled_back_or(connection.fetch(_FLUSH, *arguments))
            except _RolledBack:
                if attempt == _ATTEMPTS:
                    raise LogUnavailable(
                        f"The log {self.shown} could not be written: others were always first."
                    ) from None
                continue
            took_place = {row[0] for row in rows}
            return [append.stream in took_place for append in appends]
        raise AssertionError("the last attempt returns or raises")

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version."""
        assert after >= 0
        return _events([(row[0], row[1]) for row in await self._rows(_READ, stream, after)], after)

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """The events of several streams, asked for at once."""
        known = [stream for stream in after if "\0" not in stream]
        rows: dict[str, list[tuple[int, bytes]]] = {stream: [] for stream in after}
        for stream, version, events in await self._rows(_READ_EACH, known, [after[stream] for stream in known]):
            rows[stream].append((version, events))
        return {stream: _events(found, after[stream]) for stream, found in rows.items()}

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands."""
        for version, chain, closed in await self._rows(_HEAD, stream):
            return Head(Version(version), chain, closed)
        return None

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The streams of a kind."""
        return [row[0] for row in await self._rows(_OPEN_STREAMS if open_only else _STREAMS, kind)]

    async def beat(self) -> None:
        """Note that the service is alive, and look at the database's clock."""
        async with self._opened(self._writers).one("written") as connection:
            asked_ms = self._clock.asked_ms()
            database_ms = await connection.fetchval(_BEAT, self.now_ms())
        self._clock.look(asked_ms, float(database_ms))

    async def last_beat(self) -> int | None:
        """When it was noted last, by whichever replica."""
        for row in await self._rows(_LAST_BEAT):
            return int(row[0])
        return None

    def listen(self, heard: Heard) -> None:
        """Have somebody told of what other replicas append."""
        self._opened(self._sentry).listen(heard)

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """Where all open streams of a kind stand."""
        return {row[0]: Version(row[1]) for row in await self._rows(_OPEN_VERSIONS, kind)}

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[LastSign]:
        """One replica at a time, over all processes."""
        async with self._opened(self._sentry).taking_up() as alone:
            yield LastSign(await self.last_beat(), alone)

    async def _rows(self, query: str, *arguments: Any) -> list[Any]:
        readers = self._opened(self._readers)
        if any(isinstance(each, str) and "\0" in each for each in arguments):
            # PostgreSQL has no such texts, so nothing of that name is there.
            return []
        async with readers.one("read") as connection:
            rows: list[Any] = await connection.fetch(query, *arguments)
            return rows

    def _payload(self, appends: Sequence[Append]) -> str:
        """What the other replicas are told; in doubt, that it may be any stream."""
        payload = "\n".join((self._name, *(append.stream for append in appends)))
        return payload if len(payload.encode()) <= _PAYLOAD_BYTES_MAX else self._name

    def _opened(self, part: _T | None) -> _T:
        if part is None:
            raise LogUnavailable(f"The log {self.shown} is closed.")
        return part


class _RolledBack(Exception):
    """The server chose this transaction to give way to another: nothing of it took place."""


async def _rolled_back_or(rows: Any) -> Any:
    """What was asked for; raises `_RolledBack` in the one case of a failure whose outcome is known."""
    try:
        return await rows
    except (asyncpg.DeadlockDetectedError, asyncpg.SerializationError):
        raise _RolledBack from None


def _events(rows: Sequence[tuple[int, bytes]], after: int) -> Sequence[StoredEvent]:
    """The events after a version in a stream's last rows: the version with each append, and its events."""
    if not rows:
        return []
    events = [event for _, row in rows for event in unpacked(row)]
    # The first append may have begun before the first event that is wanted.
    return events[len(events) - (rows[-1][0] - after) :]


def _stream_of(append: Append) -> str:
    return append.stream


def _row(append: Append) -> tuple[str, int, int, bytes, bool, bytes]:
    """One row of a flush's arrays."""
    version = append.expected + len(append.events)
    return append.stream, append.expected, version, append.chain, append.closed, packed(append.events)
