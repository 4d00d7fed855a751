"""Cards, turns, the dog: the page's *Play*, its rulings R1 to R3, and the worked points about them."""

from __future__ import annotations

import pytest

from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import BadDraw, Reason
from tests.rules.art_robbery.position import GAME, legal, play, position, refusal, shuffles, view

FIVE = "N1 N1 N1 N1 N1"


def test_the_game_begins_as_the_page_sets_it_up() -> None:
    state = GAME.begin(GAME.configure(3), StreamChance(key_of_seed("begin")))

    table = view(state)

    assert table["middle"] == ["0.3", "0.2", "1.1", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS"]
    assert (table["heist"], table["turn"], table["step"], table["dog"]) == (1, 1, "TURN", None)
    assert table["hand_sizes"] == [5, 5, 5]
    assert table["pile_size"] == 55 - 15
    assert sum(GAME.composition(GAME.configure(3), "deck").values()) == 55


def test_r1_seat_0_begins_the_first_heist() -> None:
    for players in range(2, 6):
        state = GAME.begin(GAME.configure(players), StreamChance(key_of_seed("r1")))
        assert GAME.asked(state) == (0,)


def test_cards_are_dealt_one_at_a_time_in_seat_order() -> None:
    deck = {"N0": 6, "N1": 5, "GD": 2}
    chance = shuffles({"deck": "N0 N1 N0 N1 N0 N1 N0 N1 N0 N1 GD N0 GD"})

    state = GAME.begin(GAME.configure(2, {"deck": deck}), chance)

    assert view(state, 0)["hand"] == ["N0"] * 5
    assert view(state, 1)["hand"] == ["N1"] * 5
    assert view(play(state, "play N0 take 0.3 from middle"), 0)["hand"] == ["N0"] * 4 + ["GD"]


def test_play_is_clockwise() -> None:
    state = position(["N2 " * 5] * 3, middle="5.0", turn_seat=1)

    assert [GAME.asked(state := play(state, "play N2")) for _ in range(2)] == [(2,), (0,)]


def test_r2_an_empty_pile_is_made_anew_when_a_card_is_needed_and_the_card_just_played_is_among_the_discards() -> None:
    state = position(["N2 N1 N1 N1 N1", FIVE], pile="", discards="GD BS", middle="5.0")

    after = play(state, "play N2", chance=shuffles({"reshuffle/1": "BS N2 GD"}))

    assert view(after, 0)["hand"] == ["N1", "N1", "N1", "N1", "BS"]
    assert view(after)["discards"] == []
    assert view(after)["pile_size"] == 2


def test_r2_taking_the_last_card_does_not_shuffle_yet() -> None:
    state = position(["N2 N2 N2 N2 N2", FIVE], pile="GT", discards="GD")

    after = play(state, "play N2")

    assert view(after)["pile_size"] == 0
    assert view(after)["discards"] == ["N2", "GD"]


def test_r2_reshuffles_are_numbered_and_one_card_is_shuffled_too() -> None:
    deck = {"N2": 10}
    state = GAME.begin(GAME.configure(2, {"deck": deck, "tiles": {"5.0": 1}}), shuffles({"deck": "N2 " * 10}))

    for number in (1, 2, 3):
        with pytest.raises(BadDraw, match=f"reshuffle/{number}"):
            play(state, "play N2")
        state = play(state, "play N2", chance=shuffles({f"reshuffle/{number}": "N2"}))


def test_r2_a_reshuffle_in_the_middle_of_an_answer_comes_after_it() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["", "3.0"], dog=1, pile="", discards="GT")

    # Nothing is drawn before the dog's answer: this step is played without any chance.
    asked = play(state, "play N3 take 3.0 from 1")
    after = play(asked, "give tile", chance=shuffles({"reshuffle/1": "N3 GT"}))

    assert view(asked)["discards"] == ["N3", "GT"]
    assert view(asked)["hand_sizes"] == [4, 5]
    assert view(after, 0)["hand"] == ["N1", "N1", "N1", "N1", "N3"]
    assert view(after)["front"] == [["3.0"], []]


def test_a_number_takes_a_tile_of_its_value_from_the_middle() -> None:
    state = position(["N2 N1 N1 N1 N1", FIVE], middle="1.1 2.1 5.0", front=["", "2.1"])

    assert "play N2 take 2.1 from middle" in legal(state, 0)
    assert not any("from 1" in text for text in legal(state, 0))
    after = play(state, "play N2 take 2.1 from middle")
    assert view(after)["middle"] == ["1.1", "5.0"]
    assert view(after)["front"] == [["2.1"], ["2.1"]]


def test_r3_different_alibis_in_the_middle_are_the_players_choice() -> None:
    state = position(["N0 N2 N2 N2 N2", FIVE], middle="0.3 0.2 5.0")

    assert legal(state, 0)[:2] == ["play N0 take 0.3 from middle", "play N0 take 0.2 from middle"]


def test_r3_equal_tiles_in_one_place_are_one_action() -> None:
    state = position(["N1 N1 N2 N2 N2", FIVE], middle="1.1 1.1 5.0")

    assert legal(state, 0) == ["play N1 take 1.1 from middle", "play N2"]


def test_r3_sources_are_listed_by_seat_and_then_tile_and_never_ones_own() -> None:
    hands = ["N2 " * 5, "N0 N2 N2 N2 N2", FIVE, FIVE]
    state = position(hands, front=["0.2 0.3", "0.3", "", "0.2 0.3"], turn_seat=1)

    assert legal(state, 1) == [
        "play N0 take 0.3 from 0",
        "play N0 take 0.2 from 0",
        "play N0 take 0.3 from 3",
        "play N0 take 0.2 from 3",
        "play N2",
    ]


def test_worked_point_two_seats_hold_a_3_and_the_player_chooses_the_seat() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE, FIVE], front=["", "3.0", "3.0"])

    assert [text for text in legal(state, 0) if "N3" in text] == ["play N3 take 3.0 from 1", "play N3 take 3.0 from 2"]
    assert view(play(state, "play N3 take 3.0 from 2"))["front"] == [["3.0"], ["3.0"], []]


def test_worked_point_only_you_hold_a_3_and_nothing_happens() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["3.0", ""])

    assert [text for text in legal(state, 0) if "N3" in text] == ["play N3"]
    after = play(state, "play N3")
    assert view(after)["front"] == [["3.0"], []]
    assert view(after)["discards"] == ["N3"]


def test_safe_tiles_of_finished_heists_cannot_be_taken() -> None:
    state = position(["N3 N1 N1 N1 BS", FIVE], safe=[["", "3.0 4.0 BOSS"]])

    assert "play N3" in legal(state, 0)
    assert view(play(state, "play BS"))["safe"] == [[], ["3.0", "4.0", "BOSS"]]


def test_the_boss_tile_is_not_a_tile_of_value_5() -> None:
    state = position(["N5 N1 N1 N1 N1", FIVE], middle="BOSS 3.0", front=["", "BOSS"])

    assert "play N5" in legal(state, 0)


def test_the_guard_dog_fetches_the_dog_from_the_middle_or_from_whoever_has_it() -> None:
    for dog in (None, 1, 0):
        state = position(["GD N1 N1 N1 N1", FIVE, FIVE], dog=dog)
        after = play(state, "play GD")
        assert view(after)["dog"] == 0
        assert GAME.asked(after) == (1,), "the Guard Dog card itself cannot be answered"


def test_the_greedy_thief_takes_any_tile_from_the_middle_and_never_from_a_seat() -> None:
    state = position(["GT N1 N1 N1 N1", FIVE], middle="0.2 3.0 BOSS", front=["", "4.0"])

    assert [text for text in legal(state, 0) if "GT" in text] == [
        "play GT take 0.2 from middle",
        "play GT take 3.0 from middle",
        "play GT take BOSS from middle",
    ]
    assert view(play(state, "play GT take BOSS from middle"))["front"] == [["BOSS"], ["4.0"]]


@pytest.mark.parametrize(
    ("middle", "front", "expected"),
    [
        ("5.0 BOSS", ["", "", ""], [["BOSS"], [], []]),
        ("5.0", ["", "", "BOSS"], [["BOSS"], [], []]),
        ("5.0", ["BOSS", "3.0", ""], [["BOSS"], ["3.0"], []]),
        ("5.0", ["", "3.0", ""], [[], ["3.0"], []]),
    ],
    ids=["from the middle", "from a seat", "has it already", "is out of the game"],
)
def test_the_boss_card_fetches_the_boss_tile(middle: str, front: list[str], expected: list[list[str]]) -> None:
    state = position(["BS N1 N1 N1 N1", FIVE, FIVE], middle=middle, front=front)

    assert [text for text in legal(state, 0) if "BS" in text] == ["play BS"]
    assert view(play(state, "play BS"))["front"] == expected


def test_the_dog_protects_a_tile_from_a_number() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["", "3.0"], dog=1, pile="GT N0")

    asked = play(state, "play N3 take 3.0 from 1")

    assert GAME.asked(asked) == (1,)
    assert legal(asked, 1) == ["give tile", "give dog"]
    assert GAME.default(asked, Seat(1)).notation == "give tile"
    assert view(asked)["step"] == "ANSWER"
    assert view(asked)["turn_seat"] == 0
    assert view(asked)["taking"] == {"card": "N3", "seat": 0, "from": 1, "tile": "3.0"}
    given = play(asked, "give tile")
    assert (view(given)["front"], view(given)["dog"]) == ([["3.0"], []], 1)
    assert view(given)["taking"] is None
    assert view(given, 0)["hand"] == ["N1", "N1", "N1", "N1", "GT"]


def test_worked_point_the_victim_gives_the_dog_and_the_turn_goes_on_to_the_draw() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["", "3.0"], dog=1, pile="GT N0")

    after = play(state, "play N3 take 3.0 from 1", "give dog")

    assert (view(after)["front"], view(after)["dog"]) == ([[], ["3.0"]], 0)
    assert view(after, 0)["hand"] == ["N1", "N1", "N1", "N1", "GT"]
    assert GAME.asked(after) == (1,)


def test_the_dog_protects_the_boss_tile_too() -> None:
    state = position(["BS N1 N1 N1 N1", FIVE, FIVE], front=["", "", "BOSS"], dog=2)

    asked = play(state, "play BS")

    assert view(asked)["taking"] == {"card": "BS", "seat": 0, "from": 2, "tile": "BOSS"}
    assert view(play(asked, "give dog"))["dog"] == 0
    assert view(play(asked, "give dog"))["front"] == [[], [], ["BOSS"]]
    assert view(play(asked, "give tile"))["front"] == [["BOSS"], [], []]


def test_the_dog_protects_only_the_seat_that_has_it() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE, FIVE], front=["", "3.0", ""], dog=2)

    assert view(play(state, "play N3 take 3.0 from 1"))["front"] == [["3.0"], [], []]


def test_takers_with_the_dog_are_not_asked_themselves() -> None:
    state = position(["N3 N1 N1 N1 GT", FIVE], middle="4.0 5.0", front=["", "3.0"], dog=0)

    assert GAME.asked(play(state, "play GT take 4.0 from middle")) == (1,)
    assert view(play(state, "play N3 take 3.0 from 1"))["step"] == "TURN"


@pytest.mark.parametrize(
    ("seat", "text", "reason"),
    [
        (1, "play N1", Reason.NOT_ASKED),
        (0, "give tile", Reason.WRONG_STEP),
        (0, "play N5 take 5.0 from middle", Reason.CARD_NOT_HELD),
        (0, "play N4", Reason.TAKING_IS_MANDATORY),
        (0, "play N0", Reason.TAKING_IS_MANDATORY),
        (0, "play N4 take 4.0 from 1", Reason.NOTHING_TO_TAKE),
        (0, "play N0 take 0.2 from 1", Reason.NOT_ALLOWED_NOW),
        (0, "play N0 take 0.2 from middle", Reason.NOTHING_TO_TAKE),
        (0, "play N0 take 0.3 from 0", Reason.NOTHING_TO_TAKE),
        (0, "play N0 take 0.3 from 4", Reason.NOTHING_TO_TAKE),
        (0, "play GT take BOSS from middle", Reason.NOTHING_TO_TAKE),
        (0, "play BS", None),
        (0, "play N4 take 4.0 from 2", None),
        (0, "play N0 take 0.3 from middle", None),
    ],
)
def test_every_refusal_has_its_reason(seat: int, text: str, reason: Reason | None) -> None:
    hands = ["N0 N4 GT GT BS", FIVE, FIVE]
    state = position(hands, middle="0.3 5.0", front=["0.3", "0.2", "4.0"])

    assert refusal(state, seat, text) is reason


def test_a_play_is_no_answer_and_only_the_owner_of_the_dog_answers() -> None:
    state = position(["N3 N1 N1 N1 N1", FIVE], front=["", "3.0"], dog=1)

    asked = play(state, "play N3 take 3.0 from 1")

    assert refusal(asked, 1, "play N1") is Reason.WRONG_STEP
    assert refusal(asked, 0, "give tile") is Reason.NOT_ASKED


@pytest.mark.parametrize(
    "text",
    [
        "play GT", "play GT take 3.0 from 1", "play GD take BOSS from middle", "play BS take BOSS from 1",
        "play N3 take 4.0 from middle", "play N5 take BOSS from middle", "play N3 take 3.0 from 5", "play N6",
        "play N3 take 3.0", "give", "give boss", "pass", "play N3 take 3.0 from middle from middle",
    ],
)  # fmt: skip
def test_what_no_situation_allows_is_no_notation(text: str) -> None:
    with pytest.raises(Exception, match="is no action of art_robbery"):
        GAME.parse(text)
