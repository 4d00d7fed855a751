"""A stream that a replica knows is not looked up before it is added to; whatever is wrong is refused all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cutpurse_server.log import postgresql_schema
from cutpurse_server.log.packing import packed
from cutpurse_server.log.port import Head, UnreadableEvent, Version
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.server.log.backends import append, chain_at, event
from tests.server.log.postgresql_cluster import Cluster

pytestmark = pytest.mark.postgresql


@pytest.fixture
async def database(cluster: Cluster) -> str:
    return await cluster.create_database()


@pytest.fixture
async def other(cluster: Cluster, database: str) -> AsyncIterator[PostgreSQLLog]:
    opened = PostgreSQLLog(cluster.address(database))
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def log(cluster: Cluster, database: str) -> AsyncIterator[PostgreSQLLog]:
    opened = PostgreSQLLog(cluster.address(database))
    await opened.open()
    yield opened
    await opened.close()


async def test_replicas_that_know_of_a_version_add_to_it_once(log: PostgreSQLLog, other: PostgreSQLLog) -> None:
    assert await log.flush([append("match/a", 0), append("match/b", 0)]) == [True, True]
    assert await other.read("match/a") == [event(1)]

    assert await other.flush([append("match/a", 1, [event(7), event(8)])]) == [True]
    assert await log.flush([append("match/a", 1), append("match/b", 1)]) == [False, True]

    # What was known is no more than what was seen, so the replica that was behind has to read first.
    assert await log.read("match/a", 1) == [event(7), event(8)]
    assert await log.flush([append("match/a", 3)]) == [True]
    assert await other.read("match/a") == [event(1), event(7), event(8), event(4)]


@pytest.mark.parametrize("closed_by", ["this", "another"])
async def test_nothing_is_added_to_a_stream_that_was_closed_at_a_known_version(
    log: PostgreSQLLog, other: PostgreSQLLog, closed_by: str
) -> None:
    await log.flush([append("match/a", 0)])

    closing = log if closed_by == "this" else other
    assert await closing.flush([append("match/a", 1, closed=True)]) == [True]

    assert await log.flush([append("match/a", 1)]) == [False]
    assert len(await log.read("match/a")) == 2
    assert await log.flush([append("match/a", 2)]) == [False]
    assert await log.streams("match", open_only=True) == []


async def test_what_was_known_is_forgotten_with_a_new_connection(
    cluster: Cluster, database: str, log: PostgreSQLLog
) -> None:
    await log.flush([append("match/a", 0)])
    await log.flush([append("match/a", 1)])

    # As behind a standby that took over and had not got all of it.
    await cluster.execute(
        database,
        "ALTER TABLE cutpurse.appends DISABLE TRIGGER appends_are_never_changed",
        "DELETE FROM cutpurse.appends WHERE expected = 1",
        "ALTER TABLE cutpurse.appends ENABLE ALWAYS TRIGGER appends_are_never_changed",
    )
    await cluster.terminate_backends(database)

    took_place = [await _whatever_comes_first(log) for _ in range(3)]
    assert took_place[-1] == [False]
    assert await log.read("match/a") == [event(1)]


async def _whatever_comes_first(log: PostgreSQLLog) -> object:
    try:
        return await log.flush([append("match/a", 2)])
    except Exception as error:
        return error


@pytest.mark.parametrize("after", [0, 1])
async def test_a_part_that_is_lost_is_noticed_by_who_reads(
    cluster: Cluster, database: str, log: PostgreSQLLog, after: int
) -> None:
    for version in range(4):
        await log.flush([append("match/a", version)])
    await cluster.execute(
        database,
        "ALTER TABLE cutpurse.appends DISABLE TRIGGER appends_are_never_changed",
        "DELETE FROM cutpurse.appends WHERE expected = 1",
    )

    with pytest.raises(UnreadableEvent, match="a part of match/a is lost"):
        await log.read("match/a", after)
    assert await log.read("match/a", 2) == [event(3), event(4)]


async def test_a_log_of_the_first_schema_is_taken_over_whole(
    cluster: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(postgresql_schema, "_MIGRATIONS", postgresql_schema._MIGRATIONS[:1])
        earlier.setattr(postgresql_schema, "SCHEMA_VERSION", 1)
        async with cluster.connected(database) as connection:
            await postgresql_schema.prepare(connection, "the log")
    await cluster.execute(database, *(_of_the_first_schema("match/a", 3), _of_the_first_schema("match/b", 2, "true")))

    log = PostgreSQLLog(cluster.address(database))
    await log.open()

    assert await log.streams("match") == ["match/a", "match/b"]
    assert await log.open_versions("match") == {"match/a": 3}
    assert await log.head("match/a") == Head(Version(3), chain_at(3), False)
    assert await log.head("match/b") == Head(Version(2), chain_at(2), True)
    assert await log.read("match/a", 1) == [event(2), event(3)]
    assert await log.flush([append("match/a", 3), append("match/a/c", 0), append("match/b", 2)]) == [True, True, False]
    assert await log.read("match/a") == [event(number) for number in range(1, 5)]
    await log.close()


def _of_the_first_schema(stream: str, version: int, closed: str = "false") -> str:
    """A stream as earlier versions kept it: one append of each event."""
    rows = ", ".join(
        f"({number}::bigint, '\\x{packed([event(number)]).hex()}'::bytea)" for number in range(1, version + 1)
    )
    return f"""
    WITH head AS (
        INSERT INTO cutpurse.heads (stream, version, chain, closed)
        VALUES ('{stream}', {version}, '\\x{chain_at(version).hex()}', {closed}) RETURNING key
    )
    INSERT INTO cutpurse.appends (stream, version, events)
    SELECT key, appended.version, appended.events FROM head, (VALUES {rows}) AS appended (version, events)
    """
