"""Gauntlet: one challenger against a field, until it is clear whether it is stronger or weaker.

Cycles. In a cycle the challenger meets every bot of the field equally often, each table filled from the field. There
are as many cycles as the manifest has rounds, drawn by lot before the start.

Stopping. The question is whether the challenger's expected points, as a mean over the blocks of a cycle, are above or
below 1/2. Blocks are looked at in the order of the schedule and only as far as all before them have ended, so it does
not matter which games are slow. For the points x of each block two bets are kept, on every stake s of `STAKES`:

    for    ∏ (1 + s · (x − 1/2))        against    ∏ (1 − s · (x − 1/2))        starting from 1

At the end of every cycle, the mean over the stakes of what the bets have come to is looked at. It reaches 1/error with
a probability of at most `error` if the challenger is in truth not stronger (for the bet for it; the reverse for the
other), however often one looks: a product over a cycle is expected to be at most 1, since factors of fixed sum have the
largest product when they are equal, and Ville's inequality does the rest. Nothing is assumed about the games but that
deals do not depend on each other. Then the challenger is STRONGER, or WEAKER; at the end of all cycles UNDECIDED. What
comes after the cycle that decides counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd

from cutpurse_server.tournaments.events import Manifest, Verdict
from cutpurse_server.tournaments.formats.course import Course, Draw, Table, TiedLot
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER, tables_of_neighbours

__all__ = ["STAKES", "Bets", "Gauntlet", "gauntlet_matches"]

STAKES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Each below 2, so that no bet loses everything on a block."""


def gauntlet_matches(manifest: Manifest, entrants: int) -> int:
    """Matches of a gauntlet, at most."""
    return _tables_in_cycle(entrants - 1, manifest.players) * manifest.rounds * manifest.players


def _tables_in_cycle(field: int, players: int) -> int:
    return field // gcd(field, players - 1)


class Bets:
    """The two bets on a challenger."""

    def __init__(self, error_per_mille: int) -> None:
        assert 0 < error_per_mille < 500
        self._goal = 1_000 / error_per_mille
        self._for = [1.0] * len(STAKES)
        self._against = [1.0] * len(STAKES)

    def see(self, points: float) -> None:
        """The challenger's points in a block, from 0 to 1."""
        surplus = points - 0.5
        for at, stake in enumerate(STAKES):
            self._for[at] *= 1.0 + stake * surplus
            self._against[at] *= 1.0 - stake * surplus

    def verdict(self) -> Verdict | None:
        """At the end of a cycle: what is shown, if anything is."""
        if sum(self._for) / len(STAKES) >= self._goal:
            return Verdict.STRONGER
        return Verdict.WEAKER if sum(self._against) / len(STAKES) >= self._goal else None


class Gauntlet:
    """See the module."""

    def __init__(self, course: Course) -> None:
        self._course = course

    def fixed(self) -> Iterator[Sequence[Table]]:
        """All cycles, as long as nobody stops them."""
        for number in range(1, self._course.manifest.rounds + 1):
            yield self._cycle(number)

    def next(self) -> Draw | None:
        """None: all rounds are fixed."""
        return None

    def drawn(self, draw: Draw) -> None:
        """Never called: all rounds are fixed."""

    def last_lots(self) -> tuple[TiedLot, ...]:
        """None are drawn."""
        return ()

    def scores(self) -> Sequence[Fraction] | None:
        """The mean points decide."""
        return None

    def _cycle(self, number: int) -> list[Table]:
        course = self._course
        challenger = course.numbers[course.manifest.settings.challenger]
        field = [each for each in range(len(course.entrants)) if each != challenger]
        others = course.manifest.players - 1
        repeats = _tables_in_cycle(len(field), course.manifest.players) * others // len(field)
        order = [
            each
            for repeat in range(repeats)
            for each in course.shuffled("cutpurse/gauntlet/v1", f"{number} {repeat}", field)
        ]

        # A bot that comes again in a cycle must not meet itself: places in the order are seated, not bots.
        def avoid(one: int, other: int) -> int:
            same = order[one] == order[other]
            return 2 * SAME_OWNER * same or SAME_OWNER * course.same_owner(order[one], order[other])

        seated = tables_of_neighbours(range(len(order)), others, avoid)
        return [tuple(sorted([challenger, *(order[place] for place in places)])) for places in seated]
