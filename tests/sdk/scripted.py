"""A service that follows a script: one function for every stream that a bot opens, in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from cutpurse.v1 import art_robbery_pb2, bot_pb2, bot_pb2_grpc, game_pb2, match_pb2
from cutpurse_sdk import Backoff, Decision

OPTIONS: dict[str, Any] = {"token": "token", "backoff": Backoff(first_s=0.01, longest_s=0.05), "patience_s": 5.0}
"""For quick tests: what `play` is told beside the address."""


class Line:
    """The service's end of one stream."""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._context = context

    @property
    def metadata(self) -> dict[str, Any]:
        """What came with the call."""
        return {str(key): value for key, value in self._context.invocation_metadata() or ()}

    async def hear(self) -> bot_pb2.ConnectRequest | None:
        """The bot's next frame; None when it has said that nothing more comes."""
        frame = await self._context.read()
        return frame if isinstance(frame, bot_pb2.ConnectRequest) else None

    async def hear_choice(self) -> match_pb2.Choice:
        """The next choice, which is the only thing in its frame."""
        frame = await self.hear()
        assert frame is not None
        assert len(frame.choices) == 1
        assert not frame.readies
        return frame.choices[0]

    async def say(self, **parts: Any) -> None:
        """Send a frame of these parts."""
        await self._context.write(bot_pb2.ConnectResponse(**parts))

    async def say_bytes(self, frame: bytes) -> None:
        """Send a frame as it would come from a newer service."""
        await self._context.write(bot_pb2.ConnectResponse.FromString(frame))

    async def welcome(self, *matches: str, **parts: Any) -> bot_pb2.Hello:
        """Hear Hello, answer it, and offer these matches in the same frame."""
        frame = await self.hear()
        assert frame is not None
        await self.say(
            welcome=bot_pb2.Welcome(protocol_version=1, bot="scripted", server="script"),
            offers=[offer(match) for match in matches],
            **parts,
        )
        return frame.hello

    async def begin(self, *matches: str) -> bot_pb2.Hello:
        """The same, and hear that the bot is ready for them."""
        hello = await self.welcome(*matches)
        frame = await self.hear()
        assert frame is not None
        assert [ready.match for ready in frame.readies] == list(matches)
        return hello

    async def break_off(self, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE, reason: str = "") -> None:
        """End the stream with an error."""
        await self._context.abort(code, "as scripted", (("cutpurse-reason", reason),) if reason else ())

    async def silence(self) -> None:
        """Say nothing until the bot goes."""
        while await self.hear() is not None:
            pass


Script = Callable[[Line], Awaitable[None]]


class ScriptedService(bot_pb2_grpc.BotServiceServicer):
    """Plays one script for every stream."""

    def __init__(self, scripts: tuple[Script, ...], at_last: Script | None) -> None:
        self._scripts = list(scripts)
        self._at_last = at_last
        self.faults: list[BaseException] = []
        """What went wrong in a script."""

    # The types know only the form that yields; reading and writing is the other one that gRPC allows.
    async def Connect(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]
        """Play the next script."""
        if not self._scripts and self._at_last is None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the script is over")
        script = self._scripts.pop(0) if self._scripts else self._at_last
        assert script is not None
        try:
            await script(Line(context))
        except (asyncio.CancelledError, grpc.aio.AbortError):
            raise
        except BaseException as fault:
            self.faults.append(fault)
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"the script failed: {fault!r}")

    def assert_followed(self) -> None:
        """Every script was played, and none failed."""
        assert self.faults == []
        assert self._scripts == []


def get_match(known: Mapping[str, match_pb2.GetMatchResponse]) -> grpc.GenericRpcHandler:
    """A MatchService that can say of these matches where they stand, and of all others that there is no such match."""

    async def answer(request: match_pb2.GetMatchRequest, context: Any) -> match_pb2.GetMatchResponse:
        if request.match not in known:
            await context.abort(grpc.StatusCode.NOT_FOUND, "as scripted", (("cutpurse-reason", "MATCH_UNKNOWN"),))
        return known[request.match]

    handler = grpc.unary_unary_rpc_method_handler(
        answer, match_pb2.GetMatchRequest.FromString, match_pb2.GetMatchResponse.SerializeToString
    )
    return grpc.method_handlers_generic_handler("cutpurse.v1.MatchService", {"GetMatch": handler})


@asynccontextmanager
async def scripted_service(
    folder: Path,
    *scripts: Script,
    known: Mapping[str, match_pb2.GetMatchResponse] | None = None,
    credentials: grpc.ServerCredentials | None = None,
    at_last: Script | None = None,
) -> AsyncIterator[str]:
    """Serve the scripts; gives the address, and checks at the end that all were followed.

    On a unix socket in `folder`; with credentials on a free port. `at_last` is played for every further stream.
    """
    service = ScriptedService(scripts, at_last)
    server = grpc.aio.server()
    bot_pb2_grpc.add_BotServiceServicer_to_server(service, server)
    if known is not None:
        server.add_generic_rpc_handlers((get_match(known),))
    address = f"unix:{folder}/service.sock"
    if credentials is None:
        server.add_insecure_port(address)
    else:
        address = f"localhost:{server.add_secure_port('localhost:0', credentials)}"
    await server.start()
    try:
        yield address
    finally:
        await server.stop(None)
    service.assert_followed()


def offer(match: str, seat: int = 0) -> bot_pb2.MatchOffered:
    """An offer of a match of two."""
    configuration = match_pb2.MatchConfiguration(game="art_robbery")
    return bot_pb2.MatchOffered(match=match, seat=seat, players=2, configuration=configuration, warm_up_ms_left=1000)


def decision(match: str, number: int, *legal: str, **fields: Any) -> match_pb2.Decision:
    """A decision between these actions."""
    table = art_robbery_pb2.ArtRobberyTable(heist=1, hand_sizes=[5, 5])
    view = game_pb2.View(art_robbery=art_robbery_pb2.ArtRobberyView(seat=0, table=table))
    legal = legal or ("play GD", "play BS")
    return match_pb2.Decision(match=match, decision=number, seat=0, view=view, legal=legal, **fields)


def accepted(choice: match_pb2.Choice) -> match_pb2.ChoiceAccepted:
    """The acknowledgement of a choice."""
    return match_pb2.ChoiceAccepted(match=choice.match, decision=choice.decision, request_id=choice.request_id)


def refused(choice: match_pb2.Choice, reason: str, **fields: Any) -> match_pb2.ChoiceRefused:
    """The refusal of a choice."""
    return match_pb2.ChoiceRefused(
        match=choice.match,
        decision=choice.decision,
        request_id=choice.request_id,
        reason=f"ERROR_REASON_{reason}",  # type: ignore[arg-type]  # protobuf takes the name as well
        text="as scripted",
        **fields,
    )


def ended(match: str, *placements: int) -> bot_pb2.MatchEnded:
    """The end of a match."""
    placements = placements or (1, 2)
    return bot_pb2.MatchEnded(match=match, result=match_pb2.MatchResult(scores=[9, 7], placements=placements))


def first(decision: Decision) -> str:
    """A bot: the first legal action."""
    return decision.legal[0]


async def finish(line: Line) -> None:
    """A script, often the second one: a match is offered, decided once and ended."""
    await line.welcome("m", decisions=[decision("m", 1)])
    frame = await line.hear()
    assert frame is not None
    while not frame.choices:
        frame = await line.hear()
        assert frame is not None
    await line.say(accepted=[accepted(frame.choices[0])], ended=[ended("m")])
    await line.silence()
