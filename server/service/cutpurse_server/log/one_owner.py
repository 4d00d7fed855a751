"""What the port says about other replicas, for backends that one process owns: there are none."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from cutpurse_server.log.port import Head, Heard, LastSign, StoredEvent, Version

__all__ = ["OneOwner"]


class OneOwner:
    """The part of a `Log` that a single owner makes simple."""

    shared = False

    def listen(self, heard: Heard) -> None:
        """Nobody else ever appends."""

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[LastSign]:
        """The owner is alone."""
        yield LastSign(await self.last_beat(), alone=True)

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """Where all open streams of a kind stand."""
        heads = [(stream, await self.head(stream)) for stream in await self.streams(kind, open_only=True)]
        return {stream: head.version for stream, head in heads if head is not None}

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """The events of several streams: one after the other is no slower where nothing has to be asked for."""
        return {stream: await self.read(stream, version) for stream, version in after.items()}

    @abstractmethod
    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """See `Log.read`."""

    @abstractmethod
    async def last_beat(self) -> int | None:
        """See `Log.last_beat`."""

    @abstractmethod
    async def head(self, stream: str) -> Head | None:
        """See `Log.head`."""

    @abstractmethod
    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """See `Log.streams`."""
