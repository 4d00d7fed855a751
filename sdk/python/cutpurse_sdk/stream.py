"""One stream to the service: dial in, say Hello, read frames, write what the session has to say."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import grpc

from cutpurse.v1.bot_pb2 import ConnectRequest, ConnectResponse, Hello, MatchEnded, MatchOffered
from cutpurse.v1.bot_pb2_grpc import BotServiceStub
from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse.v1.match_pb2 import GetMatchRequest, MatchPhase, VoidCause
from cutpurse.v1.match_pb2_grpc import MatchServiceStub
from cutpurse_sdk.errors import ServiceRefused
from cutpurse_sdk.settings import Settings

__all__ = ["PROTOCOL_VERSION", "Stream", "Wishes"]

log = logging.getLogger("cutpurse_sdk")

PROTOCOL_VERSION = 1

WELCOME_S_MAX = 10.0
"""How long the service may take to answer Hello."""

ASK_S_MAX = 5.0
"""How long it may take to say whether a match is over."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the bot says about itself in Hello."""

    bot: str = ""
    """Its registered name; empty to leave it to the token."""
    legal_actions: bool = False
    """Send the legal actions as typed messages, too."""
    news: bool = False
    """Send resolved decisions as they happen."""

    def hello(self) -> Hello:
        """The message."""
        return Hello(
            protocol_version=PROTOCOL_VERSION,
            bot=self.bot,
            sdk=f"cutpurse-sdk-python/{_sdk_version()}",
            wants_legal_actions=self.legal_actions,
            wants_resolved=self.news,
        )


class Stream:
    """An open stream. Made by `Stream.dial`, ended by `close`.

    A task of its own writes: a bot that reads while it writes can never wait for a service that waits for the bot.
    Answers given until that task's turn comes share a frame.
    """

    def __init__(self, channel: grpc.aio.Channel, settings: Settings) -> None:
        self._channel = channel
        self._metadata = settings.metadata
        self._call = BotServiceStub(channel).Connect(metadata=self._metadata)
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._half_closed = False

    @classmethod
    async def dial(cls, settings: Settings, wishes: Wishes) -> tuple[Stream, ConnectResponse]:
        """Dial in and wait for Welcome. Returns the stream and its first frame.

        Raises grpc.aio.AioRpcError or OSError for what may pass, `ServiceRefused` for what may not.
        """
        stream = cls(settings.open_channel(), settings)
        try:
            async with asyncio.timeout(WELCOME_S_MAX):
                # A call that has failed cannot be written to; reading says why. If it fails in the very moment of
                # writing, gRPC says INTERNAL instead of the reason; that passes, and the next attempt learns it.
                with contextlib.suppress(asyncio.InvalidStateError):
                    await stream._call.write(ConnectRequest(hello=wishes.hello()))
                frame = await stream.read()
            if frame is None:
                raise ConnectionResetError("the service ended the stream before Welcome")
            _check_welcome(frame)
        except BaseException:
            await stream.close()
            raise
        return stream, frame

    def start_writing(self, next_frame: Callable[[], ConnectRequest | None]) -> None:
        """From now on send what `next_frame` returns, after every `wake`."""
        self._writer = asyncio.create_task(self._write(next_frame), name="cutpurse-sdk-writer")
        self._wake.set()

    def wake(self) -> None:
        """There is something to say."""
        self._wake.set()

    async def read(self) -> ConnectResponse | None:
        """The next frame; None when the stream ended in good order, or either side cancelled it.

        Raises grpc.aio.AioRpcError when it ended otherwise.
        """
        try:
            frame = await self._call.read()
        except asyncio.CancelledError:
            # The end of a cancelled call looks like the end of this task; only one of them is meant.
            if not self._call.cancelled() or _is_being_cancelled():
                raise
            return None
        return frame if isinstance(frame, ConnectResponse) else None

    async def half_close(self) -> None:
        """Say that nothing more will be said."""
        if not self._half_closed:
            self._half_closed = True
            try:
                await self._call.done_writing()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                log.debug("the stream had ended already: %s", error)

    async def end_of(self, offer: MatchOffered) -> MatchEnded | None:
        """The end of a match that the bot was offered earlier; None while it runs, or if the service does not tell.

        A match that ends while its bot has no stream is not offered again, and no frame says that it is over.
        """
        ended = MatchEnded(match=offer.match, seat=offer.seat)
        try:
            found = await MatchServiceStub(self._channel).GetMatch(
                GetMatchRequest(match=offer.match), metadata=self._metadata, timeout=ASK_S_MAX
            )
        except grpc.aio.AioRpcError as error:
            log.debug("asked for match %s: %s", offer.match, error.code().name)
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                return None
            # A service that forgot the match, because its log was lost, cannot go on with it.
            ended.void_cause = VoidCause.VOID_CAUSE_PLATFORM
            return ended
        if found.phase == MatchPhase.MATCH_PHASE_ENDED:
            ended.result.CopyFrom(found.result)
            return ended
        if found.phase == MatchPhase.MATCH_PHASE_VOIDED:
            ended.void_cause = found.void_cause
            return ended
        return None

    def cancel(self) -> None:
        """End the stream at once; a waiting `read` returns None."""
        self._call.cancel()

    async def close(self) -> None:
        """Free everything. May be called in any state, and again."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        self._call.cancel()
        await self._channel.close()

    async def _write(self, next_frame: Callable[[], ConnectRequest | None]) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while (frame := next_frame()) is not None:
                    await self._call.write(frame)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            # The reader learns of the same end, with its reason; what has no reply is said again, so nothing is lost.
            log.debug("writing ended: %s", error)


def _check_welcome(frame: ConnectResponse) -> None:
    """Raise unless the service speaks our version."""
    if not frame.HasField("welcome"):
        text = "the service's first frame holds no Welcome; is it a Cutpurse service?"
        raise ServiceRefused(grpc.StatusCode.UNKNOWN, ErrorReason.ERROR_REASON_MALFORMED, text)
    if frame.welcome.protocol_version != PROTOCOL_VERSION:
        text = f"it speaks protocol version {frame.welcome.protocol_version}, this SDK {PROTOCOL_VERSION}"
        reason = ErrorReason.ERROR_REASON_PROTOCOL_UNSUPPORTED
        raise ServiceRefused(grpc.StatusCode.FAILED_PRECONDITION, reason, text)


def _sdk_version() -> str:
    """The version of the installed SDK."""
    try:
        return version("cutpurse-sdk")
    except PackageNotFoundError:
        return "uninstalled"


def _is_being_cancelled() -> bool:
    """Whether somebody wants the running task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
