"""Round robin: in every round every set of n entrants meets, or, with a maximum of tables, a balanced choice of them.

All tables. Those with two bots of one owner are left out, unless that would leave a bot without any table.

A maximum of tables. Tables are made one after the other. Each takes bots that have sat least often so far, so at every
moment no two bots differ by more than one table; among them bots are taken that have met those of the table least
often, and never one of an owner who has a bot there, if another is left. What is equal is decided by lot. Counts run on
over the rounds, so pairs that a round left out come first in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

from cutpurse_server.tournaments.events import Manifest
from cutpurse_server.tournaments.formats.course import Course, Draw, Table, TiedLot, pair

__all__ = ["WAVE_REACH", "RoundRobin", "round_robin_matches"]

WAVE_REACH = 256
"""How far a wave looks ahead for tables that fit, so that large schedules are made quickly."""

_REACH = 64
"""Of how many bots, at most, the next one of a table is chosen."""


def round_robin_matches(manifest: Manifest, entrants: int) -> int:
    """Matches of a round robin, at most."""
    every = comb(entrants, manifest.players)
    tables = min(every, manifest.settings.tables or every)
    return tables * manifest.rounds * manifest.players


class RoundRobin:
    """See the module."""

    def __init__(self, course: Course) -> None:
        self._course = course

    def fixed(self) -> Iterator[Sequence[Table]]:
        """All rounds."""
        manifest = self._course.manifest
        every = self._every_table()
        most = manifest.settings.tables
        design = _Design(self._course) if most and most < len(every) else None
        for number in range(1, manifest.rounds + 1):
            yield design.round(number, most) if design else list(self._in_waves(number, every))

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

    def _every_table(self) -> list[Table]:
        everybody = range(len(self._course.entrants))
        every = list(combinations(everybody, self._course.manifest.players))
        owners = [entrant.owner for entrant in self._course.entrants]
        apart = [table for table in every if len({owners[number] for number in table}) == len(table)]
        return apart if {number for table in apart for number in table} == set(everybody) else every

    def _in_waves(self, round_number: int, every: Sequence[Table]) -> Iterator[Table]:
        """The tables of a round: waves of tables that share no bot, so that they can be played at once."""
        left = self._course.in_lot_order("cutpurse/table/v2", str(round_number), every)
        while left:
            busy: set[int] = set()
            passed: list[Table] = []
            for members in left[:WAVE_REACH]:
                if busy.isdisjoint(members):
                    busy.update(members)
                    yield members
                else:
                    passed.append(members)
            left[:WAVE_REACH] = passed


class _Design:
    """Tables with balanced counts of bots and of pairs."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._sat = [0] * len(course.entrants)
        self._met: dict[Table, int] = {}

    def round(self, number: int, most: int) -> list[Table]:
        """The next so many tables, no set of bots twice in a round as long as there is another."""
        tables: list[Table] = []
        there: set[Table] = set()
        for place in range(1, most + 1):
            order = self._course.shuffled("cutpurse/design/v1", f"{number} {place}", range(len(self._sat)))
            table = self._table(order, there)
            there.add(table)
            tables.append(table)
            for member in table:
                self._sat[member] += 1
            for both in combinations(table, 2):
                self._met[both] = self._met.get(both, 0) + 1
        return tables

    def _table(self, order: Sequence[int], there: set[Table]) -> Table:
        """The next table: who has sat least often, then who has met the others least often, then the lot."""
        least = min(self._sat)
        due = [number for number in order if self._sat[number] == least]
        later = [number for number in order if self._sat[number] > least]
        table: list[int] = []
        for _ in range(self._course.manifest.players):
            pool = due if due else later
            chosen = min(pool[:_REACH], key=self._badness(table, there))
            table.append(chosen)
            pool.remove(chosen)
        return tuple(sorted(table))

    def _badness(self, table: Sequence[int], there: set[Table]) -> Callable[[int], tuple[bool, bool, int, int]]:
        course, met, last = self._course, self._met, len(table) == self._course.manifest.players - 1

        def badness(number: int) -> tuple[bool, bool, int, int]:
            counts = [met.get(pair(number, each), 0) for each in table]
            return (
                any(course.same_owner(number, each) for each in table),
                last and tuple(sorted((*table, number))) in there,
                max(counts, default=0),
                sum(counts),
            )

        return badness
