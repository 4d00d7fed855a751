"""What the simulation has found about store time, shown by the shortest course of events that leads to it."""

import asyncio
import random

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Clock, SeatIdentity, SeatReady
from cutpurse_server.matches.presence import Presence
from cutpurse_server.wire import match_events
from tests.simulation.shared_store import ReplicaLog, SharedStore
from tests.simulation.virtual_time import VirtualTimeLoop

_SLOW_S = 0.2
"""How long the first replica's way to the store is."""


async def ready_at_two_replicas() -> list[int]:
    """When two seats were ready, in the order of the log: one at a replica that reads slowly, one meanwhile."""
    store = SharedStore(random.Random(1), lambda append: None)
    slow, quick = (ReplicaLog(store, shared=True) for _ in range(2))
    slow_desk, quick_desk = (MatchDesk(log, match_events, Presence().fault_of) for log in (slow, quick))
    for log, desk in ((slow, slow_desk), (quick, quick_desk)):
        await log.open()
        await desk.open()
    seats = [SeatIdentity(bot, bot) for bot in ("ann", "ben", "cat")]
    begun = begin_match("m", "art_robbery", {}, Clock(), seats, slow.now_ms(), seed="a deal")
    await slow_desk.begin(begun)
    await quick_desk.ask("m", lambda draft, now_ms: get_ready(draft, Seat(0), now_ms))
    await asyncio.sleep(0.01)

    slow._way_s = lambda: _SLOW_S  # type: ignore[method-assign]
    asked = asyncio.create_task(slow_desk.ask("m", lambda draft, now_ms: get_ready(draft, Seat(1), now_ms)))
    await asyncio.sleep(_SLOW_S / 2)
    await quick_desk.ask("m", lambda draft, now_ms: get_ready(draft, Seat(2), now_ms))
    await asked

    events = await quick_desk.events_of("m")
    await slow_desk.close()
    await quick_desk.close()
    return [event.at_ms for event in events if isinstance(event, SeatReady)]


def test_an_event_is_not_stamped_earlier_than_what_was_read_before_it_was_decided() -> None:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        stamps = runner.run(ready_at_two_replicas())

    assert len(stamps) == 3
    assert stamps == sorted(stamps)
