"""Steps 1 to 5 of a round: the reveal, the stalemate, the thieves, the additions; R3, R4, R9 and the worked points."""

from __future__ import annotations

import pytest

from cutpurse_rules.errors import Reason
from tests.rules.shadow_thief.position import forced, legal, play, position, refusal, view


def test_all_chosen_cards_are_revealed_together_and_leave_the_hands() -> None:
    state = position(["R6 S4 S4 S5", "W7 S4 S4 S5", "TX S4 S4 S5"])

    after = play(state, "play R6 | play W7 | play TX")

    assert view(after)["front"] == [["R6"], ["W7"], ["TX"]]
    assert view(after)["hand_sizes"] == [3, 3, 3]
    assert view(after, 0)["hand"] == ["S4", "S4", "S5"]


def test_worked_point_of_two_fives_and_a_seven_the_seven_stays() -> None:
    state = position(["R5 S4", "W5 S4", "B7 S4"])

    after = play(state, "play R5 | play W5 | play B7")

    assert view(after)["front"] == [[], [], ["B7"]]
    assert view(after)["discards"] == ["R5", "W5"]
    assert (view(after)["step"], view(after)["asked"]) == ("ADD", [2])


def test_a_stalemate_discards_all_of_a_value_also_of_the_same_type_and_several_values_at_once() -> None:
    state = position(["R5 S4", "R5 S4", "B5 S4", "C2 S4", "W2 S4", "W9 S4"])

    after = play(state, "play R5 | play R5 | play B5 | play C2 | play W2 | play W9")

    assert view(after)["front"] == [[], [], [], [], [], ["W9"]]
    assert view(after)["discards"] == ["B5", "R5", "R5", "W2", "C2"]


def test_a_locked_safe_of_the_same_value_cancels_nothing() -> None:
    state = position(["R5 S4", "S5 S4", "S5 S4"])

    after = play(state, "play R5 | play S5 | play S5")

    assert view(after)["front"] == [["R5"], ["S5"], ["S5"]]
    assert view(after)["discards"] == []


def test_when_nothing_is_left_in_front_the_round_goes_on_without_a_question() -> None:
    state = position(["R5 S4 S4 S4", "W5 S4 S4 S4", "TB S4 S4 S4"])

    after = play(state, "play R5 | play W5 | play TB")

    assert (view(after)["round"], view(after)["step"]) == (2, "PLAY")
    assert view(after)["discards"] == ["R5", "W5", "TB"]
    assert view(after)["hand_sizes"] == [4, 4, 4]


def test_worked_point_the_shadow_thief_may_take_either_and_a_ring_thief_then_gets_nothing() -> None:
    state = position(["TR S4", "R6 S4", "B10 S4", "TX S4"])

    asked = play(state, "play TR | play R6 | play B10 | play TX")
    ring_gone = play(asked, "steal R6")
    brooch_gone = play(asked, "steal B10")

    assert (view(asked)["step"], view(asked)["asked"]) == ("STEAL", [3])
    assert legal(asked, 3) == ["steal B10", "steal R6"]
    assert (view(ring_gone)["step"], view(ring_gone)["asked"]) == ("ADD", [2])
    assert view(ring_gone)["safes"] == [[], [], [], ["R6"]]
    assert view(ring_gone)["discards"] == ["TR", "TX"]
    assert (view(brooch_gone)["step"], view(brooch_gone)["asked"]) == ("STEAL", [0])
    assert legal(brooch_gone, 0) == ["steal R6"]


def test_r3_specialists_take_in_seat_order_after_the_shadow_thief_whatever_their_types() -> None:
    # Neither by type nor by card would the cufflink thief come before the watch thief.
    state = position(["C3 S4", "TC S4", "TW S4", "W9 S4", "TX S4", "B1 S4", "TB S4"])

    shadow = play(state, "play C3 | play TC | play TW | play W9 | play TX | play B1 | play TB")
    cufflink = play(shadow, "steal B1")
    watch = play(cufflink, "steal C3")
    done = play(watch, "steal W9")

    assert [view(each)["asked"] for each in (shadow, cufflink, watch)] == [[4], [1], [2]]
    assert view(watch)["front"] == [[], ["TC"], ["TW"], ["W9"], ["TX"], [], ["TB"]], "thieves lie till the last"
    assert view(done)["safes"] == [[], ["C3"], ["W9"], [], ["B1"], [], []]
    assert view(done)["discards"] == ["TB", "TW", "TC", "TX"]
    assert (view(done)["round"], view(done)["front"]) == (2, [[]] * 7)


def test_a_specialist_takes_nothing_but_its_own_type() -> None:
    state = position(["TB S4", "B3 S4", "B9 S4", "R4 S4"])

    asked = play(state, "play TB | play B3 | play B9 | play R4")

    assert legal(asked, 0) == ["steal B3", "steal B9"]
    assert refusal(asked, 0, "steal R4") is Reason.NOT_ALLOWED_NOW
    assert refusal(asked, 0, "steal B4") is Reason.NOTHING_TO_TAKE
    assert view(play(asked, "steal B9"))["safes"] == [["B9"], [], [], []]


def test_a_thief_cannot_take_what_a_stalemate_has_discarded_nor_a_locked_safe() -> None:
    state = position(["TX S4 S4 S4", "B3 S4 S4 S4", "R3 S4 S4 S4", "S4 S4 S4 S4"])

    after = play(state, "play TX | play B3 | play R3 | play S4")

    assert view(after)["round"] == 2, "nothing could be taken, so nobody was asked"
    assert view(after)["discards"] == ["B3", "R3", "S4", "TX"]


def test_a_specialist_does_not_look_into_safes() -> None:
    state = position(["TB S4", "S4 S4", "R3 S4"], safes=["", "B4", "B5"])

    after = play(state, "play TB | play S4 | play R3")

    assert (view(after)["step"], view(after)["asked"]) == ("ADD", [2])
    assert view(after)["safes"] == [[], ["B4"], ["B5"]]


@pytest.mark.parametrize(("hand", "ways"), [
    ("S5 S6 S7", ["add"]),
    ("B2 W2 S4", ["add"]),
    ("R9 B2 R2", ["add", "add R2", "add R9", "add R2 R9"]),
    ("R2 R2 R9", ["add", "add R2", "add R9", "add R2 R2", "add R2 R9", "add R2 R2 R9"]),
    ("R1 R4 R6", [
        "add", "add R1", "add R4", "add R6", "add R1 R4", "add R1 R6", "add R4 R6", "add R1 R4 R6",
    ]),
])  # fmt: skip
def test_step_4_any_number_of_the_same_type_may_be_added(hand: str, ways: list[str]) -> None:
    state = position([f"R6 {hand}", "W7 S4", "S4 S4"])

    asked = play(state, "play R6 | play W7 | play S4")

    assert view(asked)["asked"] == [0, 1], "who has nothing of its own in front is not asked"
    assert legal(asked, 0) == ways
    for text in ways:
        revealed = play(asked, f"{text} | add")
        assert view(revealed)["safes"][0] == sorted(["R6", *text.split()[1:]])


def test_r4_additions_are_revealed_together_and_there_is_no_second_stalemate() -> None:
    state = position(["R6 R4 R7 S4", "W7 W4 W6 S4", "S4 S4 S4 S4"], safes=["B6", "", ""])

    asked = play(state, "play R6 | play W7 | play S4")
    after = play(asked, "add R4 R7 | add W4 W6")

    assert view(asked)["front"] == [["R6"], ["W7"], ["S4"]]
    assert view(after)["safes"] == [["B6", "R4", "R6", "R7"], ["W4", "W6", "W7"], []]
    assert view(after)["front"] == [[], [], []]
    assert view(after)["hand_sizes"] == [4, 4, 4]


def test_r4_an_addition_must_be_held_and_of_the_type_in_front() -> None:
    asked = play(position(["R6 R2 B2 S4", "W7 S4", "S4 S4"]), "play R6 | play W7 | play S4")

    assert refusal(asked, 0, "add R2") is None
    assert refusal(asked, 0, "add R2 R2") is Reason.CARD_NOT_HELD
    assert refusal(asked, 0, "add R6") is Reason.CARD_NOT_HELD, "it has been played"
    assert refusal(asked, 0, "add W1") is Reason.CARD_NOT_HELD
    assert refusal(asked, 0, "add B2") is Reason.NOT_ALLOWED_NOW


def test_r4_who_loses_its_card_to_a_thief_is_not_asked_what_it_adds() -> None:
    state = position(["R6 R2 S4", "TR S4 S4", "W7 S4 S4"])

    asked = play(state, "play R6 | play TR | play W7", "steal R6")

    assert (view(asked)["step"], view(asked)["asked"]) == ("ADD", [2])


def test_r9_a_seat_without_a_card_plays_nothing_and_the_deal_ends_in_this_round() -> None:
    state = position(["R6 S4", "", "W7 S4"], deck="", exhausted=True, round_number=9, safes=["B1", "B2", "B3"])

    added = play(state, "play R6 | play W7")
    after = play(added, "add | add")

    assert view(state)["asked"] == [0, 2]
    assert (view(added)["step"], view(added)["asked"]) == ("ADD", [0, 2])
    assert (view(after)["step"], view(after)["round"]) == ("OVER", 9)
    assert view(after)["scores"] == [0, 0, 0]
    assert view(after)["front"] == [["R6"], [], ["W7"]], "steps 5 to 7 are not played"
    assert view(after)["safes"] == [["B1"], ["B2"], ["B3"]]


def test_r9_a_thief_still_takes_in_the_round_that_check_c_ends() -> None:
    state = position(["TX S4", "", "W7 S4"], deck="", exhausted=True)

    asked = play(state, "play TX | play W7")
    after = play(asked, "steal W7")

    assert forced(asked) == {0: "steal W7"}
    assert view(after)["step"] == "OVER"
    assert view(after)["safes"] == [["W7"], [], []]
    assert view(after)["scores"] == [0, 0, 0]
