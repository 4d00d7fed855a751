"""One match of programs that dial in, at a service in memory: what `cutpurse match` plays when a bot is a command."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from cutpurse_rules.chance import RecordedChance
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import Cause, Ended, Resolved
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.plan import LOCAL_CLOCK, Entry
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import Cause as Why
from cutpurse_server.matches.events import (
    ChoiceDefaulted,
    ChoiceRefused,
    DecisionResolved,
    MatchBegun,
    MatchEvent,
    SeatIdentity,
    SeatReady,
)
from cutpurse_server.matches.record import MatchRecord, Phase, apply
from cutpurse_server.printable import printable
from cutpurse_server.serve import Service, running_service

__all__ = ["MatchFailed", "play_programs"]

_MATCH = "local"
_LINES_SHOWN = 8
_LAUNCHES_MAX = 3
"""A bot that ended so often ends again where it is asked again, and its author waits for the reason."""


class MatchFailed(Exception):
    """The match came to no result; the text says why, with what the bots printed."""


class _Over:
    """Notices the end of the match."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """See `Observer.moved`."""
        if after.over:
            self.event.set()


async def play_programs(
    game: str, options: Mapping[str, Any], entries: Sequence[Entry], seed: str, note: Callable[[str], None]
) -> list[Resolved[Any, Any] | Ended[Any]]:
    """Play one match between programs, entry i in seat i: its decisions and its end, as `play_through` gives them.

    `note` hears of bots that ended before the match did, were never ready, or gave answers that were refused or too
    late. Raises `MatchFailed` if no bot ever got ready, and if one ends again and again.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cutpurse-")))
        service = await stack.enter_async_context(running_service(MemoryLog(), [f"unix:{folder / 'arena'}"]))
        over = _Over()
        service.desk.observe(over)
        seats = [SeatIdentity(entry.name, entry.owner) for entry in entries]
        for seat in seats:
            await service.registry.register_bot(seat.bot, seat.owner)
        now_ms = service.log.now_ms()
        await service.desk.begin(begin_match(_MATCH, game, options, LOCAL_CLOCK, seats, now_ms, seed=seed))
        children = [await _child(service, entry, seed, folder) for entry in entries]
        running = [asyncio.create_task(child.keep_running()) for child in children]
        try:
            await _until(over.event, children)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await asyncio.gather(*(child.stop() for child in children))
        events = await service.desk.events_of(_MATCH)
        parts = list(_parts(events))
        if not parts:
            printed = "".join(map(_last_words, children))
            raise MatchFailed(f"no bot got ready in {LOCAL_CLOCK.warm_up_ms // 1_000} s; what they printed:\n{printed}")
        for number, child in enumerate(children):
            if child.launches > 1:
                note(f"{child.entry.name} ended during the match; it last printed:\n{_last_words(child)}")
            for fault in _faults(events, Seat(number)):
                note(f"{child.entry.name} {fault}")
        return parts


async def _until(over: asyncio.Event, children: Sequence[Child]) -> None:
    """Wait for the end of the match. Raises `MatchFailed` for a bot that ends again and again."""
    while not over.is_set():
        for child in children:
            if child.given_up:
                ended = f"{child.entry.name} ended {child.launches} times and cannot play"
                raise MatchFailed(f"{ended}; it last printed:\n{_last_words(child)}")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await over.wait()


def _faults(events: Sequence[MatchEvent], seat: Seat) -> Iterator[str]:
    """What a bot did wrong in the match, in words that follow its name."""
    if not any(isinstance(event, SeatReady) and event.seat == seat for event in events):
        yield (
            f"was not ready {LOCAL_CLOCK.warm_up_ms // 1_000} s after the offer, so the defaults were played for it: "
            "it never dialled in at CUTPURSE_ADDRESS, or never said Ready"
        )
        return
    faults = [
        event
        for event in events
        if isinstance(event, ChoiceRefused | ChoiceDefaulted)
        and event.seat == seat
        and event.cause not in (Why.FORCED, Why.FORFEITED)
    ]
    if faults:
        counted = ", ".join(f"{often} {why}" for why, often in Counter(fault.cause.name for fault in faults).items())
        first = faults[0]
        gave = f", where it answered {printable(first.answer)!r}" if isinstance(first, ChoiceRefused) else ""
        yield f"gave answers that were refused, or none in time: {counted}; the first in decision {first.number}{gave}"


async def _child(service: Service, entry: Entry, seed: str, folder: Path) -> Child:
    token, _ = await service.registry.issue_token(Role.BOT, entry.name)
    environment = {
        "CUTPURSE_ADDRESS": service.addresses[0],
        "CUTPURSE_TOKEN": token,
        "CUTPURSE_SEED": hashlib.sha256(f"{seed}/{entry.name}".encode()).hexdigest(),
    }
    return Child(entry, environment, folder / f"{entry.name}.log", service.presence, launches_max=_LAUNCHES_MAX)


def _parts(events: Sequence[MatchEvent]) -> Iterator[Resolved[Any, Any] | Ended[Any]]:
    """What a match's log tells, as a playthrough tells it."""
    begun = events[0]
    assert isinstance(begun, MatchBegun), "a match's log begins with MatchBegun"
    record = MatchRecord(begun)
    recorded = RecordedChance(record.chance)
    record.chance = recorded
    for event in events[1:]:
        if not isinstance(event, DecisionResolved):
            apply(record, event)
            continue
        before, asked, draws = record.state, record.asked, recorded.take()
        chosen = {seat: record.chosen[seat].action for seat in asked}
        causes = {seat: Cause[record.chosen[seat].cause.name] for seat in asked}
        apply(record, event)
        yield Resolved(event.number, draws, before, asked, chosen, causes, record.state)
    if record.phase is Phase.ENDED:
        result = record.game.result(record.state)
        assert result is not None, "an ended match has a result"
        yield Ended(recorded.take(), record.state, result)


def _last_words(child: Child) -> str:
    return "".join(f"{child.entry.name}: {line}\n" for line in child.last_words(_LINES_SHOWN))
