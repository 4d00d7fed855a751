"""Random playouts on the rules alone, one core, and OpenSpiel's hearts driven from Python in the same way.

OpenSpiel is measured where it is installed (`pip install 'cutpurse-server[bench]'`). Time is that of the processor, so
that neighbours count as little as they can. As a program (`python -m … GAME PLAYERS SECONDS`) it prints what it
measured, and with which form of the rules: see `compiled`.
"""

from __future__ import annotations

import json
import random
import sys
import time

import typer

from cutpurse_rules import GAMES, chance
from cutpurse_rules.chance import StreamChance
from cutpurse_server.loops import collect_patiently

__all__ = ["open_spiel_decisions_per_s", "rules_decisions_per_s"]


def rules_decisions_per_s(game_id: str, players: int, seconds: float) -> float:
    """Decisions per second of whole random matches, through the public contract."""
    game = GAMES[game_id]
    config = game.configure(players)
    below = random.Random(1).random
    decisions = matches = 0
    begun = time.process_time()
    while (wall := time.process_time() - begun) < seconds:
        draws = StreamChance(matches.to_bytes(32, "big"))
        state = game.begin(config, draws)
        while asked := game.asked(state):
            chosen = {}
            for seat in asked:
                legal = game.legal(state, seat)
                chosen[seat] = legal[int(below() * len(legal))]
            state = game.advance(state, chosen, draws)
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
    begun = time.process_time()
    while (wall := time.process_time() - begun) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                decisions += 1
            state.apply_action(legal[int(below() * len(legal))])
    return decisions / wall


def main(game_id: str, players: str, seconds: str) -> None:
    """Measure, and print the figure and the file of the rules that were measured."""
    # What belongs to no measurement, such as filling caches, is done before.
    rules_decisions_per_s(game_id, int(players), float(seconds) / 10)
    measured = rules_decisions_per_s(game_id, int(players), float(seconds))
    typer.echo(json.dumps({"per_s": measured, "rules": chance.__file__}))


if __name__ == "__main__":
    collect_patiently()
    main(*sys.argv[1:])
