"""Lives of a log on a disk that loses power: work, a loss of power, and the next life on what is left.

Of every life many images are made, each by another loss of power, and each is opened with the real log.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from cutpurse_server.log import sqlite_file
from cutpurse_server.log.port import Append, LogUnavailable, StoredEvent, Version
from cutpurse_server.log.sqlite import SQLiteLog
from tests.faults.disk_images import Wear, image_after
from tests.faults.journaling_disk import Journal, journaling_disk
from tests.faults.ledger import KINDS, Contents, Ledger, Stream, append_to, contents_of

__all__ = ["FILE", "PowerLosses", "short_write_ahead_log"]

FILE = "log.sqlite"
STEPS = 40
"""Of a life."""
LIVES = 3
IMAGES_OF_A_LIFE = 80
WAL_PAGES = 12
WEARS = [
    Wear(kept, torn, garbage)
    for kept in (0.0, 0.1, 0.5, 0.9, 1.0)
    for torn in (0.0, 0.3, 1.0)
    for garbage in (0.0, 0.5)
]


@contextmanager
def short_write_ahead_log() -> Iterator[None]:
    """The log starts its WAL anew every few flushes, which otherwise it does in one of several hundred."""
    length = 32 + WAL_PAGES * (24 + 4_096)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_file, "WAL_BYTES", length)
        patch.setitem(sqlite_file.PRAGMAS, "wal_autocheckpoint", (str(WAL_PAGES), WAL_PAGES))
        patch.setitem(sqlite_file.PRAGMAS, "journal_size_limit", (str(length), length))
        yield


class _Work:
    """Flushes, notes and restarts of one life, all acknowledged."""

    def __init__(self, path: Path, journal: Journal, ledger: Ledger, chance: random.Random, log: type[SQLiteLog]):
        self._path, self._journal, self._chance = path, journal, chance
        self.ledger = ledger
        self._kind = log
        self._log = log(path)
        self._names = count(len(ledger.before))

    async def live(self) -> None:
        """Some steps from the opening of the file on; the last thing that happens may be its closing."""
        await self._log.open()
        for _ in range(STEPS):
            lot = self._chance.random()
            if lot < 0.06:
                await self._log.close()
                self._log = self._kind(self._path)
                await self._log.open()
            elif lot < 0.15:
                at_least_ms = self._log.now_ms()
                await self._log.beat()
                self.ledger.beats.append((len(self._journal), at_least_ms))
            else:
                await self._flush()
        await self._log.close()

    async def _flush(self) -> None:
        appends = self._appends()
        begun_at = len(self._journal)
        took_place = await self._log.flush(appends)
        expected = [self._stands(append) for append in appends]
        assert list(took_place) == expected
        taken = [append for append, took in zip(appends, took_place, strict=True) if took]
        self.ledger.flushed(begun_at, len(self._journal), taken)

    def _stands(self, append: Append) -> bool:
        stream = self.ledger.now.get(append.stream, Stream())
        return append.expected == stream.version and not stream.closed

    def _appends(self) -> list[Append]:
        known = sorted(self.ledger.now)
        names = set(self._chance.sample(known, min(len(known), self._chance.randint(0, 5))))
        names |= {self._new_name() for _ in range(self._chance.choice((0, 0, 1, 3) if known else (1,)))}
        return [self._append(name) for name in sorted(names)]

    def _append(self, name: str) -> Append:
        stream = self.ledger.now.get(name, Stream())
        events = [self._event() for _ in range(self._chance.choice((1, 1, 2, 5)))]
        right = append_to(name, stream, events, closed=self._chance.random() < 0.08)
        if self._chance.random() < 0.9:
            return right
        return right._replace(expected=Version(max(0, stream.version + self._chance.choice((-1, 1)))))

    def _new_name(self) -> str:
        kind = self._chance.choice(KINDS)
        return f"{kind}/{next(self._names)}"

    def _event(self) -> StoredEvent:
        size = self._chance.choice((10, 100, 100, 300, 300, 3_000, 30_000) if self._chance.random() < 0.3 else (200,))
        return StoredEvent(self._chance.randbytes(size), self._chance.randbytes(size // 2), self._chance.randbytes(32))


class PowerLosses:
    """As many losses of power as are asked for, from one seed; what was found is counted and kept."""

    def __init__(self, folder: Path, seed: str, log: type[SQLiteLog] = SQLiteLog) -> None:
        self._folder = folder
        self._chance = random.Random(seed)
        self._log = log
        self.counted: Counter[str] = Counter()
        self.faults: list[str] = []

    async def lose_power(self, images: int, faults_max: int = 10) -> None:
        """Make and examine images until there are so many, or enough faults."""
        with short_write_ahead_log():
            while True:
                contents: Contents = {}
                left: dict[str, bytes] = {}
                beat_ms: int | None = None
                for _ in range(LIVES):
                    ledger, journal = await self._live(left, contents, beat_ms)
                    for _ in range(IMAGES_OF_A_LIFE):
                        if self.counted["images"] >= images or len(self.faults) >= faults_max:
                            return
                        found = await self._lose_power_once(ledger, journal)
                        if found is not None:
                            left, contents, beat_ms = found

    async def _live(self, left: dict[str, bytes], contents: Contents, beat_ms: int | None) -> tuple[Ledger, Journal]:
        folder = self._folder / "life"
        folder.mkdir()
        for name, content in left.items():
            (folder / name).write_bytes(content)
        ledger = Ledger(contents, beat_ms)
        with journaling_disk(folder) as journal:
            await _Work(folder / FILE, journal, ledger, self._chance, self._log).live()
        shutil.rmtree(folder)
        self.counted["lives"] += 1
        self.counted["operations"] += len(journal)
        return ledger, journal

    async def _lose_power_once(
        self, ledger: Ledger, journal: Journal
    ) -> tuple[dict[str, bytes], Contents, int | None] | None:
        """Examine one image: what a next life may begin with, or None if there is a fault in it."""
        at = self._chance.randint(journal.begun_at, len(journal))
        wear = self._chance.choice(WEARS)
        image = image_after(journal.operations[:at], wear, self._chance)
        self.counted["images"] += 1
        self.counted["images with something unsynced"] += image.unsynced > 0
        self.counted["images with something lost"] += image.lost > 0
        self.counted["images with something torn"] += image.torn > 0
        folder = self._folder / "image"
        image.write(folder)
        try:
            contents = await _examine(folder / FILE, ledger, at, self.counted)
        except (AssertionError, LogUnavailable) as fault:
            self.faults.append(f"after {at} operations of {len(journal)}, {wear}: {fault}")
            return None
        finally:
            shutil.rmtree(folder)
        return image.files, contents, ledger.beat_after(at)


async def _examine(path: Path, ledger: Ledger, at: int, counted: Counter[str]) -> Contents:
    """Open an image and see that everything acknowledged is there, nothing half, and that the log can be used."""
    log = SQLiteLog(path)
    await log.open()
    try:
        contents = await contents_of(log)
        possible = ledger.possible_after(at)
        counted["images in the middle of a flush"] += len(possible) > 1
        assert contents in possible, _difference(contents, possible[0])
        counted["images with a flush that nobody was told of"] += contents != possible[0]
        beat_ms, earliest_ms = await log.last_beat(), ledger.beat_after(at)
        assert earliest_ms is None or (beat_ms is not None and beat_ms >= earliest_ms), "a note is lost"
        assert log._connection is not None
        assert log._connection.pragma("integrity_check") == "ok", "the database is corrupt"
        name, stream = next(((name, each) for name, each in contents.items() if not each.closed), ("match", Stream()))
        more = append_to(name, stream, [StoredEvent(b"more", b"", b"")])
        assert await log.flush([more]) == [True]
        assert (await log.read(name, stream.version)) == [*more.events]
    finally:
        await log.close()
    return contents


def _difference(found: Contents, acknowledged: Contents) -> str:
    """What is wrong, in a few words."""
    lost = sum(found.get(name, Stream()).events[: each.version] != each.events for name, each in acknowledged.items())
    more = sum(each.version > acknowledged.get(name, Stream()).version for name, each in found.items())
    return f"{lost} streams have lost what was acknowledged, {more} have more than that"
