"""The service stops: everybody is told, nothing that was acknowledged is lost, and nobody holds it up."""

import asyncio
from time import monotonic
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutpurse.v1 import match_pb2, tournament_pb2
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import running_service
from tests.server.service.arena import Arena, eventually, open_arena, refusal_of
from tests.server.service.cups import begin_tournament

STOP_S_MAX = 5.0


async def refused(call: Any) -> str:
    """The reason with which a stream of answers ends."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await asyncio.wait_for(read_out(call), STOP_S_MAX)
    return refusal_of(raised.value).reason


async def read_out(call: Any) -> None:
    """Read a stream to its end."""
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_all_kinds_of_streams_are_told_and_end_and_the_service_stops_soon() -> None:
    async with open_arena() as arena:
        match, streams = await arena.start(["ann", "ben"])
        await begin_tournament(arena)
        watching = arena.stub("MatchService").WatchMatch(
            match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
        )
        following = arena.stub("TournamentService").WatchTournament(
            tournament_pb2.WatchTournamentRequest(tournament="cup"), metadata=arena.metadata("spectator")
        )
        health: Any = health_pb2_grpc.HealthStub
        looking = health(arena.channel).Watch(health_pb2.HealthCheckRequest(service="cutpurse.v1.BotService"))
        silent = arena.connect("cat")
        before = await looking.read()
        assert await watching.read()
        assert await following.read()
        ends = [asyncio.create_task(refused(call)) for call in (watching, following)]
        ends.append(asyncio.create_task(silent_end(silent)))
        after = asyncio.create_task(looking.read())
        told = asyncio.create_task(streams["ann"].next("draining"))
        await asyncio.sleep(0)
        begun = monotonic()
    took_s = monotonic() - begun

    assert took_s < STOP_S_MAX
    await told
    assert await streams["ann"].end() is None
    assert await asyncio.gather(*ends) == ["DRAINING"] * 3
    serving = health_pb2.HealthCheckResponse
    assert (before.status, (await after).status) == (serving.SERVING, serving.NOT_SERVING)


async def silent_end(stream: Any) -> str:
    """The reason with which a stream ends that has said nothing yet."""
    end = await stream.end()
    return end.reason if end else ""


async def test_what_was_acknowledged_while_the_service_stopped_is_in_the_log() -> None:
    log = MemoryLog()
    accepted: list[tuple[str, match_pb2.Choice]] = []
    async with open_arena(log) as arena:
        tokens = arena.tokens
        started = [await arena.start(["ann", "ben"]) for _ in range(4)]
        playing = [asyncio.create_task(play(match, streams, accepted)) for match, streams in started]
        await eventually(lambda: len(accepted) >= 20)
    await asyncio.gather(*playing)
    numbers = []
    async with open_arena(log, tokens=tokens) as arena:
        for bot, choice in accepted:
            reply = await arena.ask(bot, "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=choice))
            numbers.append((reply.accepted.request_id, choice.request_id))

    assert len(numbers) >= 20
    assert all(repeated == said for repeated, said in numbers)


async def play(match: str, streams: dict[str, Any], accepted: list[tuple[str, match_pb2.Choice]]) -> None:
    """Play by turns until the service drains; keep what it acknowledged."""
    try:
        while True:
            for bot in ("ann", "ben"):
                decision = await streams[bot].next("decisions", match)
                choice = streams[bot].choice(decision)
                await streams[bot].answer(decision, request_id=choice.request_id)
                accepted.append((bot, choice))
    except (AssertionError, grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
        # The stream has ended, or the answer was refused for that reason. Where the channel was closed before the
        # stream's end was read, gRPC calls the read cancelled.
        return


async def test_while_it_drains_calls_are_refused_as_unavailable(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    ann = streams["ann"]
    decision = await ann.next("decisions", match)

    arena.service.desk.drain()
    request = match_pb2.SubmitChoiceRequest(choice=ann.choice(decision))
    unary = await arena.refused("ann", "SubmitChoice", request)
    refused_choice = await ann.refused(ann.choice(decision))
    new_stream = arena.connect("cat")
    await new_stream.say(hello={"protocol_version": 1})
    end = await new_stream.end()

    assert (unary.code, unary.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
    assert refused_choice.text == "The service is stopping; dial in again."
    assert end is not None
    assert end.reason == "DRAINING"


async def test_a_service_that_cannot_listen_says_so_and_lets_go_of_its_log() -> None:
    log = MemoryLog()
    async with running_service(MemoryLog()) as service:
        with pytest.raises(OSError, match="cannot listen"):
            async with running_service(log, service.addresses):
                pass

    async with running_service(log):
        pass
