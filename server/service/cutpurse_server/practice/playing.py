"""Playing a schedule at a service: matches begin as others end, and come out in the order of the schedule."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from cutpurse_server.matches.events import MatchBegun, MatchEvent
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.serve import Service

__all__ = ["BotGone", "all_connected", "play_scheduled"]

_CONNECTED_POLL_S = 0.005


class BotGone(Exception):
    """A practice cannot go on without a bot; the text says which and why, with what it printed last where known."""


class _Ends:
    """Collects matches that are over."""

    def __init__(self) -> None:
        self.over: asyncio.Queue[MatchRecord] = asyncio.Queue()

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """See `Observer.moved`."""
        if after.over:
            self.over.put_nowait(after)


async def all_connected(service: Service, bots: Sequence[str]) -> None:
    """Wait until every bot has dialled in."""
    # Polling, since it happens once and costs nothing by then.
    while not all(service.presence.streams(bot) for bot in bots):  # noqa: ASYNC110
        await asyncio.sleep(_CONNECTED_POLL_S)


async def play_scheduled(
    service: Service, schedule: Sequence[MatchBegun], concurrency: int
) -> AsyncIterator[MatchRecord]:
    """Begin the matches, at most `concurrency` at once, and yield them in order, each once it is over.

    Raises `BotGone` if no bot at all gets ready for one.
    """
    ends = _Ends()
    service.desk.observe(ends)
    waiting = iter(schedule)
    running = 0
    over: dict[str, MatchRecord] = {}
    for due in schedule:
        while due.match not in over:
            while running < max(1, concurrency) and (begun := next(waiting, None)) is not None:
                now_ms = service.log.now_ms()
                warm_up_until_ms = now_ms + begun.clock.warm_up_ms
                await service.desk.begin(begun._replace(at_ms=now_ms, warm_up_until_ms=warm_up_until_ms))
                running += 1
            record = await ends.over.get()
            over[record.match] = record
            running -= 1
        record = over.pop(due.match)
        if record.phase is Phase.VOIDED:
            raise BotGone(f"no bot got ready for match {record.match}")
        yield record
