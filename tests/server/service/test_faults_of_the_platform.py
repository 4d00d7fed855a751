"""What the service itself does wrong or slowly costs no seat anything, and nobody else's flood does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import grpc
import pytest

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append
from cutpurse_server.matches.stalls import SLACK_MS, TICK_MS, Stalls
from tests.server.service.arena import Arena, BotStream, clock, eventually, open_arena, refusal_of

HURRIED = clock(decision_ms=1_000, bank_ms=0, delivery_ms=0, settle_ms=200)


class SlowLog(MemoryLog):
    """A log whose next flush takes a while."""

    def __init__(self) -> None:
        super().__init__()
        self.slow_s = 0.0
        self.slow_after_s = 0.0

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        slow_s, self.slow_s = self.slow_s, 0.0
        await asyncio.sleep(slow_s)
        moved = await super().flush(appends)
        slow_after_s, self.slow_after_s = self.slow_after_s, 0.0
        await asyncio.sleep(slow_after_s)
        return moved


async def outcome(stream: BotStream) -> str:
    """Whether the stream's one choice was taken."""
    async with asyncio.timeout(15):
        while not (stream.seen("accepted") or stream.seen("refused")):
            await stream.read()
    return "accepted" if stream.seen("accepted") else str(stream.seen("refused")[0].text)


async def test_a_choice_that_waits_for_a_slow_commit_is_not_overtaken_by_its_deadline() -> None:
    log = SlowLog()
    async with open_arena(log) as arena:
        hurried, streams = await arena.start(["ann", "ben"], clock=HURRIED)
        _, others = await arena.start(["cat", "ben"])
        asked, other = await streams["ann"].next("decisions", hurried), await others["cat"].next("decisions")
        log.slow_s = 2.0
        await others["cat"].say(choices=[others["cat"].choice(other)])
        await asyncio.sleep(0.1)

        await streams["ann"].say(choices=[streams["ann"].choice(asked)])

        assert await outcome(streams["ann"]) == "accepted"
        record = await arena.service.desk.record(hurried)
        assert record is not None
        assert record.strikes == (0, 0)


async def test_while_the_service_drains_nobodys_time_is_over(arena: Arena) -> None:
    short = clock(decision_ms=300, bank_ms=0, delivery_ms=0, settle_ms=50)
    match, streams = await arena.start(["ann", "ben"], clock=short)
    await streams["ann"].next("decisions", match)
    arena.service.desk.drain()

    await asyncio.sleep(0.8)

    record = await arena.service.desk.record(match)
    assert record is not None
    assert record.strikes == (0, 0)
    assert record.waiting() == [0]


async def test_a_process_that_stood_still_gives_the_time_back(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=HURRIED)
    asked = await streams["ann"].next("decisions", match)
    # On purpose: the whole loop stands still, as it does when a disk hangs or the process is stopped.
    time.sleep(2.5)  # noqa: ASYNC251

    await streams["ann"].say(choices=[streams["ann"].choice(asked)])

    assert await outcome(streams["ann"]) == "accepted"
    record = await arena.service.desk.record(match)
    assert record is not None
    assert record.strikes == (0, 0)


async def test_a_flood_of_readies_takes_nobodys_place_and_costs_nobody_time(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    asked = await streams["ann"].next("decisions", match)

    async def flood() -> None:
        while True:
            await streams["ben"].say(readies=[bot_pb2.Ready(match=match)] * 256)

    flooding = asyncio.create_task(flood())
    try:
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        await streams["ann"].say(choices=[streams["ann"].choice(asked)])

        assert await outcome(streams["ann"]) == "accepted"
        assert time.monotonic() - begun < 1
    finally:
        flooding.cancel()
        await asyncio.gather(flooding, return_exceptions=True)


async def test_a_match_that_was_over_long_ago_is_told_to_nobody_again(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match, text="x"))
    await streams["ann"].next("ended", match)
    told: list[str] = []

    class Listener:
        def moved(self, before: object, after: object, events: object) -> None:
            told.append("told")

    arena.service.desk.observe(Listener())
    # As after many more matches, or a restart.
    arena.service.desk._closed.clear()

    response = await arena.ask("spectator", "GetMatch", match_pb2.GetMatchRequest(match=match))

    assert response.phase == match_pb2.MATCH_PHASE_VOIDED
    assert not told


async def test_who_hangs_up_while_a_match_is_written_leaves_no_orphan() -> None:
    log = SlowLog()
    async with open_arena(log) as arena:
        request = match_pb2.CreateMatchRequest(
            configuration=match_pb2.MatchConfiguration(game="art_robbery"), bots=["ann", "ben"], request_id=b"q"
        )
        log.slow_after_s = 0.5
        asking = asyncio.create_task(arena.ask("organiser", "CreateMatch", request))
        await asyncio.sleep(0.2)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        await eventually(lambda: len(arena.service.desk.running()) == 1)


async def test_what_is_not_in_this_version_is_refused_and_not_ignored(arena: Arena) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await arena.dial("ann", concurrency=4)

    assert refusal_of(refused.value).reason == "NOT_IMPLEMENTED"


def test_a_stall_is_told_once_and_a_late_tick_is_none() -> None:
    async def run() -> list[int]:
        now_s = [100.0]
        told: list[int] = []
        stalls = Stalls(told.append, lambda: now_s[0])
        stalls.look()
        stalls.start()
        now_s[0] += (TICK_MS + SLACK_MS) / 1_000
        stalls.look()
        assert not told
        now_s[0] += 2.0
        stalls.look()
        stalls.look()
        stalls.stop()
        return told

    (gap_ms,) = asyncio.run(run())
    assert gap_ms == SLACK_MS + 2_000
