"""Bots that outlive whatever the network does, made of the generated stubs, and what each of them was told.

An answer has one request id for ever. It is sent again until it is acknowledged, and now and then after that; every
acknowledgement of one request has to be the same, byte for byte. What a bot answers follows from its name and the
decision, so that two runs of one seed play the same match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Protocol

import grpc

import cutpurse_sdk
from cutpurse.v1 import bot_pb2, bot_pb2_grpc, errors_pb2, match_pb2, match_pb2_grpc
from tests.acceptance.logs import MatchLog

__all__ = ["CLIENTS", "Client", "SDKBot", "StreamBot", "UnaryBot", "Violation", "choice_to"]

REPEATED = 6
"""So many acknowledged answers are sent again with every new stream."""
_STILL_S = 1.5
"""A call or a stream on which nothing comes for so long is given up."""
_PAUSE_S = 0.01
_OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0))
_PASSING_CODES = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    # Streams of which the service has not heard yet that they are broken still count.
    grpc.StatusCode.RESOURCE_EXHAUSTED,
)
_PASSING = (
    errors_pb2.ERROR_REASON_LOG_UNAVAILABLE,
    errors_pb2.ERROR_REASON_DRAINING,
    errors_pb2.ERROR_REASON_RATE_LIMITED,
)
_OVER = (match_pb2.MATCH_PHASE_ENDED, match_pb2.MATCH_PHASE_VOIDED)


class Violation(AssertionError):
    """The service broke a promise."""


def choice_to(bot: str, match: str, decision: int, legal: Iterable[str]) -> match_pb2.Choice:
    """The bot's answer to a decision, always the same."""
    listed = list(legal)
    lot = sha256(f"{bot}/{match}/{decision}".encode()).digest()
    notation = listed[int.from_bytes(lot[:8], "big") % len(listed)]
    return match_pb2.Choice(match=match, decision=decision, request_id=lot[:16], notation=notation)


class Client(Protocol):
    """A bot that plays one match to its end."""

    repeated: int
    """Acknowledgements beyond the first."""

    async def play(self) -> None:
        """Play; raises `Violation`."""

    def check(self, log: MatchLog) -> int:
        """Hold what it said and was told against the log; how many of its answers were acknowledged."""


class _Remembering:
    """What a bot made of stubs has said and heard."""

    def __init__(self, bot: str, address: str, token: str, match: str) -> None:
        self._bot = bot
        self._address = address
        self._match = match
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._waiting: dict[bytes, match_pb2.Choice] = {}
        self._said: dict[bytes, match_pb2.Choice] = {}
        self._replies: dict[bytes, bytes] = {}
        self._over = False
        self.repeated = 0

    async def play(self) -> None:
        """Play through any number of connections."""
        while self._waiting or not self._over:
            # A connection that broke is dialled anew by a new channel: an old one waits longer and longer.
            async with grpc.aio.insecure_channel(self._address, options=_OPTIONS) as channel:
                try:
                    await self._play(channel)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in _PASSING_CODES and not _is_torn(error):
                        raise Violation(f"{self._bot}: {error.code().name} {error.details()}") from error
                except TimeoutError:
                    pass
            await asyncio.sleep(_PAUSE_S)

    async def _play(self, channel: grpc.aio.Channel) -> None:
        raise NotImplementedError

    def _choose(self, decision: match_pb2.Decision) -> match_pb2.Choice:
        choice = choice_to(self._bot, decision.match, decision.decision, decision.legal)
        self._said[choice.request_id] = choice
        if choice.request_id not in self._replies:
            self._waiting[choice.request_id] = choice
        return choice

    def _hear(self, accepted: match_pb2.ChoiceAccepted) -> None:
        reply = accepted.SerializeToString(deterministic=True)
        self._waiting.pop(accepted.request_id, None)
        known = self._replies.setdefault(accepted.request_id, reply)
        if known is not reply:
            self.repeated += 1
        if known != reply:
            raise Violation(f"{self._bot} was told {known.hex()} and then {reply.hex()}")

    def check(self, log: MatchLog) -> int:
        """See `Client.check`."""
        stands = {request: made.notation for request, made in log.choices_of(self._bot).items()}
        told = {request: self._said[request].notation for request in self._replies}
        if stands != told:
            raise Violation(f"{self._bot}: {len(told)} answers were acknowledged and {len(stands)} stand in the log")
        return len(told)


class StreamBot(_Remembering):
    """Plays over streams."""

    async def _play(self, channel: grpc.aio.Channel) -> None:
        if self._said:
            # A match may end while nobody can say so: streams tell of ends only as they happen.
            ask = match_pb2.GetMatchRequest(match=self._match)
            stub: Any = match_pb2_grpc.MatchServiceStub(channel)
            found = await stub.GetMatch(ask, metadata=self._metadata, timeout=_STILL_S)
            self._over = self._over or found.phase in _OVER
        call: Any = bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=self._metadata)
        try:
            async with asyncio.timeout(_STILL_S):
                await self._say(call, hello=bot_pb2.Hello(protocol_version=1, sdk="stubborn/1"))
                known = [choice for request, choice in self._said.items() if request in self._replies]
                again = [*self._waiting.values(), *known[-REPEATED:]]
                if again:
                    await self._say(call, choices=again)
            while self._waiting or not self._over:
                async with asyncio.timeout(_STILL_S):
                    frame = await call.read()
                    if frame is grpc.aio.EOF:
                        return
                    readies, choices = self._take(frame)
                    if readies or choices:
                        await self._say(call, readies=readies, choices=choices)
        finally:
            call.cancel()

    async def _say(self, call: Any, **parts: Any) -> None:
        try:
            await call.write(bot_pb2.ConnectRequest(**parts))
        except asyncio.InvalidStateError:
            # The stream has ended; whoever reads it learns why.
            await call.read()

    def _take(self, frame: bot_pb2.ConnectResponse) -> tuple[list[bot_pb2.Ready], list[match_pb2.Choice]]:
        for accepted in frame.accepted:
            self._hear(accepted)
        for refused in frame.refused:
            if refused.reason not in _PASSING:
                raise Violation(f"{self._bot}: refused as {refused}")
        if any(ended.match == self._match for ended in frame.ended):
            self._over = True
        return [bot_pb2.Ready(match=each.match) for each in frame.offers], [self._choose(e) for e in frame.decisions]


class UnaryBot(_Remembering):
    """Plays by unary calls alone, but for its readiness, and says every second answer twice or three times."""

    _ready = False

    async def _play(self, channel: grpc.aio.Channel) -> None:
        if not self._ready:
            await self._get_ready(channel)
            return
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        while self._waiting or not self._over:
            for choice in list(self._waiting.values()):
                for _ in range(1 + choice.request_id[0] % 4 // 2 + choice.request_id[1] % 2):
                    self._hear((await self._ask(stub.SubmitChoice, choice=choice)).accepted)
            found = await self._ask(stub.GetMatch, match=self._match)
            self._over = found.phase in _OVER
            if found.phase == match_pb2.MATCH_PHASE_RUNNING:
                view = await self._ask(stub.GetView, match=self._match)
                if view.HasField("decision"):
                    self._choose(view.decision)
                    continue
            await asyncio.sleep(_PAUSE_S)

    async def _ask(self, method: Any, **fields: Any) -> Any:
        request = {
            "SubmitChoice": match_pb2.SubmitChoiceRequest,
            "GetMatch": match_pb2.GetMatchRequest,
            "GetView": match_pb2.GetViewRequest,
        }[method._method.decode().rpartition("/")[2]]
        return await method(request(**fields), metadata=self._metadata, timeout=_STILL_S)

    async def _get_ready(self, channel: grpc.aio.Channel) -> None:
        call: Any = bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=self._metadata)
        try:
            async with asyncio.timeout(_STILL_S):
                await call.write(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1)))
                await call.read()
                await call.write(bot_pb2.ConnectRequest(readies=[bot_pb2.Ready(match=self._match)]))
            # What was said last may be lost with the connection; if so, it is said again by the next one.
            stub: Any = match_pb2_grpc.MatchServiceStub(channel)
            for _ in range(round(_STILL_S / _PAUSE_S)):
                await asyncio.sleep(_PAUSE_S)
                found = await self._ask(stub.GetMatch, match=self._match)
                if found.phase != match_pb2.MATCH_PHASE_WARM_UP:
                    self._ready = True
                    return
        except asyncio.InvalidStateError:
            return
        finally:
            call.cancel()


class SDKBot:
    """The SDK as anybody uses it."""

    def __init__(self, bot: str, address: str, token: str, match: str) -> None:
        self._bot = bot
        self._address = address
        self._token = token
        self._match = match
        self._answers: list[str] = []
        self.repeated = 0

    async def play(self) -> None:
        """Play one match."""

        def choose(decision: cutpurse_sdk.Decision) -> str:
            answer = choice_to(self._bot, decision.match, decision.decision, decision.legal).notation
            self._answers.append(answer)
            return answer

        backoff = cutpurse_sdk.Backoff(first_s=_PAUSE_S, longest_s=0.1)
        played = await cutpurse_sdk.play(
            choose, address=self._address, token=self._token, matches=1, backoff=backoff, patience_s=60
        )
        if played.refused:
            raise Violation(f"{self._bot} was refused {played.refused} times")

    def check(self, log: MatchLog) -> int:
        """See `Client.check`."""
        made = [each.notation for each in log.choices_of(self._bot).values()]
        if made != self._answers:
            raise Violation(f"{self._bot} gave {len(self._answers)} answers and {len(made)} stand in the log")
        return len(made)


CLIENTS: tuple[type[SDKBot] | type[StreamBot] | type[UnaryBot], ...] = (SDKBot, StreamBot, UnaryBot)


def _is_torn(error: grpc.aio.AioRpcError) -> bool:
    """Whether gRPC says INTERNAL or UNKNOWN itself, of a stream that broke in the middle of a frame."""
    return not any(key == "cutpurse-reason" for key, _ in error.trailing_metadata() or ())
