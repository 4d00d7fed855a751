"""Step 7 and end check C: drawing up to four, to three, R8, and the exhausted deck."""

from __future__ import annotations

import pytest

from tests.rules.shadow_thief.position import play, position, view

NOTHING = "play S4 | play S4 | play S4"
"""Nobody's safe holds anything, so these attempts change nothing but the hands."""


def test_seats_draw_up_to_four_in_seat_order_each_its_whole_need_at_once() -> None:
    state = position(["S4", "S4 C9", "S4 C9 C9"], deck="B1 B2 B3 B4 R1 R2 R3 W1 W2 W3")

    after = play(state, NOTHING)

    assert [view(after, seat)["hand"] for seat in range(3)] == [
        ["B1", "B2", "B3", "B4"], ["R1", "R2", "R3", "C9"], ["W1", "W2", "C9", "C9"],
    ]  # fmt: skip
    assert (view(after)["deck_size"], view(after)["exhausted"]) == (1, False)


def test_a_deck_that_is_just_enough_is_exhausted_by_the_draw() -> None:
    state = position(["S4", "S4 C9", "S4 C9 C9"], deck="B1 B2 B3 B4 R1 R2 R3 W1 W2")

    after = play(state, NOTHING)

    assert view(after)["hand_sizes"] == [4, 4, 4]
    assert (view(after)["deck_size"], view(after)["exhausted"], view(after)["unseen_count"]) == (0, True, 0)


@pytest.mark.parametrize(("deck", "unseen"), [
    ("B1 B2 B3 R1 R2 W1 W2 W3", 2),
    ("B1 B2 B3 R1 R2 W1", 0),
])  # fmt: skip
def test_when_four_are_too_many_all_draw_up_to_three_and_the_rest_is_discarded_unseen(deck: str, unseen: int) -> None:
    state = position(["S4", "S4 C9", "S4 C9 C9"], deck=deck)

    after = play(state, NOTHING)

    assert [view(after, seat)["hand"] for seat in range(3)] == [
        ["B1", "B2", "B3"], ["R1", "R2", "C9"], ["W1", "C9", "C9"],
    ]  # fmt: skip
    assert (view(after)["deck_size"], view(after)["exhausted"], view(after)["unseen_count"]) == (0, True, unseen)
    assert view(after)["discards"] == ["S4", "S4", "S4"]


@pytest.mark.parametrize(("round_number", "hands"), [
    (3, [["B1", "W1"], ["B2", "C8"], ["B3", "C9", "C9"]]),
    (4, [["B3"], ["B1", "W1", "C8"], ["B2", "C9", "C9"]]),
    (5, [["B2"], ["B3", "C8"], ["B1", "C9", "C9"]]),
])  # fmt: skip
def test_r8_single_cards_are_dealt_clockwise_from_the_seat_that_the_round_names(
    round_number: int, hands: list[list[str]]
) -> None:
    deck = "B1 B2 B3" if round_number == 5 else "B1 B2 B3 W1"
    state = position(["S4", "S4 C8", "S4 C9 C9"], deck=deck, round_number=round_number)

    after = play(state, NOTHING)

    assert [view(after, seat)["hand"] for seat in range(3)] == hands
    assert (view(after)["deck_size"], view(after)["exhausted"], view(after)["unseen_count"]) == (0, True, 0)


def test_r8_seats_with_three_and_seats_that_have_locked_are_passed_over() -> None:
    state = position(
        ["S4 C9 C9 C9", "", "S4", "S4"], deck="B1 B2 B3 B4 B5", locks={1: "S4"}, round_number=5, safes=[""] * 4
    )

    after = play(state, NOTHING)

    assert [view(after, seat)["hand"] for seat in range(4)] == [
        ["C9", "C9", "C9"], [], ["B1", "B3", "B5"], ["B2", "B4"],
    ]  # fmt: skip


def test_r8_with_nothing_to_deal_and_nothing_in_hand_the_next_round_has_no_decision_and_ends_the_deal() -> None:
    state = position(
        ["B1 B2 B3 B4", "R1 R2 R3 R4", "W1 W2 W3 W4", ""], locks={3: "S6"}, safes=["", "", "", "C3 C4"], deck=""
    )

    after = play(state, "play B1 | play R2 | play W3", "add B2 B3 B4 | add R1 R3 R4 | add W1 W2 W4")

    assert (view(after)["step"], view(after)["round"], view(after)["exhausted"]) == ("OVER", 2, True)
    assert view(after)["scores"] == [0, 0, 0, 7]
    assert view(after)["front"] == [[], [], [], []]
    assert [len(safe) for safe in view(after)["safes"]] == [4, 4, 4, 2]


def test_once_exhausted_nobody_draws_and_the_discards_are_never_shuffled() -> None:
    state = position(["S4 C9", "S4 C9", "S4 C9"], deck="", exhausted=True, discards="B1 B2 B3")

    after = play(state, NOTHING)

    assert view(after)["hand_sizes"] == [1, 1, 1]
    assert view(after)["discards"] == ["B1", "B2", "B3", "S4", "S4", "S4"]
    assert (view(after)["round"], view(after)["asked"]) == (2, [0, 1, 2])


def test_check_c_ends_the_deal_when_the_deck_is_exhausted_and_an_active_seat_has_no_card() -> None:
    state = position(
        ["S9 C9", "S4", "B1 B3", ""], deck="", exhausted=True, locks={3: "S4"}, safes=["W1", "W2", "W3", "W4 W10"]
    )

    after = play(state, "play S9 | play S4 | play B1", "add B3")

    assert view(after)["step"] == "OVER"
    assert view(after)["front"] == [["S9"], ["S4"], ["B1", "B3"], []]
    assert view(after)["locks"] == [None, None, None, "S4"], "step 6 is not played, so nobody locks"
    assert view(after)["scores"] == [0, 0, 0, 14]
    assert view(after)["safes"] == [["W1"], ["W2"], ["W3"], ["W4", "W10"]]


def test_check_c_looks_at_hands_after_the_additions() -> None:
    state = position(["B2 B3", "S4 S4", "S4 S4"], deck="", exhausted=True)

    asked = play(state, "play B2 | play S4 | play S4")

    assert view(play(asked, "add"))["step"] == "PLAY"
    assert view(play(asked, "add B3"))["step"] == "OVER"


def test_check_c_does_not_mind_empty_hands_while_there_is_a_deck_or_where_a_safe_is_locked() -> None:
    drawing = position(["S4", "S4", "S4"])
    locked = position(["", "S4 S4", "S4 S4", "S4 S4"], locks={0: "S4"}, deck="", exhausted=True, safes=[""] * 4)

    assert view(play(drawing, NOTHING))["hand_sizes"] == [4, 4, 4]
    assert view(play(locked, NOTHING))["step"] == "PLAY"
