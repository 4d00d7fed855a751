"""Local play: the service in memory, on a unix socket, with a schedule; `cutpurse_sdk.simulate` runs on it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from cutpurse.v1 import match_pb2, tournament_log_pb2
from cutpurse_rules.chance import key_of_seed, sub_key
from cutpurse_server.errors import ServiceError
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import Clock, MatchBegun, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.serve import Service, running_service
from cutpurse_server.whereabouts import configure_logs
from cutpurse_server.wire.matches import clock_from_proto, options_from_proto, result_to_proto

__all__ = ["local"]

_UNHURRIED = Clock(decision_ms=600_000, bank_ms=600_000, warm_up_ms=600_000)
"""So that an author may stop in a debugger."""
_CONNECTED_POLL_S = 0.005


class _Ends:
    """Collects matches that are over."""

    def __init__(self) -> None:
        self.over: asyncio.Queue[MatchRecord] = asyncio.Queue()

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """See `Observer.moved`."""
        if after.over:
            self.over.put_nowait(after)


@asynccontextmanager
async def local(
    configuration: match_pb2.MatchConfiguration, bots: Sequence[str], *, seed: str, matches: int, concurrency: int
) -> AsyncIterator[tuple[str, Mapping[str, str], AsyncIterator[tournament_log_pb2.CompletedMatch]]]:
    """A service on a unix socket: its address, a token for each bot, and the matches in order as they end.

    Match i, from 0, seats bot b in seat (b + i) mod n; its deal and its id follow from `seed` and i. Matches begin when
    all bots are connected, at most `concurrency` at once. Raises ValueError for a configuration that the game does not
    allow. Everything is gone when the block is left.
    """
    configure_logs("error")
    try:
        schedule = [_begun(configuration, bots, seed, number) for number in range(matches)]
    except ServiceError as refusal:
        raise ValueError(refusal.text) from None
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cutpurse-"))
        address = f"unix:{Path(folder) / 'arena'}"
        service = await stack.enter_async_context(running_service(MemoryLog(), [address]))
        tokens = {}
        for bot in bots:
            await service.registry.register_bot(bot, f"owner-of-{bot}"[:64])
            tokens[bot] = (await service.registry.issue_token(Role.BOT, bot))[0]
        yield address, tokens, _play(service, schedule, bots, concurrency)


def _begun(configuration: match_pb2.MatchConfiguration, bots: Sequence[str], seed: str, number: int) -> MatchBegun:
    """Match `number` of the schedule; its times are set when it begins."""
    seats = len(bots)
    seated = [bots[(seat - number) % seats] for seat in range(seats)]
    return begin_match(
        f"match-{number + 1}",
        configuration.game,
        options_from_proto(configuration.options),
        clock_from_proto(configuration.clock) if configuration.HasField("clock") else _UNHURRIED,
        [SeatIdentity(bot, f"owner-of-{bot}"[:64]) for bot in seated],
        0,
        key=sub_key(key_of_seed(seed), f"simulate/{number}"),
        rated=False,
    )


async def _play(
    service: Service, schedule: Sequence[MatchBegun], bots: Sequence[str], concurrency: int
) -> AsyncIterator[tournament_log_pb2.CompletedMatch]:
    """Begin the matches and yield them in order, each once it is over."""
    ends = _Ends()
    service.desk.observe(ends)
    # Polling, since it happens once and costs nothing by then.
    while not all(service.presence.streams(bot) for bot in bots):  # noqa: ASYNC110
        await asyncio.sleep(_CONNECTED_POLL_S)
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
        yield _completed(over.pop(due.match))


def _completed(record: MatchRecord) -> tournament_log_pb2.CompletedMatch:
    assert record.phase is Phase.ENDED, "nobody voids a match at home"
    assert record.outcome is not None
    return tournament_log_pb2.CompletedMatch(
        match=record.match,
        head=record.chain,
        version=record.version,
        result=result_to_proto(record.outcome),
        bots=[seat.bot for seat in record.begun.seats],
    )
