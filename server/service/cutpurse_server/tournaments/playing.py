"""A tournament being played: which blocks are under way, and what is to be done next. No I/O: the reconciler does it.

Matches are begun in schedule order, as many at once as the manifest says. So at most one block is begun in part, and
none waits for another's slowest match. Where rounds depend on results, the next one is drawn when the last block of the
round before has ended.

What an organiser has dropped or voided while it is played is called off: its matches are ended, and a dropped block of
which a match had begun gets its end in the log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.events import VoidCause
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.tournaments.acting import quarantine_due
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    CompletedMatch,
    TournamentEvent,
    TournamentFinished,
)
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.tournaments.schedule import Block, BlockKey, ScheduledMatch

__all__ = ["AttemptedBlock", "BeginMatch", "EndMatch", "LookAt", "Playing", "Work", "WriteEvent"]


@dataclass(slots=True)
class AttemptedBlock:
    """A block in one attempt, while it is played."""

    block: Block
    attempt: int
    matches: tuple[ScheduledMatch, ...]
    """By rotation."""
    looked_at: bool = False
    """Whether the matches that exist already are known."""
    begun: set[str] = field(default_factory=set)
    ends: dict[str, CompletedMatch | VoidCause] = field(default_factory=dict)
    """How the matches that are over ended."""
    called_off: tuple[VoidCause, str] | None = None
    """Why its matches are to be ended, and in which words."""

    @property
    def void_cause(self) -> VoidCause | None:
        """Why the block does not count, if a match of it was voided; the first in order of rotation."""
        ends = (self.ends.get(scheduled.match) for scheduled in self.matches)
        return next((end for end in ends if isinstance(end, VoidCause)), None)

    @property
    def missing(self) -> ScheduledMatch | None:
        """The next match to begin. A block that will not count needs no further ones."""
        if self.void_cause is not None or self.called_off:
            return None
        return next((scheduled for scheduled in self.matches if scheduled.match not in self.begun), None)

    @property
    def running(self) -> set[str]:
        """Ids of the matches that are begun and not over."""
        return self.begun - self.ends.keys()

    def end(self, now_ms: int) -> BlockCompleted | BlockVoided | None:
        """What is to be written, once the block is over."""
        if self.running or self.missing or not self.looked_at:
            return None
        round_number, table = self.block.key
        cause = self.void_cause
        if cause is not None:
            return BlockVoided(round_number, table, self.attempt, cause, now_ms)
        ends = [self.ends[scheduled.match] for scheduled in self.matches]
        completed = tuple(end for end in ends if isinstance(end, CompletedMatch))
        assert len(completed) == len(ends)
        return BlockCompleted(round_number, table, self.attempt, completed, now_ms)


class WriteEvent(NamedTuple):
    """Write an event into the tournament's log."""

    event: TournamentEvent
    closes: bool = False
    """It is the tournament's last."""


class LookAt(NamedTuple):
    """Find out which matches of a block exist already."""

    attempted: AttemptedBlock


class BeginMatch(NamedTuple):
    """Begin a match."""

    scheduled: ScheduledMatch


class EndMatch(NamedTuple):
    """End a match that runs and is called off."""

    match: str
    cause: VoidCause
    text: str


Work = WriteEvent | LookAt | BeginMatch | EndMatch
"""One thing to do."""


class Playing:
    """What a replica knows of a tournament that it plays, beyond the tournament's log."""

    def __init__(self, record: TournamentRecord, *, shared: bool = False) -> None:
        """`shared`: other replicas may play it as well."""
        assert record.schedule is not None
        self._shared = shared
        self._concurrency = record.manifest.concurrency
        self._left: deque[Block] = deque()
        self._taken = 0
        """How many blocks of the schedule were put into `_left`."""
        self._told = len(record.told)
        """How much of what organisers did was followed."""
        self._blocks: dict[str, AttemptedBlock] = {}
        """Blocks under way, by each of their matches."""
        self._under_way: dict[BlockKey, AttemptedBlock] = {}
        self._called_off: list[AttemptedBlock] = []
        """Blocks whose matches are to be ended."""
        self.decisions: dict[str, int] = {}
        """Of matches whose end was seen here: how many decisions they took."""
        self._call_off_what_was_before(record)

    def running(self) -> list[str]:
        """Ids of the matches that run."""
        return sorted(
            match for attempted in (*self._under_way.values(), *self._called_off) for match in attempted.running
        )

    def ended(self, record: TournamentRecord) -> Iterator[CompletedMatch]:
        """Matches that are over and count, of blocks that are not completed yet."""
        for attempted in self._under_way.values():
            if attempted.void_cause is None and attempted.block.key not in record.completed:
                yield from (end for end in attempted.ends.values() if isinstance(end, CompletedMatch))

    def notice(self, after: MatchRecord) -> None:
        """A match is over."""
        attempted = self._blocks.get(after.match)
        if attempted is None:
            return
        attempted.begun.add(after.match)
        if after.outcome is None:
            assert after.void_cause is not None
            attempted.ends[after.match] = after.void_cause
            return
        bots = tuple(seat.bot for seat in after.begun.seats)
        waited_for = (seat for seat in map(Seat, range(len(bots))) if seat not in after.begun.quarantined)
        absent = tuple(seat for seat in waited_for if seat not in after.ready)
        attempted.ends[after.match] = CompletedMatch(
            after.match, after.chain, after.version, after.outcome, bots, absent
        )
        self.decisions[after.match] = after.number

    def began(self, scheduled: ScheduledMatch, existing: MatchRecord | None) -> None:
        """A match exists; `existing` is its record if it did before."""
        attempted = self._blocks.get(scheduled.match)
        if attempted is not None:
            attempted.begun.add(scheduled.match)
            if existing is not None and existing.over:
                self.notice(existing)

    def next_work(self, record: TournamentRecord, now_ms: int) -> Work | None:
        """The next thing to do, or None as long as there is nothing but to wait."""
        assert record.schedule is not None
        self._follow(record)
        work = self._call_off(record, now_ms)
        if work is not None:
            return work
        for attempted in self._under_way.values():
            if not attempted.looked_at:
                return LookAt(attempted)
            event = attempted.end(now_ms)
            if event is not None:
                return WriteEvent(event)
        quarantined = quarantine_due(record, now_ms)
        if quarantined is not None:
            return WriteEvent(quarantined)
        if not self._under_way and not self._left and not self._called_off:
            return self._draw_or_finish(record, now_ms)
        if record.paused or self._runs_enough():
            return None
        for attempted in self._under_way.values():
            if attempted.missing:
                return BeginMatch(attempted.missing)
        return LookAt(self._take_next(record)) if self._left else None

    def _runs_enough(self) -> bool:
        return sum(len(attempted.running) for attempted in self._under_way.values()) >= self._concurrency

    def _draw_or_finish(self, record: TournamentRecord, now_ms: int) -> Work | None:
        """All that was drawn has ended."""
        schedule = record.schedule
        assert schedule is not None
        draw = schedule.next_draw()
        if draw is None:
            finished = TournamentFinished(record.rows(), now_ms, schedule.last_lots(), schedule.verdict)
            return WriteEvent(finished, closes=True)
        return None if record.paused else WriteEvent(schedule.drawn_event(draw, now_ms))

    def _take_next(self, record: TournamentRecord) -> AttemptedBlock:
        block = self._left.popleft()
        attempt = record.attempt(block.key)
        assert attempt is not None
        attempted = AttemptedBlock(block, attempt, block.matches(record.created, attempt))
        self._under_way[block.key] = attempted
        self._blocks.update(dict.fromkeys((scheduled.match for scheduled in attempted.matches), attempted))
        return attempted

    def _follow(self, record: TournamentRecord) -> None:
        """Take up what was drawn, and drop what has ended or is not to be played any more.

        Blocks that were voided or taken back are played again, before anything new.
        """
        schedule = record.schedule
        assert schedule is not None
        self._left.extend(block for block in schedule.blocks[self._taken :] if schedule.is_open(block.key))
        self._taken = len(schedule.blocks)
        for key, attempted in list(self._under_way.items()):
            if record.attempt(key) != attempted.attempt:
                del self._under_way[key]
                self._let_go(attempted, record)
        for told in record.told[self._told :]:
            block = schedule.block(BlockKey(told.round, told.table)) if isinstance(told, BlockVoided) else None
            if block is not None and record.attempt(block.key) is not None:
                self._left.appendleft(block)
        self._told = len(record.told)
        while self._left and (record.attempt(self._left[0].key) is None or self._left[0].key in self._under_way):
            block = self._left.popleft()
            if self._shared and schedule.is_dropped(block.key):
                # Another replica may have begun it.
                self._call_off_block(block, record.voided.get(block.key, 0) + 1, record)

    def _let_go(self, attempted: AttemptedBlock, record: TournamentRecord) -> None:
        """A block under way has ended, or is not to be played any more in this attempt."""
        schedule = record.schedule
        assert schedule is not None
        if attempted.running or schedule.is_dropped(attempted.block.key):
            attempted.called_off = _why(attempted.block, record)
            self._called_off.append(attempted)
        else:
            self._forget(attempted)

    def _call_off_what_was_before(self, record: TournamentRecord) -> None:
        """Blocks that an earlier run of the service may have begun, and not ended, when they were called off."""
        schedule = record.schedule
        assert schedule is not None
        for told in record.told:
            block = schedule.block(BlockKey(told.round, told.table)) if isinstance(told, BlockVoided) else None
            if block is not None and isinstance(told, BlockVoided) and told.text:
                self._call_off_block(block, told.attempt, record)
        for block in schedule.dropped():
            self._call_off_block(block, record.voided.get(block.key, 0) + 1, record)

    def _call_off_block(self, block: Block, attempt: int, record: TournamentRecord) -> None:
        attempted = AttemptedBlock(block, attempt, block.matches(record.created, attempt))
        if attempted.matches[0].match not in self._blocks:
            attempted.called_off = _why(block, record)
            self._called_off.append(attempted)
            self._blocks.update(dict.fromkeys((scheduled.match for scheduled in attempted.matches), attempted))

    def _call_off(self, record: TournamentRecord, now_ms: int) -> Work | None:
        """What is to be done about blocks that are not to be played any more."""
        schedule = record.schedule
        assert schedule is not None
        for attempted in list(self._called_off):
            if not attempted.looked_at:
                return LookAt(attempted)
            assert attempted.called_off is not None
            for match in sorted(attempted.running):
                return EndMatch(match, *attempted.called_off)
            key = attempted.block.key
            if attempted.begun and schedule.is_dropped(key) and record.voided.get(key, 0) < attempted.attempt:
                cause, text = attempted.called_off
                return WriteEvent(BlockVoided(*key, attempted.attempt, cause, now_ms, text))
            self._called_off.remove(attempted)
            self._forget(attempted)
        return None

    def _forget(self, attempted: AttemptedBlock) -> None:
        for scheduled in attempted.matches:
            self._blocks.pop(scheduled.match, None)


def _why(block: Block, record: TournamentRecord) -> tuple[VoidCause, str]:
    """Why a block is not to be played any more."""
    schedule = record.schedule
    assert schedule is not None
    if any(entrant.bot in record.left for entrant in block.entrants):
        return VoidCause.ENTRANT_GONE, "a bot of it has left the tournament"
    if schedule.verdict is not None:
        return VoidCause.ABORTED, "the gauntlet was decided before"
    return VoidCause.ABORTED, "the organiser has ended it"
