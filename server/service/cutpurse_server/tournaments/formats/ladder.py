"""Ladder: period after period, tables of bots with about the same rating; it goes on until the organiser ends it.

In a period everybody plays one block. Bots are put in order of their ratings, equal ones by lot, and cut into tables of
neighbours; who met in the period before is kept apart if possible. Those for whom there is no full table have a bye:
the ones with the fewest byes, at last by lot.

Ratings. Each bot has a mean μ and a deviation σ, from 25 and 25/3 on. They change when a period is closed, all at once
and from what they were at its beginning, so the order of results within it does not matter. The rule is that of Weng
and Lin for the Bradley–Terry model with full pairing (Journal of Machine Learning Research 12, 2011, algorithm 1), with
β = 25/6 and κ = 10⁻⁴, and σ² grows by (1/12)² before each period. What one bot scored against another at a table is the
share of the block's matches in which it was placed before it, half for sharing a place.

All is computed in decimal arithmetic of 28 digits, whose exponential and root are rounded correctly everywhere: an
audit on another machine comes to the same ratings, and so to the same pairings.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from cutpurse_server.tournaments.events import BlockCompleted
from cutpurse_server.tournaments.formats.course import Course, Draw, TiedLot, pair
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER
from cutpurse_server.tournaments.formats.seating import seated_round

__all__ = ["START", "Ladder", "Rating", "after_period"]

_EXACT = Context(prec=28)
_TWO_BETA_SQUARED = _EXACT.divide(Decimal(625), Decimal(18))
_GROWTH = _EXACT.divide(Decimal(1), Decimal(144))
_KAPPA = Decimal("0.0001")


class Rating(NamedTuple):
    """What a ladder knows of a bot's strength."""

    mean: Decimal
    variance: Decimal


START = Rating(Decimal(25), _EXACT.divide(Decimal(625), Decimal(9)))


def after_period(ratings: Sequence[Rating], tables: Sequence[tuple[Sequence[int], BlockCompleted]]) -> list[Rating]:
    """The ratings after a period, by entrant; tables as the bots' numbers in the order of the block's first match."""
    exact = _EXACT
    grown = [Rating(each.mean, exact.add(each.variance, _GROWTH)) for each in ratings]
    gain = [Decimal(0)] * len(ratings)
    shrink = [Decimal(0)] * len(ratings)
    for members, block in tables:
        for (one, won), (other, lost) in _pairs(members, block):
            mine, its = grown[one], grown[other]
            spread = exact.sqrt(exact.add(exact.add(mine.variance, its.variance), _TWO_BETA_SQUARED))
            gap = exact.divide(exact.subtract(its.mean, mine.mean), spread)
            expected = exact.divide(Decimal(1), exact.add(Decimal(1), exact.exp(gap)))
            score = exact.divide(Decimal(won), Decimal(won + lost))
            surplus = exact.subtract(score, expected)
            doubt = exact.multiply(expected, exact.subtract(Decimal(1), expected))
            for number, rating, more in ((one, mine, surplus), (other, its, exact.minus(surplus))):
                pull = exact.divide(rating.variance, spread)
                gain[number] = exact.add(gain[number], exact.multiply(pull, more))
                share = exact.divide(rating.variance, exact.multiply(spread, spread))
                gamma = exact.divide(exact.sqrt(rating.variance), spread)
                shrink[number] = exact.add(shrink[number], exact.multiply(exact.multiply(gamma, share), doubt))
    return [
        Rating(
            exact.add(rating.mean, gain[number]),
            exact.multiply(rating.variance, max(exact.subtract(Decimal(1), shrink[number]), _KAPPA)),
        )
        for number, rating in enumerate(grown)
    ]


def _pairs(members: Sequence[int], block: BlockCompleted) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Every pair of a table's bots, each with half points that it took from the other over the block."""
    bots = block.matches[0].bots
    pairs = []
    for (one, first), (other, second) in combinations(zip(members, bots, strict=True), 2):
        won = 0
        for match in block.matches:
            places = match.outcome.placements
            mine, its = places[match.bots.index(first)], places[match.bots.index(second)]
            won += 2 * (mine < its) + (mine == its)
        pairs.append(((one, won), (other, 2 * len(block.matches) - won)))
    return pairs


class Ladder:
    """See the module."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._ratings: list[Rating] = []
        """After the closed periods but the last: that one may still change, if a block of it is voided."""
        self._closed = 0

    def fixed(self) -> None:
        """None: rounds depend on results."""
        return None

    def next(self) -> Draw | None:
        """The next period, as long as there is one and a table can be filled."""
        course = self._course
        ratings = self._ratings_after(len(course.rounds))
        before = {both for table in course.rounds[-1:] for each in table for both in combinations(each, 2)}

        def avoid(one: int, other: int) -> int:
            return SAME_OWNER * course.same_owner(one, other) + (pair(one, other) in before)

        return seated_round(course, "cutpurse/ladder/v1", avoid, height=lambda number: ratings[number].mean)

    def drawn(self, draw: Draw) -> None:
        """The period before is closed for good."""
        closed = len(self._course.rounds) - 1
        self._ratings = self._ratings_after(closed)
        self._closed = closed

    def last_lots(self) -> tuple[TiedLot, ...]:
        """None are drawn."""
        return ()

    def scores(self) -> Sequence[Fraction]:
        """By entrant: the rating's mean after the closed periods."""
        course = self._course
        closed = len(course.rounds) - bool(course.tables_open)
        return [Fraction(rating.mean) for rating in self._ratings_after(closed)]

    def _padded(self) -> list[Rating]:
        return [*self._ratings, *[START] * (len(self._course.entrants) - len(self._ratings))]

    def _ratings_after(self, periods: int) -> list[Rating]:
        ratings = self._padded()
        for results in self._course.results[self._closed : periods]:
            numbers = self._course.numbers
            blocks = [block for block in results if block is not None]
            ratings = after_period(ratings, [([numbers[bot] for bot in each.matches[0].bots], each) for each in blocks])
        return ratings
