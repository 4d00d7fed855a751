"""A turn of Big Max's Inheritance: dealing, the five ways to play a card, refills and skipped turns."""

from __future__ import annotations

import pytest

from cutpurse_rules.big_max.cards import CARDS
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import BadDraw, Reason
from tests.rules.big_max.position import FULL, GAME, legal, play, position, refusal, script, view


def test_the_game_begins_as_the_page_sets_it_up() -> None:
    state = GAME.begin(GAME.configure(4), StreamChance(key_of_seed("begin")))

    table = view(state)

    assert sum(GAME.composition(GAME.configure(4), "deck").values()) == 88
    assert table["hand_sizes"] == [6, 6, 6, 6]
    assert table["pile_size"] == 88 - 24
    assert (table["turn"], table["turn_seat"], table["step"], table["asked"]) == (1, 0, "TURN", [0])
    assert (table["displays"], table["standing"]) == ([0, 0, 0, 0], [[], [], [], []])
    assert (table["challenge"], table["discards"]) == (None, [])


def test_cards_are_dealt_one_at_a_time_in_seat_order() -> None:
    deck = {"T2": 6, "T3": 6, "T4": 6, "GM": 1}
    dealt = "T2 T3 T4 " * 6 + "GM"

    state = GAME.begin(GAME.configure(3, {"deck": deck}), script(deck=dealt))

    assert [view(state, seat)["hand"] for seat in range(3)] == [["T2"] * 6, ["T3"] * 6, ["T4"] * 6]
    assert view(play(state, "discard T2"), 0)["hand"] == ["T2"] * 5 + ["GM"]


def test_play_is_clockwise() -> None:
    state = position([FULL] * 3, turn_seat=1)

    assert [GAME.asked(state := play(state, "discard H2")) for _ in range(3)] == [(2,), (0,), (1,)]


@pytest.mark.parametrize("card", CARDS)
def test_any_card_may_be_discarded_and_nothing_else_happens(card: str) -> None:
    state = position([f"{card} H2 H2 H2 H2 H2", FULL, FULL], pile="H3")

    after = play(state, f"discard {card}")

    assert view(after)["discards"] == [card]
    assert sorted(view(after, 0)["hand"]) == ["H2"] * 5 + ["H3"]
    assert (view(after)["displays"], view(after)["standing"]) == ([0, 0, 0], [[], [], []])
    assert view(after)["turn_seat"] == 1


def test_a_suitcase_is_displayed_in_front_of_oneself() -> None:
    state = position(["SC H2 H2 H2 H2 H2", FULL, FULL], pile="H3", displays=[1, 0, 0])

    after = play(state, "display")

    assert view(after)["displays"] == [2, 0, 0]
    assert view(after, 0)["hand"] == ["H2"] * 5 + ["H3"]
    assert view(after)["discards"] == []


def test_no_suitcase_is_displayed_behind_a_standing_thief() -> None:
    state = position(["SC SC H2 H2 H2 H2", FULL, FULL], standing=["T5:1", "", ""])

    assert "display" not in legal(state)
    assert refusal(state, 0, "display") is Reason.NOT_ALLOWED_NOW


def test_never_more_than_five_are_on_display() -> None:
    state = position(["SC SC H2 H2 H2 H2", FULL, FULL], displays=[5, 0, 0])

    assert "display" not in legal(state)
    assert refusal(state, 0, "display") is Reason.NOT_ALLOWED_NOW


def test_without_a_suitcase_in_hand_none_is_displayed() -> None:
    state = position([FULL] * 3)

    assert "display" not in legal(state)
    assert refusal(state, 0, "display") is Reason.CARD_NOT_HELD


def test_a_thief_challenges_any_other_seat() -> None:
    state = position(["T2 T2 T6 H2 H2 H2", "", FULL], turn_seat=0)

    assert legal(state) == [
        "discard H2", "discard T2", "discard T6",
        "challenge 1 T2", "challenge 1 T6", "challenge 2 T2", "challenge 2 T6",
    ]  # fmt: skip
    assert refusal(state, 0, "challenge 0 T2") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "challenge 3 T2") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "challenge 1 T3") is Reason.CARD_NOT_HELD


def test_g6_a_turn_is_listed_in_the_order_of_the_pages_table() -> None:
    state = position(["SC MT H6 T4 CS GM", FULL, FULL], displays=[5, 0, 0], master_thief_must_be_laid=True)
    behind = position(["SC MT H6 T4 CS GM", FULL, FULL], standing=["T6:1 T2:2", "", ""])

    discards = ["discard SC", "discard MT", "discard H6", "discard T4", "discard CS", "discard GM"]
    attacks = ["challenge 1 T4", "challenge 2 T4", "sharp 1", "sharp 2"]
    assert legal(state) == [*discards, *attacks, "lay"]
    assert legal(behind) == [*discards, *attacks, "counter 0 MT", "counter 0 H6", "counter 1 MT", "counter 1 H6"]
    state.displays = (0, 0, 0)
    assert legal(state) == [*discards, "display", *attacks]


def test_the_default_of_a_turn_is_the_last_discard() -> None:
    state = position(["SC MT H6 T4 T4 CS", FULL, FULL])

    assert GAME.default(state, Seat(0)).notation == "discard CS"


def test_r1_the_seat_that_played_draws_up_to_six_as_far_as_it_is_short() -> None:
    state = position(["T2 T2 T2", FULL, FULL], pile="H3 H4 H6 GM CS")

    after = play(state, "discard T2")

    assert view(after, 0)["hand"] == ["H3", "H4", "H6", "T2", "T2", "GM"]
    assert view(after)["pile_size"] == 1


def test_r1_discards_are_shuffled_at_the_moment_a_card_is_needed() -> None:
    state = position(["T2 H2 H2 H2", FULL, FULL], pile="GM", discards="CS")

    # One card is left in the pile, two come out of the new one.
    after = play(state, "discard T2", chance=script(reshuffle_1="CS T2"))

    assert view(after, 0)["hand"] == ["H2", "H2", "H2", "T2", "CS", "GM"]
    assert view(after)["discards"] == []


def test_r1_taking_the_last_card_of_the_pile_does_not_shuffle_yet() -> None:
    state = position(["T2 H2 H2 H2 H2 H2", FULL, FULL], pile="GM", discards="CS")

    after = play(state, "discard T2")

    assert view(after)["pile_size"] == 0
    assert view(after)["discards"] == ["T2", "CS"]


def test_r1_reshuffles_are_numbered_and_one_card_is_shuffled_too() -> None:
    state = position([FULL, FULL, FULL], pile="")

    for number in (1, 2, 3):
        with pytest.raises(BadDraw, match=f"reshuffle/{number}"):
            play(state, "discard H2")
        state = play(state, "discard H2", chance=script(**{f"reshuffle_{number}": "H2"}))


def test_r1_without_pile_and_discards_nothing_is_drawn() -> None:
    state = position(["T2 T2", FULL, FULL], pile="")

    # The thief lies on the table, so that nothing is there to be shuffled.
    after = play(state, "challenge 1 T2")

    assert view(after)["hand_sizes"] == [1, 6, 6]
    assert view(after)["pile_size"] == 0


def test_r13_what_the_card_discards_is_in_the_discards_before_the_refill() -> None:
    state = position(["H6 H2 H2 H2 H2 H2", FULL, FULL], standing=["T6:1+1", "", ""], pile="")

    after = play(state, "counter 0 H6", chance=script(reshuffle_1="T6 H6 GM"))

    assert view(after, 0)["hand"] == ["H2"] * 5 + ["T6"]
    assert view(after)["pile_size"] == 2


def test_r10_a_seat_without_cards_is_skipped_and_the_skipped_turn_counts() -> None:
    state = position([FULL, "", "", FULL], pile="", discards="")

    after = play(state, "discard H2", chance=script(reshuffle_1="H2"))

    assert (view(after)["turn"], view(after)["turn_seat"]) == (4, 3)


def test_r10_the_only_seat_with_cards_has_its_turn_again() -> None:
    state = position(["H2 H2", "", ""], pile="")

    after = play(state, "discard H2", chance=script(reshuffle_1="H2"))

    assert (view(after)["turn"], view(after)["turn_seat"]) == (4, 0)


def test_r8_r10_skipped_turns_can_be_the_last_ones() -> None:
    state = position(["H2 H2", "", ""], pile="", turn=5, turn_limit=7)

    after = play(state, "discard H2", chance=script(reshuffle_1="H2"))

    assert (view(after)["turn"], view(after)["turn_seat"], view(after)["step"]) == (7, 2, "OVER")


def test_r8_r10_when_nobody_holds_a_card_all_turns_that_are_left_are_skipped() -> None:
    # The last card of all hands is displayed, and neither pile nor discards have one.
    state = position(["SC", "", ""], pile="", turn_limit=1_000_000)

    after = play(state, "display")

    assert (view(after)["turn"], view(after)["step"], view(after)["asked"]) == (1_000_000, "OVER", [])
    # Turn 1 was seat 0's, as were all turns after a multiple of three.
    assert view(after)["turn_seat"] == 0
