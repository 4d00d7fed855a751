"""Ratings: one batch fit over all completed blocks, whatever the order in which they ended.

A match of n seats counts as its n · (n − 1) ÷ 2 pairs: the better place wins the pair, equal places halve it. Each pair
weighs 1 ÷ (n − 1), so that a match weighs 1 for each of its bots. Strengths are fitted to the pairs by the model of
Bradley and Terry: bot i wins its pair with bot j with the chance g(i) ÷ (g(i) + g(j)). What a bot has won in all is all
that the fit knows of its results, so a better place never lowers a rating, and where all have met equally often the
ratings stand in the order of the points.

The prior is fixed: half a match won and half a match lost against a bot of average strength.

Intervals are by the bootstrap over blocks, since results within a block are not independent: in each repetition every
block counts with a weight of its own, drawn from the exponential distribution (Rubin's Bayesian bootstrap), and so do
both halves of each bot's prior, lest a bot that never lost be thought to be known exactly. The spread of a bot's rating
over the repetitions, times Student's t for the number of its blocks, is half of its 95 % interval. The weights are
drawn from a generator that is seeded by the tournament's id, so everybody gets the same.

Ratings are shown on Elo's scale, the mean of the field at 1500: 400 more means ten to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb, exp, log, sqrt
from random import Random
from typing import NamedTuple

from cutpurse_server.tournaments.events import BlockCompleted
from cutpurse_server.tournaments.significance import LEVEL, holm, student_two_sided
from cutpurse_server.tournaments.standings import student_t_975

__all__ = [
    "BLOCKS_MANY",
    "COMPARED_MAX",
    "REPETITIONS",
    "BotRating",
    "Comparison",
    "Ratings",
    "in_schedule_order",
    "ratings_of",
    "repetitions_of",
]

REPETITIONS = 200
"""Of the bootstrap; a quarter of them beyond `BLOCKS_MANY` blocks, lest a large field take minutes."""
BLOCKS_MANY = 5_000
COMPARED_MAX = 64
"""Every two of so many bots with the highest ratings are compared; the correction counts all pairs of the field."""

_MEAN = 1500.0
_ELO = 400 / log(10)
_PRIOR = 0.5
"""Matches won, and matches lost, against an average bot."""
_SWEEPS_MAX = 500
_CLOSE, _CLOSE_IN_REPETITION = 1e-9, 1e-3
"""Where a fit ends: no strength moves by more, in natural logarithms."""
_STEP_MAX = 1.0


class BotRating(NamedTuple):
    """What is known of a bot's strength."""

    bot: str
    rating: float
    low: float | None
    """Of the 95 % interval; None with fewer than two blocks, of which no interval can be made."""
    high: float | None
    blocks: int


class Comparison(NamedTuple):
    """Two bots, the one with the higher rating first."""

    better: str
    worse: str
    difference: float
    """Of their ratings."""
    chance: float
    """Of so large a difference between equally strong bots, corrected by Holm's method for all pairs of the field."""

    @property
    def significant(self) -> bool:
        """Whether it may be said that the one is stronger than the other."""
        return self.chance <= LEVEL


class Ratings(NamedTuple):
    """All ratings of a tournament."""

    ratings: tuple[BotRating, ...]
    """The highest first; equal ones by name."""
    comparisons: tuple[Comparison, ...]
    """Of the first `COMPARED_MAX` bots, in order of their ratings."""
    strengths: dict[str, float]
    """Natural logarithms of the strengths in the model, by bot; 0 is the prior's average bot."""

    def chance_to_win(self, bot: str, other: str) -> float:
        """The chance, by the model, that a bot is placed before another one."""
        return 1 / (1 + exp(self.strengths[other] - self.strengths[bot]))


class _Pairs:
    """Weights of pairs of bots and what each bot has won, both over all blocks."""

    def __init__(self, bots: int) -> None:
        self.won = [0.0] * bots
        self.met: list[dict[int, float]] = [{} for _ in range(bots)]

    def add(self, block: _Block, weight: float) -> None:
        for bot, won in block.won:
            self.won[bot] += weight * won
        for one, other, met in block.met:
            self.met[one][other] = self.met[one].get(other, 0.0) + weight * met
            self.met[other][one] = self.met[other].get(one, 0.0) + weight * met


class _Block(NamedTuple):
    won: tuple[tuple[int, float], ...]
    """A bot, and how many matches' worth of pairs it has won."""
    met: tuple[tuple[int, int, float], ...]
    """Two bots, and how many matches' worth of pairs they have played."""


def in_schedule_order(blocks: Iterable[BlockCompleted]) -> list[BlockCompleted]:
    """Completed blocks by round and table, however they ended."""
    return sorted(blocks, key=lambda block: (block.round, block.table))


def repetitions_of(blocks: int) -> int:
    """How often the bootstrap is repeated over so many blocks."""
    return REPETITIONS if blocks <= BLOCKS_MANY else REPETITIONS // 4


def ratings_of(tournament: str, bots: Iterable[str], blocks: Iterable[BlockCompleted]) -> Ratings:
    """The ratings of all `bots` after the completed blocks of a tournament, each given once, in any order."""
    names = sorted(bots)
    number = {bot: index for index, bot in enumerate(names)}
    counted = [_counted(block, number) for block in in_schedule_order(blocks)]
    blocks_of = [0] * len(names)
    for block in counted:
        for bot, _ in block.won:
            blocks_of[bot] += 1
    even = [1.0] * len(names)
    strengths = _fit(_weighted(len(names), counted, [1.0] * len(counted)), (even, even), even, _CLOSE)
    repetitions = _repetitions(tournament, counted, strengths)
    shown = _shown(strengths)
    ratings = sorted(
        (
            _rating(name, shown[bot], [each[bot] for each in repetitions], blocks_of[bot])
            for bot, name in enumerate(names)
        ),
        key=lambda rating: (-rating.rating, rating.bot),
    )
    comparisons = _comparisons(ratings, number, repetitions)
    return Ratings(tuple(ratings), comparisons, {bot: log(strengths[number[bot]]) for bot in names})


def _counted(block: BlockCompleted, number: dict[str, int]) -> _Block:
    won: dict[int, float] = {}
    met: dict[tuple[int, int], float] = {}
    for match in block.matches:
        weight = 1 / (len(match.bots) - 1)
        seats = sorted((number[bot], place) for bot, place in zip(match.bots, match.outcome.placements, strict=True))
        for (one, place), (other, other_place) in combinations(seats, 2):
            share = 0.5 if place == other_place else float(place < other_place)
            won[one] = won.get(one, 0.0) + weight * share
            won[other] = won.get(other, 0.0) + weight * (1 - share)
            met[one, other] = met.get((one, other), 0.0) + weight
    return _Block(tuple(won.items()), tuple((*pair, weight) for pair, weight in met.items()))


def _weighted(bots: int, blocks: Sequence[_Block], weights: Sequence[float]) -> _Pairs:
    pairs = _Pairs(bots)
    for block, weight in zip(blocks, weights, strict=True):
        pairs.add(block, weight)
    return pairs


def _fit(
    pairs: _Pairs, prior: tuple[Sequence[float], Sequence[float]], start: Sequence[float], close: float
) -> list[float]:
    """The strengths at which what each bot has won is what the model expects, from a guess.

    Newton's method for one bot after the other, and after each sweep for the level of all, which only the prior holds.
    `prior` has weights of the matches won and of the matches lost against the average bot, by bot.
    """
    strengths = list(start)
    neighbours = [tuple(met.items()) for met in pairs.met]
    won = [all_won + _PRIOR * weight for all_won, weight in zip(pairs.won, prior[0], strict=True)]
    prior_met = [_PRIOR * (first + second) for first, second in zip(*prior, strict=True)]
    for _ in range(_SWEEPS_MAX):
        moved = 0.0
        for bot, own in enumerate(strengths):
            share = own / (own + 1)
            expected = prior_met[bot] * share
            curvature = expected * (1 - share)
            for other, met in neighbours[bot]:
                share = own / (own + strengths[other])
                expected += met * share
                curvature += met * share * (1 - share)
            step = max(-_STEP_MAX, min(_STEP_MAX, (won[bot] - expected) / curvature))
            strengths[bot] = own * exp(step)
            moved = max(moved, abs(step))
        level = _level_step(strengths, prior_met, [_PRIOR * weight for weight in prior[0]])
        strengths = [own * exp(level) for own in strengths]
        if max(moved, abs(level)) <= close:
            break
    return strengths


def _level_step(strengths: Sequence[float], prior_met: Sequence[float], prior_won: Sequence[float]) -> float:
    """How far all strengths together have to move, in natural logarithms."""
    shares = [own / (own + 1) for own in strengths]
    missing = sum(won - met * share for won, met, share in zip(prior_won, prior_met, shares, strict=True))
    curvature = sum(met * share * (1 - share) for met, share in zip(prior_met, shares, strict=True))
    return max(-_STEP_MAX, min(_STEP_MAX, missing / curvature))


def _repetitions(tournament: str, blocks: Sequence[_Block], strengths: Sequence[float]) -> list[list[float]]:
    """Ratings by bot for each repetition of the bootstrap."""
    draws = Random(f"cutpurse/ratings/v1\x00{tournament}")
    repetitions = []
    for _ in range(repetitions_of(len(blocks))):
        weights = [_exponential(draws) for _ in blocks]
        prior = ([_exponential(draws) for _ in strengths], [_exponential(draws) for _ in strengths])
        pairs = _weighted(len(strengths), blocks, weights)
        repetitions.append(_shown(_fit(pairs, prior, strengths, _CLOSE_IN_REPETITION)))
    return repetitions


def _exponential(draws: Random) -> float:
    """A number from the exponential distribution of mean 1, never 0."""
    return -log(1 - draws.random()) or 2.0**-53


def _shown(strengths: Sequence[float]) -> list[float]:
    """Strengths on the scale on which they are shown."""
    logarithms = [log(own) for own in strengths]
    mean = sum(logarithms) / len(logarithms)
    return [_MEAN + _ELO * (each - mean) for each in logarithms]


def _rating(name: str, rating: float, repeated: Sequence[float], blocks: int) -> BotRating:
    if blocks < 2:
        return BotRating(name, rating, None, None, blocks)
    half = student_t_975(blocks - 1) * _spread(repeated)
    return BotRating(name, rating, rating - half, rating + half, blocks)


def _spread(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _comparisons(
    ratings: Sequence[BotRating], number: dict[str, int], repetitions: Sequence[Sequence[float]]
) -> tuple[Comparison, ...]:
    compared, chances = [], []
    for better, worse in combinations(ratings[:COMPARED_MAX], 2):
        difference = better.rating - worse.rating
        first, second = number[better.bot], number[worse.bot]
        degrees = min(better.blocks, worse.blocks) - 1
        spread = _spread([each[first] - each[second] for each in repetitions])
        compared.append((better.bot, worse.bot, difference))
        chances.append(student_two_sided(difference / spread, degrees) if degrees >= 1 else 1.0)
    adjusted = holm(chances, comb(len(ratings), 2))
    return tuple(Comparison(*each, chance) for each, chance in zip(compared, adjusted, strict=True))
