"""Prints traces of every game, for test_determinism.py: the same bytes in every environment."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Game, Seat
from cutpurse_rules.playthrough import Resolved, play_through
from cutpurse_rules.trace import lines_of, match_line


def lines(game: Game[Any, Any, Any], players: int) -> Iterator[str]:
    """A match as a trace, with a fingerprint and the narration after each decision."""
    config = game.configure(players)
    chooser = random.Random(players)
    yield match_line(game, config, "environment", ["random"] * players)

    def choose(state: Any, seat: Seat) -> Any:
        return chooser.choice(game.legal(state, seat))

    for part in play_through(game, config, StreamChance(key_of_seed("environment")), choose):
        yield from lines_of(game, players, part)
        if isinstance(part, Resolved):
            yield game.fingerprint(part.after).hex()
            yield from (f"{each.seat} {each.text}" for each in game.happenings(part.before, part.chosen, part.after))


if __name__ == "__main__":
    for each in GAMES.values():
        for seats in range(each.min_players, each.max_players + 1):
            for line in lines(each, seats):
                print(line)
