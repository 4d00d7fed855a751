"""How strong a house bot is: its points among others that are all alike, with the interval that luck leaves.

    python -m tests.acceptance.strength                      # every game, greedy among random
    python -m tests.acceptance.strength --game big_max --players 3 --matches 400 --hero greedy --others first

Points are the design's: the part of the other seats that a seat leaves behind, those beside it counted half. Equal bots
get a half.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from cutpurse.v1 import match_pb2
from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed, sub_key
from cutpurse_rules.contract import Game, Seat
from cutpurse_rules.playthrough import Ended, play_through
from cutpurse_server.wire.local_decisions import local_decision_to_proto

__all__ = ["Strength", "points", "strength_of"]

QUANTILE = 1.96
"""Of the normal distribution, for an interval that holds in 95 of 100 cases."""

HouseBot = Callable[[match_pb2.Decision, bytes], str]


@dataclass(frozen=True)
class Strength:
    """The points of one bot over many matches."""

    game: str
    players: int
    sample: tuple[float, ...]
    """The points of each match, from 0 to 1."""

    @property
    def mean(self) -> float:
        """Points a match."""
        return fmean(self.sample)

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval of the mean."""
        return self.mean - QUANTILE * stdev(self.sample) / sqrt(len(self.sample))

    @property
    def high(self) -> float:
        """The upper end; nobody gets more than one point."""
        return min(1.0, 2 * self.mean - self.low)

    def __str__(self) -> str:
        return (
            f"{self.game}, {self.players} seats, {len(self.sample)} matches: "
            f"{self.mean:.3f} points a match (95 %: {self.low:.3f} to {self.high:.3f})"
        )


def points(placements: Sequence[int], seat: int) -> float:
    """What a seat gets for a match."""
    others = [place for other, place in enumerate(placements) if other != seat]
    return sum(1.0 if place > placements[seat] else 0.5 * (place == placements[seat]) for place in others) / len(others)


def strength_of(hero: str, others: str, game: str, players: int, matches: int) -> Strength:
    """The points of one bot among others that are all alike, in whole rounds of at least so many matches.

    In a round the hero sits in every seat once, each time with a deal of its own.
    """
    rounds = -(-matches // players)
    sample = tuple(
        _points_of_match(GAMES[game], hero, others, players, seat, f"strength/{players}/{number}/{seat}")
        for number in range(rounds)
        for seat in range(players)
    )
    return Strength(game, players, sample)


@cache
def _house_bot(name: str) -> HouseBot:
    bots = {point.name: point for point in entry_points(group="cutpurse.bots")}
    bot: HouseBot = bots[name].load()
    return bot


def _points_of_match(game: Game[Any, Any, Any], hero: str, others: str, players: int, seat: int, seed: str) -> float:
    key = key_of_seed(seed)
    asked = [0] * players

    def choose(state: Any, at: Seat) -> Any:
        asked[at] += 1
        decision = local_decision_to_proto(game, state, at, asked[at])
        return game.parse(_house_bot(hero if at == seat else others)(decision, sub_key(key, f"bot/{at}")))

    *_, last = play_through(game, game.configure(players, {}), StreamChance(key), choose)
    assert isinstance(last, Ended)
    return points(last.result.placements, seat)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each game and number of seats; the exit code is 1 if the hero is not surely the better one."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.acceptance.strength", description="How strong a house bot is."
    )
    parser.add_argument("--game", choices=list(GAMES), action="append", help="which game; all if none is given")
    parser.add_argument("--players", type=int, action="append", help="how many seats; every number if not given")
    parser.add_argument("--matches", type=int, default=200, help="at least so many for each line (200)")
    parser.add_argument("--hero", default="greedy", help="the house bot that is measured (greedy)")
    parser.add_argument("--others", default="random", help="the house bot in all other seats (random)")
    chosen = parser.parse_args(arguments)
    worst = 1.0
    for game in chosen.game or GAMES:
        for players in chosen.players or range(GAMES[game].min_players, GAMES[game].max_players + 1):
            strength = strength_of(chosen.hero, chosen.others, game, players, chosen.matches)
            worst = min(worst, strength.low)
            sys.stdout.write(f"{strength}\n")
            sys.stdout.flush()
    return 0 if worst > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
