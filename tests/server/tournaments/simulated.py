"""Made-up tournaments between bots of known strength, for the statistics to be held against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

from cutpurse_rules.contract import EndReason
from cutpurse_server.matches.events import MatchOutcome
from cutpurse_server.tournaments.events import BlockCompleted, CompletedMatch

__all__ = ["Places", "block_of", "by_strength", "round_robin"]

Places = Callable[[Sequence[str], Random], Sequence[int]]
"""The placements of bots, who are given by seat."""


def by_strength(strengths: dict[str, float]) -> Places:
    """Places drawn one after the other, each in proportion to strength: pairs are as Bradley and Terry have them."""

    def places(bots: Sequence[str], chance: Random) -> Sequence[int]:
        # The earliest of exponential clocks is each bot's in proportion to its strength.
        times = [chance.expovariate(strengths[bot]) for bot in bots]
        return [1 + sum(other < own for other in times) for own in times]

    return places


def block_of(
    round_number: int, table: int, bots: Sequence[str], places: Sequence[Sequence[int]], forfeited: tuple[int, ...] = ()
) -> BlockCompleted:
    """A block in rotated seats; `places` are those of each match, by seat."""
    players = len(bots)
    matches = []
    for rotation, by_seat in enumerate(places):
        seats = tuple(bots[(seat - rotation) % players] for seat in range(players))
        outcome = MatchOutcome((0,) * players, tuple(by_seat), EndReason.COMPLETED, forfeited, tuple(by_seat))
        matches.append(CompletedMatch(f"m{round_number}.{table}.{rotation}", b"", 1, outcome, seats))
    return BlockCompleted(round_number, table, 1, tuple(matches), 0)


def round_robin(bots: Sequence[str], players: int, rounds: int, places: Places, chance: Random) -> list[BlockCompleted]:
    """Every set of `players` bots at one table in every round."""
    blocks = []
    for round_number in range(1, rounds + 1):
        for table, members in enumerate(combinations(bots, players), 1):
            drawn = []
            for rotation in range(players):
                seats = [members[(seat - rotation) % players] for seat in range(players)]
                drawn.append(places(seats, chance))
            blocks.append(block_of(round_number, table, members, drawn))
    return blocks
