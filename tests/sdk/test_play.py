"""A bot at a scripted service: the way of a match, answers of every kind, what goes wrong in `choose`."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

import cutpurse_sdk
from cutpurse.v1 import art_robbery_pb2, bot_pb2, game_pb2
from tests.sdk.scripted import OPTIONS, Line, accepted, decision, ended, first, refused, scripted_service


async def test_a_bot_gets_ready_decides_and_learns_the_result(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        hello = await line.begin("m")
        assert line.metadata["authorization"] == "Bearer token"
        assert (hello.protocol_version, hello.concurrency, hello.wants_resolved) == (1, 0, False)
        assert hello.sdk.startswith("cutpurse-sdk-python/")
        await line.say(decisions=[decision("m", 1)])
        choice = await line.hear_choice()
        assert (choice.match, choice.decision, choice.notation) == ("m", 1, "play GD")
        assert 1 <= len(choice.request_id) <= 64
        await line.say(accepted=[accepted(choice)], ended=[ended("m", 1, 2)])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)

    assert summary.bot == "scripted"
    assert summary.ending is cutpurse_sdk.Ending.MATCHES_PLAYED
    assert (summary.matches, summary.decisions, summary.refused) == (1, 1, 0)
    assert list(summary.results[0].result.placements) == [1, 2]


async def test_what_is_ready_together_travels_in_one_frame(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("a", "b", "c")
        await line.say(decisions=[decision(match, 1) for match in "abc"])
        frame = await line.hear()
        assert frame is not None
        assert [choice.match for choice in frame.choices] == ["a", "b", "c"]
        assert len({choice.request_id for choice in frame.choices}) == 3
        await line.say(accepted=map(accepted, frame.choices), ended=map(ended, "abc"))
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=3, **OPTIONS)

    assert summary.decisions == 3


DOG = art_robbery_pb2.ArtRobberyAction(
    play=art_robbery_pb2.ArtRobberyPlay(card=art_robbery_pb2.ART_ROBBERY_CARD_GUARD_DOG)
)


@pytest.mark.parametrize(
    ("answer", "field", "value"),
    [
        ("play BS", "notation", "play BS"),
        (1, "index", 1),
        (DOG, "action", game_pb2.Action(art_robbery=DOG)),
        (game_pb2.Action(art_robbery=DOG), "action", game_pb2.Action(art_robbery=DOG)),
    ],
)
@pytest.mark.parametrize("later", [False, True])
async def test_an_answer_is_notation_index_or_action_at_once_or_awaited(
    answer: Any, field: str, value: Any, later: bool, tmp_path: Path
) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        choice = await line.hear_choice()
        assert choice.WhichOneof("answer") == field
        assert getattr(choice, field) == value
        await line.say(accepted=[accepted(choice)], ended=[ended("m")])
        await line.silence()

    async def choose_later(decision: cutpurse_sdk.Decision) -> Any:
        await asyncio.sleep(0.01)
        return answer

    choose = choose_later if later else (lambda decision: answer)
    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(choose, address=address, matches=1, **OPTIONS)

    assert summary.decisions == 1


@pytest.mark.parametrize("answer", [None, True, 2, -1, 1.0, b"play GD", bot_pb2.Ready(match="m")])
async def test_what_is_no_answer_ends_the_bot_with_a_clear_error(answer: Any, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        assert await line.hear() is None

    async with scripted_service(tmp_path, script) as address:
        with pytest.raises(cutpurse_sdk.AnswerInvalid) as caught:
            await cutpurse_sdk.play(lambda decision: answer, address=address, **OPTIONS)

    assert "play GD" in str(caught.value)


@pytest.mark.parametrize("later", [False, True])
async def test_an_exception_in_choose_comes_out_as_it_is(later: bool, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        assert await line.hear() is None

    def fail(decision: cutpurse_sdk.Decision) -> str:
        raise ZeroDivisionError("the author's mistake")

    async def fail_later(decision: cutpurse_sdk.Decision) -> str:
        await asyncio.sleep(0.01)
        raise ZeroDivisionError("the author's mistake")

    async with scripted_service(tmp_path, script) as address:
        with pytest.raises(ZeroDivisionError, match="the author's mistake") as caught:
            await cutpurse_sdk.play(fail_later if later else fail, address=address, **OPTIONS)

    assert "match='m', decision=1" in "".join(caught.value.__notes__)


async def test_on_error_default_logs_the_traceback_and_plays_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        choice = await line.hear_choice()
        assert choice.index == 0
        assert choice.WhichOneof("answer") == "index"
        await line.say(accepted=[accepted(choice)], ended=[ended("m")])
        await line.silence()

    def fail(decision: cutpurse_sdk.Decision) -> str:
        raise ZeroDivisionError("the author's mistake")

    async with scripted_service(tmp_path, script) as address:
        await cutpurse_sdk.play(fail, address=address, matches=1, on_error="default", **OPTIONS)

    assert "Traceback" in caplog.text
    assert "the author's mistake" in caplog.text


async def test_a_refused_answer_is_put_right_once_with_a_new_request_id(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        one = await line.hear_choice()
        await line.say(refused=[refused(one, "CHOICE_ILLEGAL", corrections_left=1)])
        two = await line.hear_choice()
        assert two.index == 0
        assert two.request_id != one.request_id
        # A service that refuses even that gets no third answer: the next frame is about the next decision.
        await line.say(refused=[refused(two, "CHOICE_ILLEGAL", corrections_left=0)])
        await line.say(decisions=[decision("m", 2)])
        three = await line.hear_choice()
        assert three.decision == 2
        await line.say(accepted=[accepted(three)], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(lambda decision: "play N9", address=address, matches=1, **OPTIONS)

    assert (summary.decisions, summary.refused) == (1, 2)
    assert "CHOICE_ILLEGAL: as scripted" in caplog.text


async def test_on_refused_raise_raises_what_the_service_said(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 7)])
        await line.say(refused=[refused(await line.hear_choice(), "TIME_OVER")])
        assert await line.hear() is None

    async with scripted_service(tmp_path, script) as address:
        with pytest.raises(cutpurse_sdk.ChoiceNotTaken, match=r"match m, decision 7: TIME_OVER: as scripted"):
            await cutpurse_sdk.play(first, address=address, on_refused="raise", **OPTIONS)


async def test_a_stale_decision_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        await line.say(refused=[refused(await line.hear_choice(), "DECISION_STALE")], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, on_refused="raise", **OPTIONS)

    assert (summary.decisions, summary.refused) == (0, 0)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_what_the_service_could_not_write_down_is_said_again_unchanged(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        one = await line.hear_choice()
        await line.say(refused=[refused(one, "LOG_UNAVAILABLE")])
        again = await line.hear_choice()
        assert again == one
        await line.say(accepted=[accepted(again)], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)

    assert (summary.decisions, summary.refused) == (1, 0)


@pytest.mark.parametrize("later", [False, True])
async def test_a_bot_warms_up_before_it_is_ready(later: bool, tmp_path: Path) -> None:
    done: list[str] = []

    async def script(line: Line) -> None:
        await line.welcome("m")
        frame = await line.hear()
        assert frame is not None
        assert [ready.match for ready in frame.readies] == ["m"]
        assert done == ["m"]
        await line.say(ended=[ended("m")])
        await line.silence()

    def warm_up(offer: bot_pb2.MatchOffered) -> None:
        done.append(offer.match)

    async def warm_up_later(offer: bot_pb2.MatchOffered) -> None:
        await asyncio.sleep(0.02)
        done.append(offer.match)

    on_match = warm_up_later if later else warm_up
    async with scripted_service(tmp_path, script) as address:
        await cutpurse_sdk.play(first, address=address, matches=1, on_match=on_match, **OPTIONS)

    assert done == ["m"]


async def test_a_slow_match_does_not_hold_up_another(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("slow", "quick")
        await line.say(decisions=[decision("slow", 1), decision("quick", 1)])
        quick = await line.hear_choice()
        assert quick.match == "quick"
        await line.say(accepted=[accepted(quick)], ended=[ended("quick")])
        slow = await line.hear_choice()
        assert slow.match == "slow"
        await line.say(accepted=[accepted(slow)], ended=[ended("slow")])
        await line.silence()

    over = asyncio.Event()

    async def choose(decision: cutpurse_sdk.Decision) -> str:
        if decision.match == "slow":
            await over.wait()
        return decision.legal[0]

    async with scripted_service(tmp_path, script) as address:
        await cutpurse_sdk.play(
            choose, address=address, matches=2, on_ended=lambda ended: over.set(), **OPTIONS
        )  # fmt: skip


async def test_a_thought_that_is_overtaken_is_given_up(tmp_path: Path) -> None:
    given_up: list[int] = []

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        await asyncio.sleep(0.05)
        await line.say(decisions=[decision("m", 2)])
        choice = await line.hear_choice()
        assert choice.decision == 2
        await line.say(accepted=[accepted(choice)], ended=[ended("m")])
        await line.silence()

    async def choose(decision: cutpurse_sdk.Decision) -> int:
        if decision.decision == 1:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                given_up.append(1)
                raise
        return 0

    async with scripted_service(tmp_path, script) as address:
        await cutpurse_sdk.play(choose, address=address, matches=1, **OPTIONS)

    assert given_up == [1]


async def test_news_are_asked_for_only_if_wanted(tmp_path: Path) -> None:
    heard: list[bot_pb2.MatchNews] = []

    async def script(line: Line) -> None:
        hello = await line.begin("m")
        assert hello.wants_resolved
        assert hello.wants_legal_actions
        await line.say(news=[bot_pb2.MatchNews(match="m")], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        await cutpurse_sdk.play(
            first, address=address, matches=1, legal_actions=True, on_news=heard.append, **OPTIONS
        )  # fmt: skip

    assert [news.match for news in heard] == ["m"]


@pytest.mark.parametrize("options", [{"matches": 0}, {"on_error": "ignore"}, {"on_refused": "ignore"}])
async def test_an_option_that_means_nothing_is_refused_before_dialling(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"at least 1|'default' or 'raise'"):
        await cutpurse_sdk.play(first, address="unix:/nowhere", **OPTIONS, **options)
