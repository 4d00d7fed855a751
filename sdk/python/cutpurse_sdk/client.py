"""The asynchronous core: an iterator of events that outlives its streams, and `answer`.

async with connect() as client:
    async for event in client:
        match event:
            case MatchOffered():
                client.ready(event)
            case Decision():
                client.answer(event, event.legal[0])
"""

from __future__ import annotations

import asyncio
import enum
import logging
import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import grpc

from cutpurse.v1.bot_pb2 import ConnectResponse, MatchOffered
from cutpurse_sdk.answers import Answer
from cutpurse_sdk.decision import Decision, Randomness
from cutpurse_sdk.errors import ServiceUnreachable, refused_for_good
from cutpurse_sdk.session import Event, Session
from cutpurse_sdk.settings import Settings
from cutpurse_sdk.stream import Stream, Wishes

__all__ = ["Backoff", "Client", "Ending", "connect"]

log = logging.getLogger("cutpurse_sdk")

GRACE_S = 2.0
"""How long a bot that stops waits for the replies to what it has said, and a drained stream for its end."""

STEADY_S = 5.0
"""A stream that lasted so long, or brought anything after Welcome, was a success: the patience begins anew."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The pauses between attempts to dial in."""

    first_s: float = 0.05
    """The longest first pause."""
    factor: float = 2.0
    """How much longer each next pause may be."""
    longest_s: float = 5.0
    """No pause is longer."""

    def pause_s(self, attempt: int) -> float:
        """The pause before an attempt, from 1: at random between half and the whole of what it may be.

        At random, so that many bots of a service that comes back do not all dial in at the same moment.
        """
        whole = min(self.longest_s, self.first_s * self.factor ** min(attempt - 1, 64))
        return whole * random.uniform(0.5, 1.0)


class Ending(enum.Enum):
    """Why a client came to its end without an error."""

    STOPPED = "stopped"
    """The bot was told to stop."""
    MATCHES_PLAYED = "matches played"
    """As many matches as were asked for are over."""
    SERVICE_DRAINED = "service drained"
    """The service said that it stops, and did not come back."""


def connect(
    *,
    address: str | None = None,
    token: str | None = None,
    seed: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    wishes: Wishes | None = None,
    patience_s: float = 60.0,
    backoff: Backoff | None = None,
) -> Client:
    """A client, to be used in `async with`; what is not given comes from the environment. Raises `SettingsInvalid`."""
    settings = Settings.resolve(address, token, seed, ca)
    return Client(settings, wishes or Wishes(), patience_s, backoff or Backoff())


class Client:
    """A bot's connection. Iterating yields events. A stream that breaks is dialled anew; no answer takes effect twice.

    Belongs to one event loop. At its end iteration stops, and `ending` says why; or it raises `ServiceRefused` or
    `ServiceUnreachable`.
    """

    def __init__(self, settings: Settings, wishes: Wishes, patience_s: float, backoff: Backoff) -> None:
        self._settings = settings
        self._wishes = wishes
        self._patience_s = patience_s
        self._backoff = backoff
        self._session = Session(Randomness(settings.seed))
        self._inbox: deque[Event] = deque()
        self._stream: Stream | None = None
        self._stream_since_s = 0.0
        self._dialling: asyncio.Future[tuple[Stream, ConnectResponse]] | None = None
        self._stopped = asyncio.Event()
        self._error: BaseException | None = None
        self._attempt = 0
        self._down_since_s: float | None = None
        self._drained = False
        self._postponing = False
        self._timers: set[asyncio.TimerHandle] = set()
        self.ending: Ending | None = None
        """Why iteration stopped; None before."""
        self.bot = ""
        """The bot's name as the service knows it; empty before Welcome."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while True:
            if self._stopped.is_set():
                await self._finish()
                raise StopAsyncIteration
            if self._inbox:
                return self._inbox.popleft()
            if self.ending is not None:
                raise StopAsyncIteration
            await self._receive()

    @property
    def accepted(self) -> int:
        """How many of the bot's choices are in the log."""
        return self._session.accepted

    def ready(self, offer: MatchOffered) -> None:
        """Say that the bot is ready for a match."""
        self._session.ready(offer.match)
        self._wake()

    def answer(self, decision: Decision, answer: Answer) -> bool:
        """Answer a decision. Returns at once; what is answered in one go is sent in one frame.

        False if the decision is over or has an answer. Raises `AnswerInvalid` for what is no answer.
        """
        taken = self._session.answer(decision, answer)
        self._wake()
        return taken

    def is_open(self, decision: Decision) -> bool:
        """Whether a decision still waits for an answer."""
        return self._session.is_open(decision)

    def stop(self, ending: Ending = Ending.STOPPED, error: BaseException | None = None) -> None:
        """End the iteration. What was said is brought home first; with an error that is raised at once instead.

        To be called on the client's event loop.
        """
        self.ending = self.ending or ending
        self._error = self._error or error
        self._stopped.set()
        if self._dialling is not None:
            self._dialling.cancel()
        if self._stream is not None:
            if error is not None or not self._session.owed:
                self._stream.cancel()
            else:
                self._later(GRACE_S, self._stream.cancel)

    async def close(self) -> None:
        """End the stream and free everything. Whoever iterates on after that dials in anew."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._postponing = False
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.close()

    def _wake(self) -> None:
        if self._stream is not None and self._session.has_something_to_say:
            self._stream.wake()

    def _later(self, pause_s: float, action: Callable[[], object]) -> None:
        """Do something after a pause, unless the stream has ended by then."""

        def act() -> None:
            self._timers.discard(timer)
            action()

        timer = asyncio.get_running_loop().call_later(pause_s, act)
        self._timers.add(timer)

    async def _receive(self) -> None:
        """Take in the next frame, or mend what keeps it away."""
        stream = self._stream
        if stream is None:
            await self._dial()
            return
        if self._session.draining and not self._session.is_busy:
            await stream.half_close()
        try:
            frame = await stream.read()
        except grpc.aio.AioRpcError as error:
            await self._lost(error)
            return
        if frame is None:
            await self._lost(None)
        else:
            self._take(stream, frame)

    def _take(self, stream: Stream, frame: ConnectResponse) -> None:
        """Hand a frame to the session."""
        was_draining = self._session.draining
        self._inbox.extend(self._session.receive(frame))
        if self._session.postponed and not self._postponing:
            self._postponing = True
            tries = max(intent.retries for intent in self._session.postponed)
            self._later(self._backoff.pause_s(3 + tries), self._say_again)
        if self._session.draining and not was_draining:
            log.info("the service is going to stop")
            self._drained = True
            self._later(GRACE_S, stream.cancel)
        elif not self._session.draining:
            self._attempt = 0
            self._down_since_s = None
            self._drained = False

    def _say_again(self) -> None:
        self._postponing = False
        self._session.send_postponed()
        self._wake()

    async def _finish(self) -> None:
        """Wait for the replies to what was said, then end the stream."""
        while self._stream is not None and self._session.owed and self._error is None:
            await self._receive_reply()
        await self.close()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    async def _receive_reply(self) -> None:
        """Take in a frame for its replies alone; a stream that breaks now is not mended."""
        assert self._stream is not None
        try:
            frame = await self._stream.read()
        except grpc.aio.AioRpcError:
            frame = None
        if frame is None:
            await self.close()
        else:
            self._session.receive(frame)

    async def _dial(self) -> None:
        """Open a stream, or wait a little; give up when the patience is over."""
        now = asyncio.get_running_loop().time
        if self._down_since_s is None:
            self._down_since_s = now()
        self._attempt += 1
        if self._attempt > 1 or self._drained:
            await self._pause(self._backoff.pause_s(self._attempt))
        if self._stopped.is_set():
            return
        self._dialling = asyncio.ensure_future(Stream.dial(self._settings, self._wishes))
        try:
            stream, frame = await self._dialling
        except (grpc.aio.AioRpcError, OSError, TimeoutError) as error:
            self._judge(error)
            return
        except asyncio.CancelledError:
            if self._stopped.is_set():
                return
            raise
        finally:
            self._dialling = None
        log.info("connected to %s at %s as %s", frame.welcome.server, self._settings.address, frame.welcome.bot)
        self.bot = frame.welcome.bot
        self._stream, self._stream_since_s = stream, now()
        self._session.begin_stream()
        ends = await asyncio.gather(*(stream.end_of(offer) for offer in self._session.running))
        if frame.welcome.frame_bytes_max:
            self._session.frame_bytes_max = frame.welcome.frame_bytes_max
        frame.ended.extend(ended for ended in ends if ended is not None)
        self._inbox.extend(self._session.receive(frame))
        stream.start_writing(self._session.next_frame)

    async def _lost(self, error: grpc.aio.AioRpcError | None) -> None:
        """The stream is over. Raises what will not pass."""
        now_s = asyncio.get_running_loop().time()
        if now_s - self._stream_since_s > STEADY_S and not self._session.draining:
            self._attempt, self._down_since_s = 0, None
        await self.close()
        if not self._stopped.is_set() and not self._session.draining:
            self._judge(error or ConnectionResetError("the service ended the stream"))

    def _judge(self, error: grpc.aio.AioRpcError | OSError | TimeoutError) -> None:
        """What a failed attempt or a broken stream means: raise, or come to the end, or try again."""
        text = str(error) or type(error).__name__
        if isinstance(error, grpc.aio.AioRpcError):
            if (refused := refused_for_good(error)) is not None:
                raise refused from error
            text = f"{error.code().name}: {error.details()}"
        down_s = 0.0 if self._down_since_s is None else asyncio.get_running_loop().time() - self._down_since_s
        if down_s < self._patience_s:
            log.log(logging.WARNING if self._attempt <= 1 else logging.INFO, "no stream, dialling in again: %s", text)
        elif self._drained:
            self.ending = Ending.SERVICE_DRAINED
        else:
            text = f"{self._settings.address} was out of reach for {down_s:.0f} s: {text}"
            raise ServiceUnreachable(text) from error

    async def _pause(self, pause_s: float) -> None:
        """Wait, unless told to stop."""
        try:
            async with asyncio.timeout(pause_s):
                await self._stopped.wait()
        except TimeoutError:
            return
