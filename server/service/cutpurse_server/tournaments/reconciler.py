"""The reconciler: derives from the logs what should exist, and creates what is missing.

Nothing that it remembers is needed: killed anywhere and started again, or run by two replicas at once, it makes the
same schedule, and nothing is lost or doubled, because the ids of matches follow from the tournament's log and every
write names the version that it was decided on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Protocol

import structlog

from cutpurse_rules.contract import Seat
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Draft, abort
from cutpurse_server.matches.desk import Observer
from cutpurse_server.matches.events import MatchBegun, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.tournaments.deals import NO_ENTROPY, match_key, slot_secret
from cutpurse_server.tournaments.playing import BeginMatch, EndMatch, LookAt, Playing, Work, WriteEvent
from cutpurse_server.tournaments.record import Phase, TournamentRecord
from cutpurse_server.tournaments.schedule import ScheduledMatch
from cutpurse_server.tournaments.store import TournamentStore
from cutpurse_server.whereabouts import failure

__all__ = ["Desk", "Reconciler", "begin_scheduled", "scheduled_digest"]

_POLL_S = 2.0
"""How long nothing is looked at if nobody says that something happened."""
_RETRY_S = 0.25

logger = structlog.get_logger(__name__)


class Desk(Protocol):
    """What the reconciler needs of the desk of matches."""

    async def begin(self, begun: MatchBegun) -> bool:
        """Write a new match; False if the same one was begun before."""
        ...

    async def ask(self, match: str, command: Callable[[Draft, int], Any]) -> Any:
        """Decide a command on a match, and what came of it."""
        ...

    async def record(self, match: str) -> MatchRecord | None:
        """What is known about a match, or None."""
        ...

    def running(self) -> Sequence[MatchRecord]:
        """All matches that are not over."""
        ...

    def observe(self, observer: Observer) -> None:
        """Tell somebody of everything from now on."""
        ...


def scheduled_digest(manifest_hash: bytes, scheduled: ScheduledMatch) -> bytes:
    """What stands in a scheduled match's log in place of a request's digest: 32 bytes."""
    bots = "".join(f"\x00{seat.bot}" for seat in scheduled.seats)
    return sha256(b"cutpurse/scheduled/v1\x00" + manifest_hash + f"{scheduled.match}{bots}".encode()).digest()


def begin_scheduled(record: TournamentRecord, scheduled: ScheduledMatch, now_ms: int) -> MatchBegun:
    """The first event of a match of the schedule. Everything but the time follows from the tournament's log."""
    manifest, origin = record.manifest, scheduled.origin
    secret = slot_secret(record.created.deals_secret, origin.slot)
    return begin_match(
        scheduled.match,
        manifest.game,
        manifest.options,
        manifest.clock,
        [SeatIdentity(seat.bot, seat.owner) for seat in scheduled.seats],
        now_ms,
        key=match_key(secret, NO_ENTROPY, origin.slot, origin.attempt),
        rated=not manifest.seed,
        manifest_hash=record.hash,
        origin=origin,
        request_digest=scheduled_digest(record.hash, scheduled),
        quarantined=tuple(Seat(seat) for seat, each in enumerate(scheduled.seats) if each.bot in record.quarantined),
    )


class Reconciler:
    """Plays every tournament that has started and is not finished. `open` first, `close` last."""

    def __init__(self, store: TournamentStore, desk: Desk) -> None:
        self._store = store
        self._desk = desk
        self._playing: dict[str, Playing] = {}
        self._wakes: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stuck: set[str] = set()
        """Tournaments that this replica could not go on with; tried again when they are taken up once more."""
        self._news = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        desk.observe(self)

    async def open(self) -> None:
        """Take up every tournament that was begun and is not finished."""
        await self._take_up_all()
        if self._store.log.shared:
            self._looking = asyncio.create_task(self._look_for_others())

    async def close(self) -> None:
        """Stop. What runs can be taken up again at any time."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()

    def take_up(self, tournament: str) -> None:
        """Play a tournament that has started, unless that is being done."""
        if tournament not in self._tasks or self._tasks[tournament].done():
            self._stuck.discard(tournament)
            self._playing.pop(tournament, None)
            self._wakes[tournament] = asyncio.Event()
            self._tasks[tournament] = asyncio.create_task(self._play(tournament))

    def wake(self, tournament: str) -> None:
        """Something was done to a running tournament: look at it now."""
        self.take_up(tournament)
        self._wakes[tournament].set()
        self._tell()

    def playing(self, tournament: str) -> Playing | None:
        """What is known of a tournament that this replica plays."""
        return self._playing.get(tournament)

    def is_stuck(self, tournament: str) -> bool:
        """Whether this replica could not go on with a tournament, so that waiting for it is in vain."""
        return tournament in self._stuck

    async def news(self, timeout_s: float) -> None:
        """Wait until something has happened in a tournament, or for so long."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            return

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """A match has moved (`Observer`)."""
        origin = after.begun.origin
        if origin is None or not after.over:
            return
        playing = self._playing.get(origin.tournament)
        if playing is not None:
            playing.notice(after)
            self._wakes[origin.tournament].set()
            self._tell()

    def _tell(self) -> None:
        """Wake everybody who waits for news."""
        self._news.set()
        self._news = asyncio.Event()

    async def _take_up_all(self) -> None:
        for tournament in await self._store.names(unfinished_only=True):
            if tournament not in self._tasks:
                record = await self._store.read(tournament)
                if record is not None and record.phase is Phase.RUNNING:
                    self.take_up(tournament)

    async def _look_for_others(self) -> None:
        """Take up tournaments that were started at other replicas, which may go at any time; runs for ever."""
        while True:
            await asyncio.sleep(_POLL_S)
            try:
                await self._take_up_all()
            except ServiceError as refused:
                logger.warning("tournaments were not looked for", reason=refused.reason.name)
            except Exception as error:
                # One that cannot be read must not keep those from being taken up that can, once it is gone.
                logger.error("tournaments were not looked for", **failure(error))

    async def _play(self, tournament: str) -> None:
        """Work until the tournament is finished; the log may come and go meanwhile."""
        wake = self._wakes[tournament]
        while True:
            wait_s = _POLL_S
            wake.clear()
            try:
                if await self._step(tournament):
                    break
            except ServiceError as refused:
                if refused.reason not in (ErrorReason.LOG_UNAVAILABLE, ErrorReason.DRAINING):
                    self._give_up(tournament, reason=refused.reason.name)
                    return
                wait_s = _RETRY_S
            except Exception as error:
                # It would fail again at once. The log is whole; a service that is mended takes the tournament up again.
                self._give_up(tournament, **failure(error))
                return
            # Not `wait_for`, which may swallow the cancellation when the event is set at the same moment.
            try:
                async with asyncio.timeout(wait_s):
                    await wake.wait()
            except TimeoutError:
                await self._poll(tournament)
        self._tell()

    def _give_up(self, tournament: str, **why: object) -> None:
        logger.error("a tournament cannot go on", tournament=tournament, **why)
        self._stuck.add(tournament)
        self._tell()

    async def _poll(self, tournament: str) -> None:
        """Look at every running match, in case nobody told us of its end."""
        playing = self._playing.get(tournament)
        for match in playing.running() if playing else ():
            try:
                record = await self._desk.record(match)
            except ServiceError:
                return
            if playing is not None and record is not None and record.over:
                playing.notice(record)

    async def _step(self, tournament: str) -> bool:
        """Do everything that is to be done now; whether the tournament is finished."""
        while True:
            record = await self._store.read(tournament)
            assert record is not None
            if record.phase is Phase.FINISHED:
                return True
            playing = self._playing.get(tournament)
            if playing is None:
                playing = self._playing[tournament] = Playing(record, shared=self._store.log.shared)
            work = playing.next_work(record, self._store.log.now_ms())
            if work is None:
                return False
            await self._do(record, playing, work)

    async def _do(self, record: TournamentRecord, playing: Playing, work: Work) -> None:
        """Carry out one piece of work. What has failed or was overtaken is derived again in the next step."""
        match work:
            case WriteEvent(event, closes):
                # A conflict means that another replica wrote first; the next step reads what.
                if await self._store.append(record, event, closed=closes):
                    self._tell()
            case LookAt(attempted):
                for scheduled in attempted.matches:
                    existing = await self._desk.record(scheduled.match)
                    if existing is not None:
                        playing.began(scheduled, existing)
                attempted.looked_at = True
            case EndMatch(name, cause, text):
                await self._desk.ask(name, lambda draft, now_ms: abort(draft, cause, text, now_ms))
                ended = await self._desk.record(name)
                if ended is not None and ended.over:
                    playing.notice(ended)
            case BeginMatch(scheduled):
                begun = begin_scheduled(record, scheduled, self._store.log.now_ms())
                new = await self._desk.begin(begun)
                playing.began(scheduled, None if new else await self._desk.record(scheduled.match))
                # Let the match's bots hear of it before the next one is begun.
                await asyncio.sleep(0)
