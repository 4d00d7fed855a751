"""Single elimination: tables play until it is clear who goes on, the others are out, and the last table has one winner.

Stages. The last stage is one table of n, from which one goes on; before it, as many as fill it exactly. With `advance`
bots going on from a table, the stages' sizes are n, and from a size s the next larger one (s div advance) · n +
(s mod advance). A stage brings the bots that are left down to the next smaller size, with no more tables than that
takes; the others have a bye: those with the fewest byes, among them the organiser's seeds in their order, at last by
lot. Where the numbers ask for it, more than `advance` go on from some tables; which ones is decided by lot.

Seating. Bots with a place in the organiser's seeding come first, in its order, then the others by lot; the order is
dealt over the tables to and fro, so for tables of two the first meets the last. Bots of one owner are parted by swaps.

A table plays blocks, one in each round, until nobody who is out could still catch up with anybody who goes on in what
is left of `best_of` blocks; points count, over all its blocks. After that a tie at the line is broken by up to
`tie_blocks` more, and at last by a lot. If a bot of a table leaves, the others go on in its stead: by their points so
far, if there are too many of them.

Places follow from the stage that a bot reached; those who fell in one stage share a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from cutpurse_server.tournaments.events import Manifest
from cutpurse_server.tournaments.formats.course import Course, Draw, Table, TiedLot, block_units
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER, mended

__all__ = ["SingleElimination", "elimination_matches", "stage_of", "untied_matches"]


class Stage(NamedTuple):
    """How a stage is played by so many bots."""

    tables: int
    falling: tuple[int, ...]
    """How many fall at each table."""


class _Contest(NamedTuple):
    """A table in a stage."""

    members: Table
    going_on: int
    rounds: tuple[tuple[int, int], ...] = ()
    """Round and table of each of its blocks, from 1."""


class _Decided(NamedTuple):
    """Who goes on from a contest, and the lot that it took."""

    winners: tuple[int, ...]
    lot: TiedLot | None = None


def stage_of(bots: int, players: int, advance: int) -> Stage:
    """The next stage of so many bots, at least a tableful."""
    assert bots >= players
    if bots == players:
        return Stage(1, (players - 1,))
    target = players
    while (larger := target // advance * players + target % advance) < bots:
        target = larger
    most = players - advance
    excess = bots - target
    tables = min(-(-excess // most), bots // players)
    falling = min(excess, tables * most)
    return Stage(tables, tuple(falling // tables + (at < falling % tables) for at in range(tables)))


def elimination_matches(manifest: Manifest, entrants: int) -> int:
    """Matches of a single elimination, at most."""
    settings = manifest.settings
    return _tables(manifest, entrants) * (settings.best_of + settings.tie_blocks) * manifest.players


def untied_matches(manifest: Manifest, entrants: int) -> int:
    """Matches of a single elimination whose tables play all blocks and no further ones."""
    return _tables(manifest, entrants) * manifest.settings.best_of * manifest.players


def _tables(manifest: Manifest, entrants: int) -> int:
    """Tables of all stages together."""
    tables, left = 0, max(entrants, manifest.players)
    while left >= manifest.players:
        stage = stage_of(left, manifest.players, manifest.settings.advance)
        tables += stage.tables
        left -= sum(stage.falling)
    return tables


class SingleElimination:
    """See the module."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._stage = 0
        self._reached = [0] * len(course.entrants)
        """The stage that each has reached, from 1; winning the last one counts as one more."""
        self._contests: tuple[_Contest, ...] = ()
        self._resting: tuple[int, ...] = ()
        """Who has a bye in this stage."""
        self._lots: tuple[TiedLot, ...] = ()

    def fixed(self) -> None:
        """None: rounds depend on results."""
        return None

    def next(self) -> Draw | None:
        """Another block where it is not decided, else the next stage, as long as a table can be filled."""
        if not self._stage:
            return self._draw_stage(self._course.present(), ())
        undecided = [contest for contest in self._contests if self._decide(contest) is None]
        if undecided:
            return Draw(tuple(contest.members for contest in undecided), ())
        left = self._left()
        return self._draw_stage(left, self.last_lots()) if len(left) >= self._course.manifest.players else None

    def drawn(self, draw: Draw) -> None:
        """Remember the stage, and where its tables play."""
        if draw.memory is not None:
            self._stage += 1
            self._contests = draw.memory
            self._resting = draw.byes
            for number in (*draw.byes, *(number for table in draw.tables for number in table)):
                self._reached[number] = self._stage
        round_number = len(self._course.rounds)
        places = {members: (round_number, table) for table, members in enumerate(draw.tables, 1)}
        self._contests = tuple(
            contest._replace(rounds=(*contest.rounds, places[contest.members]))
            if contest.members in places
            else contest
            for contest in self._contests
        )

    def last_lots(self) -> tuple[TiedLot, ...]:
        """The lots of the last stage."""
        decided = map(self._decide, self._contests)
        return tuple(each.lot for each in decided if each is not None and each.lot is not None)

    def scores(self) -> Sequence[Fraction]:
        """By entrant: the stage reached; one more for who has won the last one."""
        reached = list(self._reached)
        decided = self._stage and all(self._decide(contest) is not None for contest in self._contests)
        left = self._left() if decided else ()
        if len(left) < self._course.manifest.players:
            for number in left:
                reached[number] += 1
        return [Fraction(stage) for stage in reached]

    def _left(self) -> list[int]:
        """Who is in after this stage, every contest of which must be decided; ascending."""
        left = {number for number in self._resting if number not in self._course.gone}
        for contest in self._contests:
            decided = self._decide(contest)
            assert decided is not None
            left.update(decided.winners)
        return sorted(left)

    def _draw_stage(self, bots: Sequence[int], lots: tuple[TiedLot, ...]) -> Draw:
        course = self._course
        players, settings = course.manifest.players, course.manifest.settings
        number = str(self._stage + 1)
        stage = stage_of(len(bots), players, settings.advance)
        lot = course.shuffled("cutpurse/bracket/v1", number, bots)
        # All sorts are stable, so what is equal stays in the order of the lot.
        seeded = sorted(lot, key=lambda each: course.entrants[each].rank or len(course.entrants) + 1)
        resting = set(sorted(seeded, key=lambda each: course.byes[each])[: len(bots) - stage.tables * players])
        tables: list[list[int]] = [[] for _ in range(stage.tables)]
        for at, each in enumerate(each for each in seeded if each not in resting):
            row, column = divmod(at, stage.tables)
            tables[column if row % 2 == 0 else stage.tables - 1 - column].append(each)
        parted = mended([tuple(table) for table in tables], lambda *both: SAME_OWNER * course.same_owner(*both))
        order = course.in_lot_order("cutpurse/table/v2", number, parted)
        contests = tuple(
            _Contest(members, players - falling) for members, falling in zip(order, stage.falling, strict=True)
        )
        return Draw(tuple(order), tuple(sorted(resting)), lots, contests)

    def _decide(self, contest: _Contest) -> _Decided | None:
        """Who goes on; None if another block is needed."""
        course, settings = self._course, self._course.manifest.settings
        here = [number for number in contest.members if number not in course.gone]
        if len(here) <= contest.going_on:
            return _Decided(tuple(here))
        units = self._units(contest)
        line = sorted((units[number] for number in here), reverse=True)
        lead = line[contest.going_on - 1] - line[contest.going_on]
        players = course.manifest.players
        # In a block, nobody gains more on anybody than by being first in all its matches while the other is last.
        swing = 2 * (players - 1) * players
        if lead > swing * max(0, settings.best_of - len(contest.rounds)):
            return _Decided(tuple(number for number in here if units[number] >= line[contest.going_on - 1]))
        can_play = len(here) == players and len(contest.rounds) < settings.best_of + settings.tie_blocks
        if can_play:
            return None
        above = [number for number in here if units[number] > line[contest.going_on - 1]]
        tied = [number for number in here if units[number] == line[contest.going_on - 1]]
        last_round, table = contest.rounds[-1]
        drawn = course.shuffled("cutpurse/lot/v1", f"{last_round} {table}", tied)
        lot = TiedLot(last_round, tuple(drawn)) if lead == 0 else None
        return _Decided((*above, *drawn[: contest.going_on - len(above)]), lot)

    def _units(self, contest: _Contest) -> dict[int, int]:
        """The units of each member over the blocks that count."""
        units = dict.fromkeys(contest.members, 0)
        for round_number, table in contest.rounds:
            block = self._course.results[round_number - 1][table - 1]
            for bot, each in (block_units(block) if block else {}).items():
                units[self._course.numbers[bot]] += each
        return units
