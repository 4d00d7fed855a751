"""A log for registries, whose time and interleavings a test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, LogUnavailable, StoredEvent

__all__ = ["Store"]


class Store(MemoryLog):
    """A log in memory whose time is set by hand, and which other calls may interleave with, as on a network."""

    def __init__(self) -> None:
        self.at_ms = 1_000_000
        self.reads = 0
        self.unavailable = False
        super().__init__(lambda: self.at_ms)

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """Read, later."""
        self.reads += 1
        if self.unavailable:
            raise LogUnavailable("planned")
        found = await super().read(stream, after)
        await asyncio.sleep(0)
        return found

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """Write, later, and tell of it later still."""
        await asyncio.sleep(0)
        took_place = await super().flush(appends)
        for _ in range(3):
            await asyncio.sleep(0)
        return took_place
