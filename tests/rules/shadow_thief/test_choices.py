"""Who is asked what, and who sees what: R10, G4 to G7, G11, notation and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Malformed, Reason
from cutpurse_rules.playthrough import Cause, Resolved, play_through
from cutpurse_rules.shadow_thief.actions import ACTIONS, ADDS, PLAYS, STEALS
from cutpurse_rules.shadow_thief.cards import CARDS
from tests.rules.shadow_thief.position import GAME, forced, legal, play, position, refusal, shuffles, view


def test_g4_two_identical_cards_are_one_action() -> None:
    state = position(["R6 C2 R6 C2", "S4 S4", "TX"])

    assert legal(state, 0) == ["play R6", "play C2"]
    assert legal(state, 1) == ["play S4"]


def test_g5_a_theft_with_one_candidate_is_forced_and_one_with_several_is_not() -> None:
    one = play(position(["TB S4", "B6 S4", "R2 S4"]), "play TB | play B6 | play R2")
    several = play(position(["TX S4", "B6 S4", "R2 S4"]), "play TX | play B6 | play R2")

    assert (view(one)["asked"], legal(one, 0), forced(one)) == ([0], ["steal B6"], {0: "steal B6"})
    assert forced(several) == {}


def test_g5_an_addition_from_an_empty_hand_is_forced_and_stands_in_the_one_decision_with_the_rest() -> None:
    state = position(["R6", "W7 S4", "S4 S4"], deck="", exhausted=True)

    asked = play(state, "play R6 | play W7 | play S4")

    assert view(asked)["asked"] == [0, 1]
    assert (legal(asked, 0), legal(asked, 1)) == (["add"], ["add"])
    assert forced(asked) == {0: "add"}, "that seat 1 holds no watch is nobody's business"


def test_g5_a_hand_of_one_card_is_asked() -> None:
    state = position(["R6", "W7", "S4"], deck="", exhausted=True)

    assert view(state)["asked"] == [0, 1, 2]
    assert legal(state, 0) == ["play R6"]
    assert forced(state) == {}


@pytest.mark.parametrize("auto_play_forced", [True, False])
def test_g5_forced_choices_are_recorded_as_forced_unless_the_option_is_off(auto_play_forced: bool) -> None:
    deck = {"B1": 1, "R2": 1, "TX": 1, "S4": 9}
    chance = shuffles({"deck/1": "B1 R2 TX" + " S4" * 9})
    config = GAME.configure(3, {"deck": deck, "deals": 1, "auto_play_forced": auto_play_forced})
    # Seat 1 plays S4 while the Shadow thief is out, so that there is one candidate.
    script = iter(["play B1", "play S4", "play TX"] + ["steal B1"] * (not auto_play_forced))

    def choose(state: Any, seat: Seat) -> Any:
        text = next(script, None)
        return GAME.legal(state, seat)[0] if text is None else GAME.parse(text)

    parts = [part for part in play_through(GAME, config, chance, choose) if isinstance(part, Resolved)]

    assert parts[1].chosen == {2: STEALS[1]}
    assert parts[1].causes == {2: Cause.FORCED if auto_play_forced else Cause.CHOSEN}


def test_g6_legal_actions_stand_in_the_order_of_the_pages_tables() -> None:
    state = position(["TX S15 S4 C1", "W8 B2 TB R1", "S4 R9 B10 B2"])

    stolen = play(state, "play TX | play W8 | play B10")

    assert legal(state, 0) == ["play C1", "play S4", "play S15", "play TX"]
    assert legal(state, 1) == ["play B2", "play R1", "play W8", "play TB"]
    assert legal(stolen, 0) == ["steal B10", "steal W8"]


def test_g6_the_default_is_the_first_and_adds_nothing() -> None:
    state = position(["TX S15 S4 C1", "W8 W2 TB R1", "S4 R9 B10 B2"])
    stealing = play(state, "play TX | play W8 | play B10")
    adding = play(stealing, "steal B10")

    assert GAME.default(state, Seat(1)).notation == "play R1"
    assert GAME.default(stealing, Seat(0)).notation == "steal B10"
    assert GAME.default(adding, Seat(1)).notation == "add"


def test_g7_a_choice_in_an_open_decision_is_shown_to_its_own_seat_alone() -> None:
    state = position(["R6 S4", "W7 S4", "S4 S5"])
    choice = GAME.parse("play R6")

    own = GAME.view(state, Seat(0), choice)

    assert own.to_json()["choice"] == "play R6"
    assert own.hand_sizes == (2, 2, 2), "hand sizes do not change before the reveal"
    assert own._replace(choice=None) == GAME.view(state, Seat(0))
    assert [view(state, seat)["choice"] for seat in (0, 1, 2, None)] == [None] * 4
    with pytest.raises(AssertionError):
        GAME.view(state, None, choice)


def test_r10_revealed_discards_are_public_and_hands_are_not() -> None:
    state = position(["R5 S4 B1 B2", "W5 S6 B3 B4", "TX C1 C2 C3"])

    after = play(state, "play R5 | play W5 | play TX")

    for viewer in (0, 1, 2, None):
        assert view(after, viewer)["discards"] == ["R5", "W5", "TX"]
    assert view(after, 0)["hand"] == ["B1", "B2", "S4", "S15"]
    assert view(after)["hand"] is None
    assert "C1" not in str({key: value for key, value in view(after, 0).items() if key != "hand"})


def test_g11_what_was_put_back_is_remembered_by_its_own_seat_alone() -> None:
    state = position(["S4 R9 B2", "TB S9", "TR S9"], safes=["B1", "", ""])

    after = play(state, "play S4 | play TB | play TR", chance=shuffles({"return/1/1": "B2 R9"}))

    assert [view(after, viewer)["put_back"] for viewer in (0, 1, 2, None)] == [["B2", "R9"], [], [], None]
    assert [view(after, viewer)["put_back_count"] for viewer in (0, 1, 2, None)] == [2] * 4


@pytest.mark.parametrize(("step", "text", "reason"), [
    ("PLAY", "play B1", Reason.CARD_NOT_HELD),
    ("PLAY", "steal B1", Reason.WRONG_STEP),
    ("PLAY", "add", Reason.WRONG_STEP),
    ("STEAL", "play S4", Reason.WRONG_STEP),
    ("STEAL", "add", Reason.WRONG_STEP),
    ("STEAL", "steal R9", Reason.NOTHING_TO_TAKE),
    ("ADD", "play S4", Reason.WRONG_STEP),
    ("ADD", "steal R6", Reason.WRONG_STEP),
])  # fmt: skip
def test_what_may_not_be_chosen_is_refused_with_its_reason(step: str, text: str, reason: Reason) -> None:
    # Other hands hold some of the cards that are named, and no reason may tell.
    state = position(["TX S4", "R6 B1", "B10 R9"])
    tables = {"PLAY": state, "STEAL": play(state, "play TX | play R6 | play B10")}
    tables["ADD"] = play(tables["STEAL"], "steal R6")

    (seat, *_) = tables[step].asked

    assert view(tables[step])["step"] == step
    assert refusal(tables[step], seat, text) is reason


def test_a_seat_that_is_not_asked_is_told_only_that() -> None:
    asked = play(position(["TX S4", "R6 S4", "B10 S4"]), "play TX | play R6 | play B10")

    assert {refusal(asked, 1, text) for text in ("steal R6", "play S4", "play B1", "add")} == {Reason.NOT_ASKED}


def test_there_are_1238_actions_each_with_its_own_notation() -> None:
    assert len(ACTIONS) == len(PLAYS) + len(STEALS) + len(ADDS) == 57 + 40 + 1141
    assert list(ACTIONS)[:2] == ["play B1", "play B2"]
    by_size = [(len(added), added) for added in ADDS]
    assert by_size == sorted(by_size)


@given(st.lists(st.sampled_from(CARDS), max_size=4))
def test_only_cards_of_one_type_in_card_order_are_the_notation_of_an_addition(added: list[str]) -> None:
    text = " ".join(["add", *added])
    jewelry = all(card[0] in "BRWC" for card in added)
    fits = len({card[0] for card in added}) <= 1 and len(added) <= 3
    ordered = added == sorted(added, key=CARDS.index)

    if jewelry and fits and ordered:
        assert GAME.parse(text).notation == text
    else:
        with pytest.raises(Malformed):
            GAME.parse(text)


@given(st.text() | st.sampled_from(sorted(ACTIONS)))
def test_any_text_is_an_action_or_malformed(text: str) -> None:
    if text in ACTIONS:
        assert GAME.parse(text).notation == text
    else:
        with pytest.raises(Malformed):
            GAME.parse(text)
