"""The service stops and starts again on the same log: everything goes on where it was."""

from pathlib import Path
from typing import Any

import pytest

from cutpurse.v1 import match_pb2
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.events import ChoiceDefaulted, ClockCredited
from tests.server.service.arena import Arena, clock, open_arena

DAY_MS = 86_400_000


async def watch(arena: Arena, match: str, after: int, frames: int) -> list[Any]:
    """Some frames of the public story after a cursor."""
    call = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match, after_cursor=after), metadata=arena.metadata("spectator")
    )
    read = [await call.read() for _ in range(frames)]
    call.cancel()
    return read


async def test_a_match_goes_on_after_a_restart_and_repetitions_get_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    async with open_arena(SQLiteLog(path)) as arena:
        tokens = arena.tokens
        match, streams = await arena.start(["ann", "ben"])
        ann = streams["ann"]
        decision = await ann.next("decisions", match)
        mistake = ann.choice(decision, notation="nonsense")
        refused = await ann.refused(mistake)
        choice = ann.choice(decision)
        await ann.say(choices=[choice])
        accepted = await ann.next("accepted")
        asked = await streams["ben"].next("decisions", match)
        (first,) = await watch(arena, match, 0, 1)

    async with open_arena(SQLiteLog(path), tokens=tokens) as arena:
        again = await arena.dial("ann")
        await again.say(choices=[mistake, choice])
        repeated = await again.next("refused"), await again.next("accepted")
        ben = await arena.dial("ben")
        asked_again = await ben.next("decisions", match)
        await ben.answer(asked_again)
        (second,) = await watch(arena, match, first.cursor, 1)
        created_again = await arena.create(["ann", "ben"], request_id=b"request 1")

    assert [each.SerializeToString() for each in repeated] == [each.SerializeToString() for each in (refused, accepted)]
    assert (asked_again.view, asked_again.legal) == (asked.view, asked.legal)
    assert (first.cursor, second.cursor) == (2, 3)
    assert [each.number for each in second.resolved] == [2]
    assert created_again == match


@pytest.mark.parametrize("gap_ms", [3_000, 120 * DAY_MS])
async def test_the_time_in_which_no_service_was_there_is_given_back_once(gap_ms: int) -> None:
    now_ms = [1_000_000]
    log = MemoryLog(lambda: now_ms[0])
    async with open_arena(log) as arena:
        tokens = arena.tokens
        match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=1_000))
        await streams["ann"].next("decisions", match)

    now_ms[0] += gap_ms
    async with open_arena(log, tokens=tokens) as arena:
        ann = await arena.dial("ann")
        decision = await ann.next("decisions", match)
        await ann.answer(decision)
        events = await arena.service.desk.events_of(match)

    assert decision.decision_ms_left == 1_000
    assert sum(event.credit_ms for event in events if isinstance(event, ClockCredited)) == gap_ms
    assert not [event for event in events if isinstance(event, ChoiceDefaulted)]


async def test_a_bot_that_is_forfeited_stays_so_and_a_match_that_is_over_stays_over(tmp_path: Path) -> None:
    path = tmp_path / "log"
    async with open_arena(SQLiteLog(path)) as arena:
        tokens = arena.tokens
        match, streams = await arena.start(["ann", "ben"], clock=clock(strikes_max=1), heist_turn_limit="1")
        ann, ben = streams["ann"], streams["ben"]
        decision = await ann.next("decisions", match)
        for _ in range(3):
            await ann.refused(ann.choice(decision, notation="nonsense"))
        asked = await ben.next("decisions", match)

    async with open_arena(SQLiteLog(path), tokens=tokens) as arena:
        ben = await arena.dial("ben")
        for _ in range(2):
            asked = await ben.next("decisions", match)
            await ben.answer(asked)
        result = (await ben.next("ended", match)).result

    async with open_arena(SQLiteLog(path), tokens=tokens) as arena:
        over = await arena.ask("spectator", "GetMatch", match_pb2.GetMatchRequest(match=match))
        refusal = await arena.refused(
            "ben", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=ben.choice(asked, request_id=b"late"))
        )

    assert list(result.forfeited) == [0]
    assert over.result == result
    assert refusal.reason == "MATCH_OVER"
