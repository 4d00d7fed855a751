"""SQLite's log on disks that are full, fail or lose power."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from cutpurse_server.log import sqlite, sqlite_file
from cutpurse_server.log.port import Head, LogUnavailable, StoredEvent, Version
from cutpurse_server.log.sqlite import SQLiteLog
from tests.server.log.backends import append, chain_at, event
from tests.server.log.failing_disk import Disk, failing_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    # The disk keeps a copy of every file at every sync.
    monkeypatch.setattr(sqlite_file, "WAL_BYTES", 100_000)
    with failing_disk() as made:
        yield made


async def test_a_full_database_refuses_and_is_usable_once_there_is_room(path: Path) -> None:
    log = SQLiteLog(path)
    await log.open()
    await log.flush([append("match/a", 0)])
    connection = log._connection
    assert connection is not None
    connection.pragma("max_page_count", connection.pragma("page_count"))
    large = StoredEvent(b"p" * 100_000, b"", b"")

    with pytest.raises(LogUnavailable, match=r"its disk is full\. Free some space\."):
        await log.flush([append("match/a", 1, [large]), append("match/b", 0)])
    assert await log.head("match/a") == Head(Version(1), chain_at(1), False)
    assert await log.head("match/b") is None

    connection.pragma("max_page_count", 1_000_000)
    assert await log.flush([append("match/a", 1, [large]), append("match/b", 0)]) == [True, True]
    await log.close()


@pytest.mark.parametrize("commit_inline_s", [0.0, 10.0])
@pytest.mark.parametrize("failure", [apsw.FullError, apsw.IOError])
async def test_wherever_the_disk_fails_a_flush_is_whole_or_absent_and_the_log_goes_on(
    disk: Disk,
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: type[apsw.Error],
    commit_inline_s: float,
) -> None:
    monkeypatch.setattr(sqlite, "COMMIT_INLINE_S", commit_inline_s)
    log = SQLiteLog(path)
    await log.open()
    await log.flush([append("match/a", 0), append("match/b", 0)])
    version, failures = 1, 0
    flushed = [event(1), event(2)]

    # Each round fails one write or sync later, until a whole flush goes through before the failure.
    for operations in range(100):
        streams = [append("match/a", version, flushed), append("match/b", version, flushed)]
        begun = append(f"match/new-{operations}", 0)
        disk.fail_after(operations, failure)
        try:
            assert await log.flush([*streams, begun]) == [True, True, True]
        except LogUnavailable:
            failures += 1
            disk.work_again()
            heads = [await log.head(each.stream) for each in streams]
            assert [head.version for head in heads if head] == [version, version]
            assert await log.head(begun.stream) is None
            await check_whole_or_absent(disk, path, tmp_path / f"rest-{operations}", version)
            assert await log.flush([*streams, begun]) == [True, True, True]
        version += len(flushed)
        if not disk.failed:
            break
    disk.work_again()

    assert failures >= 4
    await log.close()
    await log.open()
    for stream in ("match/a", "match/b"):
        assert await log.read(stream) == [event(1), *flushed * ((version - 1) // 2)]
    await log.close()


async def check_whole_or_absent(disk: Disk, path: Path, rest: Path, version: int) -> None:
    """If power were lost right after a failed flush of two events, it would be whole or absent then as well."""
    disk.lose_power(rest)
    left = SQLiteLog(rest / path.name)
    await left.open()
    heads = [await left.head(stream) for stream in ("match/a", "match/b")]
    assert [head.version for head in heads if head] in ([version, version], [version + 2, version + 2])
    await left.close()


async def test_a_disk_that_cannot_be_read_is_unavailable_until_it_can(disk: Disk, path: Path) -> None:
    log = SQLiteLog(path)
    await log.open()
    await log.flush([append("match/a", 0, [event(1)])])
    # Opened again, the log has nothing of it in memory.
    await log.close()
    await log.open()
    disk.unreadable = True

    with pytest.raises(LogUnavailable, match="could not be read"):
        await log.read("match/a")

    disk.unreadable = False
    assert await log.read("match/a") == [event(1)]
    await log.close()


async def lose_power_after_flushes(disk: Disk, path: Path, rest: Path) -> int:
    """Flush some appends, lose power at once, open what is left in another folder; its version."""
    log = SQLiteLog(path)
    await log.open()
    for version in range(50):
        assert await log.flush([append("match/a", version)]) == [True]
    disk.lose_power(rest)
    await log.close()
    left = SQLiteLog(rest / path.name)
    await left.open()
    head = await left.head("match/a")
    assert await left.read("match/a") == [event(number + 1) for number in range(head.version if head else 0)]
    await left.close()
    return head.version if head else 0


async def test_what_was_acknowledged_survives_a_loss_of_power(disk: Disk, path: Path, tmp_path: Path) -> None:
    assert await lose_power_after_flushes(disk, path, tmp_path / "rest") == 50


async def test_with_less_synchronous_it_would_not_survive(
    disk: Disk, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sqlite_file.PRAGMAS, "synchronous", ("NORMAL", 1))

    assert await lose_power_after_flushes(disk, path, tmp_path / "rest") < 50
