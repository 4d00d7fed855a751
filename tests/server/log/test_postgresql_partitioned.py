"""A network that delays, cuts, half-closes and swallows what passes between a replica and its database."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from cutpurse_server.log import postgresql_connections
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.faults.proxy import FaultyProxy, Kind, planned
from tests.server.log.backends import event
from tests.server.log.postgresql_cluster import OWNER, Cluster
from tests.server.log.test_postgresql_failing import append_through_failures, persisted

pytestmark = pytest.mark.postgresql

PATIENCE_S = 10
STRUCK = 5
"""So many faults have to happen while something is appended."""


async def append_through_the_proxy(cluster: Cluster, seed: str) -> Counter[Kind]:
    """Append until enough has happened to the connections; what that was."""
    await cluster.execute("postgres", f"ALTER USER {OWNER} PASSWORD 'known'")
    database = await cluster.create_database()
    async with FaultyProxy(f"127.0.0.1:{cluster.port}", planned(seed)) as proxy:
        log = PostgreSQLLog(f"postgresql://{OWNER}:known@{proxy.address}/{database}?sslmode=disable")
        await opened(log)
        stop = asyncio.Event()
        appending = asyncio.create_task(append_through_failures(log, stop))
        before = proxy.struck.total()
        # Connections that are left alone, or only slowed down, are kept: then nothing more happens.
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while proxy.struck.total() < before + STRUCK and not appending.done():  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.02)
        # The log goes on by itself, whatever has happened.
        async with asyncio.timeout(PATIENCE_S):
            while await cluster.value(database, "SELECT coalesce(max(version), 0) FROM cutpurse.appends") < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        stop.set()
        stands = await appending
        await log.close()
    direct = PostgreSQLLog(cluster.address(database))
    await direct.open()
    for stream, version in stands.items():
        stored = await direct.read(stream)
        # At most what was written last and not answered is there besides.
        assert len(stored) in (version, version + 1)
        assert stored == [event(number) for number in range(1, len(stored) + 1)]
    await direct.close()
    assert min(stands.values()) > 2
    return proxy.struck


async def opened(log: PostgreSQLLog) -> None:
    """Open a log, however often that takes."""

    async def attempt() -> None:
        try:
            await log.open()
        except LogUnavailable:
            await log.close()
            raise

    await persisted(attempt)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what is swallowed is given up soon."""
    monkeypatch.setattr(postgresql_connections, "_ANSWER_S", 0.5)
    monkeypatch.setattr(postgresql_connections, "_CONNECT_S", 0.5)
    monkeypatch.setattr(postgresql_connections, "_CLOSE_S", 0.2)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
async def test_a_bad_network_loses_and_doubles_nothing(cluster: Cluster, seed: str) -> None:
    struck = await append_through_the_proxy(cluster, seed)

    print(seed, struck)
    assert len(struck) >= 2
    assert struck.total() >= STRUCK


@pytest.mark.long
@pytest.mark.parametrize("seed", [str(seed) for seed in range(10, 60)])
async def test_many_bad_networks_lose_and_double_nothing(cluster: Cluster, seed: str) -> None:
    print(seed, await append_through_the_proxy(cluster, seed))
