"""A log that fails in every way in which a store may fail, which is not by lying about what it has acknowledged."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum

from cutpurse_server.log.port import Append, Head, Heard, LastSign, Log, LogUnavailable, StoredEvent, Version

__all__ = ["Fault", "FaultyStore"]

_SLOW_S = 0.01


class Fault(StrEnum):
    """What may become of a flush or a read."""

    BEFORE = "fails before the commit"
    AFTER = "fails after the commit"
    DENIED = "commits, and says of some appends that their heads had moved"
    REFUSED = "says of some appends that their heads had moved, and does not commit them"
    SLOW_BEFORE = "takes its time before the commit"
    SLOW_AFTER = "takes its time after the commit"
    UNREADABLE = "cannot be read"
    STALE = "reads what stood there before the last append"
    SLOW_READ = "takes its time to read"


_OF_WRITES = (Fault.BEFORE, Fault.AFTER, Fault.DENIED, Fault.REFUSED, Fault.SLOW_BEFORE, Fault.SLOW_AFTER)
_OF_READS = (Fault.UNREADABLE, Fault.STALE, Fault.SLOW_READ)


class FaultyStore:
    """Passes everything on to another log, and fails in a share of all calls while it is told to."""

    def __init__(self, log: Log, chance: random.Random, share: float) -> None:
        self._log = log
        self._chance = chance
        self._share = share
        self.is_faulty = False
        self.is_cut = False
        """Nothing passes any more in either direction: whoever uses it has lost it for ever."""
        self.counted: Counter[Fault] = Counter()
        self._before_last: dict[str, int] = {}
        """By stream: its version before the last append that passed through here."""

    @property
    def shared(self) -> bool:
        """See the port."""
        return self._log.shared

    async def open(self) -> None:
        """Nothing: the log is opened and closed by whoever gave it."""

    async def close(self) -> None:
        """Nothing."""

    def now_ms(self) -> int:
        """See the port."""
        return self._log.now_ms()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        fault = self._draw(_OF_WRITES)
        if fault is Fault.SLOW_BEFORE:
            await asyncio.sleep(self._chance.uniform(0, _SLOW_S))
        if fault is Fault.BEFORE:
            self._fail(fault)
        passed = list(appends)
        if fault is Fault.REFUSED:
            passed = [append for append in appends if self._chance.random() < 0.5]
        took_place = dict(zip((each.stream for each in passed), await self._log.flush(passed), strict=True))
        self._before_last.update({each.stream: each.expected for each in passed if took_place[each.stream]})
        self._check()
        if fault is Fault.SLOW_AFTER:
            await asyncio.sleep(self._chance.uniform(0, _SLOW_S))
        if fault is Fault.AFTER:
            self._fail(fault)
        if fault is Fault.DENIED:
            took_place = {stream: took and self._chance.random() < 0.5 for stream, took in took_place.items()}
        return [took_place.get(append.stream, False) for append in appends]

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """See the port."""
        fault = await self._look()
        events = await self._log.read(stream, after)
        if fault is Fault.STALE and stream in self._before_last:
            return events[: max(0, self._before_last[stream] - after)]
        return events

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """See the port."""
        return {stream: await self.read(stream, version) for stream, version in after.items()}

    async def head(self, stream: str) -> Head | None:
        """See the port."""
        await self._look()
        return await self._log.head(stream)

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See the port."""
        await self._look()
        return await self._log.streams(kind, open_only=open_only)

    async def beat(self) -> None:
        """See the port."""
        fault = self._draw(_OF_WRITES)
        if fault is Fault.BEFORE:
            self._fail(fault)
        await self._log.beat()
        if fault is Fault.AFTER:
            self._fail(fault)

    async def last_beat(self) -> int | None:
        """See the port."""
        await self._look()
        return await self._log.last_beat()

    def listen(self, heard: Heard) -> None:
        """See the port."""
        self._log.listen(heard)

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """See the port."""
        await self._look()
        return await self._log.open_versions(kind)

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[LastSign]:
        """See the port."""
        await self._look()
        async with self._log.taking_up() as last:
            yield last

    async def _look(self) -> Fault | None:
        """Before something is read."""
        fault = self._draw(_OF_READS)
        if fault is Fault.UNREADABLE:
            self._fail(fault)
        if fault is Fault.SLOW_READ:
            await asyncio.sleep(self._chance.uniform(0, _SLOW_S))
        self._check()
        return fault

    def _draw(self, faults: Sequence[Fault]) -> Fault | None:
        self._check()
        if not self.is_faulty or self._chance.random() >= self._share:
            return None
        fault = self._chance.choice(faults)
        self.counted[fault] += 1
        return fault

    def _fail(self, fault: Fault) -> None:
        raise LogUnavailable(f"canary: the store {fault}, as planned")

    def _check(self) -> None:
        if self.is_cut:
            raise LogUnavailable("canary: the store was cut off, as planned")
