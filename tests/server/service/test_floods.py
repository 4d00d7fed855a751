"""Bots that send more than anybody needs or read nothing: bounded work and memory, and no other match notices."""

import asyncio
import gc
from time import monotonic

import grpc
import pytest

from cutpurse.v1 import errors_pb2, match_pb2
from cutpurse_server.matches import crowd
from cutpurse_server.servicers import bots, hub
from cutpurse_server.servicers.connection import Connection
from tests.server.service.arena import Arena, BotStream, eventually

TURN_S_MAX = 3.0
"""What one turn of an undisturbed match may take while another is flooded. Usual are some milliseconds; the rest allows
for a loaded machine, and for the flooding client that shares it."""
MATCH_BYTES = 60_000


def stale(stream: BotStream, match: str, number: int) -> match_pb2.Choice:
    """An answer to a decision that was over long ago."""
    return match_pb2.Choice(match=match, decision=0, request_id=f"{stream.bot} {number}".encode(), index=0)


async def flood(stream: BotStream, match: str, frames: int) -> None:
    """Write frames full of answers that nobody wants, as fast as they are taken, and read nothing."""
    for frame in range(frames):
        await stream.say(choices=[stale(stream, match, 256 * frame + number) for number in range(256)])


async def slowest_turn(streams: dict[str, BotStream], match: str, turns: int) -> float:
    """The longest that a turn of a match takes, from an answer to the next decision, in seconds."""
    bots = list(streams)
    decision = await streams[bots[0]].next("decisions", match)
    slowest = 0.0
    for turn in range(turns):
        bot, other = streams[bots[turn % 2]], streams[bots[(turn + 1) % 2]]
        # Guard dogs are left in the hand, so that the turns go round.
        plain = [each for each in decision.legal if "GD" not in each and "from 0" not in each and "from 1" not in each]
        begun = monotonic()
        await bot.answer(decision, notation=(plain or list(decision.legal))[0])
        decision = await other.next("decisions", match)
        slowest = max(slowest, monotonic() - begun)
    return slowest


@pytest.mark.parametrize("reads", [True, False], ids=["reading", "not reading"])
async def test_a_flood_of_answers_does_not_slow_another_match_down(arena: Arena, reads: bool) -> None:
    flooded, flooders = await arena.start(["cat", "ben"])
    match, streams = await arena.start(["ann", "ben"])
    cat = flooders["cat"]
    writing = asyncio.create_task(flood(cat, flooded, 1_000))
    reading = asyncio.create_task(cat.end()) if reads else None

    slowest_s = await slowest_turn(streams, match, 20)

    assert slowest_s < TURN_S_MAX
    writing.cancel()
    cat.cancel()
    await asyncio.gather(writing, *([reading] if reading else []), return_exceptions=True)


def connections() -> list[Connection]:
    """All that are in memory."""
    return [each for each in gc.get_objects() if isinstance(each, Connection)]


async def test_whoever_does_not_read_is_not_read_and_keeps_little_memory(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise it would not be read for another reason: it only guesses.
    monkeypatch.setattr(bots, "_STRAY_MS", 0)
    before = {id(each) for each in connections()}
    cat = await arena.dial("cat")
    long = match_pb2.Choice(match="m" * MATCH_BYTES, decision=1, request_id=b"1", index=0)
    small = [match_pb2.Choice(match="m", decision=1, request_id=b"x" * 64, index=0)] * 256

    written = 0
    try:
        async with asyncio.timeout(3):
            while True:
                await cat.say(choices=small if written % 2 else [long])
                written += 1
    except TimeoutError:
        pass

    (connection,) = [each for each in connections() if id(each) not in before]
    assert 10 < written < 2_000, "its frames are taken for a while, then no more"
    assert connection.backlog <= 2_048 + 256
    assert all(len(refused.match) <= 256 for refused in connection._refused)
    cat.cancel()


async def test_one_bots_answers_do_not_take_the_others_places_in_its_match(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben", "cat"])
    ann, cat = streams["ann"], streams["cat"]
    decision = await ann.next("decisions", match)
    more = [await arena.dial("cat") for _ in range(3)]

    for frame in range(8):
        for stream in (cat, *more):
            await stream.say(choices=[stale(stream, match, 256 * frame + number) for number in range(256)])
    begun = monotonic()
    await ann.answer(decision)

    assert monotonic() - begun < TURN_S_MAX


async def test_what_a_bot_sends_beyond_its_place_in_the_queue_is_refused_to_it_alone(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "WAITING_MAX", 4)
    match, streams = await arena.start(["ann", "ben"])
    ann, ben = streams["ann"], streams["ben"]
    decision = await ann.next("decisions", match)

    await ben.say(choices=[stale(ben, match, number) for number in range(20)])
    await ann.answer(decision)
    reasons = [(await ben.next("refused")).reason for _ in range(20)]

    assert reasons.count(errors_pb2.ERROR_REASON_RATE_LIMITED) == 16
    await ben.answer(await ben.next("decisions", match))


async def test_a_bot_that_reads_nothing_at_all_is_cut_off_and_may_dial_in_again(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_WRITE_S_MAX", 0.2)
    monkeypatch.setattr(hub, "_WATCH_S", 0.05)
    monkeypatch.setattr(bots, "_STRAY_MS", 0)
    cat = await arena.dial("cat")
    writing = asyncio.create_task(flood(cat, "m", 1_000))
    await eventually(lambda: arena.service.presence.streams("cat") == 0)

    end = await cat.end()
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)

    # The status waits behind frames that nobody reads; gRPC may drop it together with what the bot still wants to say.
    assert end is not None
    assert (end.code, end.reason) in [
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "READER_TOO_SLOW"),
        (grpc.StatusCode.INTERNAL, ""),
    ]
    await arena.dial("cat")


async def test_many_streams_of_answers_of_one_caller_are_refused(arena: Arena) -> None:
    match = await arena.create(["ann", "ben"])
    stub = arena.stub("MatchService")
    request = match_pb2.WatchMatchRequest(match=match)
    open_calls = [stub.WatchMatch(request, metadata=arena.metadata("spectator")) for _ in range(257)]

    done, _ = await asyncio.wait(
        [asyncio.create_task(call.code()) for call in open_calls], timeout=10, return_when=asyncio.FIRST_COMPLETED
    )
    codes = [task.result() for task in done]
    for call in open_calls:
        call.cancel()

    assert codes == [grpc.StatusCode.RESOURCE_EXHAUSTED]
