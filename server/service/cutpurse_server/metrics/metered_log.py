"""A log whose operations are counted and timed; otherwise the log that it is given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter

from cutpurse_server.log.port import Append, Head, Heard, LastSign, Log, LogUnavailable, StoredEvent, Version
from cutpurse_server.metrics.figures import Figures

__all__ = ["MeteredLog"]


class MeteredLog:
    """See `Log`."""

    def __init__(self, log: Log, figures: Figures) -> None:
        self._log = log
        self._figures = figures
        self.now_ms = log.now_ms
        self.shared = log.shared

    async def open(self) -> None:
        """See `Log.open`."""
        await self._log.open()

    async def close(self) -> None:
        """See `Log.close`."""
        await self._log.close()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See `Log.flush`."""
        begun = perf_counter()
        with self._watched("flush"):
            done = await self._log.flush(appends)
        self._figures.flush_seconds.observe(perf_counter() - begun)
        self._figures.flush_streams.observe(sum(done))
        return done

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """See `Log.read`."""
        with self._watched("read"):
            return await self._log.read(stream, after)

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """See `Log.read_each`."""
        with self._watched("read_each"):
            return await self._log.read_each(after)

    async def head(self, stream: str) -> Head | None:
        """See `Log.head`."""
        with self._watched("head"):
            return await self._log.head(stream)

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See `Log.streams`."""
        with self._watched("streams"):
            return await self._log.streams(kind, open_only=open_only)

    async def beat(self) -> None:
        """See `Log.beat`."""
        with self._watched("beat"):
            await self._log.beat()

    async def last_beat(self) -> int | None:
        """See `Log.last_beat`."""
        with self._watched("last_beat"):
            return await self._log.last_beat()

    def listen(self, heard: Heard) -> None:
        """See `Log.listen`."""
        self._log.listen(heard)

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """See `Log.open_versions`."""
        with self._watched("open_versions"):
            return await self._log.open_versions(kind)

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[LastSign]:
        """See `Log.taking_up`."""
        with self._watched("taking_up"):
            async with self._log.taking_up() as last:
                yield last

    @contextmanager
    def _watched(self, operation: str) -> Iterator[None]:
        try:
            yield
        except LogUnavailable:
            self._figures.log_failures.labels(operation).inc()
            self._figures.log_available.set(0)
            raise
        self._figures.log_available.set(1)
