"""The log in a PostgreSQL database, which several replicas share; docs/decisions/0016 says why it is as it is.

A flush is one statement and so one transaction: it adds a row for each append whose stream stands where its command
expects it, changes no other row, and notifies the other replicas once. No two rows of a stream expect the same version:
the key sees to that. Whatever the server does not answer is unknown, and the connection is given up with it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
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
    UnreadableEvent,
    Version,
    is_sound,
)
from cutpurse_server.log.postgresql_clock import JUMP_MS, DatabaseClock
from cutpurse_server.log.postgresql_connections import Connections, Server, end
from cutpurse_server.log.postgresql_schema import prepare
from cutpurse_server.log.postgresql_sentry import CHANNEL, Sentry, others_are_there

__all__ = ["PostgreSQLLog"]

_T = TypeVar("_T")

_WRITERS = 2
_READERS = 2
_LOOKS = 5
"""How often the database's clock is looked at when the log is opened; the quickest answer tells most."""
_NOTED_MS = 2_500
"""Replicas that are there note so every second: if the last note is further away, the database's clock was put."""
_WAITS = 12
_WAIT_S = 0.25
_ATTEMPTS = 4
"""Of a flush that the server rolled back for the sake of another one."""
_PAYLOAD_BYTES_MAX = 7_900
"""The server takes less than 8,000."""

# Where a stream stands: 0 before it is begun, and nowhere when it is closed.
_STANDS = """coalesce((
        SELECT CASE WHEN last.closed THEN -1 ELSE last.version END FROM cutpurse.appends AS last
        WHERE last.stream = asked.stream ORDER BY last.expected DESC LIMIT 1
    ), 0)"""
# The rows are added in the order of their streams' names, as the arrays are: see `SETTINGS`.
_FLUSH = f"""
INSERT INTO cutpurse.appends (stream, expected, version, closed, chain, events)
SELECT stream, expected, version, closed, chain, events
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[], $5::bytea[], $6::bytea[], $7::boolean[])
    AS asked (stream, expected, version, closed, chain, events, known)
WHERE known OR expected = {_STANDS}
ON CONFLICT (stream, expected) DO NOTHING
RETURNING stream, (SELECT pg_notify('{CHANNEL}', $8))
"""
# The row in which an event after a version stands begins at that version or before.
_FIRST = """coalesce((
    SELECT max(first.expected) FROM cutpurse.appends AS first
    WHERE first.stream = {stream} AND first.expected <= {after}
), 0)"""
_READ = f"""
SELECT stream, expected, version, closed, events FROM cutpurse.appends
WHERE stream = $1 AND version > $2 AND expected >= {_FIRST.format(stream="$1", after="$2")}
ORDER BY expected
"""
_READ_EACH = f"""
SELECT appends.stream, expected, version, closed, events FROM unnest($1::text[], $2::bigint[]) AS asked (stream, after)
JOIN cutpurse.appends ON appends.stream = asked.stream AND version > asked.after
    AND expected >= {_FIRST.format(stream="asked.stream", after="asked.after")}
ORDER BY appends.stream, expected
"""
_HEAD = "SELECT version, chain, closed FROM cutpurse.appends WHERE stream = $1 ORDER BY expected DESC LIMIT 1"
# '0' is the character after '/', so this is the range of all names that begin with the kind and a slash.
_OF_KIND = "(stream = $1 OR (stream > $1 || '/' AND stream < $1 || '0'))"
_STREAMS = f"SELECT stream FROM cutpurse.streams WHERE {_OF_KIND} ORDER BY stream"
_OPEN_STREAMS = f"SELECT stream FROM cutpurse.streams WHERE {_OF_KIND} AND NOT closed ORDER BY stream"
_OPEN_VERSIONS = f"""
SELECT stream, (
    SELECT version FROM cutpurse.appends AS last WHERE last.stream = streams.stream ORDER BY expected DESC LIMIT 1
) FROM cutpurse.streams WHERE {_OF_KIND} AND NOT closed
"""
_STORE_TIME = "SELECT cutpurse.clock_ms() + coalesce((SELECT shift_ms FROM cutpurse.beats), 0)"
# The note is never put back by a replica whose clock is a little behind.
_BEAT = """
INSERT INTO cutpurse.beats AS noted (number, at_ms) VALUES (1, $1)
ON CONFLICT (number) DO UPDATE SET at_ms = greatest(noted.at_ms, excluded.at_ms)
RETURNING at_ms, shift_ms, cutpurse.clock_ms() + shift_ms
"""
# Of replicas that see at the same time that the clock was put, the first puts it right.
_SHIFT = "UPDATE cutpurse.beats SET shift_ms = $1 WHERE shift_ms = $2"
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
        self._known: dict[str, int] = {}
        """By open stream: a version at which it is known to have stood, so that the server need not look for it."""
        self._known_of = 0
        """The connection that was the newest when the first of them became known."""

    async def open(self) -> None:
        """Check the database, make its tables if it has none, and learn what time it is there."""
        assert self._writers is None
        # As whoever logs in: the tables are theirs, and the role may not exist yet.
        connection = await self._server.connect(role=None)
        try:
            with self._server.translated("opened"):
                await prepare(connection, self.shown)
                await self._learn_the_time(connection)
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

    async def _learn_the_time(self, connection: Any) -> None:
        """Look at the database's clock, a few times for a while if that was put and others have not yet seen it."""
        for _ in range(_WAITS):
            self._clock = DatabaseClock()
            for _ in range(_LOOKS):
                asked_ms = self._clock.asked_ms()
                self._clock.look(asked_ms, await connection.fetchval(_STORE_TIME))
            noted_ms = await connection.fetchval(_LAST_BEAT)
            if noted_ms is None or abs(self.now_ms() - noted_ms) < _NOTED_MS or not await others_are_there(connection):
                return
            await asyncio.sleep(_WAIT_S)

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
        # By their streams, which differ.
        ordered = sorted(appends)
        payload = self._payload(ordered)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with writers.one("written") as connection:
                    # After the connection is there: with a new one, what was known is forgotten.
                    arrays = _arrays(ordered, self._still_known())
                    rows = await _rolled_back_or(connection.fetch(_FLUSH, *arrays, payload))
            except _RolledBack:
                if attempt == _ATTEMPTS:
                    raise LogUnavailable(
                        f"The log {self.shown} could not be written: others were always first."
                    ) from None
                continue
            took_place = {row[0] for row in rows}
            self._learn(
                (append.stream, None if append.closed else append.expected + len(append.events))
                for append in ordered
                if append.stream in took_place
            )
            return [append.stream in took_place for append in appends]
        raise AssertionError("the last attempt returns or raises")

    def _still_known(self) -> dict[str, int]:
        """What was learnt over the connections that there are. Behind a new one may be another state of the database:
        one that was restored, or a standby that took over and has lost something.
        """
        if self._known_of != self._server.connections:
            self._known_of = self._server.connections
            self._known = {}
        return self._known

    def _learn(self, stands: Iterable[tuple[str, int | None]]) -> None:
        """Where streams have stood; None stands for a closed one."""
        known = self._still_known()
        for stream, version in stands:
            if version is None:
                known.pop(stream, None)
            else:
                known[stream] = version

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version."""
        assert after >= 0
        return self._events(await self._rows(_READ, stream, after), after)

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """The events of several streams, asked for at once."""
        known = [stream for stream in after if "\0" not in stream]
        rows: dict[str, list[Any]] = {stream: [] for stream in after}
        for row in await self._rows(_READ_EACH, known, [after[stream] for stream in known]):
            rows[row[0]].append(row)
        return {stream: self._events(found, after[stream]) for stream, found in rows.items()}

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands."""
        for version, chain, closed in await self._rows(_HEAD, stream):
            return Head(Version(version), chain, closed)
        return None

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The streams of a kind."""
        return [row[0] for row in await self._rows(_OPEN_STREAMS if open_only else _STREAMS, kind)]

    async def beat(self) -> None:
        """Note that the service is alive, and look at the database's clock.

        If that was put, store time is shifted by as much: every replica, and whoever starts later, has the time that
        this process' steady clock has counted. But if others have noted a time that this replica has not reached, then
        it was this process' machine that stood still.
        """
        async with self._opened(self._writers).one("written") as connection:
            asked_ms, now_ms = self._clock.asked_ms(), self.now_ms()
            noted_ms, shift_ms, store_ms = await connection.fetchrow(_BEAT, now_ms)
            jump_ms = self._clock.look(asked_ms, store_ms)
            if jump_ms and noted_ms - now_ms > JUMP_MS / 2:
                self._clock.follow(jump_ms)
            elif jump_ms:
                await connection.execute(_SHIFT, shift_ms - round(jump_ms), shift_ms)

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

    def _events(self, rows: Sequence[Any], after: int) -> Sequence[StoredEvent]:
        """The events after a version in a stream's last rows."""
        events: list[StoredEvent] = []
        stands = after
        for stream, expected, version, closed, row in rows:
            # The first append may have begun before the first event that is wanted.
            if expected != stands and (events or expected > after):
                raise UnreadableEvent(f"a part of {stream} is lost")
            events += unpacked(row)
            stands = version
            self._learn([(stream, None if closed else version)])
        return events[len(events) - (stands - after) :] if rows else events

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


def _arrays(appends: Iterable[Append], known: Mapping[str, int]) -> tuple[list[Any], ...]:
    """A flush's arrays; streams that are `known` to have stood where they are expected are not looked up."""
    arrays: tuple[list[Any], ...] = ([], [], [], [], [], [], [])
    streams, expected_at, versions, closing, chains, rows, are_known = arrays
    for stream, expected, events, chain, closed in appends:
        streams.append(stream)
        expected_at.append(expected)
        versions.append(expected + len(events))
        closing.append(closed)
        chains.append(chain)
        rows.append(packed(events))
        are_known.append(known.get(stream) == expected)
    return arrays
