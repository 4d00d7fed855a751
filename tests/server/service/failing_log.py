"""A log that fails when it is told to, before or after it has committed, as the port allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cutpurse_server.log.one_owner import OneOwner
from cutpurse_server.log.port import Append, Head, Log, LogUnavailable, StoredEvent

__all__ = ["FailingLog"]

Fault = Literal["none", "before the commit", "after the commit", "flushes only"]


class FailingLog(OneOwner):
    """Passes everything on to another log, or fails."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.fault: Fault = "none"
        self.fault_of_the_next_write: Fault = "none"
        """Of the first one that would succeed otherwise."""
        self.flushes_failed = 0

    async def open(self) -> None:
        """See the port."""
        await self._log.open()

    async def close(self) -> None:
        """See the port."""
        await self._log.close()

    def now_ms(self) -> int:
        """See the port."""
        return self._log.now_ms()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        fault = self.fault
        if fault == "none":
            fault, self.fault_of_the_next_write = self.fault_of_the_next_write, "none"
        if fault == "none":
            return await self._log.flush(appends)
        self.flushes_failed += 1
        if fault == "after the commit":
            await self._log.flush(appends)
        raise LogUnavailable("canary-of-the-log")

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """See the port."""
        self._check()
        return await self._log.read(stream, after)

    async def head(self, stream: str) -> Head | None:
        """See the port."""
        self._check()
        return await self._log.head(stream)

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See the port."""
        self._check()
        return await self._log.streams(kind, open_only=open_only)

    async def beat(self) -> None:
        """See the port."""
        self._check()
        await self._log.beat()

    async def last_beat(self) -> int | None:
        """See the port."""
        self._check()
        return await self._log.last_beat()

    def _check(self) -> None:
        if self.fault not in ("none", "flushes only"):
            raise LogUnavailable("canary-of-the-log")
