"""Durable appends in groups of 16, through our backend, and through bare SQLite with the same safety.

Both write 200 bytes an event to streams in turn. The floor has one table, one prepared insert, and nothing else.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

import apsw

from cutpurse_server.log.chain import link
from cutpurse_server.log.port import Append, Log, StoredEvent, Version
from cutpurse_server.log.sqlite import SQLiteLog

__all__ = ["EVENT_BYTES", "GROUP", "appends_per_s", "bare_appends_per_s", "log_appends_per_s"]

GROUP = 16
EVENT_BYTES = 200
_TABLE = """CREATE TABLE events (
    stream INTEGER NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (stream, version)
) WITHOUT ROWID"""


def bare_appends_per_s(seconds: float) -> float:
    """The floor: one insert per event, one transaction per group, WAL, synchronous=FULL, exclusive."""
    with tempfile.TemporaryDirectory(prefix="cutpurse-bench-") as folder:
        connection = apsw.Connection(str(Path(folder) / "bare.sqlite"))
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(_TABLE)
        body = os.urandom(EVENT_BYTES)
        version, begun = 0, time.perf_counter()
        while (wall := time.perf_counter() - begun) < seconds:
            version += 1
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT INTO events VALUES (?, ?, ?)", [(stream, version, body) for stream in range(GROUP)]
            )
            connection.execute("COMMIT")
        connection.close()
        return version * GROUP / wall


def log_appends_per_s(seconds: float) -> float:
    """Our backend: guarded heads, chain values, one event to each of 16 streams in a flush."""
    with tempfile.TemporaryDirectory(prefix="cutpurse-bench-") as folder:
        return asyncio.run(appends_per_s(SQLiteLog(str(Path(folder) / "log.sqlite")), seconds))


async def appends_per_s(log: Log, seconds: float) -> float:
    """Of any backend whose log is new and closed; it is closed again afterwards."""
    await log.open()
    event = StoredEvent(os.urandom(EVENT_BYTES // 2), os.urandom(EVENT_BYTES // 2 - 32), os.urandom(32))
    chain = link(bytes(32), event.public)
    version, begun = 0, time.perf_counter()
    while (wall := time.perf_counter() - begun) < seconds:
        flush = [Append(f"match/{stream}", Version(version), (event,), chain) for stream in range(GROUP)]
        assert all(await log.flush(flush))
        version += 1
    await log.close()
    return version * GROUP / wall
