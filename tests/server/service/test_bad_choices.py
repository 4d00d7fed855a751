"""Answers that are wrong in every way: each has one defined reply, and a right one afterwards is still taken."""

from typing import Any

import pytest

from cutpurse.v1 import art_robbery_pb2, errors_pb2, game_pb2, match_pb2
from tests.server.service.arena import Arena, BotStream

REFUSED = errors_pb2.ErrorReason


async def first_decision(arena: Arena) -> tuple[BotStream, match_pb2.Decision]:
    match, streams = await arena.start(["ann", "ben"])
    return streams["ann"], await streams["ann"].next("decisions", match)


def typed(card: int, tile: int = 0, **source: int) -> game_pb2.Action:
    play: Any = art_robbery_pb2.ArtRobberyPlay
    return game_pb2.Action(art_robbery=art_robbery_pb2.ArtRobberyAction(play=play(card=card, tile=tile, **source)))


MALFORMED: dict[str, dict[str, Any]] = {
    "an index beyond the list": {"index": 10_000},
    "the largest index": {"index": 2**32 - 1},
    "no notation": {"notation": ""},
    "another language": {"notation": "spiele N3"},
    "a notation with a space too many": {"notation": "play  N3"},
    "a notation of 10,000 characters": {"notation": "play N3" * 1_500},
    "a card that is not there": {"action": typed(200)},
    "no card": {"action": typed(0)},
    "a tile that is not there": {"action": typed(1, 99)},
    "a seat that is not there": {"action": typed(1, 1, from_seat=4_000_000_000)},
    "an action of no game": {"action": game_pb2.Action()},
    "an empty action": {"action": game_pb2.Action(art_robbery=art_robbery_pb2.ArtRobberyAction())},
    "an unknown game's action": {"action": game_pb2.Action.FromString(bytes.fromhex("a20600"))},
}


@pytest.mark.parametrize("answer", MALFORMED.values(), ids=MALFORMED)
async def test_a_malformed_answer_is_refused_and_may_be_corrected(arena: Arena, answer: dict[str, Any]) -> None:
    ann, decision = await first_decision(arena)

    refused = await ann.refused(ann.choice(decision, **answer))

    assert refused.reason == REFUSED.ERROR_REASON_CHOICE_MALFORMED
    assert refused.text == "The answer is no index, notation or action of this game."
    assert refused.corrections_left == 1
    await ann.answer(decision)


async def test_a_choice_without_an_answer_is_malformed(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    choice = match_pb2.Choice(match=decision.match, decision=1, request_id=b"1")

    assert (await ann.refused(choice)).reason == REFUSED.ERROR_REASON_CHOICE_MALFORMED


async def test_an_illegal_action_is_refused_with_the_rules_reason_and_no_card(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    held = set(decision.view.art_robbery.hand)
    missing = min(set(range(1, 10)) - held)

    refused = await ann.refused(ann.choice(decision, action=typed(missing)))

    assert refused.reason == REFUSED.ERROR_REASON_CHOICE_ILLEGAL
    assert refused.rule == errors_pb2.RULE_REASON_CARD_NOT_HELD
    assert refused.text == "The action is not legal now."
    await ann.answer(decision)


async def test_the_third_bad_answer_plays_the_default(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    left = []
    for _ in range(3):
        left.append((await ann.refused(ann.choice(decision, notation="nonsense"))).corrections_left)

    seen = await arena.ask("spectator", "GetMatch", match_pb2.GetMatchRequest(match=decision.match))

    assert left == [1, 0, 0]
    assert seen.view.art_robbery.turn_seat == 1


async def test_an_answer_to_a_decision_that_is_over_is_stale(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    await ann.answer(decision)

    refused = await ann.refused(ann.choice(decision))

    assert refused.reason == REFUSED.ERROR_REASON_DECISION_STALE


@pytest.mark.parametrize("number", [0, 2, 2**32 - 1])
async def test_an_answer_to_a_decision_that_is_not_open_yet_is_refused(arena: Arena, number: int) -> None:
    ann, decision = await first_decision(arena)

    refused = await ann.refused(ann.choice(decision, decision=number))

    assert refused.reason == REFUSED.ERROR_REASON_DECISION_NOT_OPEN
    await ann.answer(decision)


@pytest.mark.parametrize("request_id", [b"", b"x" * 65, b"x" * 20_000])
async def test_a_request_id_has_1_to_64_bytes(arena: Arena, request_id: bytes) -> None:
    ann, decision = await first_decision(arena)

    refused = await ann.refused(ann.choice(decision, request_id=request_id))

    assert refused.reason == REFUSED.ERROR_REASON_MALFORMED
    assert refused.request_id == request_id[:64]
    await ann.answer(decision, request_id=b"y" * 64)


async def test_the_same_request_again_gets_the_same_reply_and_has_no_effect(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    choice = ann.choice(decision)
    await ann.say(choices=[choice, choice])
    first, second = await ann.next("accepted"), await ann.next("accepted")

    third = (await arena.ask("ann", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=choice))).accepted

    assert first.SerializeToString() == second.SerializeToString() == third.SerializeToString()
    record = await arena.service.desk.record(decision.match)
    assert record is not None
    assert record.number == 2


async def test_a_refusal_is_repeated_byte_for_byte_and_costs_one_correction(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    choice = ann.choice(decision, notation="nonsense")

    refusals = [await ann.refused(choice) for _ in range(5)]

    assert len({each.SerializeToString() for each in refusals}) == 1
    assert refusals[0].corrections_left == 1


async def test_a_request_id_with_other_content_is_refused(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    await ann.answer(decision, request_id=b"once")

    refused = await ann.refused(ann.choice(decision, request_id=b"once", index=1))
    unary = await arena.refused(
        "ann",
        "SubmitChoice",
        match_pb2.SubmitChoiceRequest(choice=ann.choice(decision, request_id=b"once", index=1)),
    )

    assert refused.reason == REFUSED.ERROR_REASON_REQUEST_ID_REUSED
    assert (unary.code.name, unary.reason) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED")


async def test_a_request_id_is_the_seats_own(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    await ann.answer(decision, request_id=b"shared")
    ben = await arena.dial("ben")

    asked = await ben.next("decisions", decision.match)

    await ben.answer(asked, request_id=b"shared")


async def test_a_signature_is_refused_as_long_as_nobody_verifies_it(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    signature = match_pb2.ChoiceSignature(public_key=b"k" * 32, signature=b"s" * 64, salt=b"a" * 32)

    refused = await ann.refused(ann.choice(decision, signature=signature))

    assert refused.reason == REFUSED.ERROR_REASON_NOT_IMPLEMENTED
    await ann.answer(decision)


async def test_fields_and_frames_of_later_versions_are_ignored(arena: Arena) -> None:
    ann, decision = await first_decision(arena)
    choice = match_pb2.Choice.FromString(ann.choice(decision).SerializeToString() + bytes.fromhex("fa3f03616263"))

    await ann.say(choices=[choice])

    assert await ann.next("accepted")
