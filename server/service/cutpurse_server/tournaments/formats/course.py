"""The course of a tournament, as far as a format may look at it in order to draw the next round.

Entrants are numbers: those of the start from 0 in order of their names, late ones after them. Whatever has to be put in
an order that nobody may influence is put in that of codes under the deals' secret, so no seat, name or order of entry
breaks a tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from hmac import digest
from itertools import combinations
from typing import Any, NamedTuple, Protocol

from cutpurse_server.tournaments.events import BlockCompleted, Entrant, LeaveCause, Manifest, TournamentCreated, Verdict

__all__ = ["Course", "Draw", "Pairing", "Table", "TiedLot", "block_units", "pair", "placement_units"]

Table = tuple[int, ...]
"""Entrants' numbers in ascending order."""


class TiedLot(NamedTuple):
    """A tie that a lot broke: the table's last round, and the tied in the order drawn."""

    round: int
    drawn: tuple[int, ...]


class Draw(NamedTuple):
    """A round to come."""

    tables: tuple[Table, ...]
    """In the order in which they are played."""
    byes: tuple[int, ...]
    """Who is in and sits at no table, ascending."""
    lots: tuple[TiedLot, ...] = ()
    """By which the round before was decided."""
    memory: Any = None
    """For the format alone, which gets it back when the round has been drawn."""


class Pairing(Protocol):
    """A format: a pure fold over the course. Made at the start of a tournament, from its course."""

    def fixed(self) -> Iterable[Sequence[Table]] | None:
        """All rounds, if they do not depend on results; else None, and `next` is asked."""
        ...

    def next(self) -> Draw | None:
        """The next round, when every table of the last one has ended; None if there is none."""
        ...

    def drawn(self, draw: Draw) -> None:
        """The round has been drawn, and the course knows it."""
        ...

    def last_lots(self) -> tuple[TiedLot, ...]:
        """The lots by which the last round was decided, once `next` says None."""
        ...

    def scores(self) -> Sequence[Fraction] | None:
        """By entrant, what places follow from, more being better; None: the mean points."""
        ...


class Course:
    """What has happened so far, by entrants' numbers."""

    def __init__(self, created: TournamentCreated, entrants: Sequence[Entrant]) -> None:
        self.created = created
        self.entrants = sorted(entrants)
        self.numbers = {entrant.bot: number for number, entrant in enumerate(self.entrants)}
        self.joined = [0] * len(self.entrants)
        """How many rounds were drawn before an entrant came."""
        self.gone: dict[int, LeaveCause] = {}
        self.rounds: list[tuple[Table, ...]] = []
        self.results: list[list[BlockCompleted | None]] = []
        """By round and table; None as long as a table has not ended, and if it ended without counting."""
        self.byes = [0] * len(self.entrants)
        """Rounds sat out, by entrant: for want of a full table, or since the table's block came to nothing.

        Those of a round that is being played are not among them: from these one could tell who plays, and against whom.
        """
        self._idle: list[list[int]] = []
        """By round: who sits it out, once for each of its tables that came to nothing."""
        self._open: list[int] = []
        """By round: tables that have not ended."""
        self.units = [0] * len(self.entrants)
        """Points of blocks that count, in units of 1 ÷ (2 · (seats − 1))."""
        self.blocks = [0] * len(self.entrants)
        """Blocks that count."""
        self.met: dict[Table, int] = {}
        """At how many tables that did not come to nothing two entrants sat, by both, ascending."""
        self.tables_open = 0
        """Tables that have not ended, of all rounds."""
        self.verdict: Verdict | None = None
        """Of a gauntlet, once there is one."""

    @property
    def manifest(self) -> Manifest:
        """What the tournament is like."""
        return self.created.manifest

    def present(self) -> list[int]:
        """Who has not left, ascending."""
        return [number for number in range(len(self.entrants)) if number not in self.gone]

    def enter(self, entrant: Entrant) -> None:
        """A late entry."""
        self.numbers[entrant.bot] = len(self.entrants)
        self.entrants.append(entrant)
        self.joined.append(len(self.rounds))
        for counts in (self.byes, self.units, self.blocks):
            counts.append(0)

    def begin_round(self, tables: Sequence[Table], byes: Iterable[int]) -> None:
        """A round has been drawn."""
        self.rounds.append(tuple(tables))
        self.results.append([None] * len(tables))
        self._idle.append(list(byes))
        self._open.append(len(tables))
        self.tables_open += len(tables)
        for table in tables:
            self._meet(table, 1)

    def count(self, round_number: int, table: int, block: BlockCompleted, sign: int = 1) -> None:
        """A table's block counts from now on, or with sign −1 no longer; round and table from 1."""
        self.results[round_number - 1][table - 1] = block if sign > 0 else None
        for bot, units in block_units(block).items():
            number = self.numbers[bot]
            self.units[number] += sign * units
            self.blocks[number] += sign

    def came_to_nothing(self, round_number: int, table: int) -> None:
        """An open table is to end without a block that counts: a bye for its bots, once the round is over."""
        members = self.rounds[round_number - 1][table - 1]
        self._idle[round_number - 1].extend(members)
        self._meet(members, -1)

    def end_table(self, round_number: int) -> None:
        """One more table of a round has ended; with the last one, its byes count."""
        self.tables_open -= 1
        self._open[round_number - 1] -= 1
        if not self._open[round_number - 1]:
            self._count_byes(round_number, 1)

    def open_table_again(self, round_number: int) -> None:
        """A table of a round has not ended after all."""
        if not self._open[round_number - 1]:
            self._count_byes(round_number, -1)
        self.tables_open += 1
        self._open[round_number - 1] += 1

    def mean(self, number: int) -> Fraction | None:
        """An entrant's mean points; None before its first block."""
        per_block = 2 * (self.manifest.players - 1) * self.manifest.players
        blocks = self.blocks[number]
        return Fraction(self.units[number], per_block * blocks) if blocks else None

    def same_owner(self, one: int, other: int) -> bool:
        """Whether two entrants belong to one owner."""
        return self.entrants[one].owner == self.entrants[other].owner

    def times_met(self, one: int, other: int) -> int:
        """At how many tables two entrants have sat together."""
        return self.met.get(pair(one, other), 0)

    def in_lot_order(self, purpose: str, prefix: str, members: Iterable[Table]) -> list[Table]:
        """Sets of entrants in an order that only who knows the deals' secret can tell; numbers alone make it."""
        secret = self.created.deals_secret
        start = f"{purpose}\x00{prefix} ".encode()
        return sorted(members, key=lambda each: digest(secret, start + " ".join(map(str, each)).encode(), "sha256"))

    def shuffled(self, purpose: str, prefix: str, numbers: Iterable[int]) -> list[int]:
        """Entrants in such an order."""
        return [number for (number,) in self.in_lot_order(purpose, prefix, ((each,) for each in numbers))]

    def _count_byes(self, round_number: int, sign: int) -> None:
        for number in self._idle[round_number - 1]:
            self.byes[number] += sign

    def _meet(self, members: Table, sign: int) -> None:
        for both in combinations(members, 2):
            self.met[both] = self.met.get(both, 0) + sign


def pair(one: int, other: int) -> Table:
    """Two entrants, ascending."""
    return (one, other) if one < other else (other, one)


def placement_units(placements: Sequence[int], seat: int) -> int:
    """A seat's points in a match, in units of 1 ÷ (2 · (seats − 1)): two for a seat below it, one for one beside it."""
    own = placements[seat]
    below = sum(place > own for place in placements)
    sharing = sum(place == own for place in placements) - 1
    return 2 * below + sharing


def block_units(block: BlockCompleted) -> dict[str, int]:
    """Every bot's units over the matches of a block."""
    units = dict.fromkeys(block.matches[0].bots, 0)
    for match in block.matches:
        for seat, bot in enumerate(match.bots):
            units[bot] += placement_units(match.outcome.placements, seat)
    return units
