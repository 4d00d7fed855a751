"""What the simulation has found about time given back, shown by the shortest course of events that leads to it."""

import asyncio
import random
from functools import partial

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Draft, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Clock, ClockCredited, SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.wire import match_events
from tests.simulation.shared_store import ReplicaLog, SharedStore
from tests.simulation.surroundings import simulated_surroundings
from tests.simulation.virtual_time import VirtualTimeLoop, context_of, virtual_loop

_AWAY_S = 8.0


async def replica(store: SharedStore) -> tuple[ReplicaLog, MatchDesk]:
    log = ReplicaLog(store, shared=True)
    desk = MatchDesk(log, match_events, Presence().fault_of)
    await log.open()
    await desk.open()
    return log, desk


def ready(seat: Seat, draft: Draft, now_ms: int) -> None:
    get_ready(draft, seat, now_ms)


async def given_back_though_one_was_killed() -> int:
    """Two replicas lose the log; the first that has it again is killed when it writes what it gives back."""
    store = SharedStore(random.Random(1), lambda append: None)
    loop = virtual_loop()
    first, _ = await loop.create_task(replica(store), context=context_of("first"))
    second, desk = await loop.create_task(replica(store), context=context_of("second"))
    seats = [SeatIdentity(bot, bot) for bot in ("ann", "ben", "cat")]
    await desk.begin(begin_match("m", "art_robbery", {}, Clock(decision_ms=60_000), seats, first.now_ms(), seed="deal"))
    for seat in range(3):
        await desk.ask("m", partial(ready, Seat(seat)))
    await asyncio.sleep(3)

    first.is_away = second.is_away = True
    await asyncio.sleep(_AWAY_S)

    async def killed(_: object) -> list[bool]:
        first.kill()
        loop.kill("first")
        await asyncio.sleep(1)
        raise AssertionError("a killed replica goes on")

    first.flush = killed  # type: ignore[method-assign, assignment]
    first.is_away = False
    await asyncio.sleep(1)
    assert first.is_dead
    second.is_away = False
    await asyncio.sleep(2)

    credited = [each.credit_ms for each in await desk.events_of("m") if isinstance(each, ClockCredited)]
    await desk.close()
    return sum(credited)


def test_a_gap_is_not_forgotten_when_the_replica_is_killed_that_was_to_give_it_back() -> None:
    with simulated_surroundings("gaps"), asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        credited_ms = runner.run(given_back_though_one_was_killed())

    assert _AWAY_S * 1_000 - 1_500 <= credited_ms <= _AWAY_S * 1_000 + 1_500


async def given_back_by_one_that_was_killed_before_its_note() -> int:
    """A replica gives back the time in which none was there, and is killed before it notes that it lives."""
    store = SharedStore(random.Random(1), lambda append: None)
    loop = virtual_loop()
    first, desk = await loop.create_task(replica(store), context=context_of("first"))
    seats = [SeatIdentity(bot, bot) for bot in ("ann", "ben", "cat")]
    await desk.begin(begin_match("m", "art_robbery", {}, Clock(decision_ms=60_000), seats, first.now_ms(), seed="deal"))
    for seat in range(3):
        await desk.ask("m", partial(ready, Seat(seat)))
    await asyncio.sleep(3)
    first.kill()
    loop.kill("first")
    await asyncio.sleep(_AWAY_S)

    second = ReplicaLog(store, shared=True)
    noting = loop.create_future()

    async def killed() -> None:
        noting.set_result(None)
        await asyncio.Event().wait()

    second.beat = killed  # type: ignore[method-assign]
    await second.open()
    starting = loop.create_task(
        MatchDesk(second, match_events, Presence().fault_of).open(), context=context_of("second")
    )
    await noting
    second.kill()
    loop.kill("second")
    starting.cancel()
    await asyncio.sleep(_AWAY_S)

    _, desk = await loop.create_task(replica(store), context=context_of("third"))
    credited = [each.credit_ms for each in await desk.events_of("m") if isinstance(each, ClockCredited)]
    await desk.close()
    assert len(credited) == 2
    return sum(credited)


def test_a_gap_is_given_back_once_when_the_replica_is_killed_that_gave_it_back_and_had_not_noted_so() -> None:
    with simulated_surroundings("gaps"), asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        credited_ms = runner.run(given_back_by_one_that_was_killed_before_its_note())

    assert 2 * _AWAY_S * 1_000 - 1_500 <= credited_ms <= 2 * _AWAY_S * 1_000 + 1_500
