"""The file of the embedded log: its tables, its settings, and who owns it; `sqlite.py` reads and writes it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from cutpurse_server.log.port import LogUnavailable

__all__ = [
    "APPLICATION_ID",
    "PRAGMAS",
    "SCHEMA_VERSION",
    "SQLITE_MINIMUM",
    "WAL_BYTES",
    "WAL_PAGES",
    "Ownership",
    "connect",
    "new_copy",
]

SQLITE_MINIMUM = (3, 51, 3)
"""Older versions may destroy the database when the WAL starts anew."""

APPLICATION_ID = 0x43757450
"""Marks the file as ours (`CutP`), so that no other program's database is ever written to."""

SCHEMA_VERSION = 2

WAL_PAGES = 2_000
"""When the write-ahead log is that long (8 MB), the commit that made it so writes it back and starts it anew.

That takes some milliseconds, and happens in one flush of several hundred, since a flush changes few pages.
"""

WAL_BYTES = 32 + WAL_PAGES * (24 + 4_096)
"""The length to which the write-ahead log is made at once and cut back: header, and pages with a header each."""

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
    # After a flush larger than usual the file is cut back, and never further: see `_lengthen_wal`.
    "journal_size_limit": (str(WAL_BYTES), WAL_BYTES),
    # Lets the trigger against deletion see INSERT OR REPLACE too.
    "recursive_triggers": ("ON", 1),
}
"""What every connection is set to, and what it must then answer, in this order."""

_SCHEMA = f"""
CREATE TABLE streams (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last INTEGER NOT NULL,
    closed INTEGER NOT NULL
) STRICT;
CREATE INDEX open_streams ON streams (name) WHERE closed = 0;
CREATE TABLE appends (
    number INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    version INTEGER NOT NULL,
    chain BLOB NOT NULL,
    previous INTEGER NOT NULL,
    events BLOB NOT NULL
) STRICT;
CREATE TABLE beats (only INTEGER PRIMARY KEY CHECK (only = 1), at_ms INTEGER NOT NULL) STRICT;
CREATE TRIGGER appends_are_never_changed BEFORE UPDATE ON appends
    BEGIN SELECT RAISE(ABORT, 'appends are append-only'); END;
CREATE TRIGGER appends_are_never_removed BEFORE DELETE ON appends
    BEGIN SELECT RAISE(ABORT, 'appends are append-only'); END;
CREATE TRIGGER heads_never_go_back BEFORE UPDATE ON streams
    WHEN NEW.last < OLD.last OR NEW.closed < OLD.closed OR NEW.key <> OLD.key OR NEW.name <> OLD.name
    BEGIN SELECT RAISE(ABORT, 'heads never go back'); END;
CREATE TRIGGER streams_are_never_removed BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'streams are never removed'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""
"""`streams.last` is the number of the stream's last append. `appends.version` counts the stream's events with those of
the append, `previous` is the number of the stream's append before it, or 0, and `events` holds them as `packed`."""


def connect(path: Path) -> apsw.Connection:
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
        _lengthen_wal(path)
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


def _lengthen_wal(path: Path) -> None:
    """Make the WAL as long as it gets, with zeros, which SQLite takes for no pages.

    A sync costs half as much when it only writes over what is there: no length and no block has to be noted.
    """
    descriptor = os.open(f"{path}-wal", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        length = os.fstat(descriptor).st_size
        os.pwrite(descriptor, bytes(max(0, WAL_BYTES - length)), length)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def new_copy(path: Path) -> Iterator[apsw.Connection]:
    """An empty database to be filled within the block, which is put in the place of `path` at its end.

    Raises `apsw.Error` or `OSError`; then, and when the block fails, whatever is at `path` stays there.
    """
    partial = path.with_name(f"{path.name}.partial")
    with suppress(FileNotFoundError):
        partial.unlink()
    try:
        # It holds everybody's cards as the log does.
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            connection = apsw.Connection(str(partial))
            try:
                # It is nothing until it is whole, and is synced then.
                connection.pragma("journal_mode", "OFF")
                connection.pragma("synchronous", "OFF")
                yield connection
            finally:
                connection.close()
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(partial, path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


class Ownership:
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
