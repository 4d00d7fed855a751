"""Replying to a challenge: counters, gunmen, declining; whose turn is next (R1, R2, R12)."""

from __future__ import annotations

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Reason
from cutpurse_rules.playthrough import Resolved, play_through
from tests.rules.big_max.position import FULL, GAME, legal, play, position, refusal, script, view

A = "T4 H2 H2 H2 H2 H2"


def test_the_challenged_seat_replies_at_once() -> None:
    state = position([A, FULL, FULL, FULL])

    after = play(state, "challenge 2 T4")

    assert GAME.asked(after) == (2,)
    assert view(after)["step"] == "REPLY"
    assert view(after)["challenge"] == {"card": "T4", "challenger": 0, "employer": 0, "target": 2, "gunmen": 0}
    assert (view(after)["turn"], view(after)["turn_seat"]) == (1, 0)


def test_a_counter_needs_at_least_the_thiefs_value() -> None:
    state = play(position([A, "MT H2 H3 H4 H6 T6", FULL]), "challenge 1 T4")

    assert legal(state) == ["counter MT", "counter H4", "counter H6", "decline"]
    assert refusal(state, 1, "counter H3") is Reason.NOT_ALLOWED_NOW
    assert refusal(state, 1, "counter H2") is Reason.NOT_ALLOWED_NOW
    assert refusal(state, 1, "gunman") is Reason.CARD_NOT_HELD


@pytest.mark.parametrize(
    ("thief", "enough"),
    [("T2", "MT H2 H3 H4 H6"), ("T3", "MT H3 H4 H6"), ("T4", "MT H4 H6"), ("T5", "MT H6"), ("T6", "MT H6")],
)
def test_every_thief_and_the_defenders_that_counter_it(thief: str, enough: str) -> None:
    state = position([f"{thief} H2 H2 H2 H2 H2", "MT H2 H3 H4 H6 GM", FULL])

    replies = legal(play(state, f"challenge 1 {thief}"))

    assert replies == [*(f"counter {card}" for card in enough.split()), "gunman", "decline"]


def test_a_counter_discards_thief_gunmen_and_defender() -> None:
    state = position([A, "GM H6 H2 H2 H2 H2", FULL], pile="GM H6 H3 H3")

    after = play(state, "challenge 1 T4", "gunman", "gunman", "counter H6")

    assert view(after)["discards"] == ["H6", "T4", "GM", "GM"]
    assert view(after)["challenge"] is None
    assert (view(after)["turn"], view(after)["turn_seat"]) == (2, 1)


def test_worked_point_a_suitcase_is_taken_when_the_henchman_is_too_weak() -> None:
    state = position([A, "H3 T2 T2 T2 T2 T2", FULL], displays=[0, 2, 0])

    asked = play(state, "challenge 1 T4")
    after = play(asked, "decline")

    assert legal(asked) == ["decline"]
    assert view(after)["displays"] == [1, 1, 0]
    assert view(after)["discards"] == ["T4"]
    assert view(after)["turn_seat"] == 1


def test_worked_point_a_gunman_turns_the_thief_round_and_the_challenger_counters() -> None:
    state = position(["T4 H6 T2 T2 T2 T2", "GM H2 H2 H2 H2 H2", FULL], pile="H3 H4 SC CS")

    turned = play(state, "challenge 1 T4", "gunman")
    after = play(turned, "counter H6")

    # The challenger drew H3, then B one card for its gunman, then the challenger one for its henchman.
    assert view(turned)["challenge"] == {"card": "T4", "challenger": 0, "employer": 1, "target": 0, "gunmen": 1}
    assert view(turned, 1)["hand"] == ["H2", "H2", "H2", "H2", "H2", "H4"]
    assert view(after, 0)["hand"] == ["SC", "H3", "T2", "T2", "T2", "T2"]
    assert view(after)["discards"] == ["H6", "T4", "GM"]
    assert GAME.asked(after) == (1,)


def test_gunmen_may_follow_each_other_any_number_of_times() -> None:
    state = position(["T2 GM GM GM", "GM GM GM", FULL], pile="H4 " * 20)

    after = play(state, "challenge 1 T2", *["gunman"] * 6)

    assert view(after)["challenge"] == {"card": "T2", "challenger": 0, "employer": 0, "target": 1, "gunmen": 6}
    assert view(play(after, "decline"))["standing"] == [[], [{"card": "T2", "employer": 0, "gunmen": 6}], []]


def test_r2_declining_is_always_a_choice() -> None:
    state = position([A, "MT MT H6 H6 GM GM", FULL], displays=[0, 1, 0])

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["displays"] == [1, 0, 0]
    assert view(after)["hand_sizes"] == [6, 6, 6]


def test_g5_a_target_that_can_only_decline_is_asked_all_the_same() -> None:
    state = play(position([A, "T2", FULL], pile="H4"), "challenge 1 T4")

    assert legal(state) == ["decline"]
    assert GAME.forced(state) == {}


def test_g5_only_the_decline_of_a_target_without_cards_is_taken_by_the_engine() -> None:
    state = play(position([A, "", FULL]), "challenge 1 T4")

    assert legal(state) == ["decline"]
    assert {seat: action.notation for seat, action in GAME.forced(state).items()} == {1: "decline"}
    assert GAME.forced(position([A, "", FULL])) == {}


def test_g5_the_forced_decline_happens_in_a_match_and_is_asked_with_the_option_off() -> None:
    # Thieves only, all of which stay: nothing is ever drawn, and the last seat that holds one challenges an empty hand.
    asked, causes = [], []
    for auto in (True, False):
        config = GAME.configure(3, {"deck": {"T2": 18}, "auto_play_forced": auto})
        parts = play_through(GAME, config, script(deck="T2 " * 18), lambda state, seat: GAME.legal(state, seat)[-1])
        decisions = [part for part in parts if isinstance(part, Resolved)]
        asked.append([part.asked for part in decisions])
        causes.append([cause.value for part in decisions for cause in part.causes.values()])

    assert len(asked[0]) == 2 * 18
    assert asked[0] == asked[1]
    assert asked[0][-2:] == [(2,), (1,)]
    assert causes == [["CHOSEN"] * 35 + ["FORCED"], ["CHOSEN"] * 36]


def test_the_default_of_a_reply_is_to_decline() -> None:
    state = play(position([A, "MT GM", FULL]), "challenge 1 T4")

    assert GAME.default(state, Seat(1)).notation == "decline"


def test_an_undefended_seat_without_suitcase_has_the_thief_in_front_of_it() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], displays=[0, 1, 0])

    after = play(state, "challenge 1 T4", "gunman", "decline")

    assert view(after)["standing"] == [[{"card": "T4", "employer": 1, "gunmen": 1}], [], []]
    assert view(after)["displays"] == [0, 1, 0]
    assert view(after)["discards"] == []
    assert view(after)["challenge"] is None


def test_a_gunman_can_win_the_target_a_suitcase_of_the_challenger() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], displays=[3, 1, 0])

    after = play(state, "challenge 1 T4", "gunman", "decline")

    assert view(after)["displays"] == [2, 2, 0]
    assert view(after)["discards"] == ["T4", "GM"]


def test_the_turn_passes_to_the_seat_after_the_original_challenger() -> None:
    state = position([FULL, "T2 GM H2 H2 H2 H2", FULL, "GM H4 H4 H4 H4 H4"], turn_seat=1, displays=[0, 1, 0, 1])

    for texts in (["decline"], ["counter H4"], ["gunman", "decline"], ["gunman", "gunman", "decline"]):
        assert GAME.asked(play(state, "challenge 3 T2", *texts)) == (2,)


def test_r1_challenger_and_target_draw_in_the_middle_of_the_challenge() -> None:
    state = position(["T4 T2", "GM", FULL], pile="SC SC SC SC SC T6 T6 T6 T6 T6 T6 CS")

    challenged = play(state, "challenge 1 T4")
    turned = play(challenged, "gunman")

    assert view(challenged)["hand_sizes"] == [6, 1, 6]
    assert view(turned)["hand_sizes"] == [6, 6, 6]
    assert view(turned)["pile_size"] == 1


def test_r12_only_the_seat_that_played_draws() -> None:
    state = position(["T4 T2 H2", "H6 T2", "T3 T3"], pile="SC " * 20)

    challenged = play(state, "challenge 1 T4")
    countered = play(challenged, "counter H6")

    assert view(challenged)["hand_sizes"] == [6, 2, 2]
    assert view(countered)["hand_sizes"] == [6, 6, 2]


def test_r12_a_counter_that_makes_a_new_pile_gives_the_challenger_nothing() -> None:
    state = position(["T4 GM", "GM H6 T2 T2 T2 T2", FULL], pile="")

    after = play(state, "challenge 1 T4", "gunman", "gunman", "counter H6", chance=script(reshuffle_1="T4 GM GM H6"))

    # The challenger has no card left, and could have drawn the two that the target leaves.
    assert view(after)["hand_sizes"] == [0, 6, 6]
    assert view(after)["pile_size"] == 2


def test_r12_declining_plays_no_card_and_draws_none() -> None:
    state = position(["T4", "H6", FULL], pile="SC " * 8)

    after = play(state, "challenge 1 T4", "decline")

    assert view(after)["hand_sizes"] == [6, 1, 6]
    assert view(after)["pile_size"] == 2


def test_a_reshuffle_in_the_middle_of_a_challenge_finds_neither_thief_nor_gunmen() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], pile="", discards="CS SC H6")

    challenged = play(state, "challenge 1 T4", chance=script(reshuffle_1="CS SC H6"))
    turned = play(challenged, "gunman")
    after = play(turned, "decline")

    assert view(challenged)["discards"] == []
    assert view(turned)["pile_size"] == 1
    assert view(after)["standing"][0] == [{"card": "T4", "employer": 1, "gunmen": 1}]


def test_a_reply_that_empties_the_pile_reshuffles_without_the_cards_on_the_table() -> None:
    state = position([A, "GM H2 H2 H2 H2 H2", FULL], pile="H6", discards="CS")

    turned = play(state, "challenge 1 T4", "gunman", chance=script(reshuffle_1="CS"))

    assert view(turned, 1)["hand"] == ["H2"] * 5 + ["CS"]
    assert (view(turned)["pile_size"], view(turned)["discards"]) == (0, [])


def test_r13_a_counter_puts_thief_and_gunmen_into_the_discards_before_the_target_draws() -> None:
    state = position([A, "H4 H2 H2 H2 H2 H2", FULL], pile="H6")

    after = play(state, "challenge 1 T4", "counter H4", chance=script(reshuffle_1="T4 H4"))

    assert view(after, 1)["hand"] == ["H2"] * 5 + ["T4"]


def test_replies_and_turns_do_not_pass_for_each_other() -> None:
    turn = position([A, FULL, FULL])
    reply = play(turn, "challenge 1 T4")

    assert {refusal(turn, 0, text) for text in ("decline", "gunman", "counter H2")} == {Reason.WRONG_STEP}
    turns = ("discard H2", "display", "challenge 0 T4", "sharp 0", "counter 0 H2", "lay")
    assert {refusal(reply, 1, text) for text in turns} == {Reason.WRONG_STEP}
    assert refusal(reply, 0, "decline") is Reason.NOT_ASKED
