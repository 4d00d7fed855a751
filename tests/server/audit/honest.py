"""Honest logs for the audit to find right, and to be made wrong in one place: whole tournaments, bad bots included.

A `Story` holds a tournament and its matches as events, before they become bytes. A test changes one thing in it and has
it bound again: commitments, chains and the heads in the tournament's log then fit what was changed, so that only the
check that the test is about can find it.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal
from cutpurse_server.log.chain import NO_MANIFEST, first_link, links
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.clock import deadline_ms
from cutpurse_server.matches.deciding import Answer, Draft, abort, choose, count_time, credit, get_ready
from cutpurse_server.matches.events import Cause, Clock, MatchBegun, MatchEnded, MatchEvent, SeatIdentity, VoidCause
from cutpurse_server.matches.record import MatchRecord, fold
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret, match_name
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    CompletedMatch,
    Entrant,
    EntrantEntered,
    Format,
    Manifest,
    TournamentCreated,
    TournamentEvent,
    TournamentFinished,
    TournamentStarted,
)
from cutpurse_server.tournaments.reconciler import begin_scheduled
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.tournaments.schedule import Schedule
from cutpurse_server.tournaments.standings import standings_of
from cutpurse_server.wire import match_events, tournament_events
from cutpurse_server.wire.bundle import BundleWriter, ExportedLog

__all__ = [
    "CLOCK",
    "Story",
    "bundle_of",
    "honest_match",
    "honest_tournament",
    "match_at",
    "play",
    "single_match",
    "standings_that_follow",
]

CLOCK = Clock(decision_ms=1_000, bank_ms=3_000, delivery_ms=100, settle_ms=50, warm_up_ms=5_000, strikes_max=3)
BEGUN_MS = 1_700_000_000_000
OPTIONS = {"heist_turn_limit": 9}

SEED = "honest"
DEALS_ROOT = deals_root(deals_secret(SEED))


def single_match(players: int = 3, *, player: bool = False, **clock: int) -> MatchBegun:
    """The first event of a match that belongs to no tournament."""
    seats = [SeatIdentity(f"bot-{seat}", f"owner-{seat}", player) for seat in range(players)]
    settings = CLOCK._replace(**clock)
    return begin_match("single", "art_robbery", OPTIONS, settings, seats, BEGUN_MS, seed=SEED, request_digest=b"r" * 32)


def play(begun: MatchBegun, chance: random.Random, faults: float = 0.3, absent: Sequence[int] = ()) -> list[MatchEvent]:
    """A match by the service's own commands; bots are slow, wrong and away as often as `faults` says."""
    return _Played(begun, chance, faults).whole(absent)


class _Played:
    """A match being played."""

    def __init__(self, begun: MatchBegun, chance: random.Random, faults: float) -> None:
        self.events: list[MatchEvent] = [begun]
        self.record: MatchRecord = fold(self.events)
        self.now_ms = begun.at_ms + 7
        self._chance = chance
        self._faults = faults
        self._requests = 0

    def whole(self, absent: Sequence[int]) -> list[MatchEvent]:
        """From the warm-up to the end."""
        begun = self.record.begun
        for seat in range(begun.players):
            if seat not in absent:
                self._decide(partial(get_ready, seat=Seat(seat), now_ms=self.now_ms))
        if absent:
            self.now_ms = begun.warm_up_until_ms
            self._decide(lambda draft: count_time(draft, self.now_ms, lambda bot: Cause.DISCONNECTED))
        while not self.record.over:
            self._turn()
        return self.events

    def _turn(self) -> None:
        self.now_ms += self._chance.randrange(1, 60)
        record = self.record
        seat = self._chance.choice(record.waiting())
        if self._chance.random() >= self._faults:
            self._answer(seat, self._chance.choice([action.notation for action in record.legal_of(seat)]))
            return
        match self._chance.choice(["illegal", "malformed", "index", "time", "slow", "credit"]):
            case "illegal":
                self._answer(seat, self._illegal(seat))
            case "malformed":
                self._answer(seat, self._chance.choice(["", "play N6", "x" * 300]))
            case "index":
                self._answer(seat, None, index=900)
            case "time":
                self.now_ms = max(self.now_ms, deadline_ms(record, seat) + record.begun.clock.settle_ms + 1)
                fault = self._chance.choice([Cause.TIMEOUT, Cause.CRASHED])
                self._decide(lambda draft: count_time(draft, self.now_ms, lambda bot: fault))
            case "slow":
                self.now_ms = max(self.now_ms, deadline_ms(record, seat) - record.bank_ms[seat] // 2)
                self._answer(seat, record.legal_of(seat)[0].notation)
            case "credit":
                self._decide(lambda draft: credit(draft, 400, self.now_ms, "no replica was running"))

    def _illegal(self, seat: Seat) -> str:
        game = self.record.game
        for text in ("give dog", "give tile", "play N0", "play BS", "play GD"):
            try:
                game.verify(self.record.state, seat, game.parse(text))
            except Illegal:
                return text
        raise AssertionError("one of them is illegal in every situation")

    def _answer(self, seat: Seat, notation: str | None, index: int | None = None) -> None:
        self._requests += 1
        number, received_ms = self.record.decisions[seat], self.now_ms
        answer = Answer(number, self._requests.to_bytes(4, "big"), b"d" * 32, index, notation)
        # An answer that comes too late is refused without a trace, and the clock is looked at later.
        self._decide(lambda draft: choose(draft, seat, answer, received_ms, received_ms))

    def _decide(self, command: Callable[[Draft], Any]) -> None:
        draft = Draft(self.record)
        command(draft)
        self.record = draft.record
        self.events.extend(draft.events)


def honest_match(seed: int = 1, faults: float = 0.3, players: int = 3, absent: Sequence[int] = ()) -> list[MatchEvent]:
    """A whole match that belongs to no tournament."""
    return play(single_match(players), random.Random(seed), faults, absent)


@dataclass
class Story:
    """A tournament and its matches as events."""

    events: list[TournamentEvent]
    matches: dict[str, list[MatchEvent]]
    """In schedule order."""
    stored: dict[str, list[StoredEvent]] = field(default_factory=dict)
    """Bytes that were made before; logs found here are not made again."""
    id: str = "cup"
    """The tournament's, as the bundle has it."""

    def bound(self) -> Story:
        """The story with its bytes, heads, results and standings made to fit its events."""
        stored = {match: [match_events.encode(each) for each in events] for match, events in self.matches.items()}
        events = [self._bind(each, stored) if isinstance(each, BlockCompleted) else each for each in self.events]
        if isinstance(events[-1], TournamentFinished):
            events[-1] = events[-1]._replace(standings=standings_that_follow(events))
        return replace(self, events=events, stored=stored)

    def _bind(self, block: BlockCompleted, stored: dict[str, list[StoredEvent]]) -> BlockCompleted:
        return block._replace(matches=tuple(self._bind_match(each, stored) for each in block.matches))

    def _bind_match(self, match: CompletedMatch, stored: dict[str, list[StoredEvent]]) -> CompletedMatch:
        events = self.matches.get(match.match)
        if events is None:
            return match
        first = events[0]
        assert isinstance(first, MatchBegun)
        kept = stored[match.match]
        head = links(first_link(match.match, first.manifest_hash or NO_MANIFEST), kept)
        last = events[-1]
        outcome = last.outcome if isinstance(last, MatchEnded) else match.outcome
        return match._replace(head=head, version=len(kept), outcome=outcome)

    def bundle(self) -> bytes:
        """The file, with whatever was made to fit or not."""
        log = ExportedLog(self.id, [tournament_events.encode(each) for each in self.events])
        logs = [
            ExportedLog(match, self.stored.get(match) or [match_events.encode(each) for each in events])
            for match, events in self.matches.items()
        ]
        return bundle_of(logs, log)


def standings_that_follow(events: Sequence[TournamentEvent]) -> tuple[Any, ...]:
    """The standings over the blocks that are completed in a tournament's log."""
    created = events[0]
    assert isinstance(created, TournamentCreated)
    bots = [event.entrant.bot for event in events if isinstance(event, EntrantEntered)]
    blocks = [event for event in events if isinstance(event, BlockCompleted)]
    return standings_of(created.manifest.players, bots, blocks).rows()


def bundle_of(matches: Sequence[ExportedLog], tournament: ExportedLog | None = None) -> bytes:
    """A bundle file of these logs."""
    file = io.BytesIO()
    writer = BundleWriter(file, "0.1.0")
    if tournament is not None:
        writer.tournament(tournament)
    for log in matches:
        writer.match(log)
    writer.finish()
    return file.getvalue()


def honest_tournament(faults: float = 0.3, bots: int = 3, rounds: int = 1, seed: str = SEED) -> Story:
    """A finished tournament of tables of two, whose second block was voided once."""
    chance = random.Random(5)
    root = DEALS_ROOT if seed == SEED else deals_root(deals_secret(seed))
    options = {"auto_play_forced": True, **OPTIONS}
    manifest = Manifest("cup", "art_robbery", options, CLOCK, Format.ROUND_ROBIN, 2, rounds, 4, root, DEAL_SLOTS, seed)
    manifest_bytes = tournament_events.manifest_to_bytes(manifest)
    created = TournamentCreated(manifest, manifest_bytes, deals_secret(seed), BEGUN_MS)
    entrants = [Entrant(f"bot-{number}", f"owner-{number}") for number in range(bots)]
    events: list[TournamentEvent] = [created, *(EntrantEntered(each, BEGUN_MS + 1) for each in entrants)]
    events.append(TournamentStarted(BEGUN_MS + 2))
    record = TournamentRecord(created)
    matches: dict[str, list[MatchEvent]] = {}
    now_ms = BEGUN_MS + 1_000
    for position, block in enumerate(Schedule(created, entrants).blocks):
        attempt = 1
        if position == 1:
            scheduled = block.matches(created, 1)[0]
            matches[scheduled.match] = _voided(begin_scheduled(record, scheduled, now_ms))
            events.append(BlockVoided(*block.key, 1, VoidCause.PLATFORM, now_ms))
            attempt = 2
        completed = []
        for scheduled in block.matches(created, attempt):
            played = play(begin_scheduled(record, scheduled, now_ms), chance, faults)
            matches[scheduled.match] = played
            ended = played[-1]
            assert isinstance(ended, MatchEnded)
            named = tuple(each.bot for each in scheduled.seats)
            completed.append(CompletedMatch(scheduled.match, b"", 0, ended.outcome, named))
            now_ms = ended.at_ms + 1
        events.append(BlockCompleted(*block.key, attempt, tuple(completed), now_ms))
    events.append(TournamentFinished((), now_ms + 1))
    return Story(events, matches).bound()


def match_at(round_number: int, table: int, rotation: int, attempt: int = 1) -> str:
    """The id of a match of `honest_tournament` by its place."""
    return match_name(deals_secret(SEED), "cup", (round_number, table, rotation, attempt))


def _voided(begun: MatchBegun) -> list[MatchEvent]:
    draft = Draft(fold([begun]))
    get_ready(draft, Seat(0), begun.at_ms + 1)
    abort(draft, VoidCause.PLATFORM, "a disk was full", begun.at_ms + 2)
    return [begun, *draft.events]
