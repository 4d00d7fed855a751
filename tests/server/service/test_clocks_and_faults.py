"""Bots that never answer, answer late, or hang up: what it costs them, and that it costs nobody else anything."""

import asyncio

from cutpurse.v1 import errors_pb2, match_pb2
from cutpurse_server.errors import ErrorReason
from cutpurse_server.identity import Role
from cutpurse_server.matches.replies import Accepted, Refused
from tests.server.matches.table import Table
from tests.server.service.arena import Arena, BotStream, clock, eventually

SHORT = clock(decision_ms=40, strikes_max=2)
TURNS_A_HEIST = "2"


async def play_out(stream: BotStream, match: str) -> match_pb2.MatchResult:
    """Answer whatever is asked in a match until it is over; its result."""
    while not any(ended.match == match for ended in stream.seen("ended")):
        for decision in [each for each in stream.seen("decisions") if each.match == match]:
            stream.parts.remove(("decisions", decision))
            await stream.say(choices=[stream.choice(decision)])
        assert await stream.read()
    result: match_pb2.MatchResult = (await stream.next("ended", match)).result
    return result


async def story(arena: Arena, match: str) -> list[match_pb2.ResolvedDecision]:
    """All resolved decisions of a match that is over, as a spectator gets them."""
    call = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    return [resolved async for frame in call for resolved in frame.resolved]


def causes(resolved: list[match_pb2.ResolvedDecision], seat: int) -> list[str]:
    """How the choices of a seat came to be, in order."""
    return [
        match_pb2.Cause.Name(choice.cause).removeprefix("CAUSE_")
        for each in resolved
        for choice in each.choices
        if choice.seat == seat
    ]


async def test_a_bot_that_never_answers_gets_strikes_and_is_forfeited_and_the_match_ends(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=SHORT, heist_turn_limit=TURNS_A_HEIST)

    result = await play_out(streams["ben"], match)
    told = await story(arena, match)

    assert result.forfeited == [0]
    assert list(result.placements) == [2, 1]
    assert causes(told, 0) == ["TIMEOUT", "TIMEOUT", "FORFEITED", "FORFEITED"]
    assert set(causes(told, 1)) == {"CHOSEN"}


async def test_a_seat_whose_bank_is_empty_is_not_waited_for_as_long_as_one_whose_bank_is_full(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=30, bank_ms=900))
    ben = streams["ben"]
    first = await ben.next("decisions", match)

    await ben.answer(first)
    before_ms = arena.service.log.now_ms()
    await ben.next("decisions", match)

    assert arena.service.log.now_ms() - before_ms < 600


async def test_a_silent_bot_does_not_hold_up_another_match(arena: Arena) -> None:
    slow, _ = await arena.start(["ann", "ben"])
    match, streams = await arena.start(["cat", "ben"], heist_turn_limit=TURNS_A_HEIST)
    playing = [asyncio.create_task(play_out(streams[bot], match)) for bot in ("cat", "ben")]

    results = await asyncio.gather(*playing)

    record = await arena.service.desk.record(slow)
    assert results[0] == results[1]
    assert record is not None
    assert record.number == 1


async def test_a_bot_that_hung_up_is_put_down_as_disconnected_at_its_deadline_and_not_before(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=400), heist_turn_limit=TURNS_A_HEIST)
    await streams["ann"].next("decisions", match)
    streams["ann"].cancel()
    await eventually(lambda: arena.service.presence.streams("ann") == 0)

    record = await arena.service.desk.record(match)
    assert record is not None
    assert record.number == 1
    decision = await streams["ben"].next("decisions", match)
    elapsed_ms = arena.service.log.now_ms() - record.opened_at_ms

    assert elapsed_ms >= 400
    assert decision.decision == 1
    told = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    frame = await told.read()
    assert causes(list(frame.resolved), 0) == ["DISCONNECTED"]


async def test_a_bot_that_dials_in_again_gets_its_decision_with_the_full_view_and_goes_on(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    before = await streams["ann"].next("decisions", match)
    streams["ann"].cancel()

    again = await arena.dial("ann")
    offered = await again.next("offers", match)
    after = await again.next("decisions", match)

    assert (offered.seat, offered.warm_up_ms_left) == (0, 0)
    assert (after.view, after.legal, after.decision) == (before.view, before.legal, before.decision)
    await again.answer(after)


async def test_an_answer_whose_reply_was_lost_is_said_again_on_a_new_stream(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    choice = streams["ann"].choice(await streams["ann"].next("decisions", match))
    await streams["ann"].say(choices=[choice])
    await streams["ben"].next("decisions", match)
    streams["ann"].cancel()

    again = await arena.dial("ann")
    await again.say(choices=[choice])

    assert (await again.next("accepted")).request_id == choice.request_id
    assert not again.seen("decisions")


async def test_an_answer_after_the_deadline_is_late_even_before_the_default_is_written(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=30, settle_ms=60_000))
    decision = await streams["ann"].next("decisions", match)
    record = await arena.service.desk.record(match)
    assert record is not None
    await eventually(lambda: arena.service.log.now_ms() > record.opened_at_ms + 40)

    refused = await streams["ann"].refused(streams["ann"].choice(decision))

    assert refused.reason == errors_pb2.ERROR_REASON_TIME_OVER


async def test_an_answer_after_the_default_is_stale(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=30))
    decision = await streams["ann"].next("decisions", match)
    await streams["ben"].next("decisions", match)

    refused = await streams["ann"].refused(streams["ann"].choice(decision))

    assert refused.reason == errors_pb2.ERROR_REASON_DECISION_STALE


async def test_a_seat_that_does_not_get_ready_is_forfeited_and_the_match_is_played(arena: Arena) -> None:
    match = await arena.create(
        ["ann", "ben"], clock=clock(warm_up_ms=60, decision_ms=2_000), heist_turn_limit=TURNS_A_HEIST
    )
    ben = await arena.dial("ben")
    await ben.get_ready(match)

    result = await play_out(ben, match)

    assert list(result.forfeited) == [0]
    assert set(causes(await story(arena, match), 0)) == {"FORFEITED"}


async def test_a_match_for_which_nobody_gets_ready_is_voided(arena: Arena) -> None:
    ann = await arena.dial("ann")
    match = await arena.create(["ann", "ben"], clock=clock(warm_up_ms=30))

    ended = await ann.next("ended", match)

    assert ended.void_cause == match_pb2.VOID_CAUSE_NOBODY_READY
    assert not ended.HasField("result")


def test_only_so_many_wrong_answers_of_a_person_are_kept_in_the_log_and_a_right_one_still_counts() -> None:
    table = Table(player=True).start()

    for _ in range(1_000):
        _, kept = table.answer("nonsense")
        assert kept
    reply, kept = table.answer("nonsense")
    accepted, _ = table.answer(index=0)

    assert isinstance(reply, Refused)
    assert (reply.reason, list(kept)) == (ErrorReason.RATE_LIMITED, [])
    assert isinstance(accepted, Accepted)


async def test_a_person_may_correct_an_answer_without_limit(arena: Arena) -> None:
    await arena.service.registry.register_bot("pat", "owner-of-pat")
    arena.tokens["pat"], _ = await arena.service.registry.issue_token(Role.PLAYER, "pat")
    match, streams = await arena.start(["pat", "ann"])
    pat = streams["pat"]
    decision = await pat.next("decisions", match)

    refusals = [await pat.refused(pat.choice(decision, notation="what?")) for _ in range(20)]

    assert not decision.HasField("corrections_left")
    assert {each.reason for each in refusals} == {errors_pb2.ERROR_REASON_CHOICE_MALFORMED}
    assert not any(each.HasField("corrections_left") for each in refusals)
    await pat.answer(decision)
