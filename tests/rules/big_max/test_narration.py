"""What the table is told, and that it is told nothing more."""

from __future__ import annotations

from tests.rules.big_max.position import FULL, play, position, script, told

A = "T4 SC CS H4 H2 H2"


def test_every_card_of_a_turn_is_told() -> None:
    state = position([A, FULL, FULL], displays=[2, 0, 0])
    behind = position([A, FULL, FULL], standing=["T2:1 T4:2", "", ""])

    assert told(state, "discard CS") == ["0 discards CS"]
    assert told(state, "display") == ["0 displays a suitcase, number 3"]
    assert told(state, "challenge 2 T4") == ["0 challenges seat 2 with T4"]
    assert told(state, "sharp 1", script(sharp_1="H2")) == ["0 plays CS and takes a card from the hand of seat 1"]
    assert told(behind, "counter 1 H4") == ["0 counters the standing T4 of seat 2 with H4"]


def test_every_reply_is_told() -> None:
    state = play(position([A, "GM H6 H2 H2 H2 H2", FULL], displays=[1, 0, 0]), "challenge 1 T4")

    assert told(state, "counter H6") == ["1 counters T4 with H6"]
    assert told(state, "gunman") == ["1 plays GM and turns T4 against seat 0"]
    assert told(state, "decline") == ["1 declines", "1 has T4 of seat 0 before it now"]
    assert told(play(state, "gunman"), "decline") == ["0 declines", "0 loses a suitcase to seat 1"]


def test_r5_every_step_of_a_payment_is_told() -> None:
    state = position([A, FULL, FULL], displays=[0, 1, 0], standing=["T2:2 T3:2", "", "T6:0"])

    assert told(play(state, "challenge 1 T4"), "decline") == [
        "1 declines",
        "1 loses a suitcase to seat 0",
        "0 pays it to seat 2 and is rid of T2",
        "2 pays it to seat 0 and is rid of T6",
        "0 pays it to seat 2 and is rid of T3",
    ]


def test_r3_a_suitcase_without_room_is_told_and_one_that_comes_back_has_room() -> None:
    full = position([A, FULL, FULL], displays=[5, 1, 0])
    back = position([A, FULL, FULL], displays=[0, 5, 0], standing=["T2:1", "", ""])

    assert told(play(full, "challenge 1 T4"), "decline")[2:] == ["0 has five on display already and discards it"]
    assert told(play(back, "challenge 1 T4"), "decline")[2:] == ["0 pays it to seat 1 and is rid of T2"]


def test_reshuffles_skipped_turns_and_ends_are_told() -> None:
    skipping = position(["H2 H2", "", FULL], pile="")
    last = position(["H2 H2", "", ""], pile="", turn=4, turn_limit=6)
    nobody = position(["SC", "", ""], pile="")
    win = position(["SC MT", FULL, FULL], displays=[4, 0, 0])
    lay = position(["MT", FULL, FULL], displays=[5, 0, 0], master_thief_must_be_laid=True)

    shuffle = script(reshuffle_1="H2")
    assert told(skipping, "discard H2", shuffle) == [
        "0 discards H2", "the discards are shuffled into a new pile", "1 has no card and is skipped",
    ]  # fmt: skip
    skipped = ["1 has no card and is skipped", "2 has no card and is skipped"]
    end = "the last turn is over, and nobody has won"
    assert told(last, "discard H2", shuffle)[2:] == [*skipped, end]
    # All 299 turns that are left are skipped; each seat is told once.
    assert told(nobody, "display")[1:] == [*skipped, "0 has no card and is skipped", end]
    assert told(win, "display") == ["0 displays a suitcase, number 5", "0 shows the Master Thief and wins"]
    assert told(lay, "lay") == ["0 lays MT on the discards", "0 wins"]
