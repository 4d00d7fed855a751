"""Deals, scores and placements; R1, R2, G3, G8, G9, G10 and the worked point about 57 points."""

from __future__ import annotations

from typing import Any

import pytest

from cutpurse_rules.chance import RecordedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Result
from cutpurse_rules.errors import BadConfiguration
from cutpurse_rules.playthrough import Ended, play_through
from tests.rules.shadow_thief.position import GAME, play, position, shuffles, view

SMALL = {"B1": 1, "R1": 1, "W1": 1, "B2": 1, "R2": 1, "W2": 1, "B3": 1, "R3": 1, "W3": 1, "B4": 1, "R4": 1, "W4": 1}


def result(state: Any) -> Result:
    """The result of a state that is over."""
    reached = GAME.result(state)
    assert reached is not None
    return reached


def test_the_game_begins_as_the_page_sets_it_up() -> None:
    state = GAME.begin(GAME.configure(5), StreamChance(key_of_seed("begin")))

    table = view(state)

    assert (table["deal"], table["round"], table["step"]) == (1, 1, "PLAY")
    assert table["asked"] == [0, 1, 2, 3, 4]
    assert table["hand_sizes"] == [4] * 5
    assert table["deck_size"] == 105 - 20
    assert table["safes"] == table["front"] == [[]] * 5
    assert table["locks"] == [None] * 5
    assert table["scores"] == [0] * 5


def test_g8_the_deck_is_the_pages() -> None:
    deck = GAME.composition(GAME.configure(3), "deck")

    assert list(deck) == list(GAME.components["cards"])
    assert sum(deck.values()) == 105
    assert {card: count for card, count in deck.items() if card[0] == "S"} == {
        "S4": 2, "S5": 2, "S6": 2, "S7": 2, "S8": 2, "S9": 2, "S10": 2, "S11": 2,
        "S12": 1, "S13": 1, "S14": 1, "S15": 1,
    }  # fmt: skip
    assert {deck[thief] for thief in ("TB", "TR", "TW", "TC", "TX")} == {1}
    assert {deck[f"{letter}{value}"] for letter in "BRWC" for value in range(1, 11)} == {2}


def test_r2_cards_are_dealt_one_at_a_time_in_seat_order_and_the_rest_is_the_deck() -> None:
    chance = shuffles({"deck/1": "B1 R1 W1 B2 R2 W2 B3 R3 W3 B4 R4 W4 C1 C2"})

    state = GAME.begin(GAME.configure(3, {"deck": {**SMALL, "C1": 1, "C2": 1}}), chance)

    assert [view(state, seat)["hand"] for seat in range(3)] == [
        ["B1", "B2", "B3", "B4"], ["R1", "R2", "R3", "R4"], ["W1", "W2", "W3", "W4"],
    ]  # fmt: skip
    assert view(state)["deck_size"] == 2
    assert list(state.deck) == [31, 32], "C1 lies on C2"


def test_all_cards_are_shuffled_anew_in_every_deal_and_the_table_is_cleared() -> None:
    order = "B1 R1 W1 B2 R2 W2 B3 R3 W3 B4 R4 W4"
    state = GAME.begin(GAME.configure(3, {"deck": SMALL, "deals": 2}), shuffles({"deck/1": order}))

    after = play(
        state,
        "play B1 | play R2 | play W3",
        "add B2 B3 B4 | add R1 R3 R4 | add W1 W2 W4",
        chance=shuffles({"deck/2": " ".join(reversed(order.split()))}),
    )

    assert (view(after)["deal"], view(after)["round"], view(after)["step"]) == (2, 1, "PLAY")
    assert [view(after, seat)["hand"][0] for seat in range(3)] == ["W1", "R1", "B1"]
    assert view(after)["safes"] == view(after)["front"] == [[]] * 3
    assert (view(after)["exhausted"], view(after)["deck_size"]) == (False, 0)


def test_a_new_deal_forgets_locks_discards_and_cards_out_of_sight() -> None:
    state = position(["S4 R9", "TB S9", ""], safes=["B1", "", "C7"], locks={2: "S5"}, discards="B8", deals=2)

    after = play(state, "play S4 | play TB", chance=StreamChance(key_of_seed("anew")))

    assert (view(after)["deal"], view(after)["round"]) == (2, 1)
    assert view(after)["scores"] == [1, 0, 7]
    assert view(after)["locks"] == [None] * 3
    assert view(after)["discards"] == []
    assert view(after)["put_back_count"] == 0
    assert view(after, 0)["put_back"] == []
    assert view(after)["hand_sizes"] == [4, 4, 4]


def test_worked_point_of_57_points() -> None:
    state = position(
        ["S15", "TB R1", ""], safes=["B3 B6 B8 W2 W4 W5 W7 C5 C7 C10", "R10", "W9"], locks={2: "S4"}, scores=[1, 2, 3]
    )

    after = play(state, "play S15 | play TB")

    assert view(after)["scores"] == [1 + 57, 2, 3 + 9]
    assert result(after).scores == (58, 2, 12)
    assert result(after).placements == (1, 3, 2)


@pytest.mark.parametrize(("scores", "placements"), [
    ([10, 10, 2], (1, 1, 3)),
    ([0, 0, 0], (1, 1, 1)),
    ([3, 9, 9, 9, 1], (4, 1, 1, 1, 5)),
])  # fmt: skip
def test_r1_and_g9_equal_points_share_the_placement(scores: list[int], placements: tuple[int, ...]) -> None:
    # Nobody has a card after this round, and the deck is exhausted: nobody scores in this deal.
    state = position(["S4"] * len(scores), deck="", exhausted=True, scores=scores, deal=3)

    after = play(state, " | ".join(["play S4"] * len(scores)))

    assert result(after) == Result(tuple(scores), placements, result(after).reason)
    assert result(after).reason == "COMPLETED"


def test_the_match_is_over_after_its_deals_and_not_before() -> None:
    state = position(["S4", "S4", "S4"], deck="", exhausted=True, deal=2, deals=3)

    third = play(state, "play S4 | play S4 | play S4", chance=StreamChance(key_of_seed("third")))

    assert (view(third)["deal"], view(third)["step"]) == (3, "PLAY")
    assert GAME.result(third) is None


def test_g3_draws_are_labelled_by_deal_and_round() -> None:
    recorded = RecordedChance(StreamChance(key_of_seed("labels")))
    position_of_match = GAME.configure(7, {"deals": 4})

    def lock_when_possible(state: Any, seat: Any) -> Any:
        return max(GAME.legal(state, seat), key=lambda action: action.notation.startswith("play S"))

    rounds = set()
    for part in play_through(GAME, position_of_match, recorded, lock_when_possible):
        if not isinstance(part, Ended):
            rounds.add((part.before.deal, part.before.round))

    labels = [draw.label for draw in recorded.take()]
    returns = [label.split("/")[1:] for label in labels if label.startswith("return/")]
    assert [label for label in labels if label.startswith("deck/")] == ["deck/1", "deck/2", "deck/3", "deck/4"]
    assert returns
    assert {(int(deal), int(round_number)) for deal, round_number in returns} <= rounds


def test_g3_a_single_card_put_back_is_a_draw() -> None:
    state = position(["S4 B9", "TB S9", "TR S9"], safes=["B1", "", ""])
    recorded = RecordedChance(StreamChance(key_of_seed("one")))

    play(state, "play S4 | play TB | play TR", chance=recorded)

    assert [(draw.label, draw.kind, draw.outcome) for draw in recorded.take()] == [("return/1/1", "shuffle", ("B9",))]


def test_g10_a_deal_never_has_more_rounds_than_half_its_cards() -> None:
    state = position(["S4 B9", "TB S9", "TR S9"], round_number=52)

    with pytest.raises(AssertionError, match="uses up"):
        play(state, "play S4 | play TB | play TR")


@pytest.mark.parametrize(
    ("players", "option", "value", "text"),
    [
        (2, "players", None, "shadow_thief is for 3 to 7 players, not 2"),
        (8, "players", None, "shadow_thief is for 3 to 7 players, not 8"),
        (3, "deals", 0, "must be a whole number from 1 to 100, not 0"),
        (3, "deals", 101, "must be a whole number from 1 to 100, not 101"),
        (3, "deck", {"B1": 11}, "needs at least 12 cards for 3 players, not 11"),
        (7, "deck", {"S4": 27}, "needs at least 28 cards for 7 players, not 27"),
        (3, "deck", {"B1": 20, "TX": 2}, "has at most one TX, not 2"),
        (3, "deck", {"B1": 20, "TB": 2}, "has at most one TB, not 2"),
        (3, "deck", {"S16": 20}, "has no 'S16'; it has B1, B2"),
    ],
)
def test_a_configuration_that_is_not_allowed_is_refused_by_name(
    players: int, option: str, value: Any, text: str
) -> None:
    with pytest.raises(BadConfiguration) as refused:
        GAME.configure(players, {} if option == "players" else {option: value})
    assert refused.value.option == option
    assert refused.value.text.startswith(text)


def test_options_have_their_defaults_and_the_smallest_deck_will_do() -> None:
    assert dict(GAME.configure(3).options) == {"auto_play_forced": True, "deals": 3}
    for players in range(3, 8):
        assert GAME.configure(players, {"deck": {"S4": 4 * players}, "deals": 1}).options["deals"] == 1
