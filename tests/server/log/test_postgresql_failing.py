"""Several replicas on one database, and a database that fails: what was acknowledged is there, and nothing twice."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TypeVar

import pytest

from cutpurse_server.log.port import LogUnavailable, StoredEvent
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.server.log.backends import append, event
from tests.server.log.postgresql_cluster import Cluster, running_cluster

pytestmark = pytest.mark.postgresql

PATIENCE_S = 20
T = TypeVar("T")


@pytest.fixture
async def database(cluster: Cluster) -> str:
    return await cluster.create_database()


@pytest.fixture
async def log(cluster: Cluster, database: str) -> AsyncIterator[PostgreSQLLog]:
    opened = PostgreSQLLog(cluster.address(database))
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def other(cluster: Cluster, database: str, log: PostgreSQLLog) -> AsyncIterator[PostgreSQLLog]:
    opened = PostgreSQLLog(cluster.address(database))
    await opened.open()
    yield opened
    await opened.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - it may be anything
            await asyncio.sleep(0.01)


async def persisted(attempt: Callable[[], Awaitable[T]]) -> T:
    """Try again until the log is there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(LogUnavailable):
                return await attempt()
            await asyncio.sleep(0.02)


# Several replicas.


async def test_replicas_that_flush_the_same_streams_at_the_same_time_decide_each_version_once(
    log: PostgreSQLLog, other: PostgreSQLLog
) -> None:
    streams = [f"match/{number}" for number in range(24)]

    async def race(replica: PostgreSQLLog, name: bytes, seed: int) -> dict[str, list[int]]:
        chance = random.Random(seed)
        won: dict[str, list[int]] = {stream: [] for stream in streams}
        for version in range(12):
            order = chance.sample(streams, len(streams))
            mine = StoredEvent(name, b"", b"")
            for stream, took_place in zip(
                order, await replica.flush([append(stream, version, [mine]) for stream in order]), strict=True
            ):
                if took_place:
                    won[stream].append(version)
        return won

    ours, theirs = await asyncio.gather(race(log, b"ours", 1), race(other, b"theirs", 2))

    for stream in streams:
        assert sorted(ours[stream] + theirs[stream]) == list(range(12))
        written = [each.public for each in await log.read(stream)]
        assert written == [b"ours" if version in ours[stream] else b"theirs" for version in range(12)]


async def test_a_replica_hears_of_the_streams_to_which_others_append(log: PostgreSQLLog, other: PostgreSQLLog) -> None:
    heard: list[Collection[str] | None] = []
    log.listen(heard.append)
    await until(lambda: heard == [None])

    await log.flush([append("match/own", 0)])
    await other.flush([append("match/a", 0), append("match/b", 0)])
    await other.flush([append("match/a", 0), append("match/c", 3)])
    await other.flush([append(f"match/{number:0100}", 0) for number in range(100)])

    await until(lambda: len(heard) == 3)
    assert heard[1] is not None
    assert sorted(heard[1]) == ["match/a", "match/b"]
    # Too many names for one notification: any stream may have moved. And nothing was told of what did not take place.
    assert heard[2] is None


async def test_who_listens_again_is_told_to_look_at_everything(
    cluster: Cluster, database: str, log: PostgreSQLLog, other: PostgreSQLLog
) -> None:
    heard: list[Collection[str] | None] = []
    log.listen(heard.append)
    await until(lambda: heard == [None])

    assert await cluster.terminate_backends(database) >= 2

    await until(lambda: heard == [None, None])
    await persisted(lambda: other.flush([append("match/a", 0)]))
    await until(lambda: heard[2:] == [["match/a"]])


async def test_one_replica_at_a_time_takes_up_the_log(log: PostgreSQLLog, other: PostgreSQLLog) -> None:
    order = []

    async def second() -> None:
        async with other.taking_up() as last:
            order.append(("second", last.alone, last.at_ms is not None))

    async with log.taking_up() as last:
        waiting = asyncio.create_task(second())
        await asyncio.sleep(0.2)
        order.append(("first", last.alone, last.at_ms is not None))
        await log.beat()
    await waiting

    assert order == [("first", True, False), ("second", False, True)]


async def test_a_replica_that_has_gone_is_no_company(log: PostgreSQLLog, other: PostgreSQLLog) -> None:
    async with other.taking_up():
        await other.beat()
    await other.close()

    async def is_alone() -> bool:
        async with log.taking_up() as last:
            return last.alone

    async with asyncio.timeout(PATIENCE_S):
        # The server notices the end of a connection a moment later.
        while not await is_alone():  # noqa: ASYNC110 - and tells nobody
            await asyncio.sleep(0.02)


async def test_a_note_is_not_put_back_by_a_replica_whose_clock_is_behind(
    cluster: Cluster, database: str, log: PostgreSQLLog
) -> None:
    await log.beat()
    await cluster.execute(database, "UPDATE cutpurse.beats SET at_ms = at_ms + 60000")
    noted_ms = await log.last_beat()

    await log.beat()

    assert await log.last_beat() == noted_ms


async def test_replicas_have_the_database_s_time(cluster: Cluster, log: PostgreSQLLog, other: PostgreSQLLog) -> None:
    asked_ms = log.now_ms(), other.now_ms()
    database_ms = await cluster.value("postgres", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    answered_ms = log.now_ms(), other.now_ms()

    # Half a round trip, on a busy machine.
    assert all(before - 200 <= database_ms <= after + 200 for before, after in zip(asked_ms, answered_ms, strict=True))


# Failures.

DEFERRED = """
CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {what}; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON cutpurse.appends DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.version = 3) EXECUTE FUNCTION public.fail();
"""


@pytest.mark.parametrize(
    "what",
    ["RAISE disk_full", "PERFORM pg_terminate_backend(pg_backend_pid())"],
    ids=["the commit fails", "the connection is cut at the commit"],
)
async def test_a_commit_that_fails_or_is_not_answered_is_no_success(
    cluster: Cluster, database: str, log: PostgreSQLLog, what: str
) -> None:
    await log.flush([append("match/a", 0)])
    together = [append("match/a", 1, [event(2), event(3)]), append("match/b", 0)]
    await cluster.execute(database, DEFERRED.format(what=what), "GRANT EXECUTE ON FUNCTION public.fail() TO PUBLIC")

    with pytest.raises(LogUnavailable):
        await log.flush(together)

    await cluster.execute(database, "DROP TRIGGER fail ON cutpurse.appends")
    assert await persisted(lambda: log.read("match/a")) == [event(1)]
    assert await log.head("match/b") is None
    assert await log.flush(together) == [True, True]


async def test_an_answer_that_does_not_come_is_given_up(
    cluster: Cluster, database: str, log: PostgreSQLLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    await log.flush([append("match/a", 0)])
    monkeypatch.setattr("cutpurse_server.log.postgresql_connections._ANSWER_S", 0.3)
    fresh = PostgreSQLLog(cluster.address(database))
    await fresh.open()
    async with cluster.connected(database) as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("LOCK TABLE cutpurse.appends IN ACCESS EXCLUSIVE MODE")

        with pytest.raises(LogUnavailable, match="did not answer in time"):
            await fresh.flush([append("match/a", 1)])

        await transaction.rollback()
    assert await persisted(lambda: fresh.flush([append("match/a", 1)])) == [True]
    await fresh.close()


async def versions(log: PostgreSQLLog, streams: list[str]) -> dict[str, int]:
    """Where some streams stand, all at one moment."""
    found = await log.open_versions("match")
    return {stream: found.get(stream, 0) for stream in streams}


async def append_through_failures(log: PostgreSQLLog, stop: asyncio.Event) -> dict[str, int]:
    """Append to some streams, reading where they stand after every failure; what was acknowledged or read, by stream.

    A flush takes place whole or not at all, also if it is not answered, and however late.
    """
    stands = {f"match/{number}": 0 for number in range(8)}
    while not stop.is_set():
        after = {stream: version + 1 for stream, version in stands.items()}
        try:
            took_place = await log.flush([append(stream, version) for stream, version in stands.items()])
            assert len(set(took_place)) == 1
            # Otherwise the one before, which was not answered, took place after it was looked for.
            if not took_place[0]:
                assert await persisted(partial(versions, log, list(stands))) == after
            stands = after
        except LogUnavailable:
            found = await persisted(partial(versions, log, list(stands)))
            assert found in (stands, after)
            stands = found
    return stands


@pytest.mark.parametrize("fault", ["immediate restart", "cut connections"])
async def test_what_was_acknowledged_survives(fault: str) -> None:
    with running_cluster() as cluster:
        database = await cluster.create_database()
        log = PostgreSQLLog(cluster.address(database))
        await log.open()
        stop = asyncio.Event()
        appending = asyncio.create_task(append_through_failures(log, stop))
        for _ in range(3):
            await asyncio.sleep(0.3)
            if fault == "immediate restart":
                await asyncio.to_thread(cluster.restart)
            else:
                await cluster.terminate_backends(database)
        await asyncio.sleep(0.5)
        stop.set()
        acknowledged = await appending

        assert min(acknowledged.values()) > 10
        for stream, version in acknowledged.items():
            stored = await log.read(stream)
            assert len(stored) in (version, version + 1)
            assert stored == [event(number) for number in range(1, len(stored) + 1)]
        await log.close()


async def test_a_lost_append_would_be_noticed() -> None:
    with running_cluster() as cluster:
        database = await cluster.create_database()
        log = PostgreSQLLog(cluster.address(database))
        await log.open()
        stop = asyncio.Event()
        appending = asyncio.create_task(append_through_failures(log, stop))
        await asyncio.sleep(0.2)
        # Whoever owns the tables can drop the guards, and so lie. What a replica knows is not looked up again until it
        # has to connect anew, so that must be before it adds to a stream that has lost something.
        await cluster.execute(
            database,
            "ALTER TABLE cutpurse.appends DISABLE TRIGGER appends_are_never_changed;"
            "DELETE FROM cutpurse.appends WHERE stream = 'match/3' AND expected > 1;"
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()",
        )

        with pytest.raises(AssertionError):
            await appending
        await log.close()


async def test_while_the_server_is_down_calls_fail_soon_and_the_log_goes_on_by_itself() -> None:
    with running_cluster() as cluster:
        database = await cluster.create_database()
        log = PostgreSQLLog(cluster.address(database))
        await log.open()
        await log.flush([append("match/a", 0)])

        cluster.stop()
        begun_s = monotonic()
        for _ in range(20):
            with pytest.raises(LogUnavailable):
                await log.flush([append("match/a", 1)])
        assert monotonic() - begun_s < 2
        cluster.start()

        assert await persisted(lambda: log.flush([append("match/a", 1)])) == [True]
        assert await log.read("match/a") == [event(1), event(2)]
        await log.close()
