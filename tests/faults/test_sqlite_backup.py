"""A backup of a log that is in use: whole, of one moment, and a log that everything goes on from."""

import asyncio
import os
import random
import signal
import stat
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest
from structlog.testing import capture_logs

from cutpurse_server.cli.backups import backups_on_request
from cutpurse_server.log import sqlite, sqlite_file
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log, LogUnavailable, StoredEvent
from cutpurse_server.log.sqlite import SQLiteLog
from tests.faults.ledger import Contents, Ledger, Stream, append_to, contents_of
from tests.server.log.failing_disk import Disk, failing_disk
from tests.server.service.arena import eventually, open_arena


def backups(folder: Path) -> dict[str, bytes]:
    """The backups in a folder, finished or not."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if "backup" in path.name}


@pytest.fixture
async def log(folder: Path) -> AsyncIterator[SQLiteLog]:
    made = SQLiteLog(folder / "log.sqlite")
    await made.open()
    yield made
    await made.close()


async def contents_of_copy(path: Path) -> Contents:
    """What a backup holds; it is opened, as a copy of it would be."""
    copy = SQLiteLog(path)
    await copy.open()
    try:
        return await contents_of(copy)
    finally:
        await copy.close()


def put_a_folder_in_the_place_of(path: Path) -> None:
    """Make sure that no backup can be made there."""
    path.unlink()
    path.mkdir()


async def until_said(words: str, times: int, lines: list[Any]) -> None:
    """Wait until a log line has been written so often."""
    await eventually(lambda: sum(line["event"] == words for line in lines) == times)


class Writer:
    """Flushes one after the other, several streams in each, and counts them."""

    def __init__(self, log: SQLiteLog, chance: random.Random) -> None:
        self._log, self._chance = log, chance
        self._names = count()
        self.flushes = 0
        self.ledger = Ledger({})

    async def flush(self, bytes_max: int = 300) -> None:
        """One flush; its number stands for the place in a journal."""
        known = self._chance.sample(sorted(self.ledger.now), min(3, len(self.ledger.now)))
        appends = [
            append_to(name, self.ledger.now.get(name, Stream()), [self._event(bytes_max)])
            for name in [*known, f"match/{next(self._names)}"]
        ]
        assert all(await self._log.flush(appends))
        self.ledger.flushed(self.flushes, self.flushes + 1, appends)
        self.flushes += 1

    def _event(self, bytes_max: int) -> StoredEvent:
        return StoredEvent(self._chance.randbytes(self._chance.randint(1, bytes_max)), b"secret", bytes(32))


@pytest.mark.parametrize("commit_inline_s", [0.0, 10.0], ids=["in the thread", "inline"])
async def test_a_backup_is_the_log_at_a_moment_while_it_was_made(
    log: SQLiteLog, folder: Path, monkeypatch: pytest.MonkeyPatch, commit_inline_s: float
) -> None:
    monkeypatch.setattr(sqlite, "COMMIT_INLINE_S", commit_inline_s)
    monkeypatch.setattr(sqlite, "_PAGES_AT_ONCE", 20)
    writer = Writer(log, random.Random(1))
    for _ in range(60):
        await writer.flush(20_000)
    before = writer.flushes

    copying = asyncio.create_task(log.back_up(folder / "backup.sqlite"))
    while not copying.done():
        await writer.flush()
        # A flush that commits inline lets nobody else go on.
        await asyncio.sleep(0)
    await copying

    found = await contents_of_copy(folder / "backup.sqlite")
    assert writer.flushes - before > 5
    moments = [at for at in range(before, writer.flushes + 1) if [found] == writer.ledger.possible_after(at)]
    assert len(moments) == 1
    assert await contents_of(log) == writer.ledger.now


async def test_a_backup_replaces_an_older_one_and_is_for_its_owner_only(log: SQLiteLog, folder: Path) -> None:
    path = folder / "backup.sqlite"
    writer = Writer(log, random.Random(1))
    for _ in range(2):
        await writer.flush()
        await log.back_up(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert backups(folder).keys() == {"backup.sqlite"}
    assert await contents_of_copy(path) == writer.ledger.now


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    monkeypatch.setattr(sqlite_file, "WAL_BYTES", 100_000)
    with failing_disk() as made:
        yield made


async def test_a_backup_that_fails_leaves_the_older_one_and_the_log_goes_on(disk: Disk, folder: Path) -> None:
    path = folder / "backup.sqlite"
    log = SQLiteLog(folder / "log.sqlite")
    await log.open()
    writer = Writer(log, random.Random(1))
    await writer.flush()
    await log.back_up(path)
    older = backups(folder)
    await writer.flush()

    told: set[str] = set()
    for operations in range(100):
        disk.fail_after(operations, apsw.FullError, ("write",))
        if operations % 2:
            disk.fail_after(operations // 2, apsw.IOError, ("open", "read"))
        try:
            await log.back_up(path)
        except LogUnavailable as unavailable:
            told.add(str(unavailable))
            assert backups(folder) == older
        else:
            assert not disk.failed
        disk.work_again()
        await writer.flush()
        if not disk.failed:
            break

    assert told == {
        f"The log {log.path} could not be copied: its disk is full. Free some space.",
        f"The log {log.path} could not be copied: the disk fails as planned.",
    }
    assert await contents_of(log) == writer.ledger.now
    await log.close()


async def test_a_closed_log_and_a_missing_folder_are_told_and_leave_nothing(log: SQLiteLog, folder: Path) -> None:
    with pytest.raises(LogUnavailable, match="could not be copied"):
        await log.back_up(folder / "missing" / "backup.sqlite")
    await log.close()
    with pytest.raises(LogUnavailable, match="is closed"):
        await log.back_up(folder / "backup.sqlite")

    assert backups(folder) == {}


async def test_a_backup_that_the_closing_of_the_log_overtakes_leaves_nothing(
    log: SQLiteLog, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PAGES_AT_ONCE", 1)
    await Writer(log, random.Random(1)).flush(20_000)

    copying = asyncio.create_task(log.back_up(folder / "backup.sqlite"))
    await asyncio.sleep(0)
    await log.close()

    with pytest.raises(LogUnavailable, match="is closed"):
        await copying
    assert backups(folder) == {}


async def test_every_request_for_a_backup_is_answered_by_one_that_holds_what_was_there(
    log: SQLiteLog, folder: Path
) -> None:
    path = folder / "backup.sqlite"
    writer = Writer(log, random.Random(1))

    with capture_logs() as lines:
        async with backups_on_request(log, path):
            for number in range(1, 4):
                await writer.flush()
                os.kill(os.getpid(), signal.SIGUSR1)
                await until_said("backup made", number, lines)
                assert await contents_of_copy(path) == writer.ledger.now
            put_a_folder_in_the_place_of(path)
            os.kill(os.getpid(), signal.SIGUSR1)
            await until_said("backup failed", 1, lines)

    assert await contents_of(log) == writer.ledger.now


async def test_who_asks_a_service_without_a_place_for_backups_does_not_end_it() -> None:
    with capture_logs() as lines:
        async with backups_on_request(MemoryLog(), None):
            os.kill(os.getpid(), signal.SIGUSR1)
            await until_said("no backup made", 1, lines)


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (MemoryLog(), "pg_dump"),
        (SQLiteLog("log.sqlite"), "is the log itself"),
        (SQLiteLog("log.sqlite.partial"), "one of its files"),
    ],
    ids=["memory", "file", "file that a copy would begin in"],
)
async def test_a_backup_that_cannot_be_is_refused_at_the_start(kept: Log, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        async with backups_on_request(kept, Path("log.sqlite")):
            pass


async def test_a_match_goes_on_from_a_backup_and_what_was_acknowledged_before_it_still_is(folder: Path) -> None:
    log = SQLiteLog(folder / "log.sqlite")
    async with open_arena(log) as arena:
        tokens = arena.tokens
        match, streams = await arena.start(["ann", "ben"])
        ann = streams["ann"]
        choice = ann.choice(await ann.next("decisions", match))
        await ann.say(choices=[choice])
        accepted = await ann.next("accepted")
        await log.back_up(folder / "backup.sqlite")
        # What comes after the backup is not in it.
        asked = await streams["ben"].next("decisions", match)
        await streams["ben"].answer(asked)

    async with open_arena(SQLiteLog(folder / "backup.sqlite"), tokens=tokens) as arena:
        again = await arena.dial("ann")
        await again.say(choices=[choice])
        repeated = await again.next("accepted")
        ben = await arena.dial("ben")
        asked_again = await ben.next("decisions", match)
        await ben.answer(asked_again)

    assert repeated.SerializeToString() == accepted.SerializeToString()
    assert asked_again.view == asked.view
