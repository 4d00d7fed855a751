"""A tournament's log: every event must be one that an honest service would have written, and implies its matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cutpurse_rules import GAMES
from cutpurse_rules.chance import KEY_BYTES
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server.audit.verdict import Wrong, check
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    CompletedMatch,
    Entrant,
    EntrantEntered,
    Format,
    Standing,
    TournamentCreated,
    TournamentEvent,
    TournamentFinished,
    TournamentStarted,
)
from cutpurse_server.tournaments.schedule import (
    ATTEMPTS_MAX,
    Block,
    BlockKey,
    Schedule,
    ScheduledMatch,
    ScheduleTooLarge,
)
from cutpurse_server.tournaments.standings import standings_of
from cutpurse_server.wire.tournament_events import manifest_to_bytes

__all__ = ["ExpectedMatch", "TournamentReplay"]


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
        self._started_ms: int | None = None
        self._blocks: dict[BlockKey, Block] = {}
        """In schedule order."""
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
        running = isinstance(event, BlockCompleted | BlockVoided | TournamentFinished)
        if self.created is not None:
            check((self._started_ms is not None) == running, f"{type(event).__name__} cannot stand here")
        check(event.at_ms >= self._time_ms, f"store time goes back by {self._time_ms - event.at_ms} ms")
        self._time_ms = event.at_ms
        _STEPS[type(event)](self, event)

    @property
    def started_ms(self) -> int:
        """When it began."""
        assert self._started_ms is not None
        return self._started_ms

    def matches(self) -> Iterator[ExpectedMatch]:
        """The matches whose logs belong to the tournament, in schedule order, attempt by attempt."""
        assert self.created is not None
        for key, block in self._blocks.items():
            for voided in self._voided.get(key, ()):
                for scheduled in block.matches(self.created, voided.attempt):
                    yield ExpectedMatch(scheduled, None, voided)
            completed = self._completed.get(key)
            if completed is not None:
                for scheduled, match in zip(
                    block.matches(self.created, completed.attempt), completed.matches, strict=True
                ):
                    yield ExpectedMatch(scheduled, match, None)

    def _create(self, event: TournamentCreated) -> None:
        manifest = event.manifest
        check(manifest.tournament == self._tournament, f"the manifest is that of {manifest.tournament!r}")
        check(
            manifest_to_bytes(manifest) == event.manifest_bytes,
            "the manifest is not in canonical form, or it is rated although its deals come from a seed, or the reverse",
        )
        check(manifest.format is Format.ROUND_ROBIN, f"this version knows no schedule of format {manifest.format.name}")
        game = GAMES.get(manifest.game)
        if game is None:
            raise Wrong(f"this version knows no game {manifest.game!r}")
        try:
            resolved = game.configure(manifest.players, manifest.options).options
        except BadConfiguration as bad:
            raise Wrong(f"the configuration is not allowed: {bad}") from None
        check(dict(resolved) == dict(manifest.options), "the options are not resolved")
        check(manifest.rounds >= 1 and manifest.concurrency >= 1, "rounds and concurrency are at least 1")
        check(manifest.deal_slots == DEAL_SLOTS, f"the deals are committed to in {DEAL_SLOTS} slots")
        check(len(event.deals_secret) == KEY_BYTES, "the deals' secret has the wrong length")
        if manifest.seed:
            check(event.deals_secret == deals_secret(manifest.seed), "the deals' secret is not that of the seed")
        check(deals_root(event.deals_secret) == manifest.deals_root, "the deals are not those that were committed to")
        self.created = event

    def _enter(self, event: EntrantEntered) -> None:
        check(event.entrant.bot not in self._entrants, f"{event.entrant.bot} was entered before")
        self._entrants[event.entrant.bot] = event.entrant

    def _start(self, event: TournamentStarted) -> None:
        assert self.created is not None
        check(len(self._entrants) >= self.created.manifest.players, "there are too few entrants for a table")
        try:
            schedule = Schedule(self.created, tuple(self._entrants.values()))
        except ScheduleTooLarge as large:
            raise Wrong(str(large)) from None
        self._blocks = {block.key: block for block in schedule.blocks}
        self._started_ms = event.at_ms

    def _due_block(self, event: BlockCompleted | BlockVoided) -> Block:
        """The block of an event, which must be the next attempt of a block that has no end yet."""
        key = BlockKey(event.round, event.table)
        block = self._blocks.get(key)
        if block is None:
            raise Wrong(f"the schedule has no table {event.table} in round {event.round}")
        voided = len(self._voided.get(key, ()))
        check(key not in self._completed and voided < ATTEMPTS_MAX, "the block has ended before")
        check(event.attempt == voided + 1, f"attempt {voided + 1} of the block is due, not {event.attempt}")
        return block

    def _complete(self, event: BlockCompleted) -> None:
        block = self._due_block(event)
        assert self.created is not None
        due = block.matches(self.created, event.attempt)
        named = [match.match for match in event.matches]
        check(named == [scheduled.match for scheduled in due], "its matches are not those of the schedule")
        for match, scheduled in zip(event.matches, due, strict=True):
            bots = tuple(seat.bot for seat in scheduled.seats)
            check(match.bots == bots, f"in {match.match} the schedule seats {', '.join(bots)}")
            check(len(match.outcome.placements) == len(bots), f"{match.match} has no place for every seat")
        self._completed[block.key] = event

    def _void(self, event: BlockVoided) -> None:
        self._voided.setdefault(self._due_block(event).key, []).append(event)

    def _finish(self, event: TournamentFinished) -> None:
        assert self.created is not None
        for key in self._blocks:
            ended = key in self._completed or len(self._voided.get(key, ())) == ATTEMPTS_MAX
            check(ended, f"table {key.table} of round {key.round} was not played")
        blocks = (self._completed[key] for key in self._blocks if key in self._completed)
        standings = standings_of(self.created.manifest.players, self._entrants, blocks).rows()
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
    TournamentStarted: TournamentReplay._start,
    BlockCompleted: TournamentReplay._complete,
    BlockVoided: TournamentReplay._void,
    TournamentFinished: TournamentReplay._finish,
}
