"""Desks over a store that fails in every way that is allowed: every acknowledged choice is kept, every reply the same.

Prints its seeds, and CUTPURSE_FAULTY_STORE_SEED gives one again; CUTPURSE_FAULTY_STORE_ROUNDS is for the long form.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import pulse
from tests.faults.faulty_store import Fault
from tests.faults.stubborn_seats import House, StubbornSeats

SEED = os.environ.get("CUTPURSE_FAULTY_STORE_SEED")
LONG_ROUNDS = int(os.environ.get("CUTPURSE_FAULTY_STORE_ROUNDS", "100"))
GAMES = (("art_robbery", 2), ("big_max", 3), ("shadow_thief", 3))
PATIENCE_S = 60
SHARE = 0.25


@pytest.fixture(params=["memory", "sqlite"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    made: Log = MemoryLog() if request.param == "memory" else SQLiteLog(tmp_path / "log.sqlite")
    await made.open()
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A desk soon notices that its log is back."""
    monkeypatch.setattr(pulse, "_BEAT_S", 0.05)
    monkeypatch.setattr(pulse, "_RETRY_S", 0.002)


async def play_over_a_faulty_store(log: Log, seed: str, share: float = SHARE) -> Counter[str]:
    """One match of each game while the store fails and desks are killed; what was counted."""
    print(f"CUTPURSE_FAULTY_STORE_SEED={seed}")
    chance = random.Random(seed)
    house = House(log, chance, share)
    await house.open()
    seats = StubbornSeats(house, chance, GAMES)

    async def kill_now_and_then() -> None:
        while True:
            await asyncio.sleep(chance.uniform(0.05, 0.5))
            await house.kill()

    killing = asyncio.create_task(kill_now_and_then())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await seats.play()
    finally:
        killing.cancel()
        await asyncio.wait({killing})
        house.close()
    await seats.check()
    print(dict(house.counted))
    return house.counted


async def test_a_faulty_store_loses_no_acknowledged_choice_and_every_reply_stays_the_same(log: Log) -> None:
    counted = await play_over_a_faulty_store(log, SEED or "1")

    assert counted["accepted"] > 60
    assert counted["repeated"] > 10
    assert counted["kills"] > 0
    assert counted.keys() >= set(Fault)


@pytest.mark.long
async def test_many_faulty_stores_lose_no_acknowledged_choice(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    for number in range(LONG_ROUNDS):
        log = SQLiteLog(tmp_path / f"{number}.sqlite") if number % 5 == 0 else MemoryLog()
        await log.open()
        counted += await play_over_a_faulty_store(log, SEED or str(number))
        await log.close()
    print(dict(counted))
