"""Winning at once, laying the Master Thief, the stall limit, results (R6, R7, R8)."""

from __future__ import annotations

import pytest

from cutpurse_rules.big_max.state import State
from cutpurse_rules.contract import EndReason, Result
from cutpurse_rules.errors import Reason
from tests.rules.big_max.position import FULL, GAME, legal, play, position, refusal, script, view

A = "T4 H2 H2 H2 H2 H2"


def result(state: State) -> Result:
    found = GAME.result(state)
    assert found is not None
    return found


def test_r6_the_fifth_suitcase_displayed_with_a_master_thief_in_hand_wins_and_nothing_is_drawn() -> None:
    state = position(["SC MT H2 H2", FULL, FULL], displays=[4, 2, 2])

    after = play(state, "display")

    assert view(after)["step"] == "OVER"
    assert view(after)["asked"] == []
    assert view(after)["hand_sizes"] == [3, 6, 6]
    assert view(after)["pile_size"] == view(state)["pile_size"]
    assert view(after)["turn"] == 1
    assert result(after) == Result((10, 2, 2), (1, 2, 2), EndReason.WON)


def test_r6_a_master_thief_drawn_in_ones_own_turn_wins_and_no_further_card_is_drawn() -> None:
    state = position(["H3 H3", FULL, FULL], displays=[5, 0, 0], pile="H4 MT H4 H4 H4")

    after = play(state, "discard H3")

    assert result(after).placements == (1, 2, 2)
    assert view(after, 0)["hand"] == ["MT", "H3", "H4"]
    assert view(after)["pile_size"] == 3


def test_worked_point_a_master_thief_drawn_on_somebody_elses_turn_wins_at_once() -> None:
    state = position([A, "H6 H2 H2 H2 H2 H2", FULL], displays=[1, 5, 0], pile="H3 MT")

    after = play(state, "challenge 1 T4", "counter H6")

    assert view(after)["challenge"] is None
    assert result(after) == Result((1, 10, 0), (2, 1, 3), EndReason.WON)


def test_r6_a_challenger_that_draws_the_master_thief_wins_with_its_challenge_on_the_table() -> None:
    state = position([A, FULL, FULL], displays=[5, 0, 0], pile="MT")

    after = play(state, "challenge 1 T4")

    assert (view(after)["step"], view(after)["asked"]) == ("OVER", [])
    assert view(after)["challenge"] == {"card": "T4", "challenger": 0, "employer": 0, "target": 1, "gunmen": 0}
    assert view(after)["discards"] == []
    assert result(after).reason is EndReason.WON


def test_r6_a_gunmans_player_that_draws_the_master_thief_wins_while_the_challenger_owes_a_reply() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], displays=[0, 5, 0], pile="H3 MT")

    after = play(state, "challenge 1 T4", "gunman")

    assert view(after)["challenge"] == {"card": "T4", "challenger": 0, "employer": 1, "target": 0, "gunmen": 1}
    assert result(after).scores == (0, 10, 0)


def test_r6_a_stolen_fifth_suitcase_wins_for_an_employer_that_holds_a_master_thief() -> None:
    state = position(["T4 MT H2 H2 H2 H2", FULL, FULL], displays=[4, 3, 0])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["challenge"] is None
    assert view(after)["discards"] == ["T4"]
    assert result(after) == Result((10, 2, 0), (1, 2, 3), EndReason.WON)


def test_r6_a_payment_wins_for_a_seat_that_has_nothing_to_do_with_the_challenge() -> None:
    state = position([A, FULL, "MT H2 H2 H2 H2 H2"], displays=[0, 3, 4], standing=["T2:2", "", ""])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["standing"] == [[], [], []]
    assert result(after).scores == (0, 2, 10)


def test_r6_neither_five_suitcases_nor_a_master_thief_alone_wins() -> None:
    five = position(["SC H2 H2 H2 H2 H2", FULL, FULL], displays=[4, 0, 0])
    master = position(["SC MT H2 H2 H2 H2", FULL, FULL], displays=[3, 0, 0])

    assert [GAME.result(play(state, "display")) for state in (five, master)] == [None, None]


def test_r6_a_master_thief_among_the_discards_or_on_the_way_there_does_not_win() -> None:
    state = position(["T4 H2 H2 H2 H2 H2", "MT H2 H2 H2 H2 H2", FULL], displays=[0, 4, 0])

    after = play(state, "challenge 1 T4", "counter MT")

    assert GAME.result(after) is None
    assert view(after)["discards"] == ["MT", "T4"]


def test_r6_a_reshuffled_master_thief_wins_where_it_is_drawn() -> None:
    state = position(["MT H2 H2 H2 H2 H2", A, FULL], displays=[0, 5, 0], pile="H3")

    after = play(state, "discard MT", "challenge 0 T4", chance=script(reshuffle_1="MT"))

    assert result(after).placements == (2, 1, 2)
    assert after.challenge is not None


def test_with_the_option_holding_the_master_thief_does_not_win() -> None:
    state = position(["SC MT H2 H2 H2 H2", FULL, FULL], displays=[4, 0, 0], master_thief_must_be_laid=True)

    after = play(state, "display")

    assert GAME.result(after) is None
    assert view(after)["turn_seat"] == 1


def test_with_the_option_the_master_thief_is_laid_on_the_discards_and_nothing_is_drawn() -> None:
    state = position(
        ["MT T2 T2 T2 T2 T2", FULL, FULL], displays=[5, 1, 5], discards="GM", master_thief_must_be_laid=True
    )

    after = play(state, "lay")

    assert legal(state)[-1] == "lay"
    assert view(after)["discards"] == ["MT", "GM"]
    assert view(after)["hand_sizes"] == [5, 6, 6]
    assert result(after) == Result((10, 1, 5), (1, 3, 2), EndReason.WON)


@pytest.mark.parametrize(
    ("hand", "displayed", "option", "reason"),
    [
        ("MT H2 H2 H2 H2 H2", 4, True, Reason.NOT_ALLOWED_NOW),
        ("SC H2 H2 H2 H2 H2", 5, True, Reason.CARD_NOT_HELD),
        ("MT H2 H2 H2 H2 H2", 4, False, Reason.NOT_ALLOWED_NOW),
    ],
)
def test_the_master_thief_is_laid_only_with_the_option_five_suitcases_and_the_card(
    hand: str, displayed: int, option: bool, reason: Reason
) -> None:
    state = position([hand, FULL, FULL], displays=[displayed, 0, 0], master_thief_must_be_laid=option)

    assert "lay" not in legal(state)
    assert refusal(state, 0, "lay") is reason


def test_with_the_option_a_suitcase_can_be_stolen_from_a_seat_that_waits_to_lay() -> None:
    state = position([A, "MT H2 H2 H2 H2 H2", FULL], displays=[0, 5, 0], master_thief_must_be_laid=True)

    after = play(state, "challenge 1 T4", "decline")

    assert GAME.asked(after) == (1,)
    assert "lay" not in legal(after)


def test_r7_the_others_are_ordered_by_suitcases_and_equal_counts_share() -> None:
    state = position(["SC MT H2 H2 H2 H2", FULL, FULL, FULL, FULL], displays=[4, 2, 5, 2, 0])

    after = play(state, "display")

    assert result(after) == Result((10, 2, 5, 2, 0), (1, 3, 2, 3, 5), EndReason.WON)


def test_r8_the_match_ends_after_the_last_turn_and_nobody_gets_the_winners_points() -> None:
    state = position([FULL, FULL, FULL], displays=[1, 5, 1], turn=7, turn_limit=7)

    after = play(state, "discard H2")

    assert (view(after)["turn"], view(after)["turn_seat"], view(after)["step"]) == (7, 0, "OVER")
    assert result(after) == Result((1, 5, 1), (2, 1, 2), EndReason.STALLED)


def test_r8_a_challenge_in_the_last_turn_is_played_to_its_end() -> None:
    state = position([A, FULL, FULL], displays=[0, 1, 0], turn=7, turn_limit=7)

    asked = play(state, "challenge 1 T4")
    after = play(asked, "decline")

    assert GAME.result(asked) is None
    assert result(after) == Result((1, 0, 0), (1, 2, 2), EndReason.STALLED)


def test_r8_a_win_in_the_last_turn_is_a_win() -> None:
    state = position(["SC MT H2 H2 H2 H2", FULL, FULL], displays=[4, 0, 0], turn=7, turn_limit=7)

    assert result(play(state, "display")).reason is EndReason.WON


def test_r8_the_limit_is_a_hundred_turns_for_each_player_unless_configured() -> None:
    assert [GAME.configure(players).options["turn_limit"] for players in (3, 8)] == [300, 800]
    assert GAME.configure(3, {"turn_limit": 1}).options["turn_limit"] == 1


def test_nobody_is_asked_and_nothing_legal_once_the_match_is_over() -> None:
    state = position(["SC MT H2 H2 H2 H2", A, FULL], displays=[4, 0, 0])

    after = play(state, "display")

    assert GAME.asked(after) == ()
    assert refusal(after, 1, "discard T4") is Reason.NOT_ASKED
