"""A log that fails: what was not durable was never acknowledged, and whoever had to wait for it pays nothing."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, errors_pb2, match_pb2
from cutpurse_server.errors import ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches import pulse
from cutpurse_server.matches.events import ChoiceDefaulted, ChoiceMade, ClockCredited, ClocksStarted, SeatReady
from tests.server.service.arena import Arena, clock, eventually, open_arena
from tests.server.service.failing_log import FailingLog, Fault


@pytest.fixture
async def log() -> FailingLog:
    """A log that works until it is told to fail."""
    return FailingLog(MemoryLog())


@pytest.fixture
async def arena(log: FailingLog, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Arena]:
    """A service over it, which soon notices that it is back."""
    monkeypatch.setattr(pulse, "_BEAT_S", 0.1)
    monkeypatch.setattr(pulse, "_RETRY_S", 0.05)
    async with open_arena(log) as arena:
        yield arena


async def events(arena: Arena, match: str, kind: type) -> list[Any]:
    """The events of a kind in a match's log."""
    return [event for event in await arena.service.desk.events_of(match) if type(event) is kind]


async def is_back(arena: Arena) -> None:
    """Wait until the service has noticed that its log is back."""

    async def is_served() -> bool:
        try:
            match = await arena.create(["ann", "ben"], request_id=b"to see whether the log is back")
            await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
        except grpc.aio.AioRpcError:
            return False
        return True

    await eventually(is_served)


@pytest.mark.parametrize("fault", ["before the commit", "after the commit"])
async def test_a_choice_is_acknowledged_only_when_it_is_durable(arena: Arena, log: FailingLog, fault: Fault) -> None:
    match, streams = await arena.start(["ann", "ben"])
    ann = streams["ann"]
    choice = ann.choice(await ann.next("decisions", match))

    log.fault = fault
    refused = await ann.refused(choice)
    log.fault = "none"
    await is_back(arena)
    await ann.say(choices=[choice])
    accepted = await ann.next("accepted")

    assert refused.reason == errors_pb2.ERROR_REASON_LOG_UNAVAILABLE
    assert "canary" not in refused.text
    assert accepted.request_id == choice.request_id
    assert len(await events(arena, match, ChoiceMade)) == 1
    await streams["ben"].answer(await streams["ben"].next("decisions", match))


@pytest.mark.parametrize("fault", ["before the commit", "after the commit"])
async def test_a_unary_choice_says_unavailable_and_its_repetition_gets_the_reply(
    arena: Arena, log: FailingLog, fault: Fault
) -> None:
    match, streams = await arena.start(["ann", "ben"])
    request = match_pb2.SubmitChoiceRequest(choice=streams["ann"].choice(await streams["ann"].next("decisions", match)))

    log.fault = fault
    refusal = await arena.refused("ann", "SubmitChoice", request)
    log.fault = "none"
    await is_back(arena)
    reply = await arena.ask("ann", "SubmitChoice", request)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "LOG_UNAVAILABLE")
    assert "canary" not in repr(refusal)
    assert reply.accepted.request_id == request.choice.request_id
    assert len(await events(arena, match, ChoiceMade)) == 1


@pytest.mark.parametrize("fault", ["before the commit", "after the commit"])
async def test_a_match_whose_creation_was_not_answered_is_created_once(
    arena: Arena, log: FailingLog, fault: Fault
) -> None:
    log.fault = fault
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await arena.create(["ann", "ben"], request_id=b"once")
    log.fault = "none"
    await is_back(arena)

    first = await arena.create(["ann", "ben"], request_id=b"once")
    again = await arena.create(["ann", "ben"], request_id=b"once")

    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    assert first == again


async def outage(arena: Arena, log: FailingLog, ms: int, then: Fault = "none") -> None:
    """Let the log fail for some time, and somebody notice at once."""
    match = await arena.create(["ann", "ben"], request_id=b"to notice that the log is away")
    log.fault = "before the commit"
    until_ms = log.now_ms() + ms
    await arena.refused("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
    await eventually(lambda: log.now_ms() >= until_ms)
    log.fault, log.fault_of_the_next_write = "none", then


async def test_a_deadline_that_passed_while_the_log_was_away_costs_nobody_a_strike(
    arena: Arena, log: FailingLog
) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=400))
    decision = await streams["ann"].next("decisions", match)

    await outage(arena, log, 700)
    await is_back(arena)
    await streams["ann"].answer(decision)

    credits_ms = [event.credit_ms for event in await events(arena, match, ClockCredited)]
    assert len(credits_ms) == 1
    assert 650 <= credits_ms[0] <= 1_400
    assert await events(arena, match, ChoiceDefaulted) == []


async def test_a_log_that_comes_back_and_goes_again_still_costs_nobody_a_strike(arena: Arena, log: FailingLog) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=400))
    decision = await streams["ann"].next("decisions", match)

    await outage(arena, log, 600)
    # It is there again, but what is written first, the credit, fails.
    log.fault, log.flushes_failed = "flushes only", 0
    await eventually(lambda: log.flushes_failed >= 2)
    log.fault = "none"
    await is_back(arena)
    await streams["ann"].answer(decision)

    assert await events(arena, match, ChoiceDefaulted) == []
    credited_ms = sum(event.credit_ms for event in await events(arena, match, ClockCredited))
    assert credited_ms <= 4_000


async def test_a_credit_that_was_written_but_not_answered_is_not_given_twice(arena: Arena, log: FailingLog) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(decision_ms=30_000))
    decision = await streams["ann"].next("decisions", match)
    begun_ms = log.now_ms()

    await outage(arena, log, 600, then="after the commit")
    await eventually(lambda: log.fault_of_the_next_write == "none")
    await is_back(arena)
    await streams["ann"].answer(decision)

    credited_ms = sum(event.credit_ms for event in await events(arena, match, ClockCredited))
    assert 550 <= credited_ms <= log.now_ms() - begun_ms


@pytest.mark.parametrize("fault", ["before the commit", "after the commit"])
async def test_a_bot_that_got_ready_while_the_log_was_away_need_not_say_so_again(
    arena: Arena, log: FailingLog, fault: Fault
) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    match = await arena.create(["ann", "ben"])
    await streams["ann"].get_ready(match)
    await streams["ben"].next("offers", match)
    await eventually(lambda: has_happened(arena, match, SeatReady))

    log.fault_of_the_next_write, log.flushes_failed = fault, 0
    await streams["ben"].say(readies=[bot_pb2.Ready(match=match)])
    await eventually(lambda: log.flushes_failed == 1)

    await eventually(lambda: has_happened(arena, match, ClocksStarted))


async def has_happened(arena: Arena, match: str, kind: type) -> bool:
    """Whether a match's log has an event of a kind."""
    try:
        return bool(await events(arena, match, kind))
    except ServiceError:
        return False


async def test_a_match_that_is_watched_goes_on_after_an_outage(arena: Arena, log: FailingLog) -> None:
    match, streams = await arena.start(["ann", "ben"])
    watching = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    assert (await watching.read()).cursor == 1

    log.fault = "after the commit"
    ann = streams["ann"]
    await ann.refused(ann.choice(await ann.next("decisions", match)))
    log.fault = "none"

    assert (await watching.read()).cursor == 2
