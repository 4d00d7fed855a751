"""Standings: a pure function of the completed blocks, whatever the order in which they ended.

Points of a seat in a match: (seats placed below it + half of those that share its place) ÷ (seats − 1), from 0 to 1.
A bot's mean is over its matches. Every block holds as many matches of each of its bots, so that is also the mean over
its blocks, whose spread gives the interval: Student's t at 95 %, mean ± t · s ÷ √blocks, cut to [0, 1]; with fewer than
two blocks nothing is known, and the interval is [0, 1]. Of blocks without any spread only this is known, that others
are rare: at most 3 in as many as there are ("rule of three", at 95 %), which may have brought nothing or everything.

Everything is counted in whole units of 1 ÷ (2 · (seats − 1)) points and compared as exact fractions: equal means share
a place, and no name, seat or rounding breaks a tie. Rows of equal place are shown by name.

Places follow from the mean points, or from the scores of a format that has its own (formats/). Whoever was disqualified
shares the last place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

from cutpurse_server.matches.events import MatchOutcome
from cutpurse_server.tournaments.events import BlockCompleted, LeaveCause, Standing
from cutpurse_server.tournaments.formats.course import placement_units

__all__ = ["NOTHING_MORE", "Ranking", "Standings", "points_units", "standings_of", "student_t_975"]

_T_975 = (
    12.7062047361747, 4.30265272974946, 3.18244630528371, 2.77644510519779, 2.57058183563632, 2.44691185114497,
    2.36462425159278, 2.30600413520417, 2.26215716279820, 2.22813885198627, 2.20098516009164, 2.17881282966723,
    2.16036865646279, 2.14478668791780, 2.13144954555978, 2.11990529922125, 2.10981557783332, 2.10092204024104,
    2.09302405440831, 2.08596344726586,
)  # fmt: skip
_Z_975 = 1.959963984540054


class Ranking(NamedTuple):
    """What standings take from a tournament beyond its blocks; by bot."""

    scores: Mapping[str, Fraction] | None
    """What places follow from; None: the mean points."""
    byes: Mapping[str, int]
    left: Mapping[str, LeaveCause]


NOTHING_MORE = Ranking(None, {}, {})
"""A round robin that nobody has left."""


class _Counts:
    """What a bot has so far, in units of points."""

    __slots__ = ("blocks", "by_seat", "firsts", "forfeits", "sat", "units", "units_squared")

    def __init__(self, players: int) -> None:
        self.blocks = 0
        self.units = 0
        self.units_squared = 0
        """Sum over blocks of the square of the units in the block."""
        self.firsts = 0
        self.forfeits = 0
        self.by_seat = [0] * players
        self.sat = [0] * players


class Standings:
    """Counts that grow by blocks; `rows` makes the standings of them. Cheap enough to follow a running tournament."""

    def __init__(self, players: int, bots: Iterable[str]) -> None:
        assert players >= 2
        self._players = players
        self._counts = {bot: _Counts(players) for bot in bots}

    def enter(self, bot: str) -> None:
        """A late entry."""
        self._counts[bot] = _Counts(self._players)

    def add(self, block: BlockCompleted) -> None:
        """Count a completed block. Each must be added once."""
        assert len(block.matches) == self._players
        in_block = dict.fromkeys(block.matches[0].bots, 0)
        for match in block.matches:
            assert set(match.bots) == set(in_block), "a block is matches of the same bots"
            for seat, bot in enumerate(match.bots):
                units = points_units(match.outcome, seat)
                in_block[bot] += units
                counts = self._counts[bot]
                counts.by_seat[seat] += units
                counts.sat[seat] += 1
                counts.firsts += match.outcome.placements[seat] == 1
                counts.forfeits += seat in match.outcome.forfeited
        for bot, units in in_block.items():
            counts = self._counts[bot]
            counts.blocks += 1
            counts.units += units
            counts.units_squared += units * units

    def rows(self, ranking: Ranking = NOTHING_MORE) -> tuple[Standing, ...]:
        """The standings, best first. Bots without a completed block have mean 0."""
        means = {bot: self._mean(counts) for bot, counts in self._counts.items()}
        scores = means if ranking.scores is None else ranking.scores
        out = {bot for bot, cause in ranking.left.items() if cause is LeaveCause.DISQUALIFIED}
        order = sorted((bot for bot in means), key=lambda bot: (bot in out, 0 if bot in out else -scores[bot], bot))
        rows: list[Standing] = []
        for at, bot in enumerate(order):
            before = order[at - 1]
            shares = at > 0 and (bot in out) == (before in out) and (bot in out or scores[bot] == scores[before])
            place = rows[-1].place if shares else at + 1
            rows.append(self._row(bot, place, means[bot], scores[bot], ranking))
        return tuple(rows)

    def to_json(self, ranking: Ranking = NOTHING_MORE) -> list[dict[str, Any]]:
        """The standings in exact form: fractions as `numerator/denominator`, None for a seat never sat in."""
        rows = []
        for row in self.rows(ranking):
            counts = self._counts[row.bot]
            by_seat = [
                str(Fraction(units, self._units_per_point * sat)) if sat else None
                for units, sat in zip(counts.by_seat, counts.sat, strict=True)
            ]
            shown = row._asdict() | {
                "points_mean_exact": str(self._mean(counts)),
                "points_by_seat": [None if isnan(points) else points for points in row.points_by_seat],
                "points_by_seat_exact": by_seat,
                "left": row.left.name.lower() if row.left else None,
            }
            rows.append(shown)
        return rows

    @property
    def _units_per_point(self) -> int:
        return 2 * (self._players - 1)

    def _mean(self, counts: _Counts) -> Fraction:
        matches = counts.blocks * self._players
        return Fraction(counts.units, self._units_per_point * matches) if matches else Fraction(0)

    def _row(self, bot: str, place: int, mean: Fraction, score: Fraction, ranking: Ranking) -> Standing:
        counts = self._counts[bot]
        low, high = self._interval(mean, counts)
        by_seat = tuple(
            float(Fraction(units, self._units_per_point * sat)) if sat else nan
            for units, sat in zip(counts.by_seat, counts.sat, strict=True)
        )
        return Standing(
            place=place,
            bot=bot,
            matches=counts.blocks * self._players,
            points_mean=float(mean),
            points_low=low,
            points_high=high,
            firsts=counts.firsts,
            forfeits=counts.forfeits,
            points_by_seat=by_seat,
            score=float(score),
            byes=ranking.byes.get(bot, 0),
            left=ranking.left.get(bot),
        )

    def _interval(self, mean: Fraction, counts: _Counts) -> tuple[float, float]:
        blocks = counts.blocks
        if blocks < 2:
            return 0.0, 1.0
        unit = Fraction(1, self._units_per_point * self._players)
        spread = Fraction(blocks * counts.units_squared - counts.units**2, blocks * (blocks - 1)) * unit**2
        if not spread:
            others = min(1.0, 3 / blocks)
            return float(mean) * (1.0 - others), float(mean) + (1.0 - float(mean)) * others
        half = student_t_975(blocks - 1) * sqrt(spread / blocks)
        return max(0.0, float(mean) - half), min(1.0, float(mean) + half)


def standings_of(players: int, bots: Iterable[str], blocks: Iterable[BlockCompleted]) -> Standings:
    """The standings over completed blocks."""
    standings = Standings(players, bots)
    for block in blocks:
        standings.add(block)
    return standings


def points_units(outcome: MatchOutcome, seat: int) -> int:
    """A seat's points in a match, in units of 1 ÷ (2 · (seats − 1)): two for a seat below it, one for one beside it."""
    return placement_units(outcome.placements, seat)


def student_t_975(degrees: int) -> float:
    """The 97.5 % point of Student's t, from a table and beyond it by Cornish and Fisher's series (error below 1e-6).

    Only the four basic operations are used, so every platform gets the same bits.
    """
    assert degrees >= 1
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    z, n = _Z_975, float(degrees)
    z2 = z * z
    first = (z2 + 1) * z / 4
    second = ((5 * z2 + 16) * z2 + 3) * z / 96
    third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384
    fourth = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160
    return z + first / n + second / (n * n) + third / (n * n * n) + fourth / (n * n * n * n)
