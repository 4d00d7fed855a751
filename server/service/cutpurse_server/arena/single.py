"""One match of programs that dial in, at a service in memory: what `cutpurse match` plays when a bot is a command."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from cutpurse_rules.chance import RecordedChance
from cutpurse_rules.playthrough import Cause, Ended, Resolved
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.plan import LOCAL_CLOCK, Entry
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import DecisionResolved, MatchBegun, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord, Phase, apply
from cutpurse_server.serve import Service, running_service

__all__ = ["MatchFailed", "play_programs"]

_MATCH = "local"
_LINES_SHOWN = 8


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

    `note` hears of bots that ended before the match did. Raises `MatchFailed` if no bot ever got ready.
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
            await over.event.wait()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await asyncio.gather(*(child.stop() for child in children))
        for child in children:
            if child.launches > 1:
                note(f"{child.entry.name} ended during the match; it last printed:\n{_last_words(child)}")
        events = await service.desk.events_of(_MATCH)
        parts = list(_parts(events))
        if not parts:
            printed = "".join(map(_last_words, children))
            raise MatchFailed(f"no bot got ready in {LOCAL_CLOCK.warm_up_ms // 1_000} s; what they printed:\n{printed}")
        return parts


async def _child(service: Service, entry: Entry, seed: str, folder: Path) -> Child:
    token, _ = await service.registry.issue_token(Role.BOT, entry.name)
    environment = {
        "CUTPURSE_ADDRESS": service.addresses[0],
        "CUTPURSE_TOKEN": token,
        "CUTPURSE_SEED": hashlib.sha256(f"{seed}/{entry.name}".encode()).hexdigest(),
    }
    return Child(entry, environment, folder / f"{entry.name}.log", service.presence)


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
