"""A desk whose matches end when a test says so, and a log that fails when a test says so."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from cutpurse_rules.contract import EndReason, Seat
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, LogUnavailable
from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.desk import Observer
from cutpurse_server.matches.events import Clock, MatchBegun, MatchEvent, MatchOutcome, MatchVoided, VoidCause
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.record import Phase as MatchPhase
from cutpurse_server.tournaments.events import Format, Manifest

DECISIONS = 5
"""Of every match."""


def manifest(**changes: Any) -> Manifest:
    """A small tournament as an organiser sends it."""
    given = Manifest("cup", "art_robbery", {}, Clock(), Format.ROUND_ROBIN, 2, 2, 3, b"", 0, "a seed")
    return given._replace(**changes)


class ScriptedDesk:
    """The matches of a world that outlives the reconciler; `end` and `void` let them be over."""

    def __init__(self, records: dict[str, MatchRecord]) -> None:
        self.records = records
        self.begins: list[str] = []
        self.most_running = 0
        self.away: set[str] = set()
        """Bots that are ready for nothing."""
        self._observers: list[Observer] = []

    def observe(self, observer: Observer) -> None:
        """See `Desk`."""
        self._observers.append(observer)

    async def begin(self, begun: MatchBegun) -> bool:
        """See `Desk`."""
        existing = self.records.get(begun.match)
        if existing is not None:
            if existing.begun.request_digest != begun.request_digest:
                raise ServiceError(ErrorReason.NAME_TAKEN)
            return False
        self.records[begun.match] = MatchRecord(begun)
        self.begins.append(begun.match)
        self.most_running = max(self.most_running, len(self.running()))
        return True

    async def record(self, match: str) -> MatchRecord | None:
        """See `Desk`."""
        return self.records.get(match)

    async def ask(self, match: str, command: Callable[[Draft, int], Any]) -> None:
        """See `Desk`; the only command that is known ends a match."""
        draft = Draft(self.records[match])
        command(draft, 0)
        for event in draft.events:
            assert isinstance(event, MatchVoided)
            self.void(match, event.cause)

    def running(self) -> Sequence[MatchRecord]:
        """See `Desk`."""
        return [record for record in self.records.values() if not record.over]

    def end(self, match: str, placements: Sequence[int] = ()) -> None:
        """Let a match be over; who wins follows from its key, unless it is given."""
        record = self.records[match]
        players = record.begun.players
        here = (seat for seat in map(Seat, range(players)) if record.begun.seats[seat].bot not in self.away)
        record.ready = frozenset(seat for seat in here if seat not in record.begun.quarantined)
        places = list(range(1, players + 1))
        random.Random(record.begun.key).shuffle(places)
        places = list(placements) or places
        record.outcome = MatchOutcome((0,) * players, tuple(places), EndReason.COMPLETED, (), tuple(places))
        self._over(record, MatchPhase.ENDED)

    def void(self, match: str, cause: VoidCause = VoidCause.PLATFORM) -> None:
        """Let a match be over without a result."""
        record = self.records[match]
        record.void_cause = cause
        self._over(record, MatchPhase.VOIDED)

    def _over(self, record: MatchRecord, phase: MatchPhase) -> None:
        record.phase = phase
        record.number = DECISIONS
        record.version = 3 * DECISIONS
        record.chain = record.begun.key
        events: Sequence[MatchEvent] = ()
        for observer in self._observers:
            observer.moved(record, record, events)


class FailingLog(MemoryLog):
    """A log that fails before or after a write, as a seeded chance has it."""

    def __init__(self, seed: int, failures: float) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self.failures = failures

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See `Log`; half of the failures happen after everything was written."""
        fails = self._random.random() < self.failures
        if fails and self._random.random() < 0.5:
            raise LogUnavailable("failed before")
        moved = await super().flush(appends)
        if fails:
            raise LogUnavailable("failed after")
        return moved


class Registered:
    """Every bot is registered; the part of its name before a dash is its owner's."""

    async def owner_of(self, bot: str) -> str | None:
        """See `Owners`; nobody owns a bot whose name begins with `unknown`."""
        return None if bot.startswith("unknown") else bot.partition("-")[0]
