"""Every limit of the service: what is done to meet it, and how it is taken away.

A check does what the limit forbids and raises AssertionError if nothing keeps it from doing so. Each limit may be made
small or short for the check, so that it is met soon; taken away, it is as if it had never been thought of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, errors_pb2, game_pb2, match_pb2
from cutpurse_server import serve
from cutpurse_server.matches import crowd, waiting
from cutpurse_server.servicers import bots, connection, gate, hub, rates
from tests.faults.proxy import Fault, FaultyProxy, Kind
from tests.server.service import raw_connections
from tests.server.service.arena import Arena, BotStream, eventually, open_arena, refusal_of
from tests.server.service.test_floods import connections, flood, stale

__all__ = ["LIMITS", "Limit"]

Change = Callable[[pytest.MonkeyPatch], None]

WITHIN_S = 3.0
"""How long a limit that is there may take to show; those that are short or small show within half a second."""
ENDLESS = 2**31 - 1
"""Milliseconds, bytes or a number, as good as no limit."""
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


@dataclass(frozen=True)
class Limit:
    """One limit."""

    name: str
    check: Callable[[], Awaitable[None]]
    small: Change
    """Makes it small enough to be met soon."""
    removed: Change
    """Takes it away."""


def constant(module: Any, **values: Any) -> Change:
    """Other values for a module's constants, which must be there."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)

    return change


def option(**values: int) -> Change:
    """Other values for some of the server's options, which must be there; `__` stands for a dot."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        options: dict[str, Any] = dict(serve._OPTIONS)
        new = {f"grpc.{name.replace('__', '.')}": value for name, value in values.items()}
        assert new.keys() <= options.keys(), "an option that the service does not set"
        monkeypatch.setattr(serve, "_OPTIONS", tuple((options | new).items()))

    return change


def as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """No change."""


def both(*changes: Change) -> Change:
    """Several changes."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        for each in changes:
            each(monkeypatch)

    return change


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
    async with open_arena() as arena:
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 70_000)))
    assert (refused.code, refused.reason) == (EXHAUSTED, "TOO_LARGE")


async def huge_request() -> None:
    async with open_arena() as arena:
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 300_000)))
    # Not even read, so without a reason of ours.
    assert (refused.code, refused.reason) == (EXHAUSTED, "")


async def large_metadata() -> None:
    async with open_arena() as arena:
        metadata = (*arena.metadata("ann"), ("padding", "x" * 20_000))
        refused = await refusal(arena.stub("GameService").ListGames(game_pb2.ListGamesRequest(), metadata=metadata))
    assert refused.code is EXHAUSTED


async def first_frame(**frame: Any) -> None:
    async with open_arena() as arena:
        stream = arena.connect("ann")
        await stream.say(**frame)
        await is_cut(stream, "TOO_LARGE")


async def large_frame() -> None:
    await first_frame(hello=bot_pb2.Hello(protocol_version=1, sdk="s" * 70_000))


async def later_frame(**frame: Any) -> None:
    async with open_arena() as arena:
        stream = await arena.dial("ann")
        await stream.say(**frame)
        await is_cut(stream, "TOO_LARGE")


async def many_choices() -> None:
    await later_frame(choices=[match_pb2.Choice(match="m", request_id=b"1")] * 257)


async def many_readies() -> None:
    await later_frame(readies=[bot_pb2.Ready(match="m")] * 257)


async def many_streams() -> None:
    async with open_arena() as arena:
        for _ in range(4):
            await arena.dial("ann")
        fifth = arena.connect("ann")
        await fifth.say(hello=bot_pb2.Hello(protocol_version=1))
        await is_cut(fifth, "TOO_MANY_STREAMS")


async def many_silent_streams() -> None:
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
    async with open_arena() as arena:
        await is_cut(arena.connect("ann"), "HELLO_EXPECTED")


def watch(arena: Arena, match: str, channel: grpc.aio.Channel | None = None) -> Any:
    """A spectator's stream, perhaps over a channel of its own."""
    seen_from = arena if channel is None else Arena(arena.service, channel, arena.tokens)
    request = match_pb2.WatchMatchRequest(match=match)
    return seen_from.stub("MatchService").WatchMatch(request, metadata=arena.metadata("spectator"))


async def many_answer_streams() -> None:
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
    async with open_arena() as arena:
        stub = arena.stub("GameService")
        asked = (stub.ListGames(game_pb2.ListGamesRequest(), metadata=arena.metadata("ann")) for _ in range(60))
        answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [refusal_of(each).reason for each in answers if isinstance(each, grpc.aio.AioRpcError)]
    assert set(refused) == {"RATE_LIMITED"}, "no limit: sixty calls at once"


async def reading_nothing() -> None:
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
    assert (await reasons_for_many_answers()).count(errors_pb2.ERROR_REASON_RATE_LIMITED) == 16, "no limit"


async def many_commands_of_a_match() -> None:
    assert errors_pb2.ERROR_REASON_RATE_LIMITED in await reasons_for_many_answers(), "no limit"


async def many_streams_of_a_connection() -> None:
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
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        calls = [watch(arena, match) for _ in range(4)]
        await asyncio.gather(*(call.initial_metadata() for call in calls))
        refused = await refusal(arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match=match)))
        for call in calls:
            call.cancel()
    assert refused.code is EXHAUSTED


async def a_peer_that_is_gone() -> None:
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
    async with open_arena() as arena:
        stream = await arena.dial("ann")
        try:
            end = await within("a connection of any age is kept", stream.end())
        finally:
            stream.cancel()
    assert end is not None
    assert end.code is grpc.StatusCode.UNAVAILABLE


LIMITS = [
    Limit("bytes of a request", large_request, as_it_is, constant(gate, MESSAGE_BYTES_MAX=ENDLESS)),
    Limit(
        "bytes of what is read at all",
        huge_request,
        as_it_is,
        both(constant(gate, MESSAGE_BYTES_MAX=ENDLESS), option(max_receive_message_length=-1)),
    ),
    Limit(
        "bytes of metadata",
        large_metadata,
        as_it_is,
        option(max_metadata_size=ENDLESS, absolute_max_metadata_size=ENDLESS),
    ),
    Limit("bytes of a frame", large_frame, as_it_is, constant(bots, FRAME_BYTES_MAX=ENDLESS)),
    Limit("choices in a frame", many_choices, as_it_is, constant(bots, _CHOICES_PER_FRAME_MAX=ENDLESS)),
    Limit("readies in a frame", many_readies, as_it_is, constant(bots, _READIES_PER_FRAME_MAX=ENDLESS)),
    Limit("streams of a bot", many_streams, as_it_is, constant(hub, STREAMS_PER_BOT_MAX=ENDLESS)),
    Limit("silent streams", many_silent_streams, as_it_is, constant(bots, STREAMS_PER_BOT_MAX=ENDLESS)),
    Limit("silence", silence, constant(bots, _HELLO_S=0.3), constant(bots, _HELLO_S=ENDLESS)),
    Limit(
        "streams of answers",
        many_answer_streams,
        constant(gate, _ANSWER_STREAMS_PER_CALLER_MAX=4),
        constant(gate, _ANSWER_STREAMS_PER_CALLER_MAX=ENDLESS),
    ),
    Limit("calls of an owner", many_calls_of_an_owner, constant(rates, BURST=5), constant(rates, BURST=ENDLESS)),
    Limit(
        "a slow reader",
        reading_nothing,
        constant(hub, _WRITE_S_MAX=0.2, _WATCH_S=0.05),
        constant(hub, _WRITE_S_MAX=ENDLESS, _WATCH_S=0.05),
    ),
    Limit(
        "replies that wait",
        unread_replies,
        constant(connection, _BACKLOG_MAX=64),
        # Really without any, this process would have to keep all that the flood brings.
        constant(connection, _BACKLOG_MAX=4_096),
    ),
    Limit(
        "answers of a bot that wait",
        many_answers_of_a_bot,
        constant(crowd, WAITING_MAX=4),
        constant(crowd, WAITING_MAX=ENDLESS),
    ),
    Limit(
        "commands of a match that wait",
        many_commands_of_a_match,
        constant(waiting, _WAITING_MAX=2),
        constant(waiting, _WAITING_MAX=ENDLESS),
    ),
    Limit(
        "streams of a connection",
        many_streams_of_a_connection,
        option(max_concurrent_streams=4),
        option(max_concurrent_streams=ENDLESS),
    ),
    Limit("open calls", many_open_calls, constant(serve, _CALLS_MAX=4), constant(serve, _CALLS_MAX=None)),
    Limit(
        "a peer that is gone",
        a_peer_that_is_gone,
        option(keepalive_time_ms=300, keepalive_timeout_ms=300, http2__ping_timeout_ms=300),
        option(keepalive_time_ms=ENDLESS, keepalive_timeout_ms=ENDLESS, http2__ping_timeout_ms=ENDLESS),
    ),
    Limit(
        "the age of a connection",
        an_old_connection,
        option(max_connection_age_ms=300, max_connection_age_grace_ms=200),
        option(max_connection_age_ms=ENDLESS, max_connection_age_grace_ms=ENDLESS),
    ),
    Limit(
        "connections",
        raw_connections.many_connections,
        option(max_allowed_incoming_connections=3),
        option(max_allowed_incoming_connections=1_000_000),
    ),
    Limit(
        "idleness of a connection",
        raw_connections.idleness,
        option(max_connection_idle_ms=300),
        option(max_connection_idle_ms=ENDLESS),
    ),
    Limit(
        "time for settings",
        raw_connections.slow_settings,
        option(server_handshake_timeout_ms=300),
        option(server_handshake_timeout_ms=ENDLESS),
    ),
    Limit(
        "time for encryption",
        raw_connections.slow_encryption,
        option(server_handshake_timeout_ms=300),
        option(server_handshake_timeout_ms=ENDLESS),
    ),
    Limit("pings", raw_connections.many_pings, as_it_is, option(http2__max_ping_strikes=0)),
]
