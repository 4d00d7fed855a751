"""Streams break at every point, deliver twice, drain, or end unseen; no answer is lost or takes effect twice."""

import asyncio
import time
from pathlib import Path

import grpc
import pytest

import cutpurse_sdk
from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_sdk.client import GRACE_S
from tests.sdk.scripted import (
    OPTIONS,
    Line,
    Script,
    accepted,
    decision,
    ended,
    finish,
    first,
    offer,
    refused,
    scripted_service,
)


async def break_before_hello_is_read(line: Line) -> None:
    await line.break_off()


async def break_before_welcome(line: Line) -> None:
    await line.hear()
    await line.break_off()


async def break_after_welcome(line: Line) -> None:
    await line.welcome()
    await line.break_off()


async def break_before_ready(line: Line) -> None:
    await line.welcome("m")
    await line.break_off()


async def break_after_ready(line: Line) -> None:
    await line.begin("m")
    await line.break_off()


async def break_with_the_decision(line: Line) -> None:
    await line.begin("m")
    await line.say(decisions=[decision("m", 1)])
    await line.break_off()


async def break_after_the_choice(line: Line) -> None:
    await line.begin("m")
    await line.say(decisions=[decision("m", 1)])
    await line.hear_choice()
    await line.break_off()


async def end_in_good_order(line: Line) -> None:
    await line.begin("m")


async def say_cancelled(line: Line) -> None:
    await line.begin("m")
    await line.break_off(grpc.StatusCode.CANCELLED)


async def cut_off_as_too_slow(line: Line) -> None:
    await line.begin("m")
    await line.break_off(grpc.StatusCode.RESOURCE_EXHAUSTED, "READER_TOO_SLOW")


@pytest.mark.parametrize(
    "broken",
    [
        break_before_hello_is_read,
        break_before_welcome,
        break_after_welcome,
        break_before_ready,
        break_after_ready,
        break_with_the_decision,
        break_after_the_choice,
        end_in_good_order,
        say_cancelled,
        cut_off_as_too_slow,
    ],
)
async def test_a_match_goes_on_wherever_the_stream_broke(broken: Script, tmp_path: Path) -> None:
    asked: list[int] = []
    warmed: list[str] = []

    def choose(decision: cutpurse_sdk.Decision) -> str:
        asked.append(decision.decision)
        return decision.legal[0]

    async with scripted_service(tmp_path, broken, finish) as address:
        summary = await cutpurse_sdk.play(
            choose, address=address, matches=1, on_match=lambda offer: warmed.append(offer.match), **OPTIONS
        )

    assert (summary.matches, summary.decisions) == (1, 1)
    assert asked == [1]
    assert warmed == ["m"]


async def test_an_answer_without_a_reply_is_said_again_with_the_same_request_id(tmp_path: Path) -> None:
    said: list[match_pb2.Choice] = []

    async def lose_the_reply(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        said.append(await line.hear_choice())
        await line.break_off()

    async def reply(line: Line) -> None:
        await line.welcome("m")
        said.append(await line.hear_choice())
        await line.say(accepted=[accepted(said[-1])], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, lose_the_reply, lose_twice(said), reply) as address:
        # Random answers would differ if the bot were asked again.
        summary = await cutpurse_sdk.play(
            lambda decision: decision.random.choice(decision.legal), address=address, matches=1, **OPTIONS
        )

    assert summary.decisions == 1
    assert len(said) == 3
    assert said[0] == said[1] == said[2]


def lose_twice(said: list[match_pb2.Choice]) -> Script:
    """A stream that hears an answer again and loses the reply again."""

    async def script(line: Line) -> None:
        await line.welcome("m")
        said.append(await line.hear_choice())
        await line.break_off()

    return script


async def test_a_ready_that_was_lost_is_said_again(tmp_path: Path) -> None:
    async def lose_the_ready(line: Line) -> None:
        await line.begin("m")
        await line.break_off()

    async def hear_it_again(line: Line) -> None:
        await line.begin("m")
        await line.say(ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, lose_the_ready, hear_it_again) as address:
        await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)


@pytest.mark.parametrize("owed", [False, True])
async def test_an_end_that_came_while_the_stream_was_broken_is_asked_for(owed: bool, tmp_path: Path) -> None:
    async def break_off(line: Line) -> None:
        await line.begin("ended", "voided", "forgotten", "running")
        if owed:
            await line.say(decisions=[decision("ended", 1)])
            await line.hear_choice()
        await line.break_off()

    async def offer_what_runs(line: Line) -> None:
        await line.welcome()
        await line.say(offers=[offer("running")])
        await line.say(ended=[ended("running")])
        await line.silence()

    known = {
        "ended": match_pb2.GetMatchResponse(
            phase=match_pb2.MATCH_PHASE_ENDED, result=match_pb2.MatchResult(placements=[2, 1])
        ),
        "voided": match_pb2.GetMatchResponse(
            phase=match_pb2.MATCH_PHASE_VOIDED, void_cause=match_pb2.VOID_CAUSE_ABORTED
        ),
        "running": match_pb2.GetMatchResponse(phase=match_pb2.MATCH_PHASE_RUNNING),
    }
    async with scripted_service(tmp_path, break_off, offer_what_runs, known=known) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=4, **OPTIONS)

    ends = {each.match: each for each in summary.results}
    assert list(ends["ended"].result.placements) == [2, 1]
    assert ends["voided"].void_cause == match_pb2.VOID_CAUSE_ABORTED
    assert ends["forgotten"].void_cause == match_pb2.VOID_CAUSE_PLATFORM
    assert list(ends["running"].result.placements) == [1, 2]
    assert summary.matches == 4


async def test_what_is_delivered_twice_is_done_once(tmp_path: Path) -> None:
    asked: list[int] = []

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(offers=[offer("m")])
        await line.say(decisions=[decision("m", 1), decision("m", 1)])
        choice = await line.hear_choice()
        await line.say(decisions=[decision("m", 1)], accepted=[accepted(choice), accepted(choice)])
        await line.say(decisions=[decision("m", 1)], accepted=[accepted(choice)])
        await line.say(refused=[refused(choice, "CHOICE_ILLEGAL")])
        await line.say(decisions=[decision("m", 2), decision("m", 1)])
        choice = await line.hear_choice()
        assert choice.decision == 2
        await line.say(accepted=[accepted(choice)], ended=[ended("m"), ended("m")])
        await line.say(ended=[ended("m")], decisions=[decision("m", 2)])
        await line.say(offers=[offer("n")], ended=[ended("n")])
        await line.silence()

    def choose(decision: cutpurse_sdk.Decision) -> str:
        asked.append(decision.decision)
        return decision.legal[0]

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(choose, address=address, matches=2, **OPTIONS)

    assert asked == [1, 2]
    assert (summary.matches, summary.decisions, summary.refused) == (2, 2, 0)


async def test_a_thought_goes_on_while_the_stream_is_mended(tmp_path: Path) -> None:
    asked: list[int] = []
    broken = asyncio.Event()

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        await asyncio.sleep(0.02)
        broken.set()
        await line.break_off()

    async def choose(decision: cutpurse_sdk.Decision) -> str:
        asked.append(decision.decision)
        await broken.wait()
        await asyncio.sleep(0.1)
        return decision.legal[0]

    async with scripted_service(tmp_path, script, finish) as address:
        summary = await cutpurse_sdk.play(choose, address=address, matches=1, **OPTIONS)

    assert asked == [1]
    assert summary.decisions == 1


async def test_a_drained_stream_is_finished_and_dialled_anew(tmp_path: Path) -> None:
    async def drain(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)], draining=bot_pb2.Draining())
        choice = await line.hear_choice()
        await line.say(accepted=[accepted(choice)])
        # The bot has nothing more to say, and says so.
        assert await line.hear() is None

    async def go_on(line: Line) -> None:
        await line.welcome("m", decisions=[decision("m", 2)])
        choice = await line.hear_choice()
        assert choice.decision == 2
        await line.say(accepted=[accepted(choice)])
        # This stream is not about to end.
        await asyncio.sleep(0.05)
        await line.say(decisions=[decision("m", 3)])
        await line.say(accepted=[accepted(await line.hear_choice())], ended=[ended("m")])
        await line.silence()

    since_s = time.monotonic()
    async with scripted_service(tmp_path, drain, go_on) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)

    assert summary.decisions == 3
    # It ended because nothing more was to be said, not because somebody's patience was over.
    assert time.monotonic() - since_s < GRACE_S / 2


async def test_a_service_that_came_back_after_draining_and_then_broke_is_missed(tmp_path: Path) -> None:
    async def drain(line: Line) -> None:
        await line.welcome()
        await line.say(draining=bot_pb2.Draining())
        await line.silence()

    async def come_back_and_break(line: Line) -> None:
        await line.welcome()
        await line.say(offers=[offer("m")])
        await line.break_off()

    async with scripted_service(tmp_path, drain, come_back_and_break) as address:
        with pytest.raises(cutpurse_sdk.ServiceUnreachable):
            await cutpurse_sdk.play(first, address=address, **OPTIONS | {"patience_s": 0.2})


async def test_patience_begins_anew_with_every_stream_that_brought_something(tmp_path: Path) -> None:
    async def bring_something(line: Line) -> None:
        await line.welcome()
        await line.say(offers=[offer("m")])
        await asyncio.sleep(0.1)
        await line.break_off()

    async with scripted_service(tmp_path, *[bring_something] * 5, finish) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS | {"patience_s": 0.3})

    assert summary.matches == 1


async def test_a_service_that_drains_and_stays_away_is_a_good_end(tmp_path: Path) -> None:
    async def drain(line: Line) -> None:
        await line.welcome()
        await line.say(draining=bot_pb2.Draining())
        assert await line.hear() is None

    async with scripted_service(tmp_path, drain) as address:
        summary = await cutpurse_sdk.play(first, address=address, **OPTIONS | {"patience_s": 0.2})

    assert summary.ending is cutpurse_sdk.Ending.SERVICE_DRAINED


async def test_a_decision_of_a_match_that_was_never_offered_is_let_be(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("other", 1)], ended=[ended("other"), ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)

    assert summary.decisions == 0
    assert "never offered" in caplog.text
