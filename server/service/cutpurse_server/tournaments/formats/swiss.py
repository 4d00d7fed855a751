"""Swiss: in every round, tables of bots with about the same score; nobody meets the same bot again while avoidable.

The score of a bot is its mean points times the share of rounds that it played or sat out with a bye. So a bye is worth
what the bot makes on average where it plays, neither more nor less; rounds before a late entry are worth nothing.

Bots are put in order of their scores, equal ones by lot, and cut into tables of neighbours (grouping.py). Those for
whom there is no full table have a bye: of the bots with the fewest byes, those of the lowest score, at last by lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cutpurse_server.tournaments.formats.course import Course, Draw, TiedLot
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER
from cutpurse_server.tournaments.formats.seating import seated_round

__all__ = ["Swiss"]

_HALF = Fraction(1, 2)


class Swiss:
    """See the module."""

    def __init__(self, course: Course) -> None:
        self._course = course

    def fixed(self) -> None:
        """None: rounds depend on results."""
        return None

    def next(self) -> Draw | None:
        """The next round, as long as rounds are left and a table can be filled."""
        course, scores = self._course, self.scores()
        rank = [_HALF if course.mean(number) is None else scores[number] for number in range(len(course.entrants))]
        return seated_round(
            course, "cutpurse/swiss/v1", self._avoid, height=rank.__getitem__, rests_before=rank.__getitem__
        )

    def drawn(self, draw: Draw) -> None:
        """Nothing is remembered beyond the course."""

    def last_lots(self) -> tuple[TiedLot, ...]:
        """None are drawn."""
        return ()

    def scores(self) -> Sequence[Fraction]:
        """By entrant."""
        course = self._course
        rounds = max(1, len(course.rounds))
        means = (course.mean(number) or Fraction(0) for number in range(len(course.entrants)))
        return [mean * (course.blocks[number] + course.byes[number]) / rounds for number, mean in enumerate(means)]

    def _avoid(self, one: int, other: int) -> int:
        return SAME_OWNER * self._course.same_owner(one, other) + self._course.times_met(one, other)
