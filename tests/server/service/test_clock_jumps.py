"""Clocks that leap or go back: nobody is charged or forfeited for it, and a time that is over is over once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.events import ChoiceDefaulted, ChoiceMade, ClockCredited, DecisionOpened, SeatForfeited
from tests.replicas.players import play, seated
from tests.server.service.arena import Arena, clock, open_arena

HOUR_MS = 3_600_000
STRICT = clock(decision_ms=4_000, bank_ms=0, delivery_ms=0, settle_ms=50, strikes_max=1)
LEAPS_MS = [24 * HOUR_MS, -24 * HOUR_MS, HOUR_MS, -5 * HOUR_MS, 900, -900]


class WallClock:
    """The process' wall clock, which somebody sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        really = time.time_ns
        self.put_ms = 0
        monkeypatch.setattr(time, "time_ns", lambda: really() + self.put_ms * 1_000_000)
        monkeypatch.setattr(time, "time", lambda: time.time_ns() / 1e9)


async def events(arena: Arena, match: str, *kinds: type) -> list[Any]:
    """The events of some kinds in a match's log."""
    return [event for event in await arena.service.desk.events_of(match) if isinstance(event, kinds)]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_wall_clock_that_leaps_in_a_match_costs_nobody_anything(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = WallClock(monkeypatch)
    log: Log = MemoryLog() if kind == "memory" else SQLiteLog(tmp_path / "log.sqlite")
    async with open_arena(log) as arena:
        match, players = await seated(arena, {"ann": arena, "ben": arena}, clock=STRICT)
        for leap_ms in LEAPS_MS:
            wall.put_ms += leap_ms
            await play(players.values(), match, lambda given: given >= 2)
        made = await events(arena, match, ChoiceMade)
        opened = await events(arena, match, DecisionOpened)

        assert await events(arena, match, ChoiceDefaulted, SeatForfeited, ClockCredited) == []
    assert len(made) >= len(LEAPS_MS)
    assert max(each.charged_ms for each in made) < 3_000
    times = [each.opened_at_ms for each in opened]
    assert times == sorted(times)
    assert times[-1] - times[0] < 60_000


@pytest.mark.parametrize("leap_ms", [24 * HOUR_MS, -24 * HOUR_MS, -500])
async def test_a_wall_clock_that_was_set_while_no_service_ran_costs_nobody_anything(
    leap_ms: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = WallClock(monkeypatch)
    async with open_arena(SQLiteLog(tmp_path / "log.sqlite")) as arena:
        match, streams = await arena.start(["ann", "ben"], clock=STRICT)
        await streams["ann"].next("decisions", match)
        before_ms = arena.service.log.now_ms()

    wall.put_ms += leap_ms
    async with open_arena(SQLiteLog(tmp_path / "log.sqlite"), tokens=arena.tokens) as again:
        ann = await again.dial("ann")
        decision = await ann.next("decisions", match)
        await ann.answer(decision)
        await (await again.dial("ben")).next("decisions", match)
        # Whole seconds may lie between the last note of a service and its end, and those are not given back.
        assert again.service.log.now_ms() >= before_ms - 2_000
        credits_ms = sum(each.credit_ms for each in await events(again, match, ClockCredited))

        assert await events(again, match, ChoiceDefaulted, SeatForfeited) == []
    assert decision.decision_ms_left >= 2_000
    assert credits_ms <= max(leap_ms, 0) + 60_000


async def test_a_store_clock_that_leaps_and_goes_back_ends_a_time_once() -> None:
    now_ms = [HOUR_MS * 1_000]
    settings = clock(decision_ms=200, bank_ms=0, delivery_ms=0, settle_ms=50, strikes_max=100)
    async with open_arena(MemoryLog(lambda: now_ms[0])) as arena:
        match, streams = await arena.start(["ann", "ben"], clock=settings)
        await streams["ann"].next("decisions", match)
        # While store time stands still, nobody's time is over.
        await asyncio.sleep(0.5)
        assert await events(arena, match, ChoiceDefaulted) == []
        now_ms[0] += HOUR_MS
        asked = await streams["ben"].next("decisions", match)
        now_ms[0] -= 2 * HOUR_MS
        await asyncio.sleep(0.5)

        await streams["ben"].answer(asked)
        now_ms[0] += HOUR_MS
        await asyncio.sleep(0.5)
        struck = await events(arena, match, ChoiceDefaulted)

    # The first time that was over, and the one that began while time was back and was over when it leapt again.
    assert [(each.number, each.seat) for each in struck] == [(1, 0), (3, 0)]


async def test_a_store_clock_that_goes_back_charges_nothing() -> None:
    now_ms = [HOUR_MS * 1_000]
    async with open_arena(MemoryLog(lambda: now_ms[0])) as arena:
        match, streams = await arena.start(["ann", "ben"], clock=STRICT)
        asked = await streams["ann"].next("decisions", match)
        now_ms[0] -= HOUR_MS

        await streams["ann"].answer(asked)
        (made,) = await events(arena, match, ChoiceMade)

    assert (made.charged_ms, made.bank_charged_ms) == (0, 0)
