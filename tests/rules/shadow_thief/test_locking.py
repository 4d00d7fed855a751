"""Step 6, end checks A and B: R5, R6, R7 and the worked points about locks."""

from __future__ import annotations

import pytest

from tests.rules.shadow_thief.position import play, position, shuffles, view

SEVEN = "B1 B2 B3 R1 R2 R3 W1"


@pytest.mark.parametrize(("safe", "lock", "locks"), [
    (SEVEN, "S7", True),
    (SEVEN, "S8", True),
    (SEVEN, "S6", False),
    ("", "S15", False),
    ("", "S4", False),
    ("C10", "S4", True),
])  # fmt: skip
def test_worked_point_a_safe_card_locks_at_most_as_many_pieces_as_its_value_and_no_empty_safe(
    safe: str, lock: str, locks: bool
) -> None:
    state = position([f"{lock} S4", "TB S4", "TR S4"], safes=[safe, "", ""])

    after = play(state, f"play {lock} | play TB | play TR", chance=shuffles({"return/1/1": "S4"}))

    assert view(after)["locks"] == [lock if locks else None, None, None]
    assert (lock in view(after)["discards"]) is not locks
    assert view(after)["asked"] == ([1, 2] if locks else [0, 1, 2])
    assert view(after)["hand_sizes"] == [0 if locks else 4, 4, 4]
    assert len(view(after)["safes"][0]) == len(safe.split())


def test_jewelry_stolen_in_the_same_round_counts_and_what_others_play_does_not() -> None:
    state = position(["TX S4", "R2 S4", "S4 S4"], safes=["", "", ""])

    after = play(state, "play TX | play R2 | play S4", "steal R2")

    assert view(after)["locks"] == [None, None, None]
    assert view(after)["discards"] == ["S4", "TX"], "the safe of the seat that played S4 was empty"


def test_worked_point_of_three_that_try_one_fails_the_others_lock_and_it_is_the_last_open_safe() -> None:
    state = position(["S4", "S7", "S15"], safes=["B1 B2 B3 B4 R7", SEVEN, "C9"], deck="W1")

    after = play(state, "play S4 | play S7 | play S15")

    assert view(after)["step"] == "OVER"
    assert view(after)["locks"] == [None, "S7", "S15"]
    assert view(after)["scores"] == [0, 1 + 2 + 3 + 1 + 2 + 3 + 1, 9]
    assert view(after)["discards"] == ["S4"]
    assert view(after)["front"] == [[], [], []]
    assert view(after)["deck_size"] == 1, "step 7 is not played"


def test_check_b_when_every_open_safe_would_be_locked_nobody_locks_and_these_seats_score_nothing() -> None:
    state = position(
        ["S4 R1", "S7 R1", "S15", ""],
        safes=["B1", SEVEN, "C9", "W4 W5"],
        locks={3: "S5"},
        scores=[5, 6, 7, 8],
        deal=2,
    )

    after = play(state, "play S4 | play S7 | play S15")

    assert view(after)["step"] == "OVER"
    assert view(after)["locks"] == [None, None, None, "S5"]
    assert view(after)["scores"] == [5, 6, 7, 8 + 9]
    assert view(after)["front"] == [["S4"], ["S7"], ["S15"], []], "the cards stay where they were revealed"
    assert view(after)["hand_sizes"] == [1, 1, 0, 0]


def test_r5_an_invalid_attempt_does_not_count_as_wanting_to_lock() -> None:
    state = position(["S4 B9", "S4 B9", "S4 B9", "S4 B9"], safes=["", "", "B1", "B2"])

    after = play(state, "play S4 | play S4 | play S4 | play S4", chance=shuffles({"return/1/1": "B9 B9"}))

    assert view(after)["locks"] == [None, None, "S4", "S4"]
    assert view(after)["discards"] == ["S4", "S4"]
    assert (view(after)["step"], view(after)["asked"], view(after)["round"]) == ("PLAY", [0, 1], 2)


def test_check_a_the_last_open_safe_scores_nothing_and_keeps_its_hand() -> None:
    state = position(["R6 R7", "S7", ""], safes=["B10", "C2", "W4"], locks={2: "S4"}, deck="")

    after = play(state, "play R6 | play S7", "add R7")

    assert view(after)["step"] == "OVER"
    assert view(after)["safes"] == [["B10", "R6", "R7"], ["C2"], ["W4"]], "step 5 comes before step 6"
    assert view(after)["scores"] == [0, 2, 4]
    assert view(after)["hand_sizes"] == [0, 0, 0]


def test_r6_all_hands_put_back_in_a_round_are_shuffled_together_and_go_under_the_deck() -> None:
    state = position(
        ["S4 R9 B2", "S5 C1", "TB S9 S9 S9", "TR S9 S9 S9"],
        safes=["B1", "B2", "", ""],
        deck="W1 W2 W3",
        deal=3,
        round_number=5,
    )

    after = play(state, "play S4 | play S5 | play TB | play TR", chance=shuffles({"return/3/5": "C1 B2 R9"}))

    assert [view(after, seat)["put_back"] for seat in range(4)] == [["B2", "R9"], ["C1"], [], []]
    assert view(after)["put_back"] is None
    assert (view(after)["put_back_count"], view(after)["set_aside_count"]) == (3, 0)
    # Two cards have been drawn from the top, and the last that was there before lies on those put back.
    assert view(after)["deck_size"] == 4
    assert [view(after, seat)["hand"][-4:] for seat in (2, 3)] == [["W1", "S9", "S9", "S9"], ["W2", "S9", "S9", "S9"]]
    rest = play(after, "play W1 | play W2", "add | add")
    assert [view(rest, seat)["hand"][0] for seat in (2, 3)] == ["W3", "C1"]
    last = play(rest, "play W3 | play C1", "add | add")
    assert [view(last, seat)["hand"][0] for seat in (2, 3)] == ["B2", "R9"]


def test_r6_the_hand_is_shuffled_back_also_when_check_a_ends_the_deal() -> None:
    state = position(["S4 R9 B2", "TB S9", ""], safes=["B1", "", ""], locks={2: "S5"}, deck="W1", round_number=7)

    after = play(state, "play S4 | play TB", chance=shuffles({"return/1/7": "R9 B2"}))

    assert view(after)["step"] == "OVER"
    assert (view(after)["deck_size"], view(after)["put_back_count"]) == (3, 2)
    assert [after.deck[place] for place in (0, 1, 2)] == [21, 19, 2], "W1 on R9 on B2"


def test_r6_no_draw_without_a_card_to_put_back() -> None:
    state = position(["S4", "TB S9", "TR S9"], safes=["B1", "", ""])

    after = play(state, "play S4 | play TB | play TR")

    assert view(after)["locks"] == ["S4", None, None]
    assert view(after, 0)["put_back"] == []


def test_r7_once_the_deck_is_exhausted_hands_are_set_aside_without_a_draw() -> None:
    state = position(["S4 R9 B2", "TB S9", "TR S9"], safes=["B1", "", ""], deck="", exhausted=True)

    after = play(state, "play S4 | play TB | play TR")

    assert view(after, 0)["put_back"] == ["B2", "R9"]
    assert [view(after, seat)["put_back"] for seat in (1, 2)] == [[], []]
    assert (view(after)["put_back_count"], view(after)["set_aside_count"]) == (0, 2)
    assert view(after)["deck_size"] == 0
    assert view(after)["hand_sizes"] == [0, 1, 1]


def test_r7_an_empty_deck_that_is_not_yet_exhausted_still_takes_hands_back() -> None:
    state = position(["S4 R9 B2 B3", "TB S9 S9 S9", "TR S9 S9 S9"], safes=["B1", "", ""], deck="")

    after = play(state, "play S4 | play TB | play TR", chance=shuffles({"return/1/1": "B3 R9 B2"}))

    assert view(after)["put_back_count"] == 3
    assert [view(after, seat)["hand"][0] for seat in (1, 2)] == ["B3", "R9"]
    assert (view(after)["deck_size"], view(after)["exhausted"]) == (1, False)


def test_a_seat_that_has_locked_is_out_of_the_deal_and_its_safe_out_of_reach() -> None:
    state = position(["", "TX S4 S4 S4", "B2 S4 S4 S4"], safes=["B9", "", ""], locks={0: "S4"})

    after = play(state, "play TX | play B2", "steal B2")

    assert view(after)["safes"] == [["B9"], ["B2"], []]
    assert view(after)["asked"] == [1, 2]
    assert view(after)["hand_sizes"] == [0, 4, 4]
