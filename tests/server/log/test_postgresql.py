"""What is particular to the log in PostgreSQL: what it refuses at the start, and that nothing is ever changed in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

import asyncpg
import pytest

from cutpurse_server.log import postgresql_connections, postgresql_schema
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.log.postgresql_connections import ROLE, SETTINGS, Server
from tests.server.log.backends import append, event
from tests.server.log.postgresql_cluster import OWNER, Cluster, running_cluster

pytestmark = pytest.mark.postgresql

RESTRICTED = "nightwatch"
"""A user of the database who is a member of the service's role and nothing more."""


@pytest.fixture
async def database(cluster: Cluster) -> str:
    return await cluster.create_database()


@pytest.fixture
async def log(cluster: Cluster, database: str) -> AsyncIterator[PostgreSQLLog]:
    opened = PostgreSQLLog(cluster.address(database))
    await opened.open()
    yield opened
    await opened.close()


async def refused(address: str) -> str:
    """What is said when a log cannot be opened."""
    log = PostgreSQLLog(address)
    with pytest.raises(LogUnavailable) as refusal:
        await log.open()
    await log.close()
    assert refusal.value.__cause__ is None
    return str(refusal.value)


# What can go wrong at the start.


async def test_a_server_that_is_not_there(tmp_path: object) -> None:
    said = await refused(f"postgresql://ann:canary@/log?host={tmp_path}&port=5499")

    assert "could not be opened: the server cannot be reached" in said
    assert "canary" not in said


async def test_a_database_that_is_not_there(cluster: Cluster) -> None:
    assert "there is no such database. Create it first: createdb" in await refused(cluster.address("nowhere"))


async def test_a_wrong_password_is_not_repeated(cluster: Cluster) -> None:
    await cluster.execute("postgres", f"ALTER USER {OWNER} PASSWORD 'right'")

    said = await refused(cluster.address_over_tcp("postgres", password="canary"))

    assert "the server refuses this user, or the password is wrong" in said
    assert "canary" not in said


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:canary@host:port/log",
        "postgresql://ann:canary@[::1/log",
        "postgresql://ann:canary@/log?port=x",
    ],
)
async def test_an_address_that_cannot_be_read_is_not_repeated(address: str) -> None:
    said = await refused(address)

    assert "the address cannot be read" in said
    assert "canary" not in said


async def test_a_schema_of_a_newer_version(cluster: Cluster, database: str, log: PostgreSQLLog) -> None:
    newer = postgresql_schema.SCHEMA_VERSION + 1
    await cluster.execute(database, f"INSERT INTO cutpurse.migrations (number, name) VALUES ({newer}, 'newer')")

    said = await refused(cluster.address(database))

    assert f"has schema {newer}, and this version of Cutpurse reads schema {newer - 1}" in said


async def test_a_database_that_cannot_hold_every_name(cluster: Cluster) -> None:
    database = await cluster.create_database("ENCODING 'SQL_ASCII' TEMPLATE template0")

    assert "PostgreSQL answers server_encoding=SQL_ASCII, and UTF8 is needed" in await refused(
        cluster.address(database)
    )


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
async def test_a_server_that_would_not_be_durable(cluster: Cluster, database: str, setting: str) -> None:
    await cluster.execute("postgres", f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
    try:
        async with asyncio.timeout(10):
            # Polling, since a server tells nobody that it has read its settings again.
            while await cluster.value("postgres", "SELECT current_setting($1)", setting) == "on":  # noqa: ASYNC110
                await asyncio.sleep(0.01)

        assert f"would not be safe: PostgreSQL answers {setting}=off, and on is needed" in await refused(
            cluster.address(database)
        )
    finally:
        await cluster.execute("postgres", f"ALTER SYSTEM RESET {setting}", "SELECT pg_reload_conf()")


async def test_a_lowered_commit_is_refused(cluster: Cluster, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_connections, "SETTINGS", {**SETTINGS, "synchronous_commit": "off"})

    assert "synchronous_commit=off, and on is needed" in await refused(cluster.address(database))


async def test_nothing_that_others_set_lowers_the_commit(cluster: Cluster, database: str, log: PostgreSQLLog) -> None:
    await cluster.execute(
        database,
        f"ALTER DATABASE {database} SET synchronous_commit = off",
        f"ALTER ROLE {ROLE} IN DATABASE {database} SET synchronous_commit = off",
    )

    connection = await Server(cluster.address(database) + "&synchronous_commit=off").connect()

    found = {name: await connection.fetchval("SELECT current_setting($1)", name) for name in SETTINGS}
    await connection.close()
    assert found == SETTINGS


async def test_a_standby_is_refused() -> None:
    with running_cluster() as standby:
        standby.stop("fast")
        (standby.folder / "data" / "standby.signal").touch()
        standby.start()

        assert "the server is a standby, or takes no writes" in await refused(standby.address("postgres"))


async def test_replicas_that_start_at_the_same_moment_make_the_tables_once(cluster: Cluster, database: str) -> None:
    logs = [PostgreSQLLog(cluster.address(database)) for _ in range(4)]

    await asyncio.gather(*(log.open() for log in logs))

    took_place = await asyncio.gather(*(log.flush([append("match/a", 0)]) for log in logs))
    assert sorted(map(list, took_place)) == [[False], [False], [False], [True]]
    await asyncio.gather(*(log.close() for log in logs))


async def test_a_user_with_the_service_s_role_and_nothing_more_is_enough_once_the_tables_are_there(
    cluster: Cluster, database: str, log: PostgreSQLLog
) -> None:
    empty = await cluster.create_database()
    await make_restricted(cluster)
    restricted = PostgreSQLLog(cluster.address(database, RESTRICTED))

    await restricted.open()

    assert await restricted.flush([append("match/a", 0)]) == [True]
    await restricted.beat()
    assert await log.read("match/a") == [event(1)]
    await restricted.close()
    assert "the user lacks a privilege (42501)" in await refused(cluster.address(empty, RESTRICTED))


async def test_an_owner_of_the_database_who_may_create_roles_is_enough_for_the_first_start() -> None:
    with running_cluster() as fresh:
        await fresh.execute("postgres", "CREATE ROLE arena LOGIN CREATEROLE", "CREATE DATABASE arena OWNER arena")
        log = PostgreSQLLog(fresh.address("arena", "arena"))

        await log.open()

        assert await log.flush([append("match/a", 0)]) == [True]
        assert await log.read("match/a") == [event(1)]
        await log.close()


async def test_a_dump_can_be_restored_while_the_log_is_in_use(
    cluster: Cluster, database: str, log: PostgreSQLLog, tmp_path: Path
) -> None:
    before = await filled(log)
    restored = await cluster.create_database()

    dump = await asyncio.to_thread(cluster.run_program, "pg_dump", "--format", "custom", database)
    (tmp_path / "log.dump").write_bytes(dump.stdout)
    await log.flush([append("match/a", 2)])
    restore = ("--exit-on-error", "--dbname", restored, str(tmp_path / "log.dump"))
    await asyncio.to_thread(cluster.run_program, "pg_restore", *restore)

    again = PostgreSQLLog(cluster.address(restored))
    await again.open()
    assert await contents(again) == before
    assert await again.flush([append("match/a", 2), append("match/new", 0)]) == [True, True]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await cluster.execute(restored, "DELETE FROM cutpurse.appends")
    await again.close()


async def make_restricted(cluster: Cluster) -> None:
    await cluster.execute(
        "postgres",
        f"DO $$ BEGIN CREATE ROLE {RESTRICTED} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        f"GRANT {ROLE} TO {RESTRICTED}",
    )


# What was appended stays as it is, whoever tries.

CHANGES = [
    "UPDATE cutpurse.appends SET events = 'x'",
    "DELETE FROM cutpurse.appends",
    "TRUNCATE cutpurse.appends",
    "DELETE FROM cutpurse.streams",
    "TRUNCATE cutpurse.streams, cutpurse.appends",
    "UPDATE cutpurse.streams SET stream = 'match/other'",
    "UPDATE cutpurse.streams SET closed = false",
    "UPDATE cutpurse.appends SET closed = true",
    "INSERT INTO cutpurse.appends VALUES ('match/a', 0, 2, false, NULL, 'x') "
    "ON CONFLICT (stream, expected) DO UPDATE SET events = 'x'",
]
PRIVILEGED = [
    "ALTER TABLE cutpurse.appends DISABLE TRIGGER ALL",
    "DROP TRIGGER streams_are_never_opened_again ON cutpurse.streams",
    "INSERT INTO cutpurse.streams VALUES ('match/new', false)",
    "UPDATE cutpurse.streams SET closed = true",
    "DROP TABLE cutpurse.appends",
    "DROP SCHEMA cutpurse CASCADE",
    "CREATE OR REPLACE FUNCTION cutpurse.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "SET session_replication_role = replica",
    "UPDATE cutpurse.migrations SET name = 'x'",
]


async def filled(log: PostgreSQLLog) -> object:
    """Two streams, one of them closed, and what they hold."""
    await log.flush([append("match/a", 0, [event(1), event(2)]), append("match/b", 0, closed=True)])
    return await contents(log)


async def contents(log: PostgreSQLLog) -> object:
    return [(name, await log.head(name), await log.read(name)) for name in await log.streams("match")]


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("way", ["as owner", "as owner of replicated rows", "as the service"])
async def test_nothing_is_changed_or_removed(
    cluster: Cluster, database: str, log: PostgreSQLLog, statement: str, way: str
) -> None:
    before = await filled(log)
    async with cluster.connected(database) as connection:
        if way == "as the service":
            await connection.execute(f"SET ROLE {ROLE}")
        elif way == "as owner of replicated rows":
            await connection.execute("SET session_replication_role = replica")

        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)

    assert await contents(log) == before


@pytest.mark.parametrize("statement", PRIVILEGED)
async def test_the_service_cannot_give_itself_more(
    cluster: Cluster, database: str, log: PostgreSQLLog, statement: str
) -> None:
    await filled(log)
    await make_restricted(cluster)
    async with cluster.connected(database, RESTRICTED) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)


async def test_the_log_s_own_connections_have_the_service_s_role(cluster: Cluster, database: str) -> None:
    log = PostgreSQLLog(cluster.address(database))
    await log.open()
    log.listen(lambda _: None)
    await asyncio.gather(log.flush([append("match/a", 0)]), log.flush([append("match/b", 0)]), log.beat())

    assert log._writers is not None
    assert log._readers is not None
    connections = [*log._writers._all, *log._readers._all, log._sentry and log._sentry._connection]
    roles = {await each.fetchval("SELECT current_user::text") for each in connections if each is not None}
    await log.close()

    assert roles == {ROLE}


# Names.


async def test_names_are_sorted_by_code_point_whatever_the_database_s_language(cluster: Cluster) -> None:
    database = await cluster.create_database("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
    log = PostgreSQLLog(cluster.address(database))
    await log.open()
    names = ["match/b", "match/é", "match/Z", "match/a/b", "match"]

    await log.flush([append(name, 0) for name in names])

    assert await log.streams("match") == ["match", "match/Z", "match/a/b", "match/b", "match/é"]
    await log.close()


async def test_a_failure_soon_after_another_is_told_at_once(tmp_path: object) -> None:
    server = Server(f"postgresql:///log?host={tmp_path}")
    for _ in range(8):
        with pytest.raises(LogUnavailable):
            await server.connect()
        await asyncio.sleep(0.02)

    begun_s = monotonic()
    with pytest.raises(LogUnavailable, match="cannot be reached"):
        await server.connect()

    assert monotonic() - begun_s < 0.01
