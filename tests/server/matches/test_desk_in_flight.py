"""What comes to the desk while a flush is on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, LogUnavailable
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Draft, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Clock, SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.wire import match_events


class WaitingLog(MemoryLog):
    """A log whose flushes wait until they may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        await self.may_go_on.wait()
        return await super().flush(appends)


@pytest.fixture
async def desk() -> AsyncIterator[MatchDesk]:
    made = MatchDesk(WaitingLog(), match_events, Presence().fault_of)
    await made.log.open()
    await made.open()
    seats = [SeatIdentity(f"bot-{seat}", "owner") for seat in range(2)]
    await made.begin(begin_match("m", "art_robbery", {}, Clock(), seats, made.log.now_ms()))
    yield made
    await made.close()


def ready(seat: int, draft: Draft, now_ms: int) -> int:
    """A seat is ready; the reply tells which."""
    get_ready(draft, Seat(seat), now_ms)
    return seat


def log_of(desk: MatchDesk) -> WaitingLog:
    """The desk's log."""
    assert isinstance(desk.log, WaitingLog)
    return desk.log


async def test_a_command_at_the_head_of_the_queue_is_not_taken_for_the_one_on_its_way(desk: MatchDesk) -> None:
    log_of(desk).may_go_on.clear()
    told: list[Any] = []
    desk.submit("m", partial(ready, 0), lambda reply, _: told.append(reply))
    await asyncio.sleep(0.01)

    desk._first("m", partial(ready, 1), lambda reply, _: told.append(reply))
    log_of(desk).may_go_on.set()
    await asyncio.sleep(0.01)

    assert told == [0, 1]
    record = await desk.record("m")
    assert record is not None
    assert record.ready == {Seat(0), Seat(1)}


async def test_a_failure_during_a_flush_tells_every_sender_once_and_the_desk_goes_on(desk: MatchDesk) -> None:
    log_of(desk).may_go_on.clear()
    told: list[Any] = []
    desk.submit("m", partial(ready, 0), lambda reply, error: told.append((reply, type(error).__name__)))
    await asyncio.sleep(0.01)

    desk._fail(desk.log.now_ms(), (), LogUnavailable("as planned"))
    log_of(desk).may_go_on.set()
    # The desk looks whether the log is back with its next beat, a second after the one before.
    await asyncio.sleep(1.2)

    assert told == [(None, "ServiceError")]
    assert await desk.ask("m", partial(ready, 1)) == 1


async def test_what_waits_for_one_match_is_written_together_and_in_its_order(desk: MatchDesk) -> None:
    told: list[Any] = []
    flushes: list[int] = []
    observed: list[int] = []
    original = log_of(desk).flush

    async def counted(appends: Sequence[Append]) -> Sequence[bool]:
        flushes.append(sum(len(each.events) for each in appends))
        assert not told, "nobody is told before the commit"
        return await original(appends)

    def refused(draft: Draft, now_ms: int) -> None:
        get_ready(draft, Seat(1), now_ms)
        raise ServiceError(ErrorReason.MALFORMED)

    log_of(desk).flush = counted  # type: ignore[method-assign]  # watched, not replaced
    for command in (partial(ready, 0), refused, partial(ready, 0), partial(ready, 1)):
        desk.submit("m", command, lambda reply, error: told.append(reply if error is None else str(error)))
    desk.observe(Moves(observed))
    await asyncio.sleep(0.02)

    assert [each if isinstance(each, int) else each[:9] for each in told] == [0, "MALFORMED", 0, 1]
    # Two seats ready, the clocks started, the first decision opened; of the refused command nothing is left.
    assert flushes == [4]
    assert observed == [5]
    record = await desk.record("m")
    assert record is not None
    assert record.version == 5
    assert record.chain == (await log_of(desk).head("match/m")).chain  # type: ignore[union-attr]


class Moves:
    """Notes the version of a match whenever it has moved."""

    def __init__(self, versions: list[int]) -> None:
        self._versions = versions

    def moved(self, before: Any, after: Any, events: Any) -> None:
        """See `Observer`."""
        self._versions.append(after.version)
