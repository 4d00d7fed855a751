"""One part of a practice: a service in memory, the bots as child processes that dial in, and some of the matches."""

from __future__ import annotations

import asyncio
import hashlib
import io
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.plan import Entry
from cutpurse_server.audit import write_match_bundle
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    Clock,
    DecisionOpened,
    MatchBegun,
    MatchEvent,
)
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.practice.playing import BotGone, all_connected, play_scheduled
from cutpurse_server.practice.schedule import home_schedule
from cutpurse_server.serve import Service, running_service
from cutpurse_server.tournaments.events import CompletedMatch

__all__ = ["ATTACHED", "BotGone", "PlayedMatch", "Practice", "play_part"]

ATTACHED = "-"
"""The command of a bot that its author runs, in a debugger perhaps: nothing is launched."""

_LINES_SHOWN = 12
_DIALS_IN_S = 60.0
"""A bot that was launched and is not there after so long does not dial in, or not here."""


@dataclass(frozen=True, slots=True)
class Practice:
    """What is played."""

    game: str
    options: Mapping[str, Any]
    clock: Clock
    entries: tuple[Entry, ...]
    """The bots; the author's comes first."""
    seed: str
    matches: int
    concurrency: int
    """Matches at once, in each process."""

    @property
    def author(self) -> str:
        """The name of the author's bot."""
        return self.entries[0].name

    def schedule(self) -> list[MatchBegun]:
        """All its matches, in order. Raises `ServiceError` for what cannot be played."""
        names = [entry.name for entry in self.entries]
        return home_schedule(self.game, self.options, self.clock, names, self.seed, self.matches)


class PlayedMatch(NamedTuple):
    """A match that is over, as far as the author's bot is concerned."""

    number: int
    """In the schedule, from 1."""
    completed: CompletedMatch
    seat: int
    """Where the author's bot sat."""
    took_ms: tuple[int, ...]
    """By its own decisions, in order: from the question to the answer, as the service saw it."""
    faults: tuple[str, ...]
    """Its refused answers and defaults, by their causes' names."""
    bundle: bytes = b""
    """The match's log, for `cutpurse log show`; empty where it was not kept."""


async def play_part(
    practice: Practice, numbers: Sequence[int], keep: Callable[[Sequence[PlayedMatch]], Sequence[int]], tell: Tell
) -> list[PlayedMatch]:
    """Play the matches of these numbers (from 1), in order.

    `keep` says of which, by number, the logs are kept; `tell` hears how to dial in as a bot that is not launched, and
    of bots that ended and were launched again. Raises `BotGone`.
    """
    schedule = practice.schedule()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cutpurse-")))
        service = await stack.enter_async_context(running_service(MemoryLog()))
        owners = {seat.bot: seat.owner for seat in schedule[0].seats}
        children = []
        for entry in practice.entries:
            await service.registry.register_bot(entry.name, owners[entry.name])
            environment = await _environment(service, practice, entry)
            if entry.run == ATTACHED:
                given = " ".join(f"{key}={shlex.quote(text)}" for key, text in environment.items())
                tell(f"waiting for {entry.name}; run it with:  {given}")
            else:
                children.append(Child(entry, environment, folder / f"{entry.name}.log", service.presence))
        playing = asyncio.create_task(_play(service, practice, schedule, numbers, children))
        tasks = [playing, *(asyncio.create_task(child.keep_running()) for child in children)]
        tasks.append(asyncio.create_task(_watch(service, children)))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            # The watch ends before the matches do only with what it has found.
            await (playing if playing.done() else tasks[-1])
            played = playing.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(*(child.stop() for child in children))
        for child in children:
            if child.launches > 1:
                tell(f"{child.entry.name} ended during its matches; it last printed:\n{_last_words(child)}")
        return await _with_bundles(service, played, keep(played))


Tell = Callable[[str], None]
"""Hears a note for people."""


async def _environment(service: Service, practice: Practice, entry: Entry) -> dict[str, str]:
    token, _ = await service.registry.issue_token(Role.BOT, entry.name)
    # The same as in a tournament with this seed (arena/running.py), so that the bots' lots are the same.
    seed = hashlib.sha256(f"{practice.seed}/{entry.name}".encode()).hexdigest()
    return {"CUTPURSE_ADDRESS": service.addresses[0], "CUTPURSE_TOKEN": token, "CUTPURSE_SEED": seed}


async def _play(
    service: Service,
    practice: Practice,
    schedule: Sequence[MatchBegun],
    numbers: Sequence[int],
    children: Sequence[Child],
) -> list[PlayedMatch]:
    await all_connected(service, [entry.name for entry in practice.entries])
    chosen = [schedule[number - 1] for number in numbers]
    played: list[PlayedMatch] = []
    try:
        async for record in play_scheduled(service, chosen, practice.concurrency):
            events = await service.desk.events_of(record.match)
            played.append(_played(numbers[len(played)], record, events, practice.author))
    except BotGone as gone:
        printed = "".join(f"{child.entry.name}:\n{_last_words(child)}" for child in children)
        raise BotGone(f"{gone}; they last printed:\n{printed}") from None
    return played


async def _watch(service: Service, children: Sequence[Child]) -> None:
    """Raise `BotGone` once a bot ends without having dialled in, or too often, or never dials in."""
    late_at_s = monotonic() + _DIALS_IN_S
    missing = {child.entry.name for child in children}
    while True:
        missing = {bot for bot in missing if not service.presence.streams(bot)}
        for child in children:
            if child.entry.name in missing and monotonic() > late_at_s:
                gone = f"{child.entry.name} has not dialled in after {_DIALS_IN_S:.0f} s"
                raise BotGone(f"{gone}; it last printed:\n{_last_words(child)}")
            never_came = child.launches > 1 and not service.presence.streams(child.entry.name)
            if child.given_up or (never_came and not service.desk.running()):
                raise BotGone(f"{child.entry.name} ended; it last printed:\n{_last_words(child)}")
        await asyncio.sleep(0.1)


def _played(number: int, record: MatchRecord, events: Sequence[MatchEvent], author: str) -> PlayedMatch:
    assert record.outcome is not None
    bots = tuple(seat.bot for seat in record.begun.seats)
    seat = record.seat_of[author]
    completed = CompletedMatch(record.match, record.chain, record.version, record.outcome, bots)
    return PlayedMatch(number, completed, seat, tuple(_times(events, seat)), tuple(_faults(events, seat)))


def _times(events: Sequence[MatchEvent], seat: Seat) -> list[int]:
    opened_at_ms, times = 0, []
    for event in events:
        match event:
            case DecisionOpened():
                opened_at_ms = event.opened_at_ms
            case ChoiceMade() if event.seat == seat and event.cause is Cause.CHOSEN:
                times.append(max(0, event.received_at_ms - opened_at_ms))
            case ChoiceDefaulted() if event.seat == seat and event.cause is not Cause.FORFEITED:
                times.append(max(0, event.at_ms - opened_at_ms))
    return times


def _faults(events: Sequence[MatchEvent], seat: Seat) -> list[str]:
    return [
        event.cause.name
        for event in events
        if isinstance(event, ChoiceRefused | ChoiceDefaulted)
        and event.seat == seat
        and event.cause not in (Cause.FORCED, Cause.FORFEITED)
    ]


async def _with_bundles(service: Service, played: Sequence[PlayedMatch], numbers: Sequence[int]) -> list[PlayedMatch]:
    kept = []
    for each in played:
        if each.number in numbers:
            file = io.BytesIO()
            await write_match_bundle(service.log, each.completed.match, file)
            each = each._replace(bundle=file.getvalue())
        kept.append(each)
    return kept


def _last_words(child: Child) -> str:
    return "".join(f"  {line}\n" for line in child.last_words(_LINES_SHOWN)) or "  nothing\n"
