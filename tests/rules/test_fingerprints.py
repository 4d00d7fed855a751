"""A fingerprint covers the whole state: whatever part of a state is exchanged for another, the fingerprint changes."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.playthrough import Resolved, play_through

TABLES: dict[str, list[dict[str, Any]]] = {
    "art_robbery": [{}, {"auto_play_forced": False}, {"heist_turn_limit": 20}],
    "big_max": [{}, {"auto_play_forced": False}],
    # Small decks of different sizes, so that they run out in different ways and safes are locked before and after.
    "shadow_thief": [
        {"deck": dict.fromkeys(("B1", "B9", "R3", "W6"), 4) | {"S15": 9, "TB": 1, "TX": 1, "C5": fives}, "deals": 2}
        for fives in range(4)
    ]
    + [{"deals": 1}],
}

FOLLOWS_FROM_THE_REST: dict[str, set[str]] = {
    # Which kinds lie where: from the middle and the fronts.
    "art_robbery": {"lying"},
    # Who is asked: from the step, the hands and the fronts. Who is active: from the locks.
    "shadow_thief": {"asked", "active"},
}
"""What a fingerprint need not cover, since it cannot differ alone."""

ORDERED = {"art_robbery": "pile", "big_max": "pile", "shadow_thief": "deck"}
"""The part in which the order of the cards matters; of a game that has none, nothing."""


def parts_of(state: Any) -> set[str]:
    """The names of a state's parts, frozen or not."""
    if dataclasses.is_dataclass(state):
        return {field.name for field in dataclasses.fields(state)}
    # A compiled state has its parts under another name.
    return {*(state.__slots__ if hasattr(state, "__slots__") else state.__mypyc_attrs__)}


def exchanged_in(state: Any, part: str, value: Any) -> Any:
    """A state that differs in one part."""
    if dataclasses.is_dataclass(state) and not isinstance(state, type):
        return dataclasses.replace(state, **{part: value})
    other = state.copy()
    setattr(other, part, value)
    return other


def states(game: Any) -> Iterator[Any]:
    """States of random matches on the game's tables, all different."""
    dealer = random.Random("states")
    unusual = TABLES.get(game.id, [{}])
    for number in range(20):
        options = unusual[number % len(unusual)]
        tables = range(game.min_players, game.max_players + 1)
        config = game.configure(tables[number // len(unusual) % len(tables)], options)
        chance = StreamChance(key_of_seed(str(number)))
        for part in play_through(game, config, chance, lambda state, seat: dealer.choice(game.legal(state, seat))):
            yield part.before if isinstance(part, Resolved) else part.state


@pytest.mark.parametrize("name", GAMES)
def test_a_fingerprint_covers_every_part_of_a_state(name: str) -> None:
    game = GAMES[name]
    first, *others = states(game)
    parts = parts_of(first) - FOLLOWS_FROM_THE_REST.get(name, set())
    exchanged = set()
    last = first
    for state in others:
        for part in parts:
            value = getattr(state, part)
            if value != getattr(last, part):
                other = exchanged_in(last, part, value)
                assert game.fingerprint(other) != game.fingerprint(last), part
                exchanged.add(part)
        last = state

    assert exchanged == parts, "every part differs somewhere in these matches"


@pytest.mark.parametrize("name", ORDERED)
def test_a_fingerprint_covers_the_order_of_the_cards_to_come(name: str) -> None:
    game = GAMES[name]
    state = next(states(game))
    cards = getattr(state, ORDERED[name])
    other = exchanged_in(state, ORDERED[name], cards[1:2] + cards[:1] + cards[2:])

    assert cards[0] != cards[1]
    assert game.fingerprint(other) != game.fingerprint(state)
