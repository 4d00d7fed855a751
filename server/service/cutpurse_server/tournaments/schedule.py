"""The schedule: which matches a tournament consists of. A pure function of its manifest, entrants and deals' secret.

Round robin over tables of n: in every round every set of n entrants meets at one table and plays one block there. A
*block* is n matches of the same n bots: in rotation r the table's bot number i sits in seat (i + r) mod n. Each match
has a slot of its own, numbered by its position in the schedule, and with it a deal of its own.

Two orders are free, and both are drawn by HMAC-SHA-256 under the deals' secret (deals.py), anew in every round, from
nothing but numbers: entrants are numbered from 0 in order of their names, and

    a table of the entrants i < j < … in round r       HMAC-SHA-256(secret, "cutpurse/table/v2" ‖ 0x00 ‖ "r i j …")
    entrant k at that table                            HMAC-SHA-256(secret, "cutpurse/seat/v2" ‖ 0x00 ‖ "r i j … k")

So nobody can make the schedule before the secret is opened: a bot that could would know its opponents by counting its
matches.

The tables of a round are put into waves: a wave takes the first table that is left in order of its code, and then every
further one of the next `WAVE_REACH` left that shares no entrant with the wave. So neighbours in the schedule can run at
the same time with every bot thinking about one match, and no bot always sits behind the same other one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from hmac import digest
from itertools import combinations
from math import comb
from typing import NamedTuple

from cutpurse_server.matches.events import Origin
from cutpurse_server.tournaments.deals import DEAL_SLOTS, match_name
from cutpurse_server.tournaments.events import Entrant, Manifest, TournamentCreated

__all__ = [
    "ATTEMPTS_MAX",
    "WAVE_REACH",
    "Block",
    "BlockKey",
    "Schedule",
    "ScheduleTooLarge",
    "ScheduledMatch",
    "check_size",
]

WAVE_REACH = 256
"""How far a wave looks ahead for tables that fit, so that large schedules are made quickly."""

ATTEMPTS_MAX = 5
"""How often a block is played, at most, if the platform has to void it. After that it counts for nobody."""


class ScheduleTooLarge(Exception):
    """More matches than there are slots; the text says how many, and what to change."""


class BlockKey(NamedTuple):
    """A block's place in the schedule."""

    round: int
    """From 1."""
    table: int
    """Of the round, from 1, in the order in which tables are played."""


class ScheduledMatch(NamedTuple):
    """A match that should exist."""

    match: str
    """Its identifier."""
    origin: Origin
    seats: tuple[Entrant, ...]


class Block(NamedTuple):
    """n matches of the same n bots in rotated seats."""

    key: BlockKey
    position: int
    """In the whole schedule, from 0."""
    entrants: tuple[Entrant, ...]
    """As they sit in rotation 0."""

    def matches(self, created: TournamentCreated, attempt: int) -> tuple[ScheduledMatch, ...]:
        """The matches of one attempt (from 1), by rotation; of the tournament, its id and its deals' secret count."""
        players = len(self.entrants)
        return tuple(self._match(created, attempt, rotation) for rotation in range(players))

    def _match(self, created: TournamentCreated, attempt: int, rotation: int) -> ScheduledMatch:
        players = len(self.entrants)
        round_number, table = self.key
        slot = self.position * players + rotation
        seats = tuple(self.entrants[(seat - rotation) % players] for seat in range(players))
        tournament = created.manifest.tournament
        match = match_name(created.deals_secret, tournament, (round_number, table, rotation, attempt))
        return ScheduledMatch(match, Origin(tournament, round_number, table, rotation, attempt, slot), seats)


def check_size(manifest: Manifest, entrants: int) -> int:
    """How many matches so many entrants make, one for each slot; raises `ScheduleTooLarge`."""
    matches = comb(entrants, manifest.players) * manifest.rounds * manifest.players
    if matches > DEAL_SLOTS:
        raise ScheduleTooLarge(
            f"{entrants} entrants at tables of {manifest.players} in {manifest.rounds} rounds make {matches:,} "
            f"matches, and a tournament has at most {DEAL_SLOTS:,}: "
            "take fewer entrants, smaller tables or fewer rounds."
        )
    return matches


class Schedule:
    """All blocks of a tournament, in order."""

    def __init__(self, created: TournamentCreated, entrants: Sequence[Entrant]) -> None:
        """Raises `ScheduleTooLarge`. There must be enough entrants for one table, each named once.

        Of the tournament, its size and its deals' secret count.
        """
        assert len({entrant.bot for entrant in entrants}) == len(entrants) >= created.manifest.players
        self.created = created
        self.entrants = tuple(sorted(entrants))
        self.matches_total = check_size(created.manifest, len(entrants))
        """Matches in the whole schedule, repetitions of voided blocks left out."""

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in schedule order."""
        return tuple(self._all_blocks())

    def _all_blocks(self) -> Iterator[Block]:
        position = 0
        for round_number in range(1, self.created.manifest.rounds + 1):
            for table, members in enumerate(self._tables(round_number), 1):
                prefix = f"{round_number} {_text(members)}"
                seated = self._drawn("cutpurse/seat/v2", prefix, [(each,) for each in members])
                entrants = tuple(self.entrants[index] for (index,) in seated)
                yield Block(BlockKey(round_number, table), position, entrants)
                position += 1

    def _tables(self, round_number: int) -> Iterator[tuple[int, ...]]:
        """The tables of a round, as entrants' numbers, in waves."""
        everybody = range(len(self.entrants))
        tables = list(combinations(everybody, self.created.manifest.players))
        left = self._drawn("cutpurse/table/v2", str(round_number), tables)
        while left:
            busy: set[int] = set()
            passed: list[tuple[int, ...]] = []
            for members in left[:WAVE_REACH]:
                if busy.isdisjoint(members):
                    busy.update(members)
                    yield members
                else:
                    passed.append(members)
            left[:WAVE_REACH] = passed

    def _drawn(self, purpose: str, prefix: str, members: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Sets of entrants' numbers in an order that only who knows the deals' secret can tell.

        Of what an entrant chooses, it depends on nothing but its name's place.
        """
        secret = self.created.deals_secret
        return sorted(
            members, key=lambda each: digest(secret, f"{purpose}\x00{prefix} {_text(each)}".encode(), "sha256")
        )


def _text(members: Sequence[int]) -> str:
    return " ".join(map(str, members))
