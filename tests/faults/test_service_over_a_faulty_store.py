"""The whole service over a store that fails in every way that is allowed, played at by bots of every kind.

Prints its seeds, and CUTPURSE_FAULTY_STORE_SEED gives one again; CUTPURSE_FAULTY_STORE_ROUNDS is for the long form.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, errors_pb2
from cutpurse_rules import GAMES
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import pulse
from tests.acceptance.logs import MatchLog
from tests.faults.faulty_store import Fault, FaultyStore
from tests.faults.network_clients import Client, SDKBot, StreamBot, UnaryBot
from tests.faults.test_network import OPTIONS
from tests.server.service.arena import Arena, clock, open_arena

SEED = os.environ.get("CUTPURSE_FAULTY_STORE_SEED")
LONG_ROUNDS = int(os.environ.get("CUTPURSE_FAULTY_STORE_ROUNDS", "100"))
SHARE = 0.15
PATIENCE_S = 60
CLOCK = clock(decision_ms=120_000, warm_up_ms=120_000, strikes_max=1)


class HastyStreamBot(StreamBot):
    """Dials anew as soon as an answer could not be written down, and says it again."""

    def _take(self, frame: bot_pb2.ConnectResponse) -> Any:
        taken = super()._take(frame)
        if any(refused.reason == errors_pb2.ERROR_REASON_LOG_UNAVAILABLE for refused in frame.refused):
            raise TimeoutError
        return taken


SEATS: dict[str, Callable[[str, str, str, str], Client]] = {"ann": SDKBot, "ben": HastyStreamBot, "cat": UnaryBot}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service soon notices that its log is back."""
    monkeypatch.setattr(pulse, "_BEAT_S", 0.05)
    monkeypatch.setattr(pulse, "_RETRY_S", 0.005)


async def create(arena: Arena, game: str, seed: str) -> str:
    """One match, however often it has to be asked for."""
    while True:
        try:
            return await arena.create(
                list(SEATS), game=game, seed=seed, clock=CLOCK, request_id=seed.encode(), **OPTIONS[game]
            )
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or "canary" in str(error.details()):
                raise
            await asyncio.sleep(0.01)


async def play(kept: Log, seed: str, game: str) -> Counter[str]:
    """One match; what was counted."""
    print(f"CUTPURSE_FAULTY_STORE_SEED={seed}")
    await kept.open()
    store = FaultyStore(kept, random.Random(seed), SHARE)
    counted: Counter[str] = Counter()
    async with open_arena(store) as arena:
        store.is_faulty = True
        match = await create(arena, game, seed)
        clients = [kind(bot, arena.address, arena.tokens[bot], match) for bot, kind in SEATS.items()]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(client.play() for client in clients))
        store.is_faulty = False
        played = MatchLog(await arena.service.desk.events_of(match))
        assert len(await kept.streams("match")) == 1
    await kept.close()
    played.check_order()
    assert played.record.outcome is not None
    assert not any(played.faults_of(bot) for bot in SEATS), "somebody was charged for the store"
    for client in clients:
        counted["acknowledged"] += client.check(played)
        counted["repeated"] += client.repeated
    return counted + Counter({fault.name: times for fault, times in store.counted.items()})


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_bots_of_every_kind_play_on_and_every_reply_stays_the_same(tmp_path: Path, game: str) -> None:
    kept = SQLiteLog(tmp_path / "log.sqlite") if game == "big_max" else MemoryLog()

    counted = await play(kept, SEED or "1", game)

    print(dict(counted))
    assert counted["acknowledged"] >= 20
    assert counted["repeated"] >= 5
    assert sum(counted[fault.name] for fault in Fault) >= 10


@pytest.mark.long
async def test_bots_play_on_over_many_faulty_stores(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    for number in range(LONG_ROUNDS):
        kept = SQLiteLog(tmp_path / f"{number}.sqlite") if number % 2 else MemoryLog()
        counted += await play(kept, SEED or str(number), sorted(GAMES)[number % len(GAMES)]) + Counter(matches=1)
    print(dict(counted))
