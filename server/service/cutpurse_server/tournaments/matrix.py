"""The pairwise matrix: how any two bots fared against each other, wherever they sat at one table.

Everything is counted in whole halves, so the order of the blocks changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from cutpurse_server.tournaments.events import BlockCompleted

__all__ = ["Encounter", "Matrix", "matrix_of"]


class Encounter(NamedTuple):
    """What a bot has against another one."""

    matches: int
    halves: int
    """Two for a match in which it was placed before the other, one for one in which they shared a place."""

    @property
    def share(self) -> Fraction:
        """The share that it won, from 0 to 1."""
        return Fraction(self.halves, 2 * self.matches)


Matrix = dict[tuple[str, str], Encounter]
"""By (bot, other); pairs that never met are not in it."""


def matrix_of(blocks: Iterable[BlockCompleted]) -> Matrix:
    """The matrix over completed blocks, each given once."""
    counts: dict[tuple[str, str], list[int]] = {}
    for block in blocks:
        for match in block.matches:
            seats = list(zip(match.bots, match.outcome.placements, strict=True))
            for (bot, place), (other, other_place) in permutations(seats, 2):
                count = counts.setdefault((bot, other), [0, 0])
                count[0] += 1
                count[1] += 1 if place == other_place else 2 * (place < other_place)
    return {pair: Encounter(*count) for pair, count in counts.items()}
