"""A tournament being played: which blocks are under way, and what is to be done next. No I/O: the reconciler does it.

Matches are begun in schedule order, as many at once as the manifest says. So at most one block is begun in part, and
none waits for another's slowest match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from cutpurse_server.matches.events import VoidCause
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    CompletedMatch,
    TournamentEvent,
    TournamentFinished,
)
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.tournaments.schedule import Block, ScheduledMatch

__all__ = ["AttemptedBlock", "Playing", "Work"]


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

    @property
    def void_cause(self) -> VoidCause | None:
        """Why the block does not count, if a match of it was voided; the first in order of rotation."""
        ends = (self.ends.get(scheduled.match) for scheduled in self.matches)
        return next((end for end in ends if isinstance(end, VoidCause)), None)

    @property
    def missing(self) -> ScheduledMatch | None:
        """The next match to begin. A block that will not count needs no further ones."""
        if self.void_cause is not None:
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


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to do: write an event, look at a block's matches, or begin a match."""

    event: TournamentEvent | None = None
    closes: bool = False
    """The event is the tournament's last."""
    look_at: AttemptedBlock | None = None
    begin: ScheduledMatch | None = None


class Playing:
    """What a replica knows of a tournament that it plays, beyond the tournament's log."""

    def __init__(self, record: TournamentRecord) -> None:
        assert record.schedule is not None
        self._concurrency = record.manifest.concurrency
        self._left: deque[Block] = deque(
            block for block in record.schedule.blocks if record.attempt(block.key) is not None
        )
        self._blocks: dict[str, AttemptedBlock] = {}
        """Blocks under way, by each of their matches."""
        self._under_way: list[AttemptedBlock] = []
        self.decisions: dict[str, int] = {}
        """Of matches whose end was seen here: how many decisions they took."""

    def running(self) -> list[str]:
        """Ids of the matches that run."""
        return sorted(match for attempted in self._under_way for match in attempted.running)

    def ended(self, record: TournamentRecord) -> Iterator[CompletedMatch]:
        """Matches that are over and count, of blocks that are not completed yet."""
        for attempted in self._under_way:
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
        attempted.ends[after.match] = CompletedMatch(after.match, after.chain, after.version, after.outcome, bots)
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
        self._drop_what_others_ended(record)
        for attempted in self._under_way:
            if not attempted.looked_at:
                return Work(look_at=attempted)
            event = attempted.end(now_ms)
            if event is not None:
                return Work(event=event)
        if not self._under_way and not self._left:
            assert record.standings is not None
            return Work(event=TournamentFinished(record.standings.rows(), now_ms), closes=True)
        if sum(len(attempted.running) for attempted in self._under_way) >= self._concurrency:
            return None
        for attempted in self._under_way:
            if attempted.missing:
                return Work(begin=attempted.missing)
        if not self._left:
            return None
        return Work(look_at=self._take_next(record))

    def _take_next(self, record: TournamentRecord) -> AttemptedBlock:
        block = self._left.popleft()
        attempt = record.attempt(block.key)
        assert attempt is not None
        attempted = AttemptedBlock(block, attempt, block.matches(record.created, attempt))
        self._under_way.append(attempted)
        self._blocks.update(dict.fromkeys((scheduled.match for scheduled in attempted.matches), attempted))
        return attempted

    def _drop_what_others_ended(self, record: TournamentRecord) -> None:
        """Take blocks off the table whose end is in the log; voided ones are played again, before anything new."""
        self._drop_left(record)
        for attempted in list(self._under_way):
            attempt = record.attempt(attempted.block.key)
            if attempt == attempted.attempt:
                continue
            self._under_way.remove(attempted)
            for scheduled in attempted.matches:
                del self._blocks[scheduled.match]
            if attempt is not None:
                self._left.appendleft(attempted.block)

    def _drop_left(self, record: TournamentRecord) -> None:
        """Take blocks off the schedule that another replica has ended."""
        while self._left and record.attempt(self._left[0].key) is None:
            self._left.popleft()
