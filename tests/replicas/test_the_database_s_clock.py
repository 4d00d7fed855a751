"""The database's clock is put while matches are played: store time goes on as the replicas' steady clocks count it."""

from __future__ import annotations

import asyncio

import pytest

from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.matches.events import ChoiceDefaulted, ChoiceMade, ClockCredited, DecisionOpened, SeatForfeited
from tests.replicas.players import play, seated
from tests.replicas.test_three_replicas import events
from tests.server.log.postgresql_cluster import Cluster
from tests.server.service.arena import Arena, clock, eventually, open_arena

pytestmark = pytest.mark.postgresql

HOUR_MS = 3_600_000
STRICT = clock(decision_ms=20_000, bank_ms=0, delivery_ms=0, settle_ms=50, strikes_max=1)
PUT = """
CREATE OR REPLACE FUNCTION cutpurse.clock_ms() RETURNS double precision LANGUAGE sql VOLATILE
    RETURN extract(epoch FROM clock_timestamp()) * 1000 + {put_ms}
"""


async def put(cluster: Cluster, database: str, put_ms: int) -> None:
    """Put the database's clock, as far as the log can see it."""
    await cluster.execute(database, PUT.format(put_ms=put_ms))


@pytest.mark.parametrize("put_ms", [24 * HOUR_MS, -24 * HOUR_MS, 30_000])
async def test_a_clock_that_is_put_costs_nobody_anything(
    cluster: Cluster, database: str, replicas: list[Arena], put_ms: int
) -> None:
    match, players = await seated(replicas[-1], dict(zip(["ann", "ben", "cat"], replicas, strict=True)), clock=STRICT)
    await play(players.values(), match, lambda given: given >= 3)

    await put(cluster, database, put_ms)
    # One replica starts before any other has looked at the clock again.
    async with open_arena(PostgreSQLLog(cluster.address(database)), tokens=replicas[0].tokens) as fourth:
        # All of them note twice that they live.
        await asyncio.sleep(2.5)
        await play(players.values(), match, lambda given: given >= 6)

        times_ms = [arena.service.log.now_ms() for arena in (*replicas, fourth)]
        assert max(times_ms) - min(times_ms) < 1_000
        assert await events(fourth, match, ChoiceDefaulted, SeatForfeited, ClockCredited) == []
        made = await events(fourth, match, ChoiceMade)
        opened = await events(fourth, match, DecisionOpened)
    assert max(each.charged_ms for each in made) < 10_000
    times_ms = [each.opened_at_ms for each in opened]
    assert times_ms == sorted(times_ms)
    assert times_ms[-1] - times_ms[0] < 60_000


async def test_a_replica_that_stood_still_follows_the_others(
    cluster: Cluster, database: str, replicas: list[Arena]
) -> None:
    behind = replicas[0].service.log
    assert isinstance(behind, PostgreSQLLog)
    others_ms = replicas[1].service.log.now_ms

    # As if its machine had slept, with its steady clock.
    behind._clock.follow(-30_000)
    behind._clock._last_ms = 0
    assert behind.now_ms() < others_ms() - 29_000

    await eventually(lambda: behind.now_ms() > others_ms() - 500)
    assert await cluster.value(database, "SELECT shift_ms FROM cutpurse.beats") == 0
