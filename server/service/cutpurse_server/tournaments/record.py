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
    BotsLaunched,
    Entrant,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    LeaveCause,
    Manifest,
    RoundDrawn,
    Standing,
    TournamentCreated,
    TournamentCutShort,
    TournamentEvent,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
    manifest_hash,
)
from cutpurse_server.tournaments.schedule import ATTEMPTS_MAX, BlockKey, Schedule
from cutpurse_server.tournaments.standings import Ranking, Standings, standings_of

__all__ = ["Phase", "Told", "TournamentRecord"]

Told = (
    EntrantEntered
    | EntrantLeft
    | EntrantQuarantined
    | EntrantReleased
    | BotsLaunched
    | BlockVoided
    | TournamentPaused
    | TournamentResumed
    | TournamentCutShort
)
"""What those who watch are told of, beyond matches that are over."""


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
        """By the bot's name; those who left after the start among them."""
        self.left: dict[str, LeaveCause] = {}
        """Who is out since the start, and why."""
        self.quarantined: dict[str, str] = {}
        """Who is in quarantine, and why."""
        self.absences: dict[str, int] = {}
        """By bot, if any: how many blocks after one another, completed last, it was waited for in vain all the time."""
        self.launched = ""
        """How bots are launched by the organiser, if they are."""
        self.started_ms = 0
        """When it began, in store time; 0 before that."""
        self.paused = False
        self.told: list[Told] = []
        """What organisers have done since the start, and what was voided."""
        self.completed: dict[BlockKey, BlockCompleted] = {}
        """Blocks that are completed, those of a gauntlet that do not count among them."""
        self.completions: list[BlockCompleted] = []
        """All of them in the order in which they ended, also those that were voided later."""
        self.voided: dict[BlockKey, int] = {}
        """How many attempts of a block were voided."""
        self.schedule: Schedule | None = None
        """Once the tournament has begun."""
        self.standings: Standings | None = None
        """Over the blocks that count, once the tournament has begun; as they are shown: `rows`."""
        self._rows: tuple[Version, tuple[Standing, ...]] | None = None
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

    @property
    def ranking(self) -> Ranking:
        """What the standings take from the schedule; the tournament must have begun."""
        assert self.schedule is not None
        return Ranking(self.schedule.scores(), self.schedule.byes(), self.left)

    def rows(self) -> tuple[Standing, ...]:
        """The standings over the blocks that count, best first; empty before the start."""
        if self.standings is None:
            return ()
        if self._rows is None or self._rows[0] != self.version:
            self._rows = (self.version, self.standings.rows(self.ranking))
        return self._rows[1]

    def attempt(self, block: BlockKey) -> int | None:
        """The attempt, from 1, in which a block is or should be played; None if nothing is left to play."""
        assert self.schedule is not None
        return self.voided.get(block, 0) + 1 if self.schedule.is_open(block) else None

    def read(self, events: Iterable[TournamentEvent], stored: Iterable[StoredEvent]) -> None:
        """Apply the events that follow in the log."""
        for event, bytes_kept in zip(events, stored, strict=True):
            _APPLY[type(event)](self, event)
            self.version = Version(self.version + 1)
            self.chain = links(self.chain, (bytes_kept,))


def _entered(record: TournamentRecord, event: EntrantEntered) -> None:
    record.entrants[event.entrant.bot] = event.entrant
    if record.schedule is not None and record.standings is not None:
        record.told.append(event)
        record.schedule.enter(event.entrant)
        record.standings.enter(event.entrant.bot)


def _left(record: TournamentRecord, event: EntrantLeft) -> None:
    if record.schedule is None:
        del record.entrants[event.bot]
        return
    record.left[event.bot] = event.cause
    record.quarantined.pop(event.bot, None)
    record.told.append(event)
    _count(record, record.schedule.leave(event.bot, event.cause))


def _quarantined(record: TournamentRecord, event: EntrantQuarantined) -> None:
    record.quarantined[event.bot] = event.text
    record.told.append(event)


def _released(record: TournamentRecord, event: EntrantReleased) -> None:
    del record.quarantined[event.bot]
    record.absences.pop(event.bot, None)
    record.told.append(event)


def _launched(record: TournamentRecord, event: BotsLaunched) -> None:
    record.launched = event.text
    record.told.append(event)


def _started(record: TournamentRecord, event: TournamentStarted) -> None:
    record.phase = Phase.RUNNING
    record.started_ms = event.at_ms
    record.schedule = Schedule(record.created, tuple(record.entrants.values()))
    record.standings = Standings(record.manifest.players, record.entrants)


def _round_drawn(record: TournamentRecord, _: RoundDrawn) -> None:
    assert record.schedule is not None
    record.schedule.draw()


def _block_completed(record: TournamentRecord, event: BlockCompleted) -> None:
    key = BlockKey(event.round, event.table)
    assert key not in record.completed
    assert record.schedule is not None
    record.completed[key] = event
    record.completions.append(event)
    for bot in event.matches[0].bots:
        away = all(match.bots.index(bot) in match.absent for match in event.matches)
        if away:
            record.absences[bot] = record.absences.get(bot, 0) + 1
        else:
            record.absences.pop(bot, None)
    _count(record, record.schedule.end(key, event))


def _block_voided(record: TournamentRecord, event: BlockVoided) -> None:
    key = BlockKey(event.round, event.table)
    schedule = record.schedule
    assert schedule is not None
    record.told.append(event)
    record.voided[key] = event.attempt
    if record.completed.pop(key, None) is not None:
        schedule.take_back(key)
        record.standings = standings_of(record.manifest.players, record.entrants, schedule.counted())
    if event.attempt == ATTEMPTS_MAX and schedule.is_open(key):
        _count(record, schedule.end(key, None))


def _paused(record: TournamentRecord, event: TournamentPaused) -> None:
    record.paused = True
    record.told.append(event)


def _resumed(record: TournamentRecord, event: TournamentResumed) -> None:
    record.paused = False
    record.told.append(event)


def _cut_short(record: TournamentRecord, event: TournamentCutShort) -> None:
    assert record.schedule is not None
    record.paused = False
    record.told.append(event)
    _count(record, record.schedule.cut_short())


def _finished(record: TournamentRecord, event: TournamentFinished) -> None:
    record.phase = Phase.FINISHED
    record.finished = event


def _count(record: TournamentRecord, blocks: Iterable[BlockCompleted]) -> None:
    assert record.standings is not None
    for block in blocks:
        record.standings.add(block)


_APPLY: dict[type, Any] = {
    EntrantEntered: _entered,
    EntrantLeft: _left,
    EntrantQuarantined: _quarantined,
    EntrantReleased: _released,
    BotsLaunched: _launched,
    TournamentStarted: _started,
    RoundDrawn: _round_drawn,
    BlockCompleted: _block_completed,
    BlockVoided: _block_voided,
    TournamentPaused: _paused,
    TournamentResumed: _resumed,
    TournamentCutShort: _cut_short,
    TournamentFinished: _finished,
}
