"""Every backend of the log as the contract suite sees it, and short ways to make appends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, Log, StoredEvent, Version
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.log.sqlite import SQLiteLog
from tests.server.log.postgresql_cluster import Cluster


class Backend(ABC):
    """One place where a log is kept, which outlives the log's object if the backend is durable."""

    log: Log

    @abstractmethod
    def again(self) -> Log:
        """A log, still closed, over the same place, after the first one was closed."""


class InMemory(Backend):
    """Kept by the object itself."""

    def __init__(self, folder: Path) -> None:
        self.log = MemoryLog()

    def again(self) -> Log:
        """The same object."""
        return self.log


class InSQLite(Backend):
    """Kept in a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "log.sqlite"
        self.log = SQLiteLog(self._path)

    def again(self) -> Log:
        """Another object over the same file."""
        self.log = SQLiteLog(self._path)
        return self.log


class InPostgreSQL(Backend):
    """Kept in a database."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.log = PostgreSQLLog(address)

    def again(self) -> Log:
        """Another object over the same database."""
        self.log = PostgreSQLLog(self._address)
        return self.log


async def _in_memory(folder: Path, cluster: Callable[[], Cluster]) -> Backend:
    return InMemory(folder)


async def _in_sqlite(folder: Path, cluster: Callable[[], Cluster]) -> Backend:
    return InSQLite(folder)


async def _in_postgresql(folder: Path, cluster: Callable[[], Cluster]) -> Backend:
    server = cluster()
    return InPostgreSQL(server.address(await server.create_database()))


BACKENDS: dict[str, Callable[[Path, Callable[[], Cluster]], Awaitable[Backend]]] = {
    "memory": _in_memory,
    "sqlite": _in_sqlite,
    "postgresql": _in_postgresql,
}
"""Name → what makes it in an empty folder or a fresh database. A new backend is one more line."""


def event(number: int, size: int = 20) -> StoredEvent:
    """An event that differs from those with other numbers in every part."""
    return StoredEvent(f"public {number}".encode().ljust(size), f"secret {number}".encode(), number.to_bytes(32, "big"))


def append(stream: str, expected: int, events: Sequence[StoredEvent] | None = None, *, closed: bool = False) -> Append:
    """An append of the given events, or of one that is numbered by its version; the chain value tells the version."""
    added = events if events is not None else [event(expected + 1)]
    return Append(stream, Version(expected), added, chain_at(expected + len(added)), closed)


def chain_at(version: int) -> bytes:
    """A stand-in for the chain's value; backends keep it and never look into it."""
    return version.to_bytes(32, "little")
