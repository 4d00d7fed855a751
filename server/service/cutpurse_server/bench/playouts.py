"""Random playouts on the rules alone, one core, and OpenSpiel's hearts driven from Python in the same way.

OpenSpiel is measured where it is installed (`pip install 'cutpurse-server[bench]'`).
"""

from __future__ import annotations

import random
import time

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance

__all__ = ["open_spiel_decisions_per_s", "rules_decisions_per_s"]


def rules_decisions_per_s(game_id: str, players: int, seconds: float) -> float:
    """Decisions per second of whole random matches, through the public contract."""
    game = GAMES[game_id]
    config = game.configure(players)
    below = random.Random(1).random
    decisions = matches = 0
    begun = time.perf_counter()
    while (wall := time.perf_counter() - begun) < seconds:
        chance = StreamChance(matches.to_bytes(32, "big"))
        state = game.begin(config, chance)
        while asked := game.asked(state):
            chosen = {}
            for seat in asked:
                legal = game.legal(state, seat)
                chosen[seat] = legal[int(below() * len(legal))]
            state = game.resolve(state, chosen, chance)
            decisions += len(asked)
        matches += 1
    return decisions / wall


def open_spiel_decisions_per_s(name: str, seconds: float) -> float | None:
    """The same for a game of OpenSpiel; None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    below = random.Random(1).random
    decisions = 0
    begun = time.perf_counter()
    while (wall := time.perf_counter() - begun) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                decisions += 1
            state.apply_action(legal[int(below() * len(legal))])
    return decisions / wall
