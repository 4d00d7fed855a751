"""What is done to meet each limit of the service; AssertionError if nothing keeps one from doing it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from time import monotonic
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, errors_pb2, game_pb2, match_pb2
from tests.faults.proxy import Fault, FaultyProxy, Kind
from tests.server.service.arena import Arena, BotStream, eventually, open_arena, refusal_of
from tests.server.service.test_floods import connections, flood, stale

WITHIN_S = 3.0
"""How long a limit that is there may take to show; those that are short or small show within half a second."""
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


async def within(what: str, awaited: Awaitable[Any], seconds: float = WITHIN_S) -> Any:
    """What comes in time; AssertionError if nothing does."""
    try:
        async with asyncio.timeout(seconds):
            return await awaited
    except TimeoutError:
        raise AssertionError(f"no limit: {what}") from None


async def is_cut(stream: BotStream, reason: str) -> None:
    """A stream ends for a reason."""
    end = await within(f"the stream goes on in spite of {reason}", stream.end())
    assert end is not None
    assert end.reason == reason


async def refusal(call: Any) -> Any:
    """How a call is refused."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)
    raise AssertionError(f"no limit: {str(answer)[:100]}")


async def large_request() -> None:
    """A request beyond the limit."""
    async with open_arena() as arena:
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 70_000)))
    assert (refused.code, refused.reason) == (EXHAUSTED, "TOO_LARGE")


async def huge_request() -> None:
    """A request so large that gRPC does not read it."""
    async with open_arena() as arena:
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 300_000)))
    # Not even read, so without a reason of ours.
    assert (refused.code, refused.reason) == (EXHAUSTED, "")


async def large_metadata() -> None:
    """Twenty thousand bytes of metadata."""
    async with open_arena() as arena:
        metadata = (*arena.metadata("ann"), ("padding", "x" * 20_000))
        refused = await refusal(arena.stub("GameService").ListGames(game_pb2.ListGamesRequest(), metadata=metadata))
    assert refused.code is EXHAUSTED


async def first_frame(**frame: Any) -> None:
    """A first frame that is too large in some way."""
    async with open_arena() as arena:
        stream = arena.connect("ann")
        await stream.say(**frame)
        await is_cut(stream, "TOO_LARGE")


async def large_frame() -> None:
    """A frame beyond the limit."""
    await first_frame(hello=bot_pb2.Hello(protocol_version=1, sdk="s" * 70_000))


async def later_frame(**frame: Any) -> None:
    """A later frame that is too large in some way."""
    async with open_arena() as arena:
        stream = await arena.dial("ann")
        await stream.say(**frame)
        await is_cut(stream, "TOO_LARGE")


async def many_choices() -> None:
    """A choice too many in a frame."""
    await later_frame(choices=[match_pb2.Choice(match="m", request_id=b"1")] * 257)


async def many_readies() -> None:
    """A readiness too many in a frame."""
    await later_frame(readies=[bot_pb2.Ready(match="m")] * 257)


async def many_streams() -> None:
    """A fifth stream of a bot."""
    async with open_arena() as arena:
        for _ in range(4):
            await arena.dial("ann")
        fifth = arena.connect("ann")
        await fifth.say(hello=bot_pb2.Hello(protocol_version=1))
        await is_cut(fifth, "TOO_MANY_STREAMS")


async def many_silent_streams() -> None:
    """A fifth stream that has not said Hello."""
    async with open_arena() as arena:
        ends = [asyncio.create_task(arena.connect("ann").end()) for _ in range(5)]
        done, rest = await asyncio.wait(ends, timeout=WITHIN_S / 4, return_when=asyncio.FIRST_COMPLETED)
        for each in rest:
            each.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
    (refused,) = [each.result() for each in done] or [None]
    assert refused is not None, "no limit: five silent streams"
    assert refused.reason == "TOO_MANY_STREAMS"


async def silence() -> None:
    """A stream that never says Hello."""
    async with open_arena() as arena:
        await is_cut(arena.connect("ann"), "HELLO_EXPECTED")


def watch(arena: Arena, match: str, channel: grpc.aio.Channel | None = None) -> Any:
    """A spectator's stream, perhaps over a channel of its own."""
    seen_from = arena if channel is None else Arena(arena.service, channel, arena.tokens)
    request = match_pb2.WatchMatchRequest(match=match)
    return seen_from.stub("MatchService").WatchMatch(request, metadata=arena.metadata("spectator"))


async def many_answer_streams() -> None:
    """Five watchers where four are allowed."""
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        calls = [watch(arena, match) for _ in range(5)]
        codes = [asyncio.ensure_future(call.code()) for call in calls]
        done, _ = await asyncio.wait(codes, timeout=WITHIN_S / 4, return_when=asyncio.FIRST_COMPLETED)
        refused = [each.result() for each in done]
        for call in calls:
            call.cancel()
        await asyncio.gather(*codes)
    assert refused == [EXHAUSTED], "no limit: five streams of answers"


async def many_calls_of_an_owner() -> None:
    """Sixty calls at once."""
    async with open_arena() as arena:
        stub = arena.stub("GameService")
        asked = (stub.ListGames(game_pb2.ListGamesRequest(), metadata=arena.metadata("ann")) for _ in range(60))
        answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [refusal_of(each).reason for each in answers if isinstance(each, grpc.aio.AioRpcError)]
    assert set(refused) == {"RATE_LIMITED"}, "no limit: sixty calls at once"


async def stray_answers() -> None:
    """Two frames full of answers to a match that is not there: the second one has to wait."""
    async with open_arena() as arena:
        cat = await arena.dial("cat")
        begun = monotonic()
        await flood(cat, "m", 2)
        for _ in range(512):
            await cat.next("refused")
        assert monotonic() - begun > 1.2, "no limit: guesses are answered at once"


async def many_dials() -> None:
    """Eight streams one after the other."""
    async with open_arena() as arena:
        refused = []
        for _ in range(8):
            stream = arena.connect("ann")
            await asyncio.wait((asyncio.ensure_future(stream.call.initial_metadata()),))
            if stream.call.done():
                refused.append(await stream.end())
            stream.cancel()
    assert "RATE_LIMITED" in [each.reason for each in refused if each is not None], "no limit: eight dials at once"


async def reading_nothing() -> None:
    """A bot that writes all the time and reads nothing."""
    async with open_arena() as arena:
        cat = await arena.dial("cat")
        writing = asyncio.create_task(flood(cat, "m", 1_000))
        try:
            await within("a bot that reads nothing is kept", eventually(lambda: _streams(arena, "cat") == 0))
        finally:
            writing.cancel()
            cat.cancel()
            await asyncio.gather(writing, return_exceptions=True)


def _streams(arena: Arena, bot: str) -> int:
    return arena.service.presence.streams(bot)


async def unread_replies() -> None:
    """Replies that nobody takes."""
    before = {id(each) for each in connections()}
    async with open_arena() as arena:
        cat = await arena.dial("cat")
        (kept,) = [each for each in connections() if id(each) not in before]
        writing = asyncio.create_task(flood(cat, "m", 1_000))
        most = 0
        for _ in range(150):
            await asyncio.wait((writing,), timeout=0.01)
            most = max(most, kept.backlog)
            if most > 1_000:
                break
        writing.cancel()
        cat.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    assert 64 < most <= 64 + 256, f"no limit: {most} replies wait"


async def reasons_for_many_answers() -> list[Any]:
    """What becomes of twenty answers to one match that come at once."""
    async with open_arena() as arena:
        match, streams = await arena.start(["ann", "ben"])
        ben = streams["ben"]
        await streams["ann"].next("decisions", match)
        await ben.say(choices=[stale(ben, match, number) for number in range(20)])
        return [(await ben.next("refused")).reason for _ in range(20)]


async def many_answers_of_a_bot() -> None:
    """Twenty answers of one bot where four may wait."""
    assert (await reasons_for_many_answers()).count(errors_pb2.ERROR_REASON_RATE_LIMITED) == 16, "no limit"


async def many_commands_of_a_match() -> None:
    """Twenty answers to one match where two may wait."""
    assert errors_pb2.ERROR_REASON_RATE_LIMITED in await reasons_for_many_answers(), "no limit"


async def many_streams_of_a_connection() -> None:
    """Five streams over one connection where four are allowed."""
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(arena.address, options=options) as channel:
            calls = [watch(arena, match, channel) for _ in range(4)]
            await asyncio.gather(*(call.initial_metadata() for call in calls))
            fifth = watch(arena, match, channel)
            opening = asyncio.create_task(fifth.initial_metadata())
            done, _ = await asyncio.wait((opening,), timeout=0.7)
            assert not done, "no limit: five streams over one connection"
            # It was not refused, and does not know that it waits: one that ends makes room for it.
            await watch(arena, match).initial_metadata()
            calls[0].cancel()
            await within("it never gets its turn", opening)
            for call in (*calls, fifth):
                call.cancel()


async def many_open_calls() -> None:
    """A call where four are open and no more are allowed."""
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        calls = [watch(arena, match) for _ in range(4)]
        await asyncio.gather(*(call.initial_metadata() for call in calls))
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match=match)))
        for call in calls:
            call.cancel()
    assert refused.code is EXHAUSTED


async def a_peer_that_is_gone() -> None:
    """A connection that died without a word."""
    async with open_arena() as arena:
        gone = Fault(Kind.BLACKHOLE, after_bytes=600, for_s=3_600)
        proxy = FaultyProxy(arena.address, lambda _: gone)
        async with proxy, grpc.aio.insecure_channel(proxy.address) as channel:
            stream = await Arena(arena.service, channel, arena.tokens).dial("ann")
            flooding = asyncio.create_task(flood(stream, "m", 3))
            await eventually(lambda: proxy.struck[Kind.BLACKHOLE] == 1)
            try:
                await within("a peer that is gone is kept", eventually(lambda: _streams(arena, "ann") == 0))
            finally:
                flooding.cancel()
                await asyncio.gather(flooding, return_exceptions=True)


async def an_old_connection() -> None:
    """A connection that has become too old."""
    async with open_arena() as arena:
        stream = await arena.dial("ann")
        try:
            end = await within("a connection of any age is kept", stream.end())
        finally:
            stream.cancel()
    assert end is not None
    assert end.code is grpc.StatusCode.UNAVAILABLE
