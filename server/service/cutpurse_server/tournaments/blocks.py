"""Blocks: n matches of the same n bots in rotated seats, the unit of schedule, statistics and voiding."""

from __future__ import annotations

from typing import NamedTuple

from cutpurse_server.matches.events import Origin
from cutpurse_server.tournaments.deals import match_name
from cutpurse_server.tournaments.events import Entrant, TournamentCreated

__all__ = ["ATTEMPTS_MAX", "Block", "BlockKey", "ScheduledMatch"]

ATTEMPTS_MAX = 5
"""How often a block is played, at most, if it has to be voided. After that it counts for nobody."""


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
