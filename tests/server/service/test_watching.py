"""Spectators: resuming at a cursor, reading slowly, hanging up; none of it concerns the match."""

import asyncio
import random
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, match_pb2
from tests.server.service.arena import Arena, open_arena
from tests.server.service.log_lines import kept_log_lines

TURNS_A_HEIST = "3"


def watch(arena: Arena, match: str, after: int = 0) -> Any:
    """A spectator's stream of a match."""
    return arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match, after_cursor=after), metadata=arena.metadata("spectator")
    )


async def play_out(arena: Arena) -> str:
    """A match that is over; its identifier."""
    match, streams = await arena.start(["ann", "ben"], heist_turn_limit=TURNS_A_HEIST)

    async def play(bot: str) -> None:
        stream = streams[bot]
        while not stream.seen("ended"):
            for decision in stream.seen("decisions"):
                stream.parts.remove(("decisions", decision))
                await stream.say(choices=[stream.choice(decision)])
            assert await stream.read()

    await asyncio.gather(play("ann"), play("ben"))
    return match


async def resolved_after(arena: Arena, match: str, cursor: int) -> tuple[list[int], int]:
    """Numbers of the decisions that are told after a cursor, and the last cursor."""
    numbers: list[int] = []
    async for frame in watch(arena, match, cursor):
        numbers += [each.number for each in frame.resolved]
        cursor = frame.cursor
    return numbers, cursor


async def test_a_story_can_be_taken_up_at_every_cursor(arena: Arena) -> None:
    match = await play_out(arena)
    numbers, last = await resolved_after(arena, match, 0)

    assert numbers == list(range(1, len(numbers) + 1))
    assert last == len(numbers) + 2, "the start, every decision, the end"
    for cursor in range(1, last + 1):
        assert await resolved_after(arena, match, cursor) == (numbers[cursor - 1 :], last)
    assert await resolved_after(arena, match, 2**64 - 1) == ([], 2**64 - 1)


async def test_a_story_tells_what_the_table_saw_and_ends_with_the_result(arena: Arena) -> None:
    match = await play_out(arena)
    frames = [frame async for frame in watch(arena, match)]

    assert frames[-1].phase == match_pb2.MATCH_PHASE_ENDED
    assert len(frames[-1].result.scores) == 2
    assert all(each.happenings for frame in frames for each in frame.resolved)


async def test_a_spectator_that_does_not_read_holds_nobody_up_and_misses_nothing(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    slow = [watch(arena, match) for _ in range(5)]
    for turn in range(20):
        stream = streams["ann" if turn % 2 == 0 else "ben"]
        decision = await stream.next("decisions", match)
        plain = [each for each in decision.legal if "GD" not in each and "from 0" not in each and "from 1" not in each]
        await stream.answer(decision, notation=(plain or list(decision.legal))[0])

    for call in slow:
        numbers: list[int] = []
        while len(numbers) < 20:
            frame = await call.read()
            numbers += [each.number for each in frame.resolved]
        assert numbers == list(range(1, 21))
        call.cancel()


async def watch_and_hang_up(arena: Arena, match: str, pauses: int) -> None:
    """Watch for a moment."""
    call = watch(arena, match)
    for _ in range(pauses):
        await asyncio.sleep(0)
    call.cancel()


async def dial_and_hang_up(arena: Arena, match: str, pauses: int) -> None:
    """Dial in, perhaps say hello and something that is refused, and go."""
    stream = arena.connect("cat")
    hello = bot_pb2.Hello(protocol_version=1)
    frames: list[dict[str, Any]] = [{"hello": hello}, {"readies": [bot_pb2.Ready(match=match)]}, {"hello": hello}]
    for frame in frames[:pauses]:
        await stream.say(**frame)
    stream.cancel()


async def ask_and_hang_up(arena: Arena, match: str, pauses: int) -> None:
    """Ask for a match and do not wait for the answer."""
    call = arena.stub("MatchService").GetMatch(
        match_pb2.GetMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    for _ in range(pauses):
        await asyncio.sleep(0)
    call.cancel()


async def test_hanging_up_at_any_moment_is_no_failure_of_the_service() -> None:
    dice = random.Random(5)
    with kept_log_lines() as lines:
        async with open_arena() as arena:
            match, streams = await arena.start(["ann", "ben"])
            decision = await streams["ann"].next("decisions", match)
            for _ in range(60):
                hang_up = dice.choice([watch_and_hang_up, dial_and_hang_up, ask_and_hang_up])
                await hang_up(arena, match, dice.randrange(4))
            await streams["ann"].answer(decision)
            cat = await dial_until_welcome(arena)
            cat.cancel()

    assert not [line for line in lines if "call failed" in line or "Traceback" in line or "never retrieved" in line]


async def dial_until_welcome(arena: Arena) -> Any:
    """Dial in as soon as the service has noticed that the streams before are gone."""
    for _ in range(200):
        stream = arena.connect("cat")
        await stream.say(hello=bot_pb2.Hello(protocol_version=1))
        try:
            await stream.next("welcome")
        except grpc.aio.AioRpcError:
            continue
        return stream
    raise AssertionError("the streams that were hung up are still counted")
