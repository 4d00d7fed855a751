"""The store of a simulated service: one, that outlives every replica, and a `Log` for each replica on the way to it.

A replica's log is slow, may be cut off, and fails before or after a commit. What a replica has sent may be committed
after the replica was killed, as a database would do. Replicas hear of each other's appends late, twice or never.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from cutpurse_server.log.port import Append, Head, Heard, LastSign, LogUnavailable, StoredEvent, Version, is_sound
from tests.simulation.virtual_time import context_of, virtual_loop

__all__ = ["ReplicaLog", "SharedStore", "Weather"]


class Weather(NamedTuple):
    """How bad the way to the store is."""

    failing: float = 0.0
    """Share of writes that fail, half of them after their commit."""
    way_s: float = 0.0
    """How long a call takes at most, for most calls."""
    slow: float = 0.0
    """Share of calls that take a hundred times as long."""
    unheard: float = 0.0
    """Share of notifications that are lost."""


class SharedStore:
    """What is kept. `committed` is told of every append that takes place."""

    def __init__(self, chance: random.Random, committed: Callable[[Append], None]) -> None:
        self.chance = chance
        self.weather = Weather()
        self.counted: Counter[str] = Counter()
        self.events: dict[str, list[StoredEvent]] = {}
        self.heads: dict[str, Head] = {}
        self.beat_ms: int | None = None
        self.logs: list[ReplicaLog] = []
        """Those that are open."""
        self.taking_up = asyncio.Lock()
        self._committed = committed

    def append(self, append: Append) -> bool:
        """Append to a stream that stands where the command expects it."""
        head = self.heads.get(append.stream)
        if append.expected != (head.version if head else 0) or (head and head.closed):
            self.counted["overtaken"] += 1
            return False
        self.events.setdefault(append.stream, []).extend(append.events)
        version = Version(append.expected + len(append.events))
        self.heads[append.stream] = Head(version, append.chain, append.closed)
        self._committed(append)
        return True


class ReplicaLog:
    """The way of one replica to the store."""

    def __init__(self, store: SharedStore, *, shared: bool, skew_ms: int = 0) -> None:
        self._store = store
        self._skew_ms = skew_ms
        self.shared = shared
        self.is_away = False
        """Every call fails."""
        self.is_dead = False
        """Whoever used it was killed."""
        self._sent: list[asyncio.TimerHandle] = []
        """Flushes on their way to the store, and some that have arrived."""
        self._heard: Heard | None = None

    async def open(self) -> None:
        """See the port."""
        await self._pass_by()
        self._store.logs.append(self)

    async def close(self) -> None:
        """See the port."""
        if self in self._store.logs:
            self._store.logs.remove(self)

    def kill(self) -> None:
        """End it as the end of a process does: what is on its way may arrive or not."""
        self.is_dead = True
        for sent in self._sent:
            # Where only one process can have the store, nothing of it is done after its end.
            if not self.shared or self._store.chance.random() < 0.5:
                sent.cancel()
        if self in self._store.logs:
            self._store.logs.remove(self)

    def now_ms(self) -> int:
        """See the port."""
        return virtual_loop().now_ms() + self._skew_ms

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        assert is_sound(appends)
        fault = self._fault()
        if fault == "before":
            await asyncio.sleep(self._way_s())
            self._fail("before the commit")
        loop = virtual_loop()
        outcome: asyncio.Future[list[bool]] = loop.create_future()
        self._sent = [sent for sent in self._sent if sent.when() > loop.time()]
        self._sent.append(loop.call_later(self._way_s(), self._arrive, appends, outcome, context=context_of("store")))
        took_place = await outcome
        await asyncio.sleep(self._way_s())
        if fault == "after":
            self._fail("after the commit")
        self._check()
        return took_place

    def _arrive(self, appends: Sequence[Append], outcome: asyncio.Future[list[bool]]) -> None:
        if self.is_dead:
            self._store.counted["written after a kill"] += 1
        took_place = [self._store.append(append) for append in appends]
        streams = [append.stream for append, took in zip(appends, took_place, strict=True) if took]
        for log in self._store.logs:
            if log is not self and streams and log._heard is not None:
                self._notify(log._heard, streams)
        if not outcome.done():
            outcome.set_result(took_place)

    def _notify(self, heard: Heard, streams: Sequence[str]) -> None:
        chance = self._store.chance
        for _ in range(0 if chance.random() < self._store.weather.unheard else chance.choice((1, 1, 1, 2))):
            told = None if chance.random() < 0.02 else streams
            virtual_loop().call_later(self._way_s(), heard, told)

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """See the port."""
        await self._pass_by()
        return self._store.events.get(stream, [])[after:]

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """See the port."""
        await self._pass_by()
        return {stream: self._store.events.get(stream, [])[version:] for stream, version in after.items()}

    async def head(self, stream: str) -> Head | None:
        """See the port."""
        await self._pass_by()
        return self._store.heads.get(stream)

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See the port."""
        await self._pass_by()
        heads = self._store.heads.items()
        named = (stream for stream, head in heads if not (open_only and head.closed))
        return sorted(stream for stream in named if stream.partition("/")[0] == kind)

    async def beat(self) -> None:
        """See the port."""
        now_ms = self.now_ms()
        fault = self._fault()
        await asyncio.sleep(self._way_s())
        if fault == "before":
            self._fail("before a note")
        self._check()
        self._store.beat_ms = max(self._store.beat_ms or 0, now_ms)
        if fault == "after":
            self._fail("after a note")

    async def last_beat(self) -> int | None:
        """See the port."""
        await self._pass_by()
        return self._store.beat_ms

    def listen(self, heard: Heard) -> None:
        """See the port."""
        self._heard = heard

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """See the port."""
        return {stream: self._store.heads[stream].version for stream in await self.streams(kind, open_only=True)}

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[LastSign]:
        """See the port."""
        async with self._store.taking_up:
            await self._pass_by()
            yield LastSign(self._store.beat_ms, alone=all(log is self for log in self._store.logs))

    def _fault(self) -> str | None:
        """What is to become of a write."""
        self._check()
        if self._store.chance.random() < self._store.weather.failing:
            return self._store.chance.choice(("before", "after"))
        return None

    async def _pass_by(self) -> None:
        self._check()
        await asyncio.sleep(self._way_s())
        self._check()

    def _way_s(self) -> float:
        chance, weather = self._store.chance, self._store.weather
        slowness = 100 if chance.random() < weather.slow else 1
        return chance.uniform(0, weather.way_s) * slowness

    def _check(self) -> None:
        if self.is_away or self.is_dead:
            self._fail("being away")

    def _fail(self, when: str) -> None:
        self._store.counted[f"failed {when}"] += 1
        raise LogUnavailable(f"the simulated store failed {when}")
