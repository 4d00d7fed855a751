"""Three replicas of the service over one database, in one process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.server.log.postgresql_cluster import Cluster
from tests.server.service.arena import Arena, open_arena


@pytest.fixture
async def database(cluster: Cluster) -> str:
    return await cluster.create_database()


@pytest.fixture
async def replicas(cluster: Cluster, database: str) -> AsyncIterator[list[Arena]]:
    """Clients of each of three replicas; bots ann, ben and cat and the roles are known to all."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(open_arena(PostgreSQLLog(cluster.address(database))))
        arenas = [first]
        for _ in range(2):
            log = PostgreSQLLog(cluster.address(database))
            arenas.append(await stack.enter_async_context(open_arena(log, tokens=first.tokens)))
        yield arenas
