"""What a view holds and what it does not (page: *Who sees what*; R9)."""

from __future__ import annotations

from cutpurse_rules.contract import Seat
from tests.rules.big_max.position import FULL, GAME, play, position, script, view


def test_a_view_has_exactly_the_keys_of_the_trace() -> None:
    assert set(view(position([FULL] * 3))) == {
        "game", "seat", "hand", "hand_sizes", "asked", "turn", "turn_seat", "step", "displays", "standing", "challenge",
        "discards", "pile_size", "sharps",
    }  # fmt: skip


def test_the_fields_of_a_view_are_the_keys_of_the_trace() -> None:
    found = GAME.view(position([FULL] * 3), Seat(1))

    assert {"game", *found._fields} == set(found.to_json())


def test_a_seat_sees_its_own_hand_and_of_others_only_the_sizes() -> None:
    state = position(["T2 SC", "GM", ""])

    assert [view(state, seat)["hand"] for seat in range(3)] == [["SC", "T2"], ["GM"], []]
    assert view(state)["hand"] is None
    assert all(view(state, viewer)["hand_sizes"] == [2, 1, 0] for viewer in (None, 0, 1, 2))


def test_displays_standing_thieves_challenge_and_discards_are_public() -> None:
    state = position(["T4 H2", FULL, FULL], displays=[0, 2, 0], standing=["T5:1+1", "", ""], discards="GM SC")

    after = play(state, "challenge 1 T4")

    for viewer in (None, 0, 1, 2):
        seen = view(after, viewer)
        assert seen["displays"] == [0, 2, 0]
        assert seen["standing"] == [[{"card": "T5", "employer": 1, "gunmen": 1}], [], []]
        assert seen["challenge"] == {"card": "T4", "challenger": 0, "employer": 0, "target": 1, "gunmen": 0}
        assert seen["discards"] == ["SC", "GM"]


def test_r9_two_states_that_differ_in_what_another_pair_sharped_look_alike_to_third_parties() -> None:
    state = position(["CS H2", "T2 T3", FULL], pile="H4")

    one, other = (play(state, "sharp 1", chance=script(sharp_1=card)) for card in ("T2", "T3"))

    assert view(one, 2) == view(other, 2)
    assert view(one) == view(other)
    assert view(one, 0) != view(other, 0)
    assert view(one, 1)["sharps"] != view(other, 1)["sharps"]
    assert GAME.fingerprint(one) != GAME.fingerprint(other)
