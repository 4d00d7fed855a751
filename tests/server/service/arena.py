"""The real service for one test, in memory on the loopback, and clients made of nothing but the generated stubs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from cutpurse.v1 import (
    audit_pb2_grpc,
    bot_pb2,
    bot_pb2_grpc,
    game_pb2_grpc,
    identity_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    tournament_pb2_grpc,
)
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.metrics import Figures
from cutpurse_server.serve import Service, running_service

__all__ = ["CLOCK", "PATIENCE_S", "Arena", "BotStream", "Refusal", "clock", "eventually", "open_arena", "refusal_of"]

PATIENCE_S = 15
"""How long anything may take before a test gives up; far more than is ever needed."""


def clock(**settings: int) -> match_pb2.ClockSettings:
    """A clock that nobody overruns unless the settings say so."""
    generous = {"decision_ms": 60_000, "warm_up_ms": 60_000, "strikes_max": 3, "corrections_max": 2}
    return match_pb2.ClockSettings(**(generous | settings))


CLOCK = clock()


class Refusal(NamedTuple):
    """A refused call as its caller sees it."""

    code: grpc.StatusCode
    reason: str
    text: str
    metadata: tuple[tuple[str, str | bytes], ...]


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    """What a failed call says; the rich and the plain form of the reason must agree."""
    trailing = tuple((str(key), value) for key, value in error.trailing_metadata() or ())
    plain = dict(trailing)
    reason = str(plain.get("cutpurse-reason", ""))
    if rich := plain.get("grpc-status-details-bin"):
        assert isinstance(rich, bytes)
        status = Status.FromString(rich)
        info = ErrorInfo()
        assert status.details[0].Unpack(info)
        assert (info.reason, info.domain) == (reason, "cutpurse")
        assert (status.code, status.message) == (error.code().value[0], error.details())
    return Refusal(error.code(), reason, error.details() or "", trailing)


@dataclass
class Arena:
    """A running service and whoever talks to it."""

    service: Service
    channel: grpc.aio.Channel
    tokens: dict[str, str] = field(default_factory=dict)
    """By bot, or by role in small letters."""
    _requests: int = 0

    @property
    def address(self) -> str:
        """Where the service listens."""
        return self.service.addresses[0]

    def metadata(self, who: str) -> tuple[tuple[str, str], ...]:
        """What a bot or a role shows with every call."""
        return (("authorization", f"Bearer {self.tokens[who]}"),)

    def stub(self, service: str) -> Any:
        """The generated stub of a service: `MatchService`."""
        modules = (
            audit_pb2_grpc, bot_pb2_grpc, game_pb2_grpc, identity_pb2_grpc, match_pb2_grpc, tournament_pb2_grpc,
        )  # fmt: skip
        (stub,) = (getattr(module, f"{service}Stub") for module in modules if hasattr(module, f"{service}Stub"))
        return stub(self.channel)

    async def ask(self, who: str, method: str, request: Any) -> Any:
        """A unary call to the match service."""
        async with asyncio.timeout(PATIENCE_S):
            return await getattr(self.stub("MatchService"), method)(request, metadata=self.metadata(who))

    async def refused(self, who: str, method: str, request: Any) -> Refusal:
        """The refusal of a unary call to the match service."""
        try:
            reply = await self.ask(who, method, request)
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
        raise AssertionError(f"{method} was answered: {reply}")

    async def create(
        self,
        bots: Sequence[str],
        *,
        game: str = "art_robbery",
        seed: str = "arena",
        clock: match_pb2.ClockSettings = CLOCK,
        request_id: bytes | None = None,
        **options: str,
    ) -> str:
        """A new match; its identifier."""
        self._requests += 1
        request = match_pb2.CreateMatchRequest(
            configuration=match_pb2.MatchConfiguration(game=game, options=options, clock=clock),
            bots=bots,
            seed=seed,
            request_id=request_id or f"request {self._requests}".encode(),
        )
        response = await self.ask("organiser", "CreateMatch", request)
        return str(response.match)

    async def dial(self, bot: str, /, **hello: Any) -> BotStream:
        """A stream of the bot, welcomed."""
        stream = self.connect(bot)
        await stream.say(hello=bot_pb2.Hello(**({"protocol_version": 1} | hello)))
        await stream.next("welcome")
        return stream

    def connect(self, bot: str) -> BotStream:
        """A stream of the bot on which nothing was said yet."""
        return BotStream(bot, self.stub("BotService").Connect(metadata=self.metadata(bot)))

    async def start(
        self, bots: Sequence[str], hello: Mapping[str, Any] | None = None, **settings: Any
    ) -> tuple[str, dict[str, BotStream]]:
        """A match whose bots have dialled in and are ready; its first decision is open."""
        streams = {bot: await self.dial(bot, **(hello or {})) for bot in bots}
        match = await self.create(bots, **settings)
        for stream in streams.values():
            await stream.get_ready(match)
        return match, streams


class BotStream:
    """One end of `BotService.Connect`: writes frames, reads the parts of frames in their order."""

    def __init__(self, bot: str, call: Any) -> None:
        self.bot = bot
        self.call = call
        self.parts: list[tuple[str, Any]] = []
        """What was read and not asked for yet: kind and message."""
        self.transcript: list[tuple[str, bytes]] = []
        """Everything that was read, whatever the frames: kind and bytes of each part."""
        self._requests = 0

    async def say(self, **parts: Any) -> None:
        """Write a frame."""
        await self.call.write(bot_pb2.ConnectRequest(**parts))

    async def say_bytes(self, frame: bytes) -> None:
        """Write a frame as bytes, readable or not."""
        serializer = self.call._request_serializer
        self.call._request_serializer = bytes
        await self.call.write(frame)
        self.call._request_serializer = serializer

    async def read(self) -> bool:
        """Read one frame; whether there was one."""
        async with asyncio.timeout(PATIENCE_S):
            frame = await self.call.read()
        if frame is grpc.aio.EOF:
            return False
        for descriptor, value in frame.ListFields():
            messages = value if descriptor.is_repeated else [value]
            for message in messages:
                self.parts.append((descriptor.name, message))
                self.transcript.append((descriptor.name, message.SerializeToString(deterministic=True)))
        return True

    async def next(self, kind: str, match: str | None = None) -> Any:
        """The next part of a kind, of a match if one is given; the other parts are kept for later."""
        while True:
            for position, (each, message) in enumerate(self.parts):
                if each == kind and (match is None or message.match == match):
                    del self.parts[position]
                    return message
            assert await self.read(), f"{self.bot}'s stream ended before {kind}"

    def seen(self, kind: str) -> list[Any]:
        """Parts of a kind that were read and not asked for."""
        return [message for each, message in self.parts if each == kind]

    async def get_ready(self, match: str) -> None:
        """Take an offer."""
        await self.next("offers", match)
        await self.say(readies=[bot_pb2.Ready(match=match)])

    def choice(self, asked: match_pb2.Decision, /, **answer: Any) -> match_pb2.Choice:
        """An answer to a decision, by default the first legal action, with a request id of its own."""
        self._requests += 1
        given: dict[str, Any] = {"request_id": f"{self.bot}/{self._requests}".encode(), "index": 0}
        if answer.keys() & {"notation", "action"}:
            del given["index"]
        whole: dict[str, Any] = {"match": asked.match, "decision": asked.decision} | given | answer
        return match_pb2.Choice(**whole)

    async def answer(self, decision: match_pb2.Decision, **answer: Any) -> match_pb2.ChoiceAccepted:
        """Answer a decision and wait for the acknowledgement."""
        choice = self.choice(decision, **answer)
        await self.say(choices=[choice])
        while True:
            assert not self.seen("refused"), self.seen("refused")
            for position, (each, message) in enumerate(self.parts):
                if each == "accepted" and message.request_id == choice.request_id:
                    del self.parts[position]
                    assert isinstance(message, match_pb2.ChoiceAccepted)
                    return message
            assert await self.read(), "the stream ended before the acknowledgement"

    async def refused(self, *choices: match_pb2.Choice) -> Any:
        """Say some answers and return the refusal of the first one that is refused."""
        await self.say(choices=choices)
        return await self.next("refused")

    async def end(self) -> Refusal | None:
        """Read to the end: the refusal that ended the stream, or None if it ended well."""
        try:
            while await self.read():
                pass
            assert await self.call.code() is grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            return refusal_of(error)
        return None

    def cancel(self) -> None:
        """Hang up."""
        self.call.cancel()


@asynccontextmanager
async def open_arena(
    log: Log | None = None,
    bots: Sequence[str] = ("ann", "ben", "cat"),
    tokens: dict[str, str] | None = None,
    figures: Figures | None = None,
) -> AsyncIterator[Arena]:
    """A running service with bots of different owners; with `tokens`, over a log that knows them already."""
    async with AsyncExitStack() as last, running_service(log or MemoryLog(), figures=figures) as service:
        # Closed after the service has stopped, so that clients see how it stops.
        channel = await last.enter_async_context(grpc.aio.insecure_channel(service.addresses[0]))
        arena = Arena(service, channel, dict(tokens or {}))
        if tokens is None:
            for bot in bots:
                await service.registry.register_bot(bot, f"owner-of-{bot}")
                arena.tokens[bot], _ = await service.registry.issue_token(Role.BOT, bot)
            for role in (Role.ORGANISER, Role.SPECTATOR, Role.AUDITOR):
                arena.tokens[role.name.lower()], _ = await service.registry.issue_token(role)
        yield arena


async def eventually(holds: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = holds()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.01)
