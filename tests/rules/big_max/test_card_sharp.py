"""The card-sharp: what it takes, who draws, who knows (R9, R11)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cutpurse_rules.errors import BadDraw, Reason
from tests.rules.big_max.position import FULL, legal, play, position, refusal, script, view

SHARP = "CS H2 H2 H2 H2 H2"


def test_a_card_sharp_takes_a_card_and_only_the_victim_draws() -> None:
    state = position([SHARP, "SC T2 T3 T4 T5 GM", FULL], pile="H6 H3")

    after = play(state, "sharp 1", chance=script(sharp_1="T4"))

    assert view(after, 0)["hand"] == ["H2"] * 5 + ["T4"]
    assert view(after, 1)["hand"] == ["SC", "H6", "T2", "T3", "T5", "GM"]
    assert view(after)["discards"] == ["CS"]
    assert view(after)["pile_size"] == 1
    assert view(after)["turn_seat"] == 1


def test_a_card_sharp_needs_another_seat_that_holds_a_card() -> None:
    state = position([SHARP, "", FULL, FULL])

    assert [text for text in legal(state) if text.startswith("sharp")] == ["sharp 2", "sharp 3"]
    assert refusal(state, 0, "sharp 1") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "sharp 0") is Reason.NOTHING_TO_TAKE
    assert refusal(state, 0, "sharp 4") is Reason.NOTHING_TO_TAKE
    assert refusal(position([FULL] * 3), 0, "sharp 1") is Reason.CARD_NOT_HELD


def test_the_pick_is_uniform_over_cards_in_canonical_order_not_over_kinds() -> None:
    offered: list[list[str]] = []

    class Watched:
        def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
            raise AssertionError(label)

        def pick(self, label: str, cards: Sequence[str]) -> int:
            offered.append(list(cards))
            return 1

    state = position([SHARP, "GM SC SC SC T2 MT", FULL])

    after = play(state, "sharp 1", chance=Watched())

    assert offered == [["SC", "SC", "SC", "MT", "T2", "GM"]]
    assert "SC" in view(after, 0)["hand"]


@pytest.mark.parametrize(("mine", "theirs"), [("CS", "T2 T3"), ("CS H2", "T2"), (SHARP, "T2 T2 T2")])
def test_r11_the_player_draws_nothing_and_the_victim_one_whatever_their_hand_sizes(mine: str, theirs: str) -> None:
    state = position([mine, theirs, FULL], pile="GM GM GM GM GM GM")

    after = play(state, "sharp 1", chance=script(sharp_1="T2"))

    assert view(after)["hand_sizes"] == view(state)["hand_sizes"]
    assert view(after)["pile_size"] == 5


def test_r11_the_card_sharp_itself_can_be_what_the_victim_draws() -> None:
    state = position([SHARP, "T2", FULL], pile="")

    after = play(state, "sharp 1", chance=script(sharp_1="T2", reshuffle_1="CS"))

    assert view(after, 1)["hand"] == ["CS"]


def test_card_sharps_are_numbered_through_the_match() -> None:
    state = position([SHARP] * 3)

    for number in (1, 2, 3):
        with pytest.raises(BadDraw, match=f"sharp/{number}"):
            play(state, f"sharp {number % 3}")
        state = play(state, f"sharp {number % 3}", chance=script(**{f"sharp_{number}": "H2"}))


def test_r9_what_was_taken_is_known_to_the_two_seats_concerned() -> None:
    state = position([SHARP, "CS T3 T3 T3 T3 T3", FULL])

    after = play(state, "sharp 1", chance=script(sharp_1="T3"))
    after = play(after, "sharp 2", chance=script(sharp_2="H2"))

    first, second = {"from": 1, "to": 0, "card": "T3"}, {"from": 2, "to": 1, "card": "H2"}
    assert [view(after, seat)["sharps"] for seat in range(3)] == [[first], [first, second], [second]]
    assert view(after)["sharps"] is None


def test_r6_a_master_thief_taken_by_a_card_sharp_wins_and_the_victim_draws_nothing() -> None:
    state = position([SHARP, "MT T2", FULL], displays=[5, 0, 0])

    after = play(state, "sharp 1", chance=script(sharp_1="MT"))

    assert (view(after)["step"], after.winner) == ("OVER", 0)
    assert view(after)["hand_sizes"] == [6, 1, 6]
    assert view(after)["pile_size"] == view(state)["pile_size"]
    assert view(after, 1)["sharps"] == [{"from": 1, "to": 0, "card": "MT"}]


def test_r6_the_victim_wins_when_it_draws_the_master_thief_for_the_card_it_lost() -> None:
    state = position([SHARP, FULL, FULL], displays=[0, 5, 0], pile="MT")

    after = play(state, "sharp 1", chance=script(sharp_1="H2"))

    assert (view(after)["step"], after.winner) == ("OVER", 1)
