"""The log in one SQLite file, owned by one process; docs/decisions/0014 says what makes it fast.

All appends stand in one table in the order in which they came, whatever their stream, so that a flush fills a page or
two instead of changing one page for each of its streams. A stream's head is its last append, and every append names the
one before it in its stream: the way back along these is the stream. A flush is one transaction. Its commit is made
inline while the disk is quick, and in a thread while it is not, so that the loop can read and write meanwhile.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import apsw

from cutpurse_server.log.clock import StoreClock
from cutpurse_server.log.one_owner import OneOwner
from cutpurse_server.log.packing import packed, unpacked
from cutpurse_server.log.port import Append, Head, LogUnavailable, StoredEvent, Version, is_sound
from cutpurse_server.log.sqlite_file import Ownership, connect, new_copy

__all__ = ["SQLiteLog"]

T = TypeVar("T")

COMMIT_INLINE_S = 0.001
"""A thread costs about a tenth of this, and while one commits the loop can do a good deal more than that."""

_PAGES_AT_ONCE = 256
"""How much of a backup is copied while everybody waits: a megabyte, which takes about as long as a large flush."""

_COMMITS_LATELY = 5
_COMMITS_IN_THE_THREAD = 8
"""Every so many commits one is made inline all the same: one in the thread also waits for the loop to let it go on, so
only those show how quick the disk is."""

_LAST_NUMBER = "SELECT coalesce(max(number), 0) FROM appends"
_BEGIN_STREAM = "INSERT INTO streams (name, last, closed) VALUES (?, ?, 0) RETURNING key"
_FIND_HEAD = """
SELECT key, last, version, closed FROM streams JOIN appends ON number = last WHERE name = ?
"""
# The head is moved and closed by two statements: one that names `closed` would touch its index in every move.
_MOVE = "UPDATE streams SET last = ? WHERE key = ? AND last = ? AND closed = 0"
_CLOSE = "UPDATE streams SET closed = 1 WHERE key = ?"
_INSERT = "INSERT INTO appends (number, stream, version, chain, previous, events) VALUES (?, ?, ?, ?, ?, ?)"
# From the head back to the append that holds the first event that is wanted.
_READ = """
WITH RECURSIVE back (number, previous) AS (
    SELECT number, previous FROM streams JOIN appends ON number = last WHERE name = ?1 AND version > ?2
    UNION ALL
    SELECT appends.number, appends.previous FROM back JOIN appends ON appends.number = back.previous
    WHERE version > ?2
)
SELECT version, events FROM appends WHERE number IN (SELECT number FROM back) ORDER BY number
"""
_HEAD = "SELECT version, chain, closed FROM streams JOIN appends ON number = last WHERE name = ?"
# '0' is the character after '/', so this is the range of all names that begin with the kind and a slash.
_OF_KIND = "SELECT name FROM streams WHERE (name = ?1 OR name > ?1 || '/' AND name < ?1 || '0')"
_BEAT = "INSERT INTO beats (only, at_ms) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET at_ms = excluded.at_ms"
_LAST_BEAT = "SELECT at_ms FROM beats"


class _Open(NamedTuple):
    """Where an open stream stands."""

    key: int
    last: int
    """The number of its last append."""
    version: int


class SQLiteLog(OneOwner):
    """A `Log` in the file at `path`, which is made if it is not there; its folder must be.

    After a failed read or write (full disk, I/O error) the transaction is rolled back, `LogUnavailable` is raised and
    the log stays usable: whatever failed is tried afresh by the next call.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """A log that is still closed."""
        self.path = Path(path)
        self._clock = StoreClock()
        self._ownership: Ownership | None = None
        self._connection: apsw.Connection | None = None
        self._alone = asyncio.Lock()
        """Held while the connection is used: a commit in the thread goes on while the loop serves others."""
        self._committer: ThreadPoolExecutor | None = None
        self._inline_s = deque([0.0] * _COMMITS_LATELY, maxlen=_COMMITS_LATELY)
        """How long the last commits took that were made inline."""
        self._in_the_thread = 0
        """Commits since then."""
        self._open: dict[str, _Open] = {}
        """Open streams, learnt from committed transactions only; nobody else writes, so it holds until a failure."""
        self._last_number: int | None = None
        """Of all appends; None if it has to be asked for."""

    async def open(self) -> None:
        """Take ownership of the file and check everything that durability rests on."""
        assert self._connection is None
        self._ownership = Ownership(self.path)
        try:
            with self._translated("opened"):
                self._connection = connect(self.path)
            self._committer = ThreadPoolExecutor(1, "cutpurse-commits")
            before_ms = await self.last_beat()
        except BaseException:
            await self.close()
            raise
        if before_ms is not None:
            self._clock.not_before(before_ms)

    async def close(self) -> None:
        """Write the WAL back, close the file and let go of it."""
        async with self._alone:
            connection, self._connection = self._connection, None
            ownership, self._ownership = self._ownership, None
            committer, self._committer = self._committer, None
            self._forget()
            try:
                if committer is not None:
                    committer.shutdown()
                if connection is not None:
                    with self._translated("closed"):
                        connection.close()
            finally:
                if ownership is not None:
                    ownership.release()

    def now_ms(self) -> int:
        """Store time."""
        return self._clock.now_ms()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """One transaction for all appends."""
        assert is_sound(appends)
        after = await self._transaction(self._write, appends)
        # Only now is it certain that the streams stand there. A closed one is never written to again.
        for append, stands in zip(appends, after, strict=True):
            if stands is not None:
                self._last_number = stands.last
                if append.closed:
                    self._open.pop(append.stream, None)
                else:
                    self._open[append.stream] = stands
        return [stands is not None for stands in after]

    def _write(self, connection: apsw.Connection, appends: Sequence[Append]) -> list[_Open | None]:
        """Write those appends that can take place; where their streams stand then, None for the others."""
        number = self._last_number
        if number is None:
            number = connection.execute(_LAST_NUMBER).get
        after: list[_Open | None] = []
        moves: list[tuple[int, int, int]] = []
        rows: list[tuple[int, int, int, bytes, int, bytes]] = []
        closing: list[tuple[int]] = []
        for stream, expected, events, chain, closed in appends:
            stands = self._open.get(stream) or _stand(connection, stream)
            if expected != (0 if stands is None else stands.version):
                after.append(None)
                continue
            number += 1
            if stands is None:
                key, previous = connection.execute(_BEGIN_STREAM, (stream, number)).get, 0
            else:
                key, previous, _ = stands
                moves.append((number, key, previous))
            version = expected + len(events)
            rows.append((number, key, version, chain, previous, packed(events)))
            after.append(_Open(key, number, version))
            if closed:
                closing.append((key,))
        before = connection.total_changes()
        connection.executemany(_MOVE, moves)
        # Each statement moves its own head or none, so the sum tells whether all were moved.
        if connection.total_changes() - before != len(moves):
            raise apsw.Error("a head does not stand where its owner left it")
        connection.executemany(_INSERT, rows)
        if closing:
            connection.executemany(_CLOSE, closing)
        return after

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version."""
        assert after >= 0
        rows = await self._rows(_READ, (stream, after))
        if not rows:
            return []
        events = [event for _, row in rows for event in unpacked(row)]
        version = rows[-1][0]
        # The first append may have begun before the first event that is wanted.
        return events[len(events) - (version - after) :]

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands."""
        for version, chain, closed in await self._rows(_HEAD, (stream,)):
            return Head(Version(version), chain, bool(closed))
        return None

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The streams of a kind."""
        condition = " AND closed = 0" if open_only else ""
        return [name for (name,) in await self._rows(f"{_OF_KIND}{condition} ORDER BY name", (kind,))]

    async def beat(self) -> None:
        """Note that the service is alive."""
        await self._transaction(apsw.Connection.execute, _BEAT, (self.now_ms(),))

    async def last_beat(self) -> int | None:
        """When it was noted last."""
        for (at_ms,) in await self._rows(_LAST_BEAT, ()):
            return int(at_ms)
        return None

    async def back_up(self, path: Path) -> None:
        """Copy the log to a file while it is read and written; what has been acknowledged by now is in the copy.

        The copy is there whole and durable, in the place of an older one, or not at all. Raises `LogUnavailable`.
        """
        with (
            self._translated("copied"),
            new_copy(path) as copy,
            copy.backup("main", self._connected(), "main") as backup,
        ):
            while not backup.done:
                async with self._alone:
                    self._connected()
                    # Pages that flushes write between two steps are written to the copy as well.
                    backup.step(_PAGES_AT_ONCE)
                await asyncio.sleep(0)

    async def _rows(self, query: str, bindings: tuple[Any, ...]) -> list[Any]:
        """All rows at once, so that no open read keeps the WAL from starting anew."""
        async with self._alone:
            with self._translated("read"):
                return self._connected().execute(query, bindings).fetchall()

    async def _transaction(self, write: Callable[..., T], *arguments: Any) -> T:
        """What `write` returns of the connection and the arguments, committed, or rolled back when anything goes wrong.

        Runs for every flush, so nothing is a context manager here but the lock.
        """
        async with self._alone:
            connection = self._connected()
            try:
                try:
                    connection.execute("BEGIN IMMEDIATE")
                    written = write(connection, *arguments)
                    if self._is_quick():
                        self._commit_inline(connection)
                    else:
                        await self._commit_in_the_thread(connection)
                except BaseException:
                    # SQLite ends some failed transactions itself.
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    self._forget()
                    raise
            except (apsw.Error, OSError) as failure:
                raise self._unavailable("written", failure) from failure
            return written

    def _is_quick(self) -> bool:
        """Whether the next commit is made inline."""
        # The median, since now and then a commit writes the WAL back and takes much longer than the others.
        median_s = sorted(self._inline_s)[_COMMITS_LATELY // 2]
        return median_s < COMMIT_INLINE_S or self._in_the_thread >= _COMMITS_IN_THE_THREAD

    def _commit_inline(self, connection: apsw.Connection) -> None:
        begun = perf_counter()
        connection.execute("COMMIT")
        self._inline_s.append(perf_counter() - begun)
        self._in_the_thread = 0

    async def _commit_in_the_thread(self, connection: apsw.Connection) -> None:
        """Whoever is cancelled meanwhile learns of it once the commit is done."""
        self._in_the_thread += 1
        assert self._committer is not None
        loop = asyncio.get_running_loop()
        committed = loop.run_in_executor(self._committer, connection.execute, "COMMIT")
        cancelled: asyncio.CancelledError | None = None
        while not committed.done():
            try:
                await asyncio.wait((committed,))
            except asyncio.CancelledError as cancellation:
                cancelled = cancellation
        committed.result()
        if cancelled is not None:
            raise cancelled

    def _forget(self) -> None:
        """After a failure, what is kept in memory is asked for again."""
        self._open.clear()
        self._last_number = None

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            raise LogUnavailable(f"The log {self.path} is closed.")
        return self._connection

    @contextmanager
    def _translated(self, done: str) -> Iterator[None]:
        """Turn the driver's errors into the port's."""
        try:
            yield
        except (apsw.Error, OSError) as failure:
            raise self._unavailable(done, failure) from failure

    def _unavailable(self, done: str, failure: Exception) -> LogUnavailable:
        match failure:
            case apsw.FullError():
                why = "its disk is full. Free some space."
            case apsw.BusyError():
                why = "another program has the file open. Close that program."
            case _:
                why = f"{failure}."
        return LogUnavailable(f"The log {self.path} could not be {done}: {why}")


def _stand(connection: apsw.Connection, stream: str) -> _Open | None:
    """Where a stream stands, None if there is none; a closed one at a version that nobody can expect."""
    found = connection.execute(_FIND_HEAD, (stream,)).get
    if found is None:
        return None
    key, last, version, closed = found
    return _Open(key, last, -1 if closed else version)
