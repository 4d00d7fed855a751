"""Everything that is known about a tournament: a fold over its log."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import StoredEvent, Version
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    Entrant,
    EntrantEntered,
    Manifest,
    TournamentCreated,
    TournamentEvent,
    TournamentFinished,
    TournamentStarted,
    manifest_hash,
)
from cutpurse_server.tournaments.schedule import ATTEMPTS_MAX, BlockKey, Schedule
from cutpurse_server.tournaments.standings import Standings

__all__ = ["Phase", "TournamentRecord"]


class Phase(IntEnum):
    """Where a tournament is; numbers as in tournament.proto."""

    ENTRIES = 1
    RUNNING = 2
    FINISHED = 3


class TournamentRecord:
    """One tournament as of the last event read. Changed by `read` only."""

    def __init__(self, created: TournamentCreated) -> None:
        self.created = created
        self.hash = manifest_hash(created.manifest_bytes)
        self.phase = Phase.ENTRIES
        self.entrants: dict[str, Entrant] = {}
        """By the bot's name."""
        self.completed: dict[BlockKey, BlockCompleted] = {}
        self.voided: dict[BlockKey, int] = {}
        """How many attempts of a block were voided."""
        self.schedule: Schedule | None = None
        """Once the entries are closed."""
        self.standings: Standings | None = None
        """Over the completed blocks, once the entries are closed."""
        self.finished: TournamentFinished | None = None
        self.version = Version(0)
        self.chain = first_link(created.manifest.tournament)

    @classmethod
    def of(cls, events: Iterable[TournamentEvent], stored: Iterable[StoredEvent]) -> TournamentRecord:
        """The record of a whole log, which begins with `TournamentCreated`."""
        created, *rest = events
        assert isinstance(created, TournamentCreated), "a tournament's log begins with TournamentCreated"
        first, *others = stored
        record = cls(created)
        record.version = Version(1)
        record.chain = links(record.chain, (first,))
        record.read(rest, others)
        return record

    @property
    def manifest(self) -> Manifest:
        """What the tournament is like."""
        return self.created.manifest

    @property
    def tournament(self) -> str:
        """Its identifier."""
        return self.manifest.tournament

    @property
    def matches_done(self) -> int:
        """Matches in completed blocks."""
        return len(self.completed) * self.manifest.players

    def attempt(self, block: BlockKey) -> int | None:
        """The attempt, from 1, in which a block is or should be played; None if nothing is left to play."""
        voided = self.voided.get(block, 0)
        return None if block in self.completed or voided >= ATTEMPTS_MAX else voided + 1

    def read(self, events: Iterable[TournamentEvent], stored: Iterable[StoredEvent]) -> None:
        """Apply the events that follow in the log."""
        for event, bytes_kept in zip(events, stored, strict=True):
            _APPLY[type(event)](self, event)
            self.version = Version(self.version + 1)
            self.chain = links(self.chain, (bytes_kept,))


def _entered(record: TournamentRecord, event: EntrantEntered) -> None:
    record.entrants[event.entrant.bot] = event.entrant


def _started(record: TournamentRecord, _: TournamentStarted) -> None:
    record.phase = Phase.RUNNING
    record.schedule = Schedule(record.created, tuple(record.entrants.values()))
    record.standings = Standings(record.manifest.players, record.entrants)


def _block_completed(record: TournamentRecord, event: BlockCompleted) -> None:
    key = BlockKey(event.round, event.table)
    assert key not in record.completed
    assert record.standings is not None
    record.completed[key] = event
    record.standings.add(event)


def _block_voided(record: TournamentRecord, event: BlockVoided) -> None:
    record.voided[BlockKey(event.round, event.table)] = event.attempt


def _finished(record: TournamentRecord, event: TournamentFinished) -> None:
    record.phase = Phase.FINISHED
    record.finished = event


_APPLY: dict[type, Any] = {
    EntrantEntered: _entered,
    TournamentStarted: _started,
    BlockCompleted: _block_completed,
    BlockVoided: _block_voided,
    TournamentFinished: _finished,
}
