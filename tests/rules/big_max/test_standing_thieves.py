"""Standing thieves: countering them, and where suitcases go while they stand (R3, R4, R5, G4)."""

from __future__ import annotations

from cutpurse_rules.errors import Reason
from tests.rules.big_max.position import FULL, GAME, legal, play, position, refusal, view

A = "T4 H2 H2 H2 H2 H2"


def counters(text: list[str]) -> list[str]:
    return [each.removeprefix("counter ") for each in text if each.startswith("counter")]


def test_any_standing_thief_is_countered_by_a_defender_of_its_value() -> None:
    state = position(["MT H3 H4 T2 T2 T2", FULL, FULL], standing=["T4:1 T6:2 T3:1", "", ""])

    assert counters(legal(state)) == ["0 MT", "0 H4", "1 MT", "2 MT", "2 H3", "2 H4"]
    assert refusal(state, 0, "counter 1 H4") is Reason.NOT_ALLOWED_NOW
    assert refusal(state, 0, "counter 3 MT") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "counter 499 MT") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "counter 0 H6") is Reason.CARD_NOT_HELD


def test_a_counter_discards_the_thief_its_gunmen_and_the_defender_and_is_the_card_of_the_turn() -> None:
    state = position(["H4 T2 T2 T2 T2 T2", FULL, FULL], standing=["T6:2 T4:1+2 T3:1", "", ""], pile="CS")

    after = play(state, "counter 1 H4")

    assert view(after)["standing"][0] == [
        {"card": "T6", "employer": 2, "gunmen": 0},
        {"card": "T3", "employer": 1, "gunmen": 0},
    ]
    assert view(after)["discards"] == ["H4", "T4", "GM", "GM"]
    assert view(after, 0)["hand"] == ["T2"] * 5 + ["CS"]
    assert GAME.asked(after) == (1,)


def test_only_ones_own_standing_thieves_are_countered_and_only_on_ones_turn() -> None:
    state = position([FULL, FULL, FULL], standing=["", "T2:0", ""])

    assert counters(legal(state)) == []
    assert refusal(state, 0, "counter 0 H2") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 1, "counter 0 H2") is Reason.NOT_ASKED


def test_g4_of_interchangeable_neighbours_the_lowest_position_is_named() -> None:
    state = position(["H2 T2 T2 T2 T2 T2", FULL, FULL], standing=["T2:1 T2:1 T2:1 T2:2 T2:1 T2:1+1 T2:1+1", "", ""])

    assert counters(legal(state)) == ["0 H2", "3 H2", "4 H2", "5 H2"]
    for position_named in (1, 2, 6):
        assert refusal(state, 0, f"counter {position_named} H2") is Reason.NOT_ALLOWED_NOW


def test_r4_a_gunman_cannot_be_used_against_a_standing_thief() -> None:
    state = position(["GM GM H2 H2 H2 H2", FULL, FULL], standing=["T6:1", "", ""])

    assert legal(state) == ["discard H2", "discard GM"]
    assert refusal(state, 0, "gunman") is Reason.WRONG_STEP


def test_a_further_challenge_adds_another_standing_thief_as_the_newest() -> None:
    state = position([A, FULL, FULL], standing=["", "T6:2", ""])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["standing"][1] == [
        {"card": "T6", "employer": 2, "gunmen": 0},
        {"card": "T4", "employer": 0, "gunmen": 0},
    ]


def test_worked_point_a_stolen_suitcase_goes_on_to_the_employer_of_the_standing_thief() -> None:
    state = position(["T2 H2 H2 H2 H2 H2", "T3 T2 T2 T2 T2 T2", "T2 T2 T2 T2 T2 T2"], displays=[0, 0, 1])

    stood = play(state, "challenge 1 T2", "decline")
    after = play(stood, "challenge 2 T3", "decline")

    assert view(stood)["standing"] == [[], [{"card": "T2", "employer": 0, "gunmen": 0}], []]
    assert view(after)["displays"] == [1, 0, 0]
    assert view(after)["standing"] == [[], [], []]
    assert view(after)["discards"] == ["T2", "T3"]


def test_the_oldest_standing_thief_is_paid_and_leaves_with_its_gunmen() -> None:
    state = position([A, FULL, FULL, FULL], displays=[0, 0, 1, 0], standing=["T2:3+2 T6:1", "", "", ""])

    after = play(state, "challenge 2 T4", "decline")

    assert view(after)["displays"] == [0, 0, 0, 1]
    assert view(after)["standing"][0] == [{"card": "T6", "employer": 1, "gunmen": 0}]
    assert view(after)["discards"] == ["T2", "T4", "GM", "GM"]


def test_r5_a_suitcase_gained_by_a_gunman_is_paid_too() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], displays=[1, 0, 0], standing=["", "T3:2", ""])

    after = play(state, "challenge 1 T4", "gunman", "decline")

    assert view(after)["displays"] == [0, 0, 1]
    assert view(after)["standing"][1] == []


def test_r5_a_payment_travels_on_while_thieves_stand_before_the_receiver() -> None:
    state = position(
        [A, FULL, FULL, FULL], displays=[0, 1, 0, 0], standing=["T2:2", "", "T3:3 T5:0", "T6:0+1"], pile="H4"
    )

    after = play(state, "challenge 1 T4", "decline")

    # 0 pays 2, which pays 3, which pays 0, before which no thief stands any more.
    assert view(after)["displays"] == [1, 0, 0, 0]
    assert view(after)["standing"] == [[], [], [{"card": "T5", "employer": 0, "gunmen": 0}], []]
    assert view(after)["discards"] == ["T2", "T3", "T4", "T6", "GM"]


def test_r5_a_seat_before_which_several_stand_may_pay_twice() -> None:
    state = position([A, FULL, FULL], displays=[0, 1, 0], standing=["T2:2 T3:2 T5:1", "", "T6:0"])

    after = play(state, "challenge 1 T4", "decline")

    # 0 pays 2, 2 pays 0, 0 pays 2 again, where it stays.
    assert view(after)["displays"] == [0, 0, 1]
    assert view(after)["standing"] == [[{"card": "T5", "employer": 1, "gunmen": 0}], [], []]


def test_r5_a_suitcase_can_come_back_to_the_seat_that_lost_it() -> None:
    state = position([A, FULL, FULL], displays=[0, 5, 0], standing=["T2:1", "", ""])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["displays"] == [0, 5, 0]
    assert view(after)["standing"] == [[], [], []]
    assert view(after)["discards"] == ["T2", "T4"]


def test_r3_an_employer_with_five_on_display_discards_the_sixth() -> None:
    state = position([A, FULL, FULL], displays=[5, 2, 0])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["displays"] == [5, 1, 0]
    assert view(after)["discards"] == ["SC", "T4"]


def test_r3_r5_the_last_receiver_of_a_payment_with_five_on_display_discards_it() -> None:
    state = position([A, FULL, FULL], displays=[0, 2, 5], standing=["T2:2", "", ""])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["displays"] == [0, 1, 5]
    assert view(after)["discards"] == ["SC", "T2", "T4"]
    assert view(after)["standing"] == [[], [], []]


def test_after_the_last_standing_thief_is_gone_suitcases_are_displayed_again() -> None:
    state = position(["SC H6 H2 H2 H2 H2", FULL, FULL], standing=["T6:1", "", ""])

    after = play(state, "counter 0 H6", "discard H2", "discard H2")

    assert "display" not in legal(state)
    assert "display" in legal(after)
