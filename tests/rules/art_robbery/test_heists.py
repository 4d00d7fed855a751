"""Ends of heists: R4, R5, R9, and what becomes of the Boss tile."""

from __future__ import annotations

import pytest

from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.playthrough import Ended, play_through
from tests.rules.art_robbery.position import GAME, play, position, shuffles, told, view

FIVE = "N1 N1 N1 N1 N1"
NINE = ["0.3", "0.2", "1.1", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS"]


def test_r4_a_heist_ends_when_the_last_tile_leaves_the_middle_and_its_taker_still_draws() -> None:
    state = position(["N5 N1 N1 N1 N1", FIVE], middle="5.0", front=["", "1.1"], pile="GT N0")

    after = play(state, "play N5 take 5.0 from middle")

    assert view(after, 0)["hand"] == ["N1", "N1", "N1", "N1", "GT"]
    assert view(after)["safe"] == [["5.0"], ["1.1"]]
    assert view(after)["front"] == [[], []]
    assert view(after)["middle"] == NINE
    assert (view(after)["heist"], view(after)["turn"]) == (2, 1)


def test_r4_hands_and_the_draw_pile_stay_as_they_are() -> None:
    state = position(["N5 N1 N1 N1 N1", "N2 GD BS BS GT"], pile="GT N0 N3", discards="N4")

    after = play(state, "play N5 take 5.0 from middle")

    assert view(after, 1)["hand"] == ["N2", "GD", "GT", "BS", "BS"]
    assert view(after)["pile_size"] == 2
    assert view(after)["discards"] == ["N4", "N5"]


@pytest.mark.parametrize("text", ["play N5 take 5.0 from middle", "play GT take 5.0 from middle"])
def test_r4_a_number_and_a_greedy_thief_can_take_the_last_tile(text: str) -> None:
    assert view(play(position(["N5 GT N1 N1 N1", FIVE]), text))["heist"] == 2


def test_r4_the_boss_card_can_take_the_last_tile() -> None:
    state = position(["BS N1 N1 N1 N1", FIVE], middle="BOSS", front=["4.0", ""])

    assert view(play(state, "play BS"))["safe"] == [["4.0", "BOSS"], []]


def test_r4_what_is_taken_from_a_seat_does_not_end_a_heist() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], middle="5.0", front=["", "3.0"])

    assert view(play(state, "play N3 take 3.0 from 1"))["heist"] == 1


@pytest.mark.parametrize(("dog", "beginner"), [(None, 2), (0, 0), (1, 1), (2, 2)])
def test_r5_the_seat_with_the_dog_begins_the_next_heist_else_the_one_after_the_last_turn(
    dog: int | None, beginner: int
) -> None:
    state = position([FIVE, "N5 N1 N1 N1 N1", FIVE], dog=dog, turn_seat=1)

    after = play(state, "play N5 take 5.0 from middle")

    assert view(after)["turn_seat"] == beginner
    assert view(after)["asked"] == [beginner]
    assert view(after)["dog"] == dog, "the dog starts in the middle for the first heist only"


def test_r5_the_seat_after_the_last_turn_wraps_round() -> None:
    state = position([FIVE, FIVE, "N5 N1 N1 N1 N1"], turn_seat=2)

    assert view(play(state, "play N5 take 5.0 from middle"))["turn_seat"] == 0


@pytest.mark.parametrize(
    ("tiles", "kept"),
    [("3.0 BOSS", False), ("4.0 BOSS", True), ("5.0 BOSS", True), ("BOSS", False), ("0.3 1.1 2.1 3.0 BOSS", False)],
)
def test_worked_point_the_boss_tile_is_kept_only_with_a_4_or_a_5(tiles: str, kept: bool) -> None:
    state = position([FIVE, "GT N2 N2 N2 N2"], middle="0.2", front=[tiles, ""], turn_seat=1)

    after = play(state, "play GT take 0.2 from middle")

    assert ("BOSS" in view(after)["safe"][0]) is kept
    assert view(after)["out"] == ([] if kept else ["BOSS"])


def test_a_4_of_another_heist_does_not_keep_the_boss_tile() -> None:
    state = position([FIVE, "GT N2 N2 N2 N2"], middle="0.2", front=["BOSS", ""], safe=[["4.0", ""]], turn_seat=1)

    after = play(state, "play GT take 0.2 from middle")

    assert view(after)["safe"] == [["4.0"], ["0.2"]]
    assert view(after)["out"] == ["BOSS"]


def test_r9_a_heist_ends_when_its_turns_are_used_up_and_what_lies_in_the_middle_is_out() -> None:
    state = position(["N1 N1 N1 N1 N2", FIVE], middle="0.3 5.0 BOSS", front=["BOSS", "3.0"], turn=4, heist_turn_limit=4)

    after = play(state, "play N2")

    assert view(after)["out"] == ["0.3", "5.0", "BOSS", "BOSS"]
    assert view(after)["safe"] == [[], ["3.0"]]
    assert (view(after)["heist"], view(after)["turn"], view(after)["turn_seat"]) == (2, 1, 1)


def test_r9_one_turn_before_the_limit_the_heist_goes_on() -> None:
    state = position(["N1 N1 N1 N1 N2", FIVE], turn=3, heist_turn_limit=4)

    assert view(play(state, "play N2"))["heist"] == 1


def test_r9_the_last_turn_waits_for_the_dogs_answer() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["", "3.0"], dog=1, turn=4, heist_turn_limit=4)

    asked = play(state, "play N3 take 3.0 from 1")
    after = play(asked, "give dog")

    assert view(asked)["heist"] == 1
    assert (view(after)["heist"], view(after)["turn_seat"], view(after)["safe"]) == (2, 0, [[], ["3.0"]])


@pytest.mark.parametrize("players", range(2, 6))
def test_r9_the_limit_is_60_turns_for_each_player(players: int) -> None:
    assert GAME.configure(players).options["heist_turn_limit"] == 60 * players


def test_r9_a_match_in_which_nobody_takes_anything_is_completed_all_the_same() -> None:
    config = GAME.configure(3, {"deck": {"GD": 15}, "heist_turn_limit": 7})
    chance = StreamChance(key_of_seed("stall"))

    *decisions, ended = play_through(GAME, config, chance, lambda state, seat: GAME.legal(state, seat)[0])

    assert len(decisions) == 4 * 7
    assert isinstance(ended, Ended)
    assert ended.result.reason == "COMPLETED"
    assert ended.result.placements == (1, 1, 1)
    assert len(view(ended.state)["out"]) == 36


def test_the_match_is_over_after_the_fourth_heist() -> None:
    state = position(["N5 N1 N1 N1 N1", FIVE, FIVE], safe=[["", "", ""]] * 3, turn=9)

    after = play(state, "play N5 take 5.0 from middle")

    assert (view(after)["heist"], view(after)["turn"], view(after)["turn_seat"]) == (4, 9, 0)
    assert (view(after)["step"], view(after)["asked"], view(after)["middle"]) == ("OVER", [], [])
    assert GAME.asked(after) == ()


def test_the_table_is_told_what_happens() -> None:
    robbed = position(["N3 BS GD N2 N1", FIVE, FIVE], front=["", "3.0", "BOSS"], dog=1, pile="")
    asked = play(robbed, "play N3 take 3.0 from 1")
    last = position(["N5 GD BS N1 N1", FIVE, FIVE], front=["BOSS", "", ""], dog=0)

    assert told(robbed, "play N3 take 3.0 from 1") == ["0 plays N3 to take 3.0 from seat 1, which has the dog"]
    chance = shuffles({"reshuffle/1": "N3"})
    assert told(asked, "give dog", chance) == [
        "1 gives the dog to seat 0 and keeps 3.0", "the discards are shuffled into a new pile",
    ]  # fmt: skip
    assert told(asked, "give tile", chance)[0] == "1 gives 3.0 to seat 0 and keeps the dog"
    bs = shuffles({"reshuffle/1": "BS"})
    assert told(robbed, "play BS", bs)[0] == "0 plays BS and takes BOSS from seat 2"
    assert told(last, "play BS") == ["0 plays BS and has the Boss tile already"]
    assert told(last, "play GD") == ["0 plays GD and has the dog already"]
    gd = shuffles({"reshuffle/1": "GD"})
    assert told(robbed, "play GD", gd)[0] == "0 plays GD and takes the dog from seat 1"
    n2 = shuffles({"reshuffle/1": "N2"})
    assert told(robbed, "play N2", n2)[0] == "0 plays N2 and finds nothing to take"
    assert told(last, "play N5 take 5.0 from middle") == [
        "0 plays N5 and takes 5.0 from the middle",
        "the heist of the sketches is over",
        "0 begins the heist of the sculptures",
    ]
    over = position(["N5 GD BS N1 N1", FIVE, FIVE], safe=[["", "", ""]] * 3, front=["", "BOSS", ""])
    assert told(over, "play N5 take 5.0 from middle")[1:] == [
        "the heist of the paintings is over", "out of the game: BOSS", "the game is over",
    ]  # fmt: skip
