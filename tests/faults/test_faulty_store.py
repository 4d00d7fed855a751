"""Desks over a store that fails in every way that is allowed: every acknowledged choice is kept, every reply the same.

Prints its seeds, and CUTPURSE_FAULTY_STORE_SEED gives one again; CUTPURSE_FAULTY_STORE_ROUNDS is for the long form.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log, StoredEvent
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import pulse
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.wire import match_events
from tests.faults.faulty_store import Fault
from tests.faults.stubborn_seats import CLOCK, House, StubbornSeats
from tests.server.log.postgresql_cluster import Cluster

SEED = os.environ.get("CUTPURSE_FAULTY_STORE_SEED")
LONG_ROUNDS = int(os.environ.get("CUTPURSE_FAULTY_STORE_ROUNDS", "100"))
GAMES = (("art_robbery", 2), ("big_max", 3), ("shadow_thief", 3))
PATIENCE_S = 60
SHARE = 0.25


class Addressed(PostgreSQLLog):
    """A log of which another one can be made."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    made: Log = MemoryLog()
    if request.param == "sqlite":
        made = SQLiteLog(tmp_path / "log.sqlite")
    elif request.param == "postgresql":
        cluster: Cluster = request.getfixturevalue("cluster")
        made = Addressed(cluster.address(await cluster.create_database()))
    await made.open()
    yield made
    await made.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A desk soon notices that its log is back."""
    monkeypatch.setattr(pulse, "_BEAT_S", 0.05)
    monkeypatch.setattr(pulse, "_RETRY_S", 0.002)


async def play_over_a_faulty_store(log: Log, seed: str) -> Counter[str]:
    """One match of each game while the store fails and desks are killed; what was counted. The log is closed then."""
    print(f"CUTPURSE_FAULTY_STORE_SEED={seed}")
    chance = random.Random(seed)
    # Processes that share a database have each a log of its own.
    again = (lambda: PostgreSQLLog(log.address)) if isinstance(log, Addressed) else None
    house = House(log, chance, SHARE, again)
    await house.open()
    seats = StubbornSeats(house, chance, GAMES)

    over = asyncio.Event()

    async def kill_now_and_then() -> None:
        while not over.is_set():
            await asyncio.sleep(chance.uniform(0.05, 0.5))
            await house.kill()

    killing = asyncio.create_task(kill_now_and_then())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await seats.play()
    finally:
        over.set()
        try:
            await killing
        finally:
            await house.close()
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


class NotYetReadable(MemoryLog):
    """A log that says what stands there, and does not show it at first."""

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """Nothing, the first time."""
        if not self.was_read:
            self.was_read = True
            return []
        return await super().read(stream, after)

    was_read = False


async def test_a_name_is_not_taken_by_what_cannot_be_read_yet() -> None:
    log = NotYetReadable()
    await log.open()
    seats = [SeatIdentity(f"bot-{seat}", "owner") for seat in range(2)]
    begun = begin_match("m", "art_robbery", {}, CLOCK, seats, log.now_ms(), seed="m")
    desk, other = (MatchDesk(log, match_events, Presence().fault_of) for _ in range(2))
    await desk.open()
    await other.open()
    assert await other.begin(begun)

    with pytest.raises(ServiceError) as refused:
        await desk.begin(begun)
    is_new = await desk.begin(begun)

    await desk.close()
    await other.close()
    assert refused.value.reason is ErrorReason.LOG_UNAVAILABLE
    assert not is_new
