"""What organisers and spectators do with tournaments. Refusals are `ServiceError`s."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log, LogUnavailable, StoredEvent
from cutpurse_server.matches.desk import stream_of
from cutpurse_server.tournaments import acting
from cutpurse_server.tournaments.bot_log import BotLog, BotMatch, bot_matches
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret
from cutpurse_server.tournaments.events import (
    CompletedMatch,
    Entrant,
    LeaveCause,
    Manifest,
    Standing,
    TournamentCreated,
    TournamentEvent,
    Verdict,
)
from cutpurse_server.tournaments.manifests import checked
from cutpurse_server.tournaments.reconciler import Desk, Reconciler
from cutpurse_server.tournaments.record import Phase, Told, TournamentRecord
from cutpurse_server.tournaments.schedule import BlockKey
from cutpurse_server.tournaments.store import TournamentCodec, TournamentStore

__all__ = ["Overview", "Owners", "Progress", "Tournaments"]

_CONFLICTS_MAX = 16
_FEW_ROWS = 64
_PAUSE_S_PER_ROW = 0.004
"""How long nothing is looked at after more rows than a few."""
_LOG_MATCHES, _LOG_EVENTS = 32, 4_096
"""A part of a bot's own log ends with so many matches, or with the match whose events make it so many."""
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
    paused: bool = False
    rounds: int = 0
    """Drawn so far."""
    verdict: Verdict | None = None
    """Of a gauntlet that is decided."""


class Overview(NamedTuple):
    """What everybody may know of a tournament."""

    manifest: Manifest
    entrants: tuple[Entrant, ...]
    """By name."""
    left: Mapping[str, LeaveCause]
    """Who is out since the start."""
    progress: Progress
    standings: tuple[Standing, ...]
    """Over the blocks that count, best first."""
    told: tuple[Told, ...]
    """What was done to it since its start, in order."""
    quarantined: Mapping[str, str]
    """Who is in quarantine, and why."""


class Tournaments:
    """All tournaments of a service. `open` first, `close` last."""

    def __init__(self, log: Log, codec: TournamentCodec, desk: Desk, owners: Owners) -> None:
        self._store = TournamentStore(log, codec)
        self._desk = desk
        self._owners = owners
        self._reconciler = Reconciler(self._store, desk)
        self._decisions: dict[str, tuple[int, int]] = {}
        """By tournament: how many completed blocks were counted, and the decisions in them."""
        self._log_of: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """By owner: held while a log of a bot of theirs is read, since whoever asks for many must not take all time."""

    async def open(self) -> None:
        """Go on with every tournament that was being played."""
        await self._reconciler.open()

    async def close(self) -> None:
        """Stop beginning matches."""
        await self._reconciler.close()

    async def create(self, manifest: Manifest) -> Manifest:
        """A new tournament, with its deals drawn and committed to; its deals and options are filled in here.

        Creating the same one again changes nothing. Raises NAME_TAKEN, GAME_UNKNOWN, and
        CONFIGURATION_INVALID naming the culprit.
        """
        manifest = checked(manifest)
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

    async def enter(self, tournament: str, bot: str, rank: int = 0) -> None:
        """Enter a registered bot; nothing happens if it is entered. Raises BOT_UNKNOWN and WRONG_PHASE."""
        owner = await self._owners.owner_of(bot)
        if owner is None:
            raise ServiceError(ErrorReason.BOT_UNKNOWN, f"There is no bot {bot[:64]!r}; register it first.")
        entrant = Entrant(bot, owner, rank)
        await self._decide(tournament, lambda record: acting.enter(record, entrant, self._now_ms()))

    async def start(self, tournament: str) -> None:
        """Close the entries and begin; nothing happens if it has begun. Raises WRONG_PHASE without enough entrants."""
        record = await self._decide(tournament, lambda record: acting.start(record, self._now_ms()))
        if record.phase is Phase.RUNNING:
            self._reconciler.take_up(tournament)

    async def leave(self, tournament: str, bot: str, cause: LeaveCause, text: str) -> None:
        """Take a bot out. Raises BOT_UNKNOWN, WRONG_PHASE, and MALFORMED for a disqualification without a reason."""
        await self._act(tournament, lambda record: acting.leave(record, bot, cause, text, self._now_ms()))

    async def quarantine(self, tournament: str, bot: str, text: str) -> None:
        """Wait no more for a bot in matches to come. Raises BOT_UNKNOWN, WRONG_PHASE, MALFORMED without a reason."""
        await self._act(tournament, lambda record: acting.quarantine(record, bot, text, self._now_ms()))

    async def release(self, tournament: str, bot: str, text: str = "") -> None:
        """Wait for a bot again. Raises BOT_UNKNOWN and WRONG_PHASE."""
        await self._act(tournament, lambda record: acting.release(record, bot, text, self._now_ms()))

    async def launch(self, tournament: str, text: str) -> None:
        """Note in the log how bots are launched by whoever runs this service. Raises WRONG_PHASE."""
        await self._act(tournament, lambda record: acting.launch(record, text, self._now_ms()))

    async def bot_log(self, tournament: str, bot: str, after: int = 0, asker: str | None = None) -> BotLog:
        """A bot's own log, from the match on that follows upon `after` of them.

        `asker`: the bot who asks; None: the organiser. Raises BOT_UNKNOWN, also for a bot of another owner than the
        asker's, lest anybody learn more.
        """
        record = await self._existing(tournament)
        entrant = record.entrants.get(bot)
        if entrant is None or (asker is not None and await self._owners.owner_of(asker) != entrant.owner):
            raise ServiceError(ErrorReason.BOT_UNKNOWN, "There is no such bot of yours in this tournament.")
        played = (match for block in record.completed.values() for match in block.matches if bot in match.bots)
        part = list(islice(played, after, after + _LOG_MATCHES + 1))
        matches: list[BotMatch] = []
        events = 0
        async with self._log_of[entrant.owner]:
            for completed in part[:_LOG_MATCHES]:
                try:
                    stored = await self._store.log.read(stream_of(completed.match))
                except LogUnavailable as unavailable:
                    raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
                # In a thread, since a long match takes a while, in which others play.
                matches.append(await asyncio.to_thread(self._bot_match, bot, completed, stored))
                events += len(stored)
                if events >= _LOG_EVENTS:
                    break
        return BotLog(bot, tuple(matches), len(part) > len(matches))

    def _bot_match(self, bot: str, completed: CompletedMatch, stored: Sequence[StoredEvent]) -> BotMatch:
        return bot_matches(completed, map(self._store.codec.match_event, stored))[completed.bots.index(bot)]

    async def pause(self, tournament: str, text: str = "") -> None:
        """Begin no further matches. Raises WRONG_PHASE."""
        await self._act(tournament, lambda record: acting.pause(record, text, self._now_ms()))

    async def resume(self, tournament: str) -> None:
        """Begin matches again. Raises WRONG_PHASE."""
        await self._act(tournament, lambda record: acting.resume(record, self._now_ms()))

    async def void_block(self, tournament: str, block: BlockKey | str, text: str) -> None:
        """Void a block, named by its place or by a match of it; it is played again. Raises MALFORMED, WRONG_PHASE."""
        key = block if isinstance(block, BlockKey) else await self._block_of(tournament, block)
        await self._act(tournament, lambda record: acting.void_block(record, key, text, self._now_ms()))

    async def cut_short(self, tournament: str, text: str) -> None:
        """End it: what has not ended is dropped. Raises MALFORMED without a reason, and WRONG_PHASE."""
        await self._act(tournament, lambda record: acting.cut_short(record, text, self._now_ms()))

    async def names(self, after: str = "") -> Sequence[str]:
        """The names of all tournaments that come after one, in order."""
        return [name for name in await self._store.names() if name > after]

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
        rounds = record.schedule.rounds if record.schedule else 0
        verdict = record.schedule.verdict if record.schedule else None
        progress = Progress(record.phase, done, running, total, decisions, record.paused, rounds, verdict)
        entrants = tuple(sorted(record.entrants.values()))
        told, quarantined = tuple(record.told), dict(record.quarantined)
        return Overview(record.manifest, entrants, dict(record.left), progress, record.rows(), told, quarantined)

    async def standings(self, tournament: str) -> tuple[Standing, ...]:
        """The standings over the completed blocks, best first; raises TOURNAMENT_UNKNOWN."""
        record = await self._existing(tournament)
        return record.rows()

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
            if shown is None or _news(overview) != _news(shown):
                shown = overview
                yield overview
                if len(overview.standings) > _FEW_ROWS and overview.progress.phase is not Phase.FINISHED:
                    # A thousand rows after every match would leave no time for the matches.
                    await asyncio.sleep(_PAUSE_S_PER_ROW * len(overview.standings))
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

    async def _act(self, tournament: str, decide: _Decide) -> None:
        """Decide on a tournament, and let what follows from it happen."""
        record = await self._decide(tournament, decide)
        if record.phase is Phase.RUNNING:
            self._reconciler.wake(tournament)

    async def _block_of(self, tournament: str, match: str) -> BlockKey:
        """The block of a match; raises MATCH_UNKNOWN, also for a match of another tournament."""
        record = await self._desk.record(match)
        origin = record.begun.origin if record else None
        if origin is None or origin.tournament != tournament:
            raise ServiceError(ErrorReason.MATCH_UNKNOWN)
        return BlockKey(origin.round, origin.table)

    def _now_ms(self) -> int:
        return self._store.log.now_ms()

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
        news = list(islice(record.completions, counted, None))
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


def _news(overview: Overview) -> tuple[object, ...]:
    """What is told as soon as it changes."""
    return (*overview.progress._replace(decisions=0), len(overview.told))


def _without_deals(manifest: Manifest) -> Manifest:
    return manifest._replace(deals_root=b"", deal_slots=0)
