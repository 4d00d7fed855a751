"""The engine's traces of random matches, over all player counts and options, hold before the oracle."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from tests.rules.oracle.art_robbery_oracle import CARDS, Mismatch, check
from tests.rules.oracle.engine_traces import at_random, engine_trace

GAME = GAMES["art_robbery"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"auto_play_forced": False, "heist_turn_limit": 1},
    {"heist_turn_limit": 12, "tiles": {"0.3": 1, "1.1": 2, "3.0": 2, "4.0": 1, "5.0": 1}},
    # Few takes and many Bosses and dogs: thefts, answers, reshuffles.
    {"deck": {"N4": 8, "N5": 8, "GD": 6, "GT": 4, "BS": 8}, "heist_turn_limit": 25},
    # Every card is in a hand, so that each turn reshuffles the one card just played.
    {"deck": {"GT": 13, "N5": 12}, "tiles": {"1.1": 3, "5.0": 2, "BOSS": 1}},
]


def trace(players: int, options: Mapping[str, Any], seed: str, chance: Chance | None = None) -> list[str]:
    """Play one match with choices that depend on the seed alone; return its lines."""
    return engine_trace(GAME, players, options, seed, at_random(GAME, random.Random(seed)), chance)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("options", OPTIONS, ids=["page", "one turn", "no Boss tile", "thefts", "tiny deck"])
def test_traces_of_the_engine_hold(players: int, options: dict[str, Any]) -> None:
    for number in range(3):
        seed = f"{players}/{number}"
        check(trace(players, options, seed))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_traces_with_a_scripted_deck_hold(players: int) -> None:
    counts = GAME.composition(GAME.configure(players, OPTIONS[3]), "deck")
    cards = [card for card in CARDS for _ in range(counts[card])]
    orders = [cards, cards[::-1], random.Random(players).sample(cards, len(cards))]
    for number, order in enumerate(orders):
        seed = f"scripted/{players}/{number}"
        script = ScriptedChance([Draw("deck", "shuffle", tuple(order))], StreamChance(key_of_seed(seed)))
        check(trace(players, OPTIONS[3], seed, script))


def test_trace_of_a_match_under_another_limit_does_not_hold() -> None:
    lines = trace(3, {"heist_turn_limit": 4}, "limit")
    check(lines)
    lines[0] = lines[0].replace('"heist_turn_limit":4', '"heist_turn_limit":5')
    with pytest.raises(Mismatch, match="line 11: decision"):
        check(lines)
