"""What organisers and spectators do with tournaments. Refusals are `ServiceError`s."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from itertools import islice
from typing import NamedTuple, Protocol

from cutpurse_rules import GAMES
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.matches.beginning import SEED_BYTES_MAX, check_clock
from cutpurse_server.matches.desk import stream_of
from cutpurse_server.names import NAME_FORM, is_name
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret
from cutpurse_server.tournaments.events import (
    Entrant,
    EntrantEntered,
    Format,
    Manifest,
    Standing,
    TournamentCreated,
    TournamentEvent,
    TournamentStarted,
)
from cutpurse_server.tournaments.reconciler import Desk, Reconciler
from cutpurse_server.tournaments.record import Phase, TournamentRecord
from cutpurse_server.tournaments.schedule import ScheduleTooLarge, check_size
from cutpurse_server.tournaments.store import TournamentCodec, TournamentStore

__all__ = ["Overview", "Owners", "Progress", "Tournaments"]

CONCURRENCY_MAX = 1_024
_CONFLICTS_MAX = 16
_WATCH_S = 2.0
"""How often watchers look for news of other replicas."""


class Owners(Protocol):
    """What is needed of the registry of bots."""

    async def owner_of(self, bot: str) -> str | None:
        """The owner of a registered bot, or None."""
        ...


class Progress(NamedTuple):
    """How far a tournament is."""

    phase: Phase
    matches_done: int
    """Matches that are over and count."""
    matches_running: int
    matches_total: int
    decisions: int
    """Decisions resolved so far, in all its matches that count."""


class Overview(NamedTuple):
    """What everybody may know of a tournament."""

    manifest: Manifest
    entrants: tuple[Entrant, ...]
    """By name."""
    progress: Progress
    standings: tuple[Standing, ...]
    """Over the completed blocks, best first."""


class Tournaments:
    """All tournaments of a service. `open` first, `close` last."""

    def __init__(self, log: Log, codec: TournamentCodec, desk: Desk, owners: Owners) -> None:
        self._store = TournamentStore(log, codec)
        self._desk = desk
        self._owners = owners
        self._reconciler = Reconciler(self._store, desk)
        self._decisions: dict[str, tuple[int, int]] = {}
        """By tournament: how many completed blocks were counted, and the decisions in them."""

    async def open(self) -> None:
        """Go on with every tournament that was being played."""
        await self._reconciler.open()

    async def close(self) -> None:
        """Stop beginning matches."""
        await self._reconciler.close()

    async def create(self, manifest: Manifest) -> Manifest:
        """A new tournament, with its deals drawn and committed to; its deals and options are filled in here.

        Creating the same one again changes nothing. Raises NAME_TAKEN, NOT_IMPLEMENTED, GAME_UNKNOWN, and
        CONFIGURATION_INVALID naming the culprit.
        """
        manifest = _checked(manifest)
        existing = await self._store.read(manifest.tournament)
        if existing is None:
            secret = deals_secret(manifest.seed)
            root = await asyncio.to_thread(deals_root, secret)
            manifest = manifest._replace(deals_root=root, deal_slots=DEAL_SLOTS)
            manifest_bytes = self._store.codec.manifest_to_bytes(manifest)
            created = TournamentCreated(manifest, manifest_bytes, secret, self._store.log.now_ms())
            if await self._store.create(created):
                return manifest
            existing = await self._existing(manifest.tournament)
        if _without_deals(existing.manifest) != _without_deals(manifest):
            raise ServiceError(ErrorReason.NAME_TAKEN, f"There is another tournament {manifest.tournament!r}.")
        return existing.manifest

    async def enter(self, tournament: str, bot: str) -> None:
        """Enter a registered bot; nothing happens if it is entered. Raises BOT_UNKNOWN and WRONG_PHASE."""
        owner = await self._owners.owner_of(bot)
        if owner is None:
            raise ServiceError(ErrorReason.BOT_UNKNOWN, f"There is no bot {bot[:64]!r}; register it first.")

        def decide(record: TournamentRecord) -> TournamentEvent | None:
            if bot in record.entrants:
                return None
            if record.phase is not Phase.ENTRIES:
                raise ServiceError(ErrorReason.WRONG_PHASE, "Entries are closed.")
            _check_size(record.manifest, len(record.entrants) + 1)
            return EntrantEntered(Entrant(bot, owner), self._store.log.now_ms())

        await self._decide(tournament, decide)

    async def start(self, tournament: str) -> None:
        """Close the entries and begin; nothing happens if it has begun. Raises WRONG_PHASE without enough entrants."""

        def decide(record: TournamentRecord) -> TournamentEvent | None:
            if record.phase is not Phase.ENTRIES:
                return None
            entrants, players = len(record.entrants), record.manifest.players
            if entrants < players:
                raise ServiceError(
                    ErrorReason.WRONG_PHASE, f"{entrants} bots are entered, and a table needs {players}; enter more."
                )
            return TournamentStarted(self._store.log.now_ms())

        record = await self._decide(tournament, decide)
        if record.phase is Phase.RUNNING:
            self._reconciler.take_up(tournament)

    async def get(self, tournament: str) -> Overview:
        """Where a tournament stands; raises TOURNAMENT_UNKNOWN."""
        record = await self._existing(tournament)
        decisions = await self._count_decisions(record)
        playing = self._reconciler.playing(tournament)
        done, running = record.matches_done, 0
        if playing is not None:
            ended = [end.match for end in playing.ended(record)]
            done += len(ended)
            decisions += sum(playing.decisions[match] for match in ended)
            running = len(playing.running())
            for each in self._desk.running():
                if each.begun.origin is not None and each.begun.origin.tournament == tournament:
                    decisions += each.number - bool(each.asked)
        total = record.schedule.matches_total if record.schedule else 0
        progress = Progress(record.phase, done, running, total, decisions)
        standings = record.standings.rows() if record.standings else ()
        return Overview(record.manifest, tuple(sorted(record.entrants.values())), progress, standings)

    async def standings(self, tournament: str) -> tuple[Standing, ...]:
        """The standings over the completed blocks, best first; raises TOURNAMENT_UNKNOWN."""
        record = await self._existing(tournament)
        return record.standings.rows() if record.standings else ()

    async def watch(self, tournament: str) -> AsyncGenerator[Overview, None]:
        """Where it stands, again whenever that has changed; ends when the tournament is finished.

        Raises INTERNAL if this service cannot go on with it.
        """
        shown: Overview | None = None
        while shown is None or shown.progress.phase is not Phase.FINISHED:
            overview = await self.get(tournament)
            if self._reconciler.is_stuck(tournament):
                raise ServiceError(
                    ErrorReason.INTERNAL,
                    "The service cannot go on with this tournament; its own log lines say why. Nothing is lost.",
                )
            # Decisions alone are no news: they would be told without end.
            if shown is None or overview.progress[:4] != shown.progress[:4]:
                shown = overview
                yield overview
            else:
                await self._reconciler.news(_WATCH_S)

    async def record(self, tournament: str) -> TournamentRecord | None:
        """Everything that the log holds about a tournament, or None. Shared: not to be changed."""
        return await self._store.read(tournament)

    async def _existing(self, tournament: str) -> TournamentRecord:
        record = await self._store.read(tournament)
        if record is None:
            raise ServiceError(ErrorReason.TOURNAMENT_UNKNOWN)
        return record

    async def _decide(self, tournament: str, decide: _Decide) -> TournamentRecord:
        """Decide on a tournament as it is and write the outcome; again if somebody else wrote first."""
        for _ in range(_CONFLICTS_MAX):
            record = await self._existing(tournament)
            event = decide(record)
            if event is None or await self._store.append(record, event):
                return record
        raise ServiceError(ErrorReason.LOG_UNAVAILABLE)

    async def _count_decisions(self, record: TournamentRecord) -> int:
        """The decisions in all completed blocks; each block is looked at once."""
        playing = self._reconciler.playing(record.tournament)
        counted, decisions = self._decisions.get(record.tournament, (0, 0))
        news = list(islice(record.completed.values(), counted, None))
        for block in news:
            for match in block.matches:
                seen = playing.decisions.pop(match.match, None) if playing else None
                decisions += await self._decisions_in(match.match, match.version) if seen is None else seen
        before = self._decisions.get(record.tournament, (0, 0))
        if before[0] <= counted:
            self._decisions[record.tournament] = (counted + len(news), decisions)
        return decisions

    async def _decisions_in(self, match: str, version: int) -> int:
        """How many decisions a match took: the number of its last one, which stands right before its end."""
        try:
            stored = await self._store.log.read(stream_of(match), max(0, version - 2))
        except LogUnavailable as unavailable:
            raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
        return max((self._store.codec.decision_number(each) or 0 for each in stored), default=0)


class _Decide(Protocol):
    def __call__(self, record: TournamentRecord, /) -> TournamentEvent | None: ...


def _checked(manifest: Manifest) -> Manifest:
    """The manifest with every option resolved; raises what `create` raises."""
    if not is_name(manifest.tournament):
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"tournament: a name has {NAME_FORM}.")
    if manifest.format is not Format.ROUND_ROBIN:
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED, f"Format {manifest.format.name} is not in this version.")
    if manifest.game not in GAMES:
        raise ServiceError(ErrorReason.GAME_UNKNOWN)
    if len(manifest.seed.encode()) > SEED_BYTES_MAX:
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"seed: has at most {SEED_BYTES_MAX} bytes.")
    for name, value, most in (
        ("rounds", manifest.rounds, DEAL_SLOTS),
        ("concurrency", manifest.concurrency, CONCURRENCY_MAX),
    ):
        if not 1 <= value <= most:
            raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"{name}: must be from 1 to {most:,}, not {value:,}.")
    try:
        config = GAMES[manifest.game].configure(manifest.players, manifest.options)
    except BadConfiguration as bad:
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"{bad.option}: {bad.text}") from None
    check_clock(manifest.clock)
    manifest = manifest._replace(options=dict(config.options))
    _check_size(manifest, manifest.players)
    return manifest


def _check_size(manifest: Manifest, entrants: int) -> None:
    try:
        check_size(manifest, entrants)
    except ScheduleTooLarge as large:
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, str(large)) from None


def _without_deals(manifest: Manifest) -> Manifest:
    return manifest._replace(deals_root=b"", deal_slots=0)
