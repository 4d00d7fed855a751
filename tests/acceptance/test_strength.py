"""`greedy` beats `random` at every number of seats, by the design's points, beyond what luck explains."""

from __future__ import annotations

from importlib.metadata import entry_points
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed, sub_key
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import Ended, play_through
from cutpurse_server.wire.local_decisions import local_decision_to_proto

GAME = GAMES["art_robbery"]
ROUNDS = 8
"""In each, greedy sits in every seat once, each time with a deal of its own."""
QUANTILE = 1.96


def points(placements: tuple[int, ...], seat: int) -> float:
    """What a seat gets for a match: the part of the others that it left behind, those beside it counted half."""
    others = [place for other, place in enumerate(placements) if other != seat]
    return sum(1.0 if place > placements[seat] else 0.5 * (place == placements[seat]) for place in others) / len(others)


def points_of(hero: str, villain: str, players: int, seat: int, seed: str) -> float:
    """The points of one bot among others that are all alike."""
    bots = {point.name: point.load() for point in entry_points(group="cutpurse.bots")}
    key = key_of_seed(seed)
    asked = [0] * players

    def choose(state: Any, at: Seat) -> Any:
        asked[at] += 1
        decision = local_decision_to_proto(GAME, state, at, asked[at])
        return GAME.parse(bots[hero if at == seat else villain](decision, sub_key(key, f"bot/{at}")))

    *_, last = play_through(GAME, GAME.configure(players, {}), StreamChance(key), choose)
    assert isinstance(last, Ended)
    return points(tuple(last.result.placements), seat)


def lower_bound(sample: list[float]) -> float:
    """The lower end of the 95 % interval of the mean."""
    return fmean(sample) - QUANTILE * stdev(sample) / sqrt(len(sample))


def all_points(hero: str, villain: str, players: int) -> list[float]:
    """The points of a bot over all rounds and seats."""
    rounds = ROUNDS * 5 // players
    return [
        points_of(hero, villain, players, seat, f"strength/{players}/{number}/{seat}")
        for number in range(rounds)
        for seat in range(players)
    ]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_greedy_beats_random(players: int) -> None:
    sample = all_points("greedy", "random", players)

    print(f"{players} seats, {len(sample)} matches: mean {fmean(sample):.3f}, at least {lower_bound(sample):.3f}")
    assert lower_bound(sample) > 0.5


def test_random_does_not_beat_random() -> None:
    assert lower_bound(all_points("random", "random", 4)) < 0.5
