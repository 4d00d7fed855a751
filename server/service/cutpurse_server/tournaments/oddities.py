"""Oddities: results that chance and the ratings hardly explain. Hints for people, never a verdict.

What a bot gets in a block is compared with what the ratings let one expect against the same opponents. The difference
is its *surplus*, in points. Three questions are asked of the surpluses, one block being one observation:

- For each ordered pair (A, B): does B get more or less with A at the table than at its other tables? If A loses to B on
  purpose or plays into its hands, B gets more with A.
- For each seat: does whoever sits there get more than half a point in the mean? That is a trait of the game.
- For each bot and seat: does the bot get more there than in its other seats, the seat's own effect taken off?

Each question is a family of tests of its own. A surplus varies as the model says, times a factor that is estimated over
the whole tournament; the surplus of a group of blocks, less its share of the bot's whole surplus, divided by its
standard deviation, is held against Student's t. Chances are corrected by Benjamini and Hochberg's method and flagged
at 5 %: where nothing is odd, one tournament in twenty gets a flag in a family. A planned effect shifts the ratings, and
with them what others are expected to get, so the first flag says more than the ones after it. Honest styles that beat
each other in a circle are flagged too: people have to look at what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from cutpurse_server.tournaments.events import BlockCompleted
from cutpurse_server.tournaments.ratings import Ratings, in_schedule_order
from cutpurse_server.tournaments.significance import LEVEL, benjamini_hochberg, student_two_sided
from cutpurse_server.tournaments.standings import points_units

__all__ = ["BotSeatEffect", "Oddities", "PairEffect", "SeatEffect", "oddities_of"]

_BLOCKS_MIN = 3
"""Fewer blocks on either side say nothing."""
_INFORMATION_MIN = 0.75
"""Variance by the model, in pairs of seats, on either side: less, and a sum is far from normal."""


class PairEffect(NamedTuple):
    """What the presence of one bot does to another one."""

    present: str
    bot: str
    effect: float
    """Points in a match that `bot` gets with `present` at the table beyond those without it, strengths taken off."""
    blocks: int
    """With both at the table."""
    chance: float
    """Of so large an effect where there is none, corrected."""

    @property
    def flagged(self) -> bool:
        """Whether people should look at it."""
        return self.chance <= LEVEL


class SeatEffect(NamedTuple):
    """What a seat is worth."""

    seat: int
    effect: float
    """Points in a match beyond the mean of a half."""
    chance: float
    """Of so large an effect where there is none, corrected."""

    @property
    def flagged(self) -> bool:
        """Whether the seat matters."""
        return self.chance <= LEVEL


class BotSeatEffect(NamedTuple):
    """What a seat is worth to one bot beyond what it is to all."""

    bot: str
    seat: int
    effect: float
    """Points in a match."""
    chance: float
    """Of so large an effect where there is none, corrected."""

    @property
    def flagged(self) -> bool:
        """Whether people should look at it."""
        return self.chance <= LEVEL


class Oddities(NamedTuple):
    """All tests of a tournament, the least likely first."""

    pairs: tuple[PairEffect, ...]
    pairs_untested: int
    """Ordered pairs that met too seldom, or never sat apart, so that nothing can be said of them."""
    seats: tuple[SeatEffect, ...]
    bot_seats: tuple[BotSeatEffect, ...]


class _Sum:
    """Surpluses of one bot in some of its matches."""

    __slots__ = ("blocks", "matches", "surplus", "variance")

    def __init__(self) -> None:
        self.blocks = 0
        self.matches = 0
        self.surplus = 0.0
        self.variance = 0.0
        """By the model, before the tournament's factor."""

    def add(self, surplus: float, variance: float, matches: int) -> None:
        self.blocks += 1
        self.matches += matches
        self.surplus += surplus
        self.variance += variance

    def without(self, part: _Sum) -> _Sum:
        rest = _Sum()
        rest.blocks = self.blocks - part.blocks
        rest.matches = self.matches - part.matches
        rest.surplus = self.surplus - part.surplus
        rest.variance = self.variance - part.variance
        return rest


class _Surpluses:
    """All sums that the tests need, and the factor by which variances are off."""

    def __init__(self, ratings: Ratings, blocks: Sequence[BlockCompleted]) -> None:
        self.bots: dict[str, _Sum] = {}
        self.pairs: dict[tuple[str, str], _Sum] = {}
        """By (who was present, whose surplus)."""
        self.seats: dict[int, _Sum] = {}
        self.bot_seats: dict[tuple[str, int], _Sum] = {}
        self._ratings = ratings
        self._squares = self._seat_squares = 0.0
        # A table's seats are the same in a whole tournament.
        self.players = len(blocks[0].matches) if blocks else 2
        for block in blocks:
            self._add(block)

    @property
    def degrees(self) -> int:
        """Observations, less what the strengths and a block's constant sum take away."""
        observed = sum(each.blocks for each in self.bots.values())
        return int(observed * (self.players - 1) / self.players) - (len(self.bots) - 1)

    @property
    def factor(self) -> float:
        """By which a block's surplus varies more than the model says."""
        observed = sum(each.blocks for each in self.bots.values()) * (self.players - 1) / self.players
        return self._squares / self._variance * observed / max(1, self.degrees)

    @property
    def seat_factor(self) -> float:
        """The same for a single match: matches of a block may hang together."""
        return self._seat_squares / self._variance

    @property
    def information_min(self) -> float:
        """The least variance on either side of a comparison."""
        return _INFORMATION_MIN / (self.players - 1) ** 2

    @property
    def _variance(self) -> float:
        return sum(each.variance for each in self.bots.values())

    def _add(self, block: BlockCompleted) -> None:
        members = block.matches[0].bots
        surplus = dict.fromkeys(members, 0.0)
        variance = dict.fromkeys(members, 0.0)
        expected = {bot: self._expected(bot, members) for bot in members}
        for match in block.matches:
            for seat, bot in enumerate(match.bots):
                points = points_units(match.outcome, seat) / (2 * (len(members) - 1))
                mean, spread = expected[bot]
                surplus[bot] += points - mean
                variance[bot] += spread
                self._seat_squares += (points - mean) ** 2
                self.seats.setdefault(seat, _Sum()).add(points - mean, spread, 1)
                self.bot_seats.setdefault((bot, seat), _Sum()).add(points - mean, spread, 1)
        for bot in members:
            self._squares += surplus[bot] ** 2
            self.bots.setdefault(bot, _Sum()).add(surplus[bot], variance[bot], len(block.matches))
            for present in members:
                if present != bot:
                    pair = self.pairs.setdefault((present, bot), _Sum())
                    pair.add(surplus[bot], variance[bot], len(block.matches))

    def _expected(self, bot: str, members: Sequence[str]) -> tuple[float, float]:
        """Points in a match against the others, and their variance as if pairs were independent."""
        chances = [self._ratings.chance_to_win(bot, other) for other in members if other != bot]
        others = len(chances)
        return sum(chances) / others, sum(chance * (1 - chance) for chance in chances) / others**2


def oddities_of(ratings: Ratings, blocks: Iterable[BlockCompleted]) -> Oddities:
    """Every test over completed blocks, in any order; the ratings are those of the same blocks."""
    surpluses = _Surpluses(ratings, in_schedule_order(blocks))
    if not surpluses.bots or surpluses.degrees < 1:
        ordered_pairs = len(ratings.ratings) * (len(ratings.ratings) - 1)
        return Oddities((), ordered_pairs, (), ())
    pairs = _pairs(surpluses)
    untested = len(ratings.ratings) * (len(ratings.ratings) - 1) - len(pairs)
    return Oddities(pairs, untested, _seats(surpluses), _bot_seats(surpluses))


def _pairs(surpluses: _Surpluses) -> tuple[PairEffect, ...]:
    effects, chances = [], []
    for (present, bot), with_both in surpluses.pairs.items():
        apart = surpluses.bots[bot].without(with_both)
        if min(with_both.blocks, apart.blocks) < _BLOCKS_MIN:
            continue
        if min(with_both.variance, apart.variance) < surpluses.information_min:
            continue
        effects.append(PairEffect(present, bot, _difference(with_both, apart), with_both.blocks, 1.0))
        # The other bot's strength was fitted to these results too, of which it makes one pair in each match.
        absorbed = with_both.variance / surpluses.bots[present].variance / (surpluses.players - 1) ** 2
        chances.append(_chance(with_both, apart, min(absorbed, 0.5), surpluses.factor, surpluses.degrees))
    adjusted = benjamini_hochberg(chances)
    corrected = [each._replace(chance=chance) for each, chance in zip(effects, adjusted, strict=True)]
    return tuple(sorted(corrected, key=lambda each: (each.chance, -abs(each.effect), each.present, each.bot)))


def _seats(surpluses: _Surpluses) -> tuple[SeatEffect, ...]:
    effects, chances = [], []
    for seat, here in sorted(surpluses.seats.items()):
        effects.append(SeatEffect(seat, here.surplus / here.matches, 1.0))
        deviation = sqrt(surpluses.seat_factor * here.variance)
        chances.append(student_two_sided(here.surplus / deviation, surpluses.degrees))
    return tuple(
        each._replace(chance=chance) for each, chance in zip(effects, benjamini_hochberg(chances), strict=True)
    )


def _bot_seats(surpluses: _Surpluses) -> tuple[BotSeatEffect, ...]:
    effects, chances = [], []
    corrected_sums = {key: _less_seat(part, surpluses.seats[key[1]]) for key, part in surpluses.bot_seats.items()}
    wholes: dict[str, _Sum] = {}
    for (bot, _), part in corrected_sums.items():
        wholes.setdefault(bot, _Sum()).add(part.surplus, part.variance, part.matches)
    for (bot, seat), here in corrected_sums.items():
        elsewhere = wholes[bot].without(here)
        if here.blocks < _BLOCKS_MIN or min(here.variance, elsewhere.variance) < surpluses.information_min:
            continue
        effects.append(BotSeatEffect(bot, seat, _difference(here, elsewhere), 1.0))
        absorbed = here.variance / surpluses.seats[seat].variance
        chances.append(_chance(here, elsewhere, min(absorbed, 0.5), surpluses.seat_factor, surpluses.degrees))
    adjusted = benjamini_hochberg(chances)
    corrected = [each._replace(chance=chance) for each, chance in zip(effects, adjusted, strict=True)]
    return tuple(sorted(corrected, key=lambda each: (each.chance, -abs(each.effect), each.bot, each.seat)))


def _less_seat(part: _Sum, seat: _Sum) -> _Sum:
    """A bot's sum in a seat without what the seat is worth to everybody."""
    rest = part.without(_Sum())
    rest.surplus -= seat.surplus / seat.matches * part.matches
    return rest


def _difference(one: _Sum, other: _Sum) -> float:
    return one.surplus / one.matches - other.surplus / other.matches


def _chance(here: _Sum, elsewhere: _Sum, absorbed: float, factor: float, degrees: int) -> float:
    """Of so large a surplus in one part, its share of the whole taken off, which the bot's strength accounts for.

    `absorbed` is the share of the part's variance that other fitted numbers account for.
    """
    whole = here.variance + elsewhere.variance
    over = here.surplus - here.variance / whole * (here.surplus + elsewhere.surplus)
    variance = factor * here.variance * elsewhere.variance / whole * (1 - absorbed)
    return student_two_sided(over / sqrt(variance), degrees)
