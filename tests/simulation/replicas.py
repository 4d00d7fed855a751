"""A replica of the service as `serve` puts it together, without gRPC: it can be started, drained and killed."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import TypeVar

from cutpurse_server.errors import ServiceError
from cutpurse_server.identity import Registry
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.matches.crowd import Crowd
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.presence import Presence
from cutpurse_server.servicers import gate
from cutpurse_server.servicers.bots import BotServicer
from cutpurse_server.servicers.hub import Hub
from cutpurse_server.tournaments import Tournaments
from cutpurse_server.wire import identity_events, match_events, tournament_events
from tests.simulation.shared_store import ReplicaLog
from tests.simulation.streams import Stream
from tests.simulation.virtual_time import context_of, virtual_loop

__all__ = ["Gone", "Replica"]

_DRAIN_S = 3.0
T = TypeVar("T")


class Gone(Exception):
    """The replica was killed, or refused with something that is worth another try."""


class Replica:
    """One process of the service, from its start to its end."""

    def __init__(self, owner: str, log: ReplicaLog, chance: random.Random, way_s: float) -> None:
        self.owner = owner
        self.log = log
        self.is_serving = False
        self.is_over = False
        self._chance = chance
        self._way_s = way_s
        self._context: Context = context_of(owner)
        self._streams: list[Stream] = []
        self._handlers: list[asyncio.Task[None]] = []
        self._closing: asyncio.Task[None] | None = None
        self._context.run(self._put_together)
        self._opening = self._task(self._open())

    def _put_together(self) -> None:
        log = self.log
        self.presence = Presence()
        self.desk = MatchDesk(log, match_events, self.presence.fault_of)
        self.hub = Hub(self.desk, self.presence)
        # The default of its last argument was taken before chance was replaced.
        self.registry = Registry(log, identity_events, os.urandom)
        self.tournaments = Tournaments(log, tournament_events, self.desk, self.registry)
        self.bots = BotServicer(self.desk, self.hub, Crowd())

    async def _open(self) -> None:
        try:
            await self.log.open()
            self._readers = asyncio.create_task(self.hub.watch_readers())
            await self.desk.open()
            await self.tournaments.open()
        except (LogUnavailable, ServiceError):
            # `serve` ends with an error, and is started again by whoever watches it.
            self.kill()
            return
        self.is_serving = True

    def cut_streams(self) -> None:
        """Break all its streams."""
        for stream in self._streams:
            stream.cut()

    def kill(self) -> None:
        """End it between two of its steps, and nothing of it is done any more."""
        self.is_serving, self.is_over = False, True
        self.log.kill()
        self.cut_streams()
        virtual_loop().kill(self.owner)

    async def drain(self) -> None:
        """Stop it in good order."""
        self.is_serving = False
        self._closing = self._task(self._drain())
        # Whoever is killed while draining is gone, too.
        await asyncio.wait({self._closing})
        self.is_over = True

    async def _drain(self) -> None:
        self._readers.cancel()
        self.desk.drain()
        self.hub.drain()
        if self._handlers:
            await asyncio.wait(self._handlers, timeout=_DRAIN_S)
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self.tournaments.close()
        await self.desk.close()
        await self.log.close()

    def dial(self, token: str) -> Stream:
        """A new stream of the bot whose token it is."""
        stream = Stream(self._chance, self._way_s)
        self._streams = [each for each in self._streams if not each.is_cut]
        self._handlers = [each for each in self._handlers if not each.done()]
        handler = self._task(self._serve(token, stream))
        self._handlers.append(handler)
        self._streams.append(stream)
        stream.cut_off = handler.cancel
        return stream

    async def _serve(self, token: str, stream: Stream) -> None:
        try:
            caller = await self.registry.authenticate(token)
            assert caller is not None, "a token that was issued is valid"
            gate._caller.set(caller)
            await self.bots.Connect(None, stream)
        except (ServiceError, LogUnavailable):
            # The gate would make a status of it; the bot dials in again in any case.
            pass
        finally:
            stream.end()

    async def call(self, made: Callable[[Replica], Awaitable[T]]) -> T:
        """Make a call at this replica; raises `Gone` if it is killed meanwhile, or has no log."""

        async def called() -> T:
            return await made(self)

        task = self._task(called())
        await asyncio.wait({task})
        if task.cancelled():
            raise Gone
        try:
            return task.result()
        except LogUnavailable:
            raise Gone from None
        except ServiceError as error:
            if error.reason.name in ("LOG_UNAVAILABLE", "DRAINING"):
                raise Gone from None
            raise

    def _task(self, coroutine: Awaitable[T]) -> asyncio.Task[T]:
        # Each with a copy of its own, as gRPC gives every call: the caller's name is kept there.
        return asyncio.get_running_loop().create_task(coroutine, context=self._context.copy())  # type: ignore[arg-type]
