"""A bot's stream without gRPC: what each side writes comes to the other side in order, late, or not at all any more.

The service's side is the `context` that its bot servicer reads and writes; the frames are the real ones, as bytes.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2
from tests.simulation.virtual_time import virtual_loop

__all__ = ["Broken", "Stream"]


class Broken(Exception):
    """The stream has ended."""


class _Way:
    """One direction: frames arrive in the order in which they were sent."""

    def __init__(self, chance: random.Random, way_s: float) -> None:
        self._chance = chance
        self._way_s = way_s
        self._arrives_s = 0.0
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, frame: bytes | None) -> None:
        """Send a frame; None is the end."""
        loop = virtual_loop()
        slowness = 20 if self._chance.random() < 0.02 else 1
        self._arrives_s = max(self._arrives_s, loop.time() + self._chance.uniform(0, self._way_s) * slowness)
        loop.call_at(self._arrives_s, self.frames.put_nowait, frame)


class Stream:
    """Both ends of one stream."""

    def __init__(self, chance: random.Random, way_s: float) -> None:
        self._to_service = _Way(chance, way_s)
        self._to_bot = _Way(chance, way_s)
        self.cut_off: Callable[[], object] = lambda: None
        """Tells the service's side that the connection is gone."""
        self.is_cut = False

    async def read(self) -> Any:
        """A frame for the service, or gRPC's end of file (`context.read`)."""
        frame = await self._to_service.frames.get()
        return grpc.aio.EOF if frame is None else frame

    async def write(self, frame: Any) -> None:
        """A frame from the service, as a message or as bytes (`context.write`)."""
        raw = frame if isinstance(frame, bytes) else frame.SerializeToString()
        await asyncio.sleep(0)
        if not self.is_cut:
            self._to_bot.send(raw)

    def end(self) -> None:
        """The service has ended the stream, after what it wrote."""
        if not self.is_cut:
            self._to_bot.send(None)

    def say(self, frame: bot_pb2.ConnectRequest) -> None:
        """A frame from the bot."""
        if not self.is_cut:
            self._to_service.send(frame.SerializeToString())

    def hang_up(self) -> None:
        """The bot says that it has said everything."""
        if not self.is_cut:
            self._to_service.send(None)

    async def hear(self, patience_s: float) -> bot_pb2.ConnectResponse:
        """A frame for the bot; raises `Broken` at the stream's end and TimeoutError when nothing comes."""
        if self.is_cut:
            raise Broken
        async with asyncio.timeout(patience_s):
            raw = await self._to_bot.frames.get()
        if raw is None:
            raise Broken
        return bot_pb2.ConnectResponse.FromString(raw)

    def cut(self) -> None:
        """The connection is gone: what is on its way is lost."""
        if not self.is_cut:
            self.is_cut = True
            self._to_bot.frames.put_nowait(None)
            self.cut_off()
