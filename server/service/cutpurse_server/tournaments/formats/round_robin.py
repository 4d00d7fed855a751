"""Round robin: in every round every set of n entrants meets, or, with a maximum of tables, a balanced choice of them.

All tables. The order is such that nobody runs ahead: at every moment no two bots differ by more than one table, and by
none at the end of a round (even_order.py). Tables with two bots of one owner are left out, unless that would leave a
bot without any table. Of what is left then, and of too many tables for that order, the next one is a table of the bot
that has sat least; of the first that are left to it in the order of their codes, the one whose bots, those who have sat
most looked at first, have sat least. There, bots that have as many tables never differ by more than two.

A maximum of tables. Tables are made in cycles, in each of which everybody sits once, so at every moment no two bots
differ by more than one table. A table takes bots that have met those there least often, and never one of an owner who
has a bot there, if another is left; what is equal is decided by lot. The tables of a small cycle are then improved by
swaps. Cycles run on over the rounds, so pairs that a round left out come first in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations, count, islice
from math import comb

from cutpurse_server.tournaments.events import Manifest
from cutpurse_server.tournaments.formats.course import Course, Draw, Table, TiedLot, pair
from cutpurse_server.tournaments.formats.even_order import even_order
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER, mended

__all__ = ["EVEN_TABLES_MAX", "ROUND_REACH", "RoundRobin", "round_robin_matches"]

EVEN_TABLES_MAX = 2_500
"""Of so many tables, at most, the even order is made: half a second for each round at most."""

ROUND_REACH = 64
"""Of how many tables of a bot, at most, its next one is chosen, so that large schedules are made quickly."""

_REACH = 64
"""Of how many bots, at most, the next one of a table is chosen."""
_MENDED = 24
"""Up to so many tables of a cycle are improved by swaps; more have enough to choose from."""


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
        design = _Design(self._course).tables() if most and most < len(every) else None
        for number in range(1, manifest.rounds + 1):
            yield list(islice(design, most)) if design else list(self._round(number, every))

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

    def _round(self, round_number: int, every: Sequence[Table]) -> Iterator[Table]:
        """The tables of a round."""
        course, players = self._course, self._course.manifest.players
        due = course.shuffled("cutpurse/due/v1", str(round_number), range(len(course.entrants)))
        if len(every) == comb(len(due), players) <= EVEN_TABLES_MAX:
            order = even_order(
                len(due),
                players,
                lambda place, tables: course.shuffled("cutpurse/even/v1", f"{round_number} {place}", range(tables)),
            )
            return (tuple(sorted(due[place] for place in table)) for table in order)
        return self._least_sat_first(course.in_lot_order("cutpurse/table/v2", str(round_number), every), due)

    def _least_sat_first(self, tables: Sequence[Table], due: Sequence[int]) -> Iterator[Table]:
        """The tables, each in its turn one of the bot that has sat least."""
        place = {number: at for at, number in enumerate(due)}
        left: dict[int, list[Table]] = {number: [] for number in due}
        for members in tables:
            for number in members:
                left[number].append(members)
        sat = dict.fromkeys(due, 0)
        played: set[Table] = set()
        # Entries of bots that have sat again since are out of date, and passed over.
        queue = [(0, at, number) for number, at in place.items()]
        while queue:
            games, _, number = heappop(queue)
            if games != sat[number]:
                continue
            chosen = _least_sat(left[number], played, sat, games)
            if chosen is None:
                continue
            played.add(chosen)
            yield chosen
            for each in chosen:
                sat[each] += 1
                heappush(queue, (sat[each], place[each], each))


def _least_sat(tables: list[Table], played: set[Table], sat: Mapping[int, int], games: int) -> Table | None:
    """Of the first tables that are left the one whose bots have sat least; none of them less than `games`.

    Those that are not left are taken out of the list once they are many.
    """
    chosen: Table | None = None
    least, looked, passed = [games], 0, 0
    for table in tables:
        if table in played:
            passed += 1
            continue
        counts = sorted([sat[each] for each in table], reverse=True)
        if chosen is None or counts < least:
            chosen, least = table, counts
        looked += 1
        if least[0] == games or looked == ROUND_REACH:
            break
    if passed > ROUND_REACH:
        tables[:] = [table for table in tables if table not in played]
    return chosen


class _Design:
    """Tables with balanced counts of bots and of pairs."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._met: dict[Table, int] = {}

    def tables(self) -> Iterator[Table]:
        """Tables without end. In every cycle everybody sits once."""
        course, players = self._course, self._course.manifest.players
        left: list[int] = []
        for cycle in count(1):
            due = course.shuffled("cutpurse/design/v1", str(cycle), range(len(course.entrants)))
            if left:
                # Too few for a table of their own in the last cycle; in this one they are due as well.
                yield self._seated([self._filled(left, due)])[0]
            full: list[Table] = []
            while len(due) >= players:
                full.append(self._filled([], due))
            yield from self._seated(mended(full, self._avoid) if len(full) <= _MENDED else full)
            left = due

    def _filled(self, begun: Sequence[int], due: list[int]) -> Table:
        """A table of those who sit there and of others who are due: who has met the table least often, then the lot."""
        table = list(begun)
        while len(table) < self._course.manifest.players:
            pool = [number for number in due[: _REACH + len(table)] if number not in table]
            chosen = min(pool[:_REACH], key=lambda number: sum(self._avoid(number, each) for each in table))
            table.append(chosen)
            due.remove(chosen)
        return tuple(sorted(table))

    def _seated(self, tables: list[Table]) -> list[Table]:
        """The tables, counted."""
        for table in tables:
            for both in combinations(table, 2):
                self._met[both] = self._met.get(both, 0) + 1
        return tables

    def _avoid(self, one: int, other: int) -> int:
        # Squares: a pair that has met twice too often is worse than two that have met once too often.
        return SAME_OWNER * self._course.same_owner(one, other) + self._met.get(pair(one, other), 0) ** 2
