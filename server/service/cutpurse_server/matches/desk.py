"""The desk: takes commands about many matches, decides them, and makes them durable together.

A *flush* is one transaction: of every match what waits, decided one after the other. What a command decided becomes
known, to whoever sent it and to the observers, only after the commit. If the log fails, the outcome of the flush is
unknown: senders are told to try again, and the affected matches are read again before anything else happens to them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log, LogUnavailable, StoredEvent
from cutpurse_server.matches.clock import next_due_ms
from cutpurse_server.matches.credits import Credits
from cutpurse_server.matches.deadlines import Deadlines
from cutpurse_server.matches.deciding import Draft, count_time
from cutpurse_server.matches.elsewhere import ELSEWHERE_MS, is_left_to_others
from cutpurse_server.matches.events import Cause, MatchBegun, MatchEvent
from cutpurse_server.matches.following import Following
from cutpurse_server.matches.keeping import Codec, Decided, beginning, decided, read_on, stream_of
from cutpurse_server.matches.observers import Observer, Observers
from cutpurse_server.matches.pulse import Pulse, gap_before_ms
from cutpurse_server.matches.quiet import Quiet
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.stalls import Stalls
from cutpurse_server.matches.waiting import Command, Done, Outcome, Queues, Waiting, nobody, waiting_for
from cutpurse_server.whereabouts import failure

__all__ = ["Codec", "Command", "MatchDesk", "Observer", "stream_of"]

_CLOSED_RECORDS_MAX = 256
_CONFLICTS_MAX = 16

logger = structlog.get_logger(__name__)


class MatchDesk:
    """All matches of this replica. Must be used on one event loop; `open` first, `close` last."""

    def __init__(self, log: Log, codec: Codec, fault_of: Callable[[str], Cause]) -> None:
        self.log = log
        self._codec = codec
        self._fault_of = fault_of
        self._observers = Observers()
        self._records: dict[str, MatchRecord] = {}
        """Of matches that are not over, as of the last commit that this replica knows of."""
        self._closed: OrderedDict[str, MatchRecord] = OrderedDict()
        self._doubtful: set[str] = set()
        """Matches whose log may hold more than their record does."""
        self._waiting = Queues()
        self._taken: dict[str, list[Waiting]] = {}
        """By match: commands of the flush that is under way and whose senders have not been told of their outcome."""
        self._deadlines = Deadlines(log.now_ms, self._due_ms_of, self._notice)
        self._stalls = Stalls(lambda gap_ms: self._credit_all(gap_ms, "the service stood still"))
        self._credits = Credits()
        self._quiet = Quiet(self._records.get)
        settled = partial(self._credits.settled, self._records)
        self._pulse = Pulse(log, self._read_again, self._give_back, settled, lambda: self._draining)
        self._following = Following(
            log, self._records, self._closed, self._is_needed, self._doubtful.add, self._load_each, self._stalls.look
        )
        self._followed: Counter[str] = Counter()
        """Matches that somebody here watches."""
        self._tasks: list[asyncio.Task[None]] = []
        self._draining = False
        self.failed = asyncio.Event()
        """Set when the desk cannot work any more, which no log's failure does; commands are refused from then on."""

    async def open(self) -> None:
        """Take up every match that is not over, give back the time in which no service was there, and begin to work."""
        async with self.log.taking_up() as last:
            streams = await self.log.streams("match", open_only=True)
            await self._following.read([stream.removeprefix("match/") for stream in streams])
            if gap_ms := gap_before_ms(last, self.log.now_ms()):
                credited_before_ms = partial(self._credits.credited_until_ms, last.at_ms or 0)
                self._credit_all(gap_ms, "no replica of the service was running", credited_before_ms)
            # Noted as alive only once the credits are durable: whenever we are killed, no gap is forgotten.
            while self._waiting:
                await self._flush()
            if self.log_is_there:
                await self._pulse.beat()
        self._stalls.start()
        work = [self._flush_forever(), self._pulse.go_on(lambda missed: self._fail(self.log.now_ms(), (), missed))]
        if self.log.shared:
            self.log.listen(self._following.heard)
            work.append(self._following.follow())
        self._tasks = [asyncio.create_task(each) for each in work]
        for task in self._tasks:
            task.add_done_callback(self._ended)

    def drain(self) -> None:
        """Take nothing new: whatever is refused from now on was not taken, and nobody's time is over any more.

        Nor is the service noted as alive: the next one gives back the time from here on.
        """
        self._draining = True

    async def close(self) -> None:
        """Finish what is waiting, then stop."""
        self._draining = True
        # Polling, since it happens once in a service's life and waits for two conditions.
        while (self._waiting or self._taken) and self.log_is_there:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._deadlines.stop()
        self._stalls.stop()
        self._waiting.stop()
        self._quiet.stop()

    def observe(self, observer: Observer) -> None:
        """Tell somebody of everything from now on."""
        self._observers.add(observer)

    def running(self) -> Sequence[MatchRecord]:
        """All matches that are not over."""
        return list(self._records.values())

    async def begin(self, begun: MatchBegun) -> bool:
        """Write a new match. False if the same match was begun before; NAME_TAKEN if another one bears its name."""
        if await self._outcome(begun.match, begun, patient=True):
            return True
        existing = await self.record(begun.match)
        if existing is None or existing.begun.request_digest != begun.request_digest:
            raise ServiceError(ErrorReason.NAME_TAKEN if existing else ErrorReason.LOG_UNAVAILABLE)
        return False

    def held(self, match: str) -> MatchRecord | None:
        """The record of a running match if it is at hand; None says nothing."""
        return None if match in self._doubtful else self._records.get(match)

    async def record(self, match: str) -> MatchRecord | None:
        """What is known about a match, or None if there is none. Shared: not to be changed."""
        record = self._closed.get(match) or (None if self.log.shared else self.held(match))
        if record is not None:
            return record
        try:
            return await self._load(match)
        except LogUnavailable as unavailable:
            raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable

    async def events_of(self, match: str, after: int = 0) -> Sequence[MatchEvent]:
        """The events of a match after a version, straight from the log. Secrets included: for this process only."""
        try:
            stored = await self.log.read(stream_of(match), after)
        except LogUnavailable as unavailable:
            raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
        return [self._codec.decode(each) for each in stored]

    async def catch_up(self, bot: str) -> None:
        """Read what other replicas have written to a bot's matches, as far as it was not read for nobody's sake."""
        for match in sorted(self._doubtful & {match for match, held in self._records.items() if bot in held.seat_of}):
            await self.record(match)

    def follow(self, match: str) -> None:
        """Have a match's moves read as soon as another replica makes them, as those of connected bots are."""
        self._followed[match] += 1

    def unfollow(self, match: str) -> None:
        """Stop doing so."""
        self._followed[match] -= 1
        self._followed += Counter()

    @property
    def log_is_there(self) -> bool:
        """Whether the log can be read and written, as far as this replica knows."""
        return self._pulse.down_since_ms is None

    @property
    def draining(self) -> bool:
        """Whether the desk is about to stop."""
        return self._draining

    def submit(self, match: str, command: Command, done: Done, *, patient: bool = False) -> None:
        """Have a command decided; `done` is called after its commit. A patient one may wait a moment for others."""
        self._submit(match, Waiting(command, done, patient))

    def _submit(self, match: str, waiting: Waiting) -> None:
        if self._draining or self.failed.is_set():
            waiting.done(None, ServiceError(ErrorReason.DRAINING))
        elif not self.log_is_there:
            waiting.done(None, ServiceError(ErrorReason.LOG_UNAVAILABLE))
        elif not self._waiting.put(match, self._quiet.keep(match, waiting) if self.log.shared else waiting):
            waiting.done(None, ServiceError(ErrorReason.RATE_LIMITED))

    async def ask(self, match: str, command: Command) -> Any:
        """Have a command decided and wait for its reply; raises what it raised, or `ServiceError`."""
        return await self._outcome(match, command, patient=False)

    async def _outcome(self, match: str, command: Command | MatchBegun, *, patient: bool) -> Any:
        waiting, outcome = waiting_for(command, patient=patient)
        self._submit(match, waiting)
        return await outcome

    async def _flush_forever(self) -> None:
        while True:
            await self._waiting.gathered(self._records)
            await self._flush()

    async def _flush(self) -> None:
        """One transaction: decide what waits, write, and tell."""
        self._stalls.look()
        now_ms = self.log.now_ms()
        self._taken = self._waiting.take()
        added: list[Decided] = []
        for match, taken in list(self._taken.items()):
            try:
                each = await self._decide(match, taken)
            except LogUnavailable as unavailable:
                self._fail(now_ms, (), unavailable)
                return
            except Exception as error:
                if not isinstance(error, ServiceError):
                    logger.error("command failed", match=match, **failure(error))
                self._finish(match, [Outcome(waiting.done, None, error) for waiting in taken])
                continue
            if each.append is not None:
                added.append(each)
            else:
                self._finish(match, each.outcomes)
        if added:
            await self._commit(added, now_ms)

    async def _decide(self, match: str, taken: Sequence[Waiting]) -> Decided:
        command = taken[0].command
        if type(command) is MatchBegun:
            return beginning(command, taken[0].done, self._codec)
        before = self._records.get(match)
        if before is None or match in self._doubtful:
            before = await self._load(match)
        if before is None:
            raise ServiceError(ErrorReason.MATCH_UNKNOWN)
        while True:
            each = decided(before, taken, self.log.now_ms(), self._codec)  # not earlier than what was read
            if each.append is not None or not self.log.shared or before.over:
                return each
            # What adds an event is decided on the newest version or not at all. What adds none could be mistaken.
            newest = await self._load(match)
            if newest is before or newest is None:
                return each
            before = newest

    async def _commit(self, added: list[Decided], now_ms: int) -> None:
        try:
            moved = await self.log.flush([each.append for each in added if each.append is not None])
        except LogUnavailable as unavailable:
            self._fail(now_ms, [each.match for each in added], unavailable)
            return
        for each, took_place in zip(added, moved, strict=True):
            if took_place:
                read_already = self._records.get(each.match) is not each.before or each.match in self._closed
                if not read_already:
                    self._keep(each.after)
                self._finish(each.match, each.outcomes)
                # Whoever read it from the log, before we heard that it is there, has told.
                if not read_already:
                    self._observers.tell(each.before, each.after, each.events)
            elif each.before is None:
                self._finish(each.match, [each.outcomes[0]._replace(reply=False)])
            else:
                # Another replica was quicker: read what it wrote, and decide again in the next flush.
                self._doubtful.add(each.match)
                self._try_again(each.match)

    def _try_again(self, match: str) -> None:
        """Put commands that were overtaken before what waits, or give them up."""
        for waiting in reversed(self._taken.pop(match, ())):
            if waiting.tries >= _CONFLICTS_MAX:
                waiting.done(None, ServiceError(ErrorReason.LOG_UNAVAILABLE))
            else:
                self._waiting.put_first(match, waiting._replace(patient=False, tries=waiting.tries + 1))

    def _finish(self, match: str, outcomes: Sequence[Outcome]) -> None:
        """Tell the senders of commands that were taken, unless a failure meanwhile has had them told to try again."""
        if self._taken.pop(match, None) is not None:
            for done, reply, error in outcomes:
                done(reply, error)

    def _fail(self, now_ms: int, matches: Sequence[str], cause: LogUnavailable) -> None:
        """The log failed: nothing is acknowledged, everything concerned is read again before it goes on."""
        logger.error("log unavailable", error=str(cause), matches=len(matches))
        self._pulse.lost(now_ms, self._records.values())
        self._doubtful.update(self._records)
        self._doubtful.update(matches)
        taken, self._taken = self._taken, {}
        for waiting in (*(each for together in taken.values() for each in together), *self._waiting.take_all()):
            waiting.done(None, ServiceError(ErrorReason.LOG_UNAVAILABLE))

    async def _read_again(self) -> None:
        await self._following.read(sorted(self._doubtful))

    def _give_back(self, gap_ms: int) -> None:
        self._credit_all(gap_ms, "the log could not be written", self._pulse.credited_before_ms)

    def _is_needed(self, record: MatchRecord) -> bool:
        """Whether anybody here has to hear of a match's moves as they are made."""
        return record.match in self._followed or any(map(self._is_here, record.seat_of))

    def _is_here(self, bot: str) -> bool:
        return self._fault_of(bot) is Cause.TIMEOUT

    def _credit_all(
        self, gap_ms: int, text: str, credited_before_ms: Callable[[MatchRecord], int | None] = lambda _: None
    ) -> None:
        running, now_ms = self._records.values(), self.log.now_ms()
        for match, command, done in self._credits.give_all(running, now_ms, gap_ms, text, credited_before_ms):
            self._first(match, command, done)

    def _first(self, match: str, command: Command, done: Done) -> None:
        """Have a command of the desk's own decided before whatever waits."""
        self._waiting.put_first(match, Waiting(command, done))

    async def _load(self, match: str) -> MatchRecord | None:
        """Read what the log holds beyond the record, if anything, and tell; raises `LogUnavailable`."""
        while True:
            before = self._records.get(match)
            stored = await self.log.read(stream_of(match), before.version if before else 0)
            if self._records.get(match) is before:
                break
            # A flush, or somebody else who read, was quicker: what was read here has been told already.
        return self._learn(match, before, stored)

    async def _load_each(self, matches: Sequence[str]) -> None:
        """The same for many."""
        held = {match: self._records.get(match) for match in matches}
        after = {stream_of(match): record.version if record else 0 for match, record in held.items()}
        stored = await self.log.read_each(after)
        for match, before in held.items():
            if self._records.get(match) is before:
                self._learn(match, before, stored[stream_of(match)])
            else:
                await self._load(match)

    def _learn(self, match: str, before: MatchRecord | None, stored: Sequence[StoredEvent]) -> MatchRecord | None:
        """Make a record of what was read beyond another, and tell."""
        self._doubtful.discard(match)
        if not stored:
            return before
        record, events = read_on(before, stored, self._codec)
        self._credits.read(record, events)
        self._keep(record)
        # A match that was over before we ever held it is no news to anybody.
        if before is not None or not record.over:
            self._observers.tell(before, record, events)
        return record

    def _keep(self, record: MatchRecord) -> None:
        """Hold a record as the newest of its match, and see to it that its deadlines are noticed."""
        match = record.match
        if record.over:
            self._records.pop(match, None)
            self._closed[match] = record
            if len(self._closed) > _CLOSED_RECORDS_MAX:
                self._closed.popitem(last=False)
        else:
            self._records[match] = record
            self._deadlines.watch(match, next_due_ms(record))
        self._quiet.moved(match)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A task of the desk's own has ended: in good order when cancelled, else nothing can go on."""
        if task.cancelled() or task.exception() is None:
            return
        logger.critical("the desk cannot work any more", **failure(task.exception() or Exception()))
        self.failed.set()
        self._fail(self.log.now_ms(), (), LogUnavailable("the desk cannot work any more"))

    def _due_ms_of(self, match: str) -> int | None:
        return next_due_ms(self._records[match]) if match in self._records else None

    def _notice(self, match: str) -> None:
        """Somebody's time is over, unless it has to be given back first; what came in time and waits comes before."""
        self._stalls.look()
        record = self._records.get(match)
        if record is None or is_left_to_others(record, self.log.now_ms(), self._patience_ms):
            return
        if self.log_is_there and not self._draining and not self._credits.owed(match):
            self._waiting.put(match, Waiting(self._count_time, nobody))

    def _count_time(self, draft: Draft, now_ms: int) -> None:
        count_time(draft, now_ms, self._fault_of, self._patience_ms)

    def _patience_ms(self, bot: str) -> int:
        """How much longer than others this replica waits for a bot."""
        return 0 if not self.log.shared or self._is_here(bot) else ELSEWHERE_MS
