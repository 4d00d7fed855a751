"""A tournament's log: every event must be one that an honest service would have written, and implies its matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cutpurse_rules import GAMES
from cutpurse_rules.chance import KEY_BYTES
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server.audit.verdict import Wrong, check
from cutpurse_server.errors import ServiceError
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    BotsLaunched,
    CompletedMatch,
    Entrant,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    LeaveCause,
    RoundDrawn,
    Standing,
    TournamentCreated,
    TournamentCutShort,
    TournamentEvent,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from cutpurse_server.tournaments.formats import KINDS
from cutpurse_server.tournaments.manifests import resolved_settings
from cutpurse_server.tournaments.schedule import (
    ATTEMPTS_MAX,
    Block,
    BlockKey,
    Schedule,
    ScheduledMatch,
    ScheduleTooLarge,
)
from cutpurse_server.tournaments.standings import Ranking, standings_of
from cutpurse_server.wire.tournament_events import manifest_to_bytes

__all__ = ["ExpectedMatch", "TournamentReplay"]


_HEARSAY_MS = 60_000


class ExpectedMatch(NamedTuple):
    """A match that the tournament's log implies."""

    scheduled: ScheduledMatch
    completed: CompletedMatch | None
    """What the log says of it; None for a match of a voided block, which may not even have begun."""
    voided: BlockVoided | None


class TournamentReplay:
    """One tournament. `step` takes its events in order and raises `Wrong` at the first that is wrong."""

    def __init__(self, tournament: str) -> None:
        self._tournament = tournament
        self.created: TournamentCreated | None = None
        self._entrants: dict[str, Entrant] = {}
        self._left: dict[str, LeaveCause] = {}
        self._started_ms: int | None = None
        self._schedule: Schedule | None = None
        self._quarantines: dict[str, list[tuple[int, int | None]]] = {}
        """By bot: from when to when, in store time."""
        self._paused = False
        self._cut_short = False
        self._completed: dict[BlockKey, BlockCompleted] = {}
        self._voided: dict[BlockKey, list[BlockVoided]] = {}
        self._time_ms = 0
        self.finished: TournamentFinished | None = None

    def step(self, event: TournamentEvent) -> None:
        """The next event; raises `Wrong`."""
        check(
            (self.created is None) == isinstance(event, TournamentCreated), "a log begins with TournamentCreated, once"
        )
        check(self.finished is None, "nothing follows the end")
        if self.created is not None:
            late = isinstance(event, EntrantEntered) and KINDS[self.created.manifest.format].late_entries
            anywhere = late or isinstance(event, EntrantLeft)
            before = isinstance(event, EntrantEntered | TournamentStarted)
            check(anywhere or (self._schedule is None) == before, f"{type(event).__name__} cannot stand here")
        check(event.at_ms >= self._time_ms, f"store time goes back by {self._time_ms - event.at_ms} ms")
        self._time_ms = event.at_ms
        _STEPS[type(event)](self, event)

    @property
    def started_ms(self) -> int:
        """When it began."""
        assert self._started_ms is not None
        return self._started_ms

    def was_quarantined(self, bot: str, at_ms: int) -> bool:
        """Whether a match that began then may have taken a bot for quarantined; a replica hears of a release late."""
        spans = self._quarantines.get(bot, ())
        return any(since <= at_ms and (until is None or at_ms < until + _HEARSAY_MS) for since, until in spans)

    def matches(self) -> Iterator[ExpectedMatch]:
        """The matches whose logs belong to the tournament, in schedule order, attempt by attempt."""
        assert self.created is not None
        for block in self._there.blocks:
            for voided in self._voided.get(block.key, ()):
                for scheduled in block.matches(self.created, voided.attempt):
                    yield ExpectedMatch(scheduled, None, voided)
            completed = self._completed.get(block.key)
            if completed is not None:
                for scheduled, match in zip(
                    block.matches(self.created, completed.attempt), completed.matches, strict=True
                ):
                    yield ExpectedMatch(scheduled, match, None)

    @property
    def _there(self) -> Schedule:
        """The schedule of a tournament that has begun."""
        assert self._schedule is not None
        return self._schedule

    def _create(self, event: TournamentCreated) -> None:
        manifest = event.manifest
        check(manifest.tournament == self._tournament, f"the manifest is that of {manifest.tournament!r}")
        check(
            manifest_to_bytes(manifest) == event.manifest_bytes,
            "the manifest is not in canonical form, or it is rated although its deals come from a seed, or the reverse",
        )
        check(manifest.rounds >= 1 and manifest.concurrency >= 1, "rounds and concurrency are at least 1")
        game = GAMES.get(manifest.game)
        if game is None:
            raise Wrong(f"this version knows no game {manifest.game!r}")
        try:
            resolved = game.configure(manifest.players, manifest.options).options
            settings = resolved_settings(manifest)
        except BadConfiguration as bad:
            raise Wrong(f"the configuration is not allowed: {bad}") from None
        except ServiceError as refused:
            raise Wrong(f"the format's settings are not allowed: {refused.text}") from None
        check(dict(resolved) == dict(manifest.options), "the options are not resolved")
        check(settings == manifest.settings, "the format's settings are not resolved")
        check(manifest.deal_slots == DEAL_SLOTS, f"the deals are committed to in {DEAL_SLOTS} slots")
        check(len(event.deals_secret) == KEY_BYTES, "the deals' secret has the wrong length")
        if manifest.seed:
            check(event.deals_secret == deals_secret(manifest.seed), "the deals' secret is not that of the seed")
        check(deals_root(event.deals_secret) == manifest.deals_root, "the deals are not those that were committed to")
        self.created = event

    def _enter(self, event: EntrantEntered) -> None:
        check(event.entrant.bot not in self._entrants, f"{event.entrant.bot} was entered before")
        self._entrants[event.entrant.bot] = event.entrant
        if self._schedule is not None:
            check(not self._cut_short, "nobody enters what was ended")
            try:
                self._schedule.enter(event.entrant)
            except ScheduleTooLarge as large:
                raise Wrong(str(large)) from None

    def _leave(self, event: EntrantLeft) -> None:
        check(event.bot in self._entrants, f"{event.bot} was not entered")
        if self._schedule is None:
            del self._entrants[event.bot]
            return
        check(self._left.get(event.bot) not in (event.cause, LeaveCause.DISQUALIFIED), f"{event.bot} was out before")
        check(bool(event.text) or event.cause is LeaveCause.WITHDRAWN, "a disqualification needs a reason")
        self._left[event.bot] = event.cause
        self._schedule.leave(event.bot, event.cause)

    def _quarantine(self, event: EntrantQuarantined) -> None:
        check(event.bot in self._entrants, f"{event.bot} was not entered")
        check(bool(event.text), "a quarantine needs a reason")
        spans = self._quarantines.setdefault(event.bot, [])
        check(not spans or spans[-1][1] is not None, f"{event.bot} was in quarantine before")
        spans.append((event.at_ms, None))

    def _release(self, event: EntrantReleased) -> None:
        spans = self._quarantines.get(event.bot)
        if not spans or spans[-1][1] is not None:
            raise Wrong(f"{event.bot} was not in quarantine")
        spans[-1] = (spans[-1][0], event.at_ms)

    def _launch(self, event: BotsLaunched) -> None:
        check(bool(event.text), "how bots are launched is not said")

    def _start(self, event: TournamentStarted) -> None:
        assert self.created is not None
        manifest = self.created.manifest
        check(len(self._entrants) >= manifest.players, "there are too few entrants for a table")
        challenger = manifest.settings.challenger
        check(not challenger or challenger in self._entrants, "the challenger is not entered")
        try:
            self._schedule = Schedule(self.created, tuple(self._entrants.values()))
        except ScheduleTooLarge as large:
            raise Wrong(str(large)) from None
        self._started_ms = event.at_ms

    def _draw(self, event: RoundDrawn) -> None:
        check(not self._paused, "nothing is drawn in a pause")
        draw = self._there.next_draw()
        if draw is None:
            raise Wrong("no round is to be drawn here")
        due = self._there.drawn_event(draw, event.at_ms)
        for what in ("round", "byes", "lots", "tables"):
            found, follows = getattr(event, what), getattr(due, what)
            check(found == follows, f"the {what} that follow from the log are {follows}, not {found}")
        self._there.draw()

    def _due_block(self, event: BlockCompleted | BlockVoided) -> Block:
        """The block of an event, which must be the next attempt of a block that has no end yet."""
        key = BlockKey(event.round, event.table)
        block = self._there.block(key)
        if block is None:
            raise Wrong(f"the schedule has no table {event.table} in round {event.round}")
        voided = len(self._voided.get(key, ()))
        check(key not in self._completed and voided < ATTEMPTS_MAX, "the block has ended before")
        check(event.attempt == voided + 1, f"attempt {voided + 1} of the block is due, not {event.attempt}")
        return block

    def _complete(self, event: BlockCompleted) -> None:
        block = self._due_block(event)
        assert self.created is not None
        check(self._there.is_open(block.key), "the block was dropped")
        due = block.matches(self.created, event.attempt)
        named = [match.match for match in event.matches]
        check(named == [scheduled.match for scheduled in due], "its matches are not those of the schedule")
        for match, scheduled in zip(event.matches, due, strict=True):
            bots = tuple(seat.bot for seat in scheduled.seats)
            check(match.bots == bots, f"in {match.match} the schedule seats {', '.join(bots)}")
            check(len(match.outcome.placements) == len(bots), f"{match.match} has no place for every seat")
        self._completed[block.key] = event
        self._there.end(block.key, event)

    def _void(self, event: BlockVoided) -> None:
        key = BlockKey(event.round, event.table)
        completed = self._completed.get(key)
        if completed is None:
            self._due_block(event)
        else:
            check(bool(event.text), "a block that counts is voided for a reason that is named")
            check(event.attempt == completed.attempt, "another attempt of the block counts")
            check(self._there.can_be_taken_back(key), "what was drawn from the block's result stands already")
            del self._completed[key]
            self._there.take_back(key)
        self._voided.setdefault(key, []).append(event)
        if event.attempt == ATTEMPTS_MAX and self._there.is_open(key):
            self._there.end(key, None)

    def _pause(self, _: TournamentPaused) -> None:
        check(not self._paused, "it was paused before")
        self._paused = True

    def _resume(self, _: TournamentResumed) -> None:
        check(self._paused, "it was not paused")
        self._paused = False

    def _cut(self, event: TournamentCutShort) -> None:
        check(not self._cut_short, "it was ended before")
        check(bool(event.text), "an end before the time needs a reason")
        self._cut_short, self._paused = True, False
        self._there.cut_short()

    def _finish(self, event: TournamentFinished) -> None:
        assert self.created is not None
        schedule = self._there
        for block in schedule.blocks:
            key = block.key
            check(not schedule.is_open(key), f"table {key.table} of round {key.round} was not played")
        check(schedule.is_over, "a further round is to be drawn")
        check(event.lots == schedule.last_lots(), f"the lots that follow from the log are {schedule.last_lots()}")
        check(event.verdict == schedule.verdict, f"the verdict that follows from the log is {schedule.verdict}")
        ranking = Ranking(schedule.scores(), schedule.byes(), self._left)
        players = self.created.manifest.players
        standings = standings_of(players, self._entrants, schedule.counted()).rows(ranking)
        # Compared as text, since a seat never sat in is not a number, and that does not equal itself.
        check(list(map(repr, event.standings)) == list(map(repr, standings)), _first_difference(event, standings))
        self.finished = event


def _first_difference(event: TournamentFinished, standings: tuple[Standing, ...]) -> str:
    for shown, due in zip(event.standings, standings, strict=False):
        if repr(shown) != repr(due):
            return f"the standings that follow from the blocks have {due}"
    return f"the standings that follow from the blocks have {len(standings)} rows"


_STEPS: dict[type, Callable[[TournamentReplay, Any], None]] = {
    TournamentCreated: TournamentReplay._create,
    EntrantEntered: TournamentReplay._enter,
    EntrantLeft: TournamentReplay._leave,
    EntrantQuarantined: TournamentReplay._quarantine,
    EntrantReleased: TournamentReplay._release,
    BotsLaunched: TournamentReplay._launch,
    TournamentStarted: TournamentReplay._start,
    RoundDrawn: TournamentReplay._draw,
    BlockCompleted: TournamentReplay._complete,
    BlockVoided: TournamentReplay._void,
    TournamentPaused: TournamentReplay._pause,
    TournamentResumed: TournamentReplay._resume,
    TournamentCutShort: TournamentReplay._cut,
    TournamentFinished: TournamentReplay._finish,
}
