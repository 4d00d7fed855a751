"""Whatever a disk fails to do, whenever in a log's life: it is said, nothing acknowledged is lost, the log goes on."""

import errno
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from cutpurse_server.log import sqlite, sqlite_file
from cutpurse_server.log.port import LogUnavailable, StoredEvent
from cutpurse_server.log.sqlite import SQLiteLog
from tests.faults.ledger import Stream, append_to, contents_of
from tests.server.log.failing_disk import KINDS, Disk, failing_disk

OPERATIONS_MAX = 400
INLINE = 10.0
MARKS = {"read": pytest.mark.slow, "write": pytest.mark.slow}
"""A log reads and writes more than a hundred times in its life, and does all else a few times."""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    # The disk keeps a copy of every file at every sync.
    monkeypatch.setattr(sqlite_file, "WAL_BYTES", 50_000)
    monkeypatch.setitem(sqlite_file.PRAGMAS, "wal_autocheckpoint", ("12", 12))
    monkeypatch.setitem(sqlite_file.PRAGMAS, "journal_size_limit", ("50000", 50_000))
    with failing_disk() as made:
        yield made


class Life:
    """A log's life from the making of its file to the second closing, on a disk that may fail once at any moment.

    Flushes that fail are said again, as a desk decides again what it read.
    """

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path, self._disk = path, disk
        self._log = SQLiteLog(path)
        self._streams: dict[str, Stream] = {}
        self.failures: list[str] = []

    async def live(self) -> None:
        """All of it."""
        await self._do(lambda: self._log.open())
        for size in (10, 200, 60_000, 10, 5_000):
            await self._flush("match/a", size)
            await self._flush("match/b", size)
        await self._close_and_open_again()
        await self._flush("match/a", 300)
        assert await self._do(lambda: contents_of(self._log)) == self._streams
        await self._close_and_open_again()
        assert await self._do(lambda: contents_of(self._log)) == self._streams
        await self._close()

    async def _flush(self, name: str, size: int) -> None:
        stream = self._streams.get(name, Stream())
        events = [StoredEvent(bytes(size), b"", b""), StoredEvent(b"small", b"", b"")]
        append = append_to(name, stream, events)

        async def whole_or_absent() -> bool:
            head = await self._log.head(name)
            version = head.version if head else 0
            assert version in (stream.version, stream.version + len(events)), "half a flush"
            return version > stream.version or list(await self._log.flush([append])) == [True]

        assert await self._do(whole_or_absent)
        self._streams[name] = Stream((*stream.events, *events))

    async def _close(self) -> None:
        try:
            await self._log.close()
        except LogUnavailable as unavailable:
            self._failed(unavailable)

    async def _close_and_open_again(self) -> None:
        await self._close()
        self._log = SQLiteLog(self._path)
        await self._do(lambda: self._log.open())

    async def _do(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Do something, and do it again if the disk failed, which it does once."""
        try:
            return await work()
        except LogUnavailable as unavailable:
            self._failed(unavailable)
            return await work()

    def _failed(self, unavailable: LogUnavailable) -> None:
        assert self._disk.failed, f"nothing failed, and yet: {unavailable}"
        assert str(self._path) in str(unavailable)
        self.failures.append(str(unavailable))
        self._disk.work_again()


@pytest.mark.parametrize(
    ("kind", "failure", "commit_inline_s"),
    [
        *(pytest.param(kind, apsw.IOError, INLINE, marks=MARKS.get(kind, ())) for kind in KINDS),
        pytest.param("write", apsw.FullError, INLINE, marks=MARKS["write"]),
        ("sync", apsw.FullError, 0.0),
    ],
)
async def test_whenever_the_disk_fails_nothing_acknowledged_is_lost_and_the_log_goes_on(
    disk: Disk,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    failure: type[apsw.Error],
    commit_inline_s: float,
) -> None:
    monkeypatch.setattr(sqlite, "COMMIT_INLINE_S", commit_inline_s)
    failed = 0
    failures: list[str] = []

    for operations in range(OPERATIONS_MAX):
        disk.fail_after(operations, failure, [kind])
        place = folder / str(operations)
        place.mkdir()
        life = Life(place / "log.sqlite", disk)
        await life.live()
        disk.work_again()
        failures += life.failures
        failed += disk.failed
        if not disk.failed:
            break

    print(f"{failed} of {operations} operations failed, {len(failures)} were told of", set(failures))
    assert not disk.failed
    assert failed > 0


@pytest.mark.parametrize("call", ["open", "fstat", "pwrite", "fsync"])
async def test_what_the_log_itself_asks_of_the_system_may_fail_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "log.sqlite"
    log = SQLiteLog(path)

    class Full:
        def __getattr__(self, name: str) -> Any:
            return self._fail if name == call else getattr(os, name)

        def _fail(self, *_: Any, **__: Any) -> Any:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sqlite_file, "os", Full())
    with pytest.raises(LogUnavailable, match="No space left on device"):
        await log.open()

    monkeypatch.undo()
    await log.open()
    assert await log.flush([append_to("match/a", Stream(), [StoredEvent(b"event", b"", b"")])]) == [True]
    await log.close()
