"""Backups of a log in a file that are made while the service runs, whenever the operator asks for one by a signal."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import structlog

from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.whereabouts import failure

__all__ = ["backups_on_request"]

_OF_A_LOG = ("", "-wal", "-shm", "-journal", ".lock")
"""How the names of the files end that belong to a log."""

logger = structlog.get_logger(__name__)


@asynccontextmanager
async def backups_on_request(log: Log, path: Path | None) -> AsyncIterator[None]:
    """Within the block, SIGUSR1 has an open log copied to `path`; without a path it is only noted, lest it end us.

    Raises ValueError, with a sentence that says what to do, for a log that is not in a file, or is that file.
    """
    loop = asyncio.get_running_loop()
    if path is None:
        loop.add_signal_handler(signal.SIGUSR1, partial(logger.warning, "no backup made", error="there is no --backup"))
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGUSR1)
        return
    kept = _in_a_file(log, path)
    asked = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, asked.set)
    making = asyncio.create_task(_make_backups(kept, path, asked))
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGUSR1)
        making.cancel()
        await asyncio.wait({making})


def _in_a_file(log: Log, path: Path) -> SQLiteLog:
    if not isinstance(log, SQLiteLog):
        raise ValueError("--backup is for a log in a file; a database has programs of its own for that, as pg_dump.")
    files = {Path(f"{log.path.resolve()}{ending}") for ending in _OF_A_LOG}
    if files & {path.resolve(), Path(f"{path.resolve()}.partial")}:
        raise ValueError(f"{path} is the log itself, or takes the place of one of its files; name another file.")
    return log


async def _make_backups(log: SQLiteLog, path: Path, asked: asyncio.Event) -> None:
    while True:
        await asked.wait()
        # Who asks while one is being made gets another one, which holds what came meanwhile.
        asked.clear()
        try:
            await log.back_up(path)
        except LogUnavailable as unavailable:
            logger.error("backup failed", error=str(unavailable))
        except Exception as error:
            # Nobody awaits this; the next one may go well.
            logger.error("backup failed", **failure(error))
        else:
            logger.info("backup made", file=str(path))
