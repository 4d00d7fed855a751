"""Local play: the service in memory, on a unix socket, with a schedule; `cutpurse_sdk.simulate` runs on it."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from cutpurse.v1 import match_pb2, tournament_log_pb2
from cutpurse_server.errors import ServiceError
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.events import Clock, MatchBegun
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.practice.playing import all_connected, play_scheduled
from cutpurse_server.practice.schedule import home_schedule
from cutpurse_server.serve import Service, running_service
from cutpurse_server.whereabouts import configure_logs
from cutpurse_server.wire.matches import clock_from_proto, options_from_proto, result_to_proto

__all__ = ["local"]

_UNHURRIED = Clock(decision_ms=600_000, bank_ms=600_000, warm_up_ms=600_000)
"""So that an author may stop in a debugger."""


@asynccontextmanager
async def local(
    configuration: match_pb2.MatchConfiguration, bots: Sequence[str], *, seed: str, matches: int, concurrency: int
) -> AsyncIterator[tuple[str, Mapping[str, str], AsyncIterator[tournament_log_pb2.CompletedMatch]]]:
    """A service on a unix socket: its address, a token for each bot, and the matches in order as they end.

    The matches are the first ones of a round robin of these bots at one table with this seed, see practice/schedule.py.
    They begin when all bots are connected, at most `concurrency` at once. Raises ValueError for a configuration that
    the game does not allow. Everything is gone when the block is left.
    """
    configure_logs("error")
    try:
        schedule = home_schedule(
            configuration.game,
            options_from_proto(configuration.options),
            clock_from_proto(configuration.clock) if configuration.HasField("clock") else _UNHURRIED,
            bots,
            seed,
            matches,
        )
    except ServiceError as refusal:
        raise ValueError(refusal.text) from None
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cutpurse-"))
        address = f"unix:{Path(folder) / 'arena'}"
        service = await stack.enter_async_context(running_service(MemoryLog(), [address]))
        tokens = {}
        for seat in schedule[0].seats:
            await service.registry.register_bot(seat.bot, seat.owner)
            tokens[seat.bot] = (await service.registry.issue_token(Role.BOT, seat.bot))[0]
        yield address, tokens, _play(service, schedule, bots, concurrency)


async def _play(
    service: Service, schedule: Sequence[MatchBegun], bots: Sequence[str], concurrency: int
) -> AsyncIterator[tournament_log_pb2.CompletedMatch]:
    """Begin the matches and yield them in order, each once it is over."""
    await all_connected(service, bots)
    async for record in play_scheduled(service, schedule, concurrency):
        yield _completed(record)


def _completed(record: MatchRecord) -> tournament_log_pb2.CompletedMatch:
    assert record.outcome is not None
    return tournament_log_pb2.CompletedMatch(
        match=record.match,
        head=record.chain,
        version=record.version,
        result=result_to_proto(record.outcome),
        bots=[seat.bot for seat in record.begun.seats],
    )
