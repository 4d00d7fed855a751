"""The log in one SQLite file, owned by one process; docs/decisions/0003 says why it is built like this.

Streams have small integer keys, so that the table of events is short and clustered by stream. A flush is one
transaction: the heads are moved first, each only if it still stands at the expected version and is not closed, then
the events of those that moved are inserted. A commit takes a fraction of a millisecond and is made inline.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from cutpurse_server.log.clock import StoreClock
from cutpurse_server.log.port import Append, Head, LogUnavailable, StoredEvent, Version, is_sound

__all__ = ["SQLiteLog"]

SQLITE_MINIMUM = (3, 51, 3)
"""Older versions may destroy the database when the WAL starts anew."""

APPLICATION_ID = 0x43757450
"""Marks the file as ours (`CutP`), so that no other program's database is ever written to."""

SCHEMA_VERSION = 1

WAL_PAGES = 4_000
"""When the write-ahead log is that long (16 MB), the commit that made it so writes it back and starts it anew.

That takes some milliseconds. Four times as often, it would be in one percent of all flushes.
"""

PRAGMAS: dict[str, tuple[str, object]] = {
    # One owner: no shared memory between processes, and no other program reads half of a file or keeps the WAL long.
    "locking_mode": ("EXCLUSIVE", "exclusive"),
    "journal_mode": ("WAL", "wal"),
    # With less, a commit that was acknowledged may be gone after a loss of power.
    "synchronous": ("FULL", 2),
    # On macOS a plain fsync does not reach the disk; elsewhere these change nothing.
    "fullfsync": ("ON", 1),
    "checkpoint_fullfsync": ("ON", 1),
    "wal_autocheckpoint": (str(WAL_PAGES), WAL_PAGES),
    # After a flush larger than usual the file is cut back.
    "journal_size_limit": (str(WAL_PAGES * 4_096), WAL_PAGES * 4_096),
    # Lets the trigger against deletion see INSERT OR REPLACE too.
    "recursive_triggers": ("ON", 1),
}
"""What every connection is set to, and what it must then answer, in this order."""

_SCHEMA = f"""
CREATE TABLE streams (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    chain BLOB NOT NULL,
    closed INTEGER NOT NULL
) STRICT;
CREATE INDEX open_streams ON streams (name) WHERE closed = 0;
CREATE TABLE events (
    stream INTEGER NOT NULL,
    version INTEGER NOT NULL,
    public BLOB NOT NULL,
    secret BLOB NOT NULL,
    salt BLOB NOT NULL,
    PRIMARY KEY (stream, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE beats (only INTEGER PRIMARY KEY CHECK (only = 1), at_ms INTEGER NOT NULL) STRICT;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER streams_are_never_removed BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'streams are never removed'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_BEGIN_STREAM = (
    "INSERT INTO streams (name, version, chain, closed) VALUES (?, ?, ?, 0) ON CONFLICT (name) DO NOTHING RETURNING key"
)
_FIND_KEY = "SELECT key FROM streams WHERE name = ?"
# The head is moved and closed by two statements: one that names `closed` would touch its index in every move.
_MOVE = "UPDATE streams SET version = ?, chain = ? WHERE key = ? AND version = ? AND closed = 0"
_CLOSE = "UPDATE streams SET closed = 1 WHERE key = ?"
_INSERT_EVENT = "INSERT INTO events (stream, version, public, secret, salt) VALUES (?, ?, ?, ?, ?)"
_READ = """
SELECT public, secret, salt FROM events
WHERE stream = (SELECT key FROM streams WHERE name = ?) AND version > ? ORDER BY version
"""
_HEAD = "SELECT version, chain, closed FROM streams WHERE name = ?"
# '0' is the character after '/', so this is the range of all names that begin with the kind and a slash.
_OF_KIND = "SELECT name FROM streams WHERE (name = ?1 OR name > ?1 || '/' AND name < ?1 || '0')"
_BEAT = "INSERT INTO beats (only, at_ms) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET at_ms = excluded.at_ms"
_LAST_BEAT = "SELECT at_ms FROM beats"


class SQLiteLog:
    """A `Log` in the file at `path`, which is made if it is not there; its folder must be.

    After a failed read or write (full disk, I/O error) the transaction is rolled back, `LogUnavailable` is raised and
    the log stays usable: whatever failed is tried afresh by the next call.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """A log that is still closed."""
        self.path = Path(path)
        self._clock = StoreClock()
        self._ownership: _Ownership | None = None
        self._connection: apsw.Connection | None = None
        # Keys of the streams that are open, learnt from committed transactions only.
        self._keys: dict[str, int] = {}

    async def open(self) -> None:
        """Take ownership of the file and check everything that durability rests on."""
        assert self._connection is None
        self._ownership = _Ownership(self.path)
        try:
            with self._translated("opened"):
                self._connection = _connect(self.path)
            before_ms = self._last_beat_ms()
        except BaseException:
            await self.close()
            raise
        if before_ms is not None:
            self._clock.not_before(before_ms)

    async def close(self) -> None:
        """Write the WAL back, close the file and let go of it."""
        connection, self._connection = self._connection, None
        ownership, self._ownership = self._ownership, None
        self._keys.clear()
        try:
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
        with self._transaction() as connection:
            keys: Sequence[int | None] | None = self._move_together(connection, appends)
            if keys is None:
                keys = [self._move_singly(connection, append) for append in appends]
            rows = [
                (key, version, event.public, event.secret, event.salt)
                for key, append in zip(keys, appends, strict=True)
                if key is not None
                for version, event in enumerate(append.events, append.expected + 1)
            ]
            connection.executemany(_INSERT_EVENT, rows)
        self._remember(keys, appends)
        return [key is not None for key in keys]

    def _move_together(self, connection: apsw.Connection, appends: Sequence[Append]) -> list[int] | None:
        """Move all heads with one call, the cheapest way, if they are known and open and all of them can be moved.

        Otherwise None, and nothing was moved.
        """
        keys: list[int] = []
        moves: list[tuple[int, bytes, int, int]] = []
        known = self._keys
        for stream, expected, events, chain, closed in appends:
            key = known.get(stream)
            if key is None or closed:
                return None
            keys.append(key)
            moves.append((expected + len(events), chain, key, expected))
        before = connection.total_changes()
        connection.executemany(_MOVE, moves)
        # Each statement moves its own head or none, so the sum tells whether all were moved.
        if connection.total_changes() - before == len(moves):
            return keys
        connection.execute("ROLLBACK")
        connection.execute("BEGIN IMMEDIATE")
        return None

    def _move_singly(self, connection: apsw.Connection, append: Append) -> int | None:
        """Move one head, beginning or closing its stream where asked; its key, or None if it cannot be moved."""
        version = append.expected + len(append.events)
        key: int | None
        if append.expected == 0:
            key = _one(connection, _BEGIN_STREAM, (append.stream, version, append.chain))
        else:
            key = self._keys.get(append.stream) or _one(connection, _FIND_KEY, (append.stream,))
            if key is not None:
                connection.execute(_MOVE, (version, append.chain, key, append.expected))
                if connection.changes() == 0:
                    key = None
        if key is not None and append.closed:
            connection.execute(_CLOSE, (key,))
        return key

    def _remember(self, keys: Sequence[int | None], appends: Sequence[Append]) -> None:
        """Keep the keys of open streams; a closed one is never written to again."""
        for key, append in zip(keys, appends, strict=True):
            if append.closed:
                self._keys.pop(append.stream, None)
            elif key is not None:
                self._keys[append.stream] = key

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version."""
        assert after >= 0
        return [StoredEvent(*row) for row in self._rows(_READ, (stream, after))]

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands."""
        for version, chain, closed in self._rows(_HEAD, (stream,)):
            return Head(Version(version), chain, bool(closed))
        return None

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The streams of a kind."""
        condition = " AND closed = 0" if open_only else ""
        return [name for (name,) in self._rows(f"{_OF_KIND}{condition} ORDER BY name", (kind,))]

    async def beat(self) -> int | None:
        """Note that the service is alive."""
        before_ms = self._last_beat_ms()
        with self._transaction() as connection:
            connection.execute(_BEAT, (self.now_ms(),))
        return before_ms

    def _last_beat_ms(self) -> int | None:
        for (at_ms,) in self._rows(_LAST_BEAT, ()):
            return int(at_ms)
        return None

    def _rows(self, query: str, bindings: tuple[Any, ...]) -> list[Any]:
        """All rows at once, so that no open read keeps the WAL from starting anew."""
        with self._translated("read"):
            return self._connected().execute(query, bindings).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        """One transaction: committed at the end, rolled back when anything goes wrong."""
        connection = self._connected()
        with self._translated("written"):
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite ends some failed transactions itself.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            raise LogUnavailable(f"The log {self.path} is closed.")
        return self._connection

    @contextmanager
    def _translated(self, done: str) -> Iterator[None]:
        """Turn the driver's errors into the port's."""
        try:
            yield
        except apsw.FullError as failure:
            raise LogUnavailable(
                f"The log {self.path} could not be {done}: its disk is full. Free some space."
            ) from failure
        except apsw.BusyError as failure:
            raise LogUnavailable(
                f"The log {self.path} could not be {done}: another program has the file open. Close that program."
            ) from failure
        except (apsw.Error, OSError) as failure:
            raise LogUnavailable(f"The log {self.path} could not be {done}: {failure}.") from failure


def _one(connection: apsw.Connection, query: str, bindings: tuple[Any, ...]) -> int | None:
    """The only value of the only row, or None if there is no row."""
    value: int | None = connection.execute(query, bindings).get
    return value


def _connect(path: Path) -> apsw.Connection:
    """Open the database, making its tables if it is new; raises `LogUnavailable` or `apsw.Error`."""
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < SQLITE_MINIMUM:
        found, wanted = apsw.sqlite_lib_version(), ".".join(map(str, SQLITE_MINIMUM))
        raise LogUnavailable(f"SQLite {found} may destroy its database. Install an apsw that brings {wanted} or newer.")
    # Made before SQLite would, because the log holds everybody's cards: for the owner's eyes only.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = apsw.Connection(str(path), statementcachesize=64)
    try:
        # First of all, so that the WAL's index is in our memory from the first look at the file.
        connection.pragma("locking_mode", "EXCLUSIVE")
        is_new = _check_schema(path, connection)
        _set_pragmas(path, connection)
        if is_new:
            connection.execute(f"BEGIN IMMEDIATE; {_SCHEMA}; COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(path: Path, connection: apsw.Connection) -> bool:
    """Whether the database is new; raises `LogUnavailable` if it is neither new nor a log of this version."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    application, version = connection.pragma("application_id"), connection.pragma("user_version")
    if (tables, application, version) == (0, 0, 0):
        return True
    if application != APPLICATION_ID:
        raise LogUnavailable(f"The file {path} is another program's database. Choose another file for the log.")
    if version != SCHEMA_VERSION:
        raise LogUnavailable(
            f"The log {path} has schema {version}, and this version of Cutpurse reads schema {SCHEMA_VERSION}. "
            "Use the version that wrote it, or choose another file."
        )
    return False


def _set_pragmas(path: Path, connection: apsw.Connection) -> None:
    """Set every pragma and see that it holds: a database that cannot do it answers with what it does instead."""
    for name, (setting, _) in PRAGMAS.items():
        connection.pragma(name, setting)
    for name, (_, expected) in PRAGMAS.items():
        if (found := connection.pragma(name)) != expected:
            raise LogUnavailable(
                f"The log {path} would not be durable: SQLite answers {name}={found}, and {expected} is needed. "
                "Choose a file on a local disk."
            )


class _Ownership:
    """A lock on a file beside the database. The kernel lets go of it when the process ends, however it ends.

    It is a lock of the open file, so a second log in the same process is refused as well.
    """

    def __init__(self, path: Path) -> None:
        # Links lead to one lock.
        self._lock = Path(f"{path.resolve()}.lock")
        try:
            self._descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as failure:
            raise LogUnavailable(
                f"The log {path} cannot be used: {failure.strerror}. Its folder must exist and be writable."
            ) from failure
        try:
            self._take(path)
        except BaseException:
            os.close(self._descriptor)
            raise

    def _take(self, path: Path) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)
        except BlockingIOError as failure:
            owner = os.pread(self._descriptor, 20, 0).decode(errors="replace") or "unknown"
            raise LogUnavailable(
                f"The log {path} belongs to a service that is running, process {owner}. "
                "Stop that service, or choose another file."
            ) from failure
        except OSError as failure:
            raise LogUnavailable(f"The log {path} cannot be locked: {failure.strerror}.") from failure

    def release(self) -> None:
        """Let go of the lock; its file stays, since removing it could remove somebody else's."""
        os.close(self._descriptor)
