"""A fingerprint covers the whole state: whatever part of a state is exchanged for another, the fingerprint changes."""

from __future__ import annotations

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
    # Who knows of which card-sharp: from their record.
    "big_max": {"sharps"},
    # Who is asked: from the step, the hands and the fronts. Who is active: from the locks.
    "shadow_thief": {"asked", "active"},
}
"""What a fingerprint need not cover, since it cannot differ alone."""

ORDERED = {"art_robbery": "pile", "big_max": "pile", "shadow_thief": "deck"}
"""The part in which the order of the cards matters."""


def states(game: Any) -> Iterator[Any]:
    """States of random matches on the game's tables, all different."""
    dealer = random.Random("states")
    for number in range(20):
        options = TABLES[game.id][number % len(TABLES[game.id])]
        config = game.configure(3, options)
        chance = StreamChance(key_of_seed(str(number)))
        for part in play_through(game, config, chance, lambda state, seat: dealer.choice(game.legal(state, seat))):
            yield part.before if isinstance(part, Resolved) else part.state


@pytest.mark.parametrize("name", GAMES)
def test_a_fingerprint_covers_every_part_of_a_state(name: str) -> None:
    game = GAMES[name]
    first, *others = states(game)
    parts = set(first.__slots__) - FOLLOWS_FROM_THE_REST[name]
    exchanged = set()
    last = first
    for state in others:
        for part in parts:
            value = getattr(state, part)
            if value != getattr(last, part):
                other = last.copy()
                setattr(other, part, value)
                assert game.fingerprint(other) != game.fingerprint(last), part
                exchanged.add(part)
        last = state

    assert exchanged == parts, "every part differs somewhere in these matches"


@pytest.mark.parametrize("name", GAMES)
def test_a_fingerprint_covers_the_order_of_the_cards_to_come(name: str) -> None:
    game = GAMES[name]
    state = next(states(game))
    other = state.copy()
    cards = getattr(state, ORDERED[name])
    setattr(other, ORDERED[name], cards[1:2] + cards[:1] + cards[2:])

    assert cards[0] != cards[1]
    assert game.fingerprint(other) != game.fingerprint(state)
