"""Traces that the engine writes, for the oracles to check."""

import random
from collections.abc import Mapping
from typing import Any

from cutpurse_rules.chance import Chance, StreamChance, key_of_seed
from cutpurse_rules.contract import Game, Seat
from cutpurse_rules.playthrough import Choose, play_through
from cutpurse_rules.trace import lines_of, match_line, numbered_names

__all__ = ["at_random", "engine_trace"]


def engine_trace(
    game: Game[Any, Any, Any],
    players: int,
    options: Mapping[str, Any],
    seed: str,
    choose: Choose[Any, Any],
    chance: Chance | None = None,
) -> list[str]:
    """The lines of one match that the engine plays; its draws come from the seed unless a chance is given."""
    config = game.configure(players, options)
    lines = [match_line(game, config, seed, numbered_names(["random"] * players))]
    for part in play_through(game, config, chance or StreamChance(key_of_seed(seed)), choose):
        lines += lines_of(game, players, part)
    return lines


def at_random(game: Game[Any, Any, Any], dealer: random.Random) -> Choose[Any, Any]:
    """Choose uniformly among the legal actions."""

    def choose(state: Any, seat: Seat) -> Any:
        return dealer.choice(game.legal(state, seat))

    return choose
