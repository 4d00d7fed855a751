"""What the time of a reply could tell, shown by the shortest course of events that leads to it."""

import asyncio
import random
from functools import partial
from typing import Any

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Clock, SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.matches.quiet import HELD_BACK_S
from cutpurse_server.matches.replies import Accepted, Refused
from cutpurse_server.wire import match_events
from tests.simulation.shared_store import ReplicaLog, SharedStore
from tests.simulation.virtual_time import VirtualTimeLoop, virtual_loop

_WAYS_S = (0.003, 0.002)
"""How long the ways of two replicas to the store are: the second's is shorter."""


def ready(seat: Seat, draft: Draft, now_ms: int) -> None:
    get_ready(draft, seat, now_ms)


def answer(seat: int, position: int, draft: Draft, now_ms: int) -> object:
    return choose(draft, Seat(seat), Answer(1, b"answer", bytes(32), position, None), now_ms, now_ms)


async def told_after_s(also: int | None, position: int = 0) -> tuple[float, object]:
    """How long the first seat waits for its reply at one replica, and the reply, while so many seats answer at the
    other: all seats choose at the same time.
    """
    store = SharedStore(random.Random(1), lambda append: None)
    logs = [ReplicaLog(store, shared=True) for _ in _WAYS_S]
    desks = [MatchDesk(log, match_events, Presence().fault_of) for log in logs]
    for log, desk in zip(logs, desks, strict=True):
        await log.open()
        await desk.open()
    seats = [SeatIdentity(bot, bot) for bot in ("ann", "ben", "cat")]
    begun = begin_match("m", "shadow_thief", {}, Clock(decision_ms=60_000), seats, logs[0].now_ms(), seed="deal")
    await desks[0].begin(begun)
    for seat in range(3):
        await desks[0].ask("m", partial(ready, Seat(seat)))
    for desk in desks:
        await desk.record("m")
    for log, way_s in zip(logs, _WAYS_S, strict=True):
        log._way_s = lambda way_s=way_s: way_s  # type: ignore[method-assign, misc]

    replies: list[tuple[float, Any]] = []
    begun_s = virtual_loop().time()
    desks[0].submit("m", partial(answer, 0, position), lambda reply, _: replies.append((virtual_loop().time(), reply)))
    for seat in range(1, 1 + (also or 0)):
        desks[1].submit("m", partial(answer, seat, 0), lambda *_: None)
    await asyncio.sleep(1)
    for desk in desks:
        await desk.close()
    ((told_s, reply),) = replies
    return told_s - begun_s, reply


def told(also: int | None, position: int = 0) -> tuple[float, object]:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(told_after_s(also, position))


@pytest.mark.parametrize(("position", "kind"), [(0, Accepted), (1_000_000, Refused)])
def test_an_answer_that_met_another_one_elsewhere_is_replied_to_at_the_same_time(position: int, kind: type) -> None:
    alone_s, alone = told(None, position)
    beside_s, beside = told(1, position)

    assert isinstance(alone, kind)
    assert alone == beside
    assert alone_s == pytest.approx(beside_s, abs=1e-6)
    assert alone_s == pytest.approx(HELD_BACK_S, abs=1e-6)


def test_the_last_answer_is_not_held_back() -> None:
    last_s, reply = told(2)

    assert isinstance(reply, Accepted)
    assert last_s < HELD_BACK_S
