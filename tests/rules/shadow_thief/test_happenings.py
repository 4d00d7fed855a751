"""What the table is told: everything that everybody saw, in the order of the round, and nothing else."""

from __future__ import annotations

import random

from cutpurse_rules.chance import StreamChance, key_of_seed
from tests.rules.shadow_thief.position import GAME, chosen_in, play, position, shuffles, told
from tests.rules.shadow_thief.secrets_of_shadow_thief import resample


def test_a_round_is_told_from_the_reveal_to_the_draw() -> None:
    state = position(["R5 S4", "W5 S4", "TX S4", "B9 B2 S4", "TR S4", "C3 S4"])
    stealing = play(state, "play R5 | play W5 | play TX | play B9 | play TR | play C3")
    adding = play(stealing, "steal C3")

    assert told(state, "play R5 | play W5 | play TX | play B9 | play TR | play C3") == [
        "0 plays R5", "1 plays W5", "2 plays TX", "3 plays B9", "4 plays TR", "5 plays C3",
        "equal values are discarded: R5 W5",
    ]  # fmt: skip
    assert told(stealing, "steal C3") == ["2 steals C3 from seat 5 with TX", "4 finds nothing to steal with TR"]
    assert told(adding, "add B2") == [
        "3 adds B2", "3 puts B2 B9 into its safe",
        *(f"{seat} draws 3 cards" for seat in range(6)),
    ]  # fmt: skip


def test_locks_and_failed_attempts_are_told() -> None:
    state = position(["S4 S9 S9", "S5", "S6 S9", "W1 S9"], safes=["B1", "B2", "", ""], deck="B3 B4 B5 B6")
    asked = play(state, "play S4 | play S5 | play S6 | play W1")

    assert told(asked, "add", shuffles({"return/1/1": "S9 S9"})) == [
        "3 adds nothing", "3 puts W1 into its safe", "0 locks its safe with S4", "0 puts 2 cards back under the deck",
        "1 locks its safe with S5", "2 cannot lock its safe with S6", "2 draws 3 cards", "3 draws 3 cards",
        "the deck is exhausted",
    ]  # fmt: skip


def test_the_end_of_the_deck_is_told_by_numbers() -> None:
    plenty = position(["S4 S9"] * 3, deck="B1 " * 8)
    little = position(["S4 S9"] * 3, deck="B1 B2")
    aside = position(["S4 S9", "TB S9", "TR S9"], deck="", exhausted=True, safes=["B1", "", ""])
    moves = "play S4 | play S4 | play S4"
    failed = [f"{seat} cannot lock its safe with S4" for seat in range(3)]

    assert told(plenty, moves)[3:] == [
        *failed, "0 draws 2 cards", "1 draws 2 cards", "2 draws 2 cards",
        "2 cards left in the deck, discarded unseen", "the deck is exhausted",
    ]  # fmt: skip
    assert told(little, moves)[3:] == [*failed, "1 draws 1 card", "2 draws 1 card", "the deck is exhausted"]
    assert told(aside, "play S4 | play TB | play TR")[3:] == [
        "1 finds nothing to steal with TB", "2 finds nothing to steal with TR",
        "0 locks its safe with S4", "0 puts 1 card aside",
    ]  # fmt: skip


def test_each_end_of_a_deal_is_told_with_its_reason_and_the_scores() -> None:
    last = position(["TB S9", "S4 S9", ""], locks={2: "S4"}, safes=["B1", "B2", "C7"], scores=[1, 2, 3])
    every = position(["S4", "S4", "S4"], safes=["B1", "B2", "C7"])
    stuck = position(["S4", "S4 S9", "S4 S9"], deck="", exhausted=True)
    bare = position(["B1", "R2", "W3"], deck="")
    bare_adding = play(bare, "play B1 | play R2 | play W3")
    nothing = ["deal 1 is over", "0 scores 0", "1 scores 0", "2 scores 0", "the game is over"]

    assert told(last, "play TB | play S4", shuffles({"return/1/1": "S9"}))[2:] == [
        "0 finds nothing to steal with TB", "1 locks its safe with S4", "1 puts 1 card back under the deck",
        "0 is left with the last open safe",
        "deal 1 is over", "0 scores 0", "1 scores 2", "2 scores 7", "the game is over",
    ]  # fmt: skip
    assert told(every, "play S4 | play S4 | play S4")[3:] == [
        "0 wants to lock its safe with S4", "1 wants to lock its safe with S4", "2 wants to lock its safe with S4",
        "every open safe would be locked, so nobody locks", *nothing,
    ]  # fmt: skip
    assert told(stuck, "play S4 | play S4 | play S4")[3:] == [
        "0 has no card left while the deck is exhausted", *nothing,
    ]  # fmt: skip
    assert told(bare_adding, "add | add | add")[6:] == ["the deck is exhausted, and nobody has a card left", *nothing]


def test_the_next_deal_is_told() -> None:
    state = position(["S4", "S4", "S4"], safes=["B1", "B2", "C7"], deals=2)

    assert told(state, "play S4 | play S4 | play S4", StreamChance(key_of_seed("next")))[-1] == "deal 2 begins"


def test_what_is_told_depends_on_nothing_that_the_table_cannot_see() -> None:
    dealer = random.Random("narration")
    state = position(["S4 S9 S9", "S5 B7", "S6 S9", "W1 S9"], safes=["B1", "B2", "", ""])
    asked = play(state, "play S4 | play S5 | play S6 | play W1")
    state_before_adding = [resample(asked, None, dealer) for _ in range(20)]
    chosen = chosen_in(asked, "add")

    narrations = {
        GAME.happenings(each, chosen, GAME.resolve(each, chosen, StreamChance(key_of_seed("draw"))))
        for each in state_before_adding
    }

    assert len({GAME.fingerprint(each) for each in state_before_adding}) > 10
    assert len(narrations) == 1
