"""The tables of a log in PostgreSQL: made and brought up to date by numbered files of plain SQL, and checked."""

from __future__ import annotations

from importlib import resources
from typing import Any

from cutpurse_server.log.port import LogUnavailable

__all__ = ["LOCKS", "SCHEMA_VERSION", "prepare"]

LOCKS = 0x43757450
"""The first number of all our advisory locks (`CutP`)."""

_MIGRATING = 1

_FILES = sorted(
    (each for each in resources.files("cutpurse_server.log").joinpath("postgresql_migrations").iterdir()),
    key=lambda each: each.name,
)
_MIGRATIONS = [each for each in _FILES if each.name.endswith(".sql")]

SCHEMA_VERSION = len(_MIGRATIONS)
"""How many migrations this version of Cutpurse knows: their numbers go from 1 to that."""

# What durability and the order of names rest on.
_NEEDED = {"fsync": "on", "full_page_writes": "on", "server_encoding": "UTF8", "synchronous_commit": "on"}

_APPLIED = """
SELECT CASE WHEN to_regclass('cutpurse.migrations') IS NULL THEN 0 ELSE 1 END
"""
_LAST = "SELECT coalesce(max(number), 0) FROM cutpurse.migrations"
_BEGIN = """
CREATE SCHEMA IF NOT EXISTS cutpurse;
CREATE TABLE IF NOT EXISTS cutpurse.migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
"""


async def prepare(connection: Any, shown: str) -> None:
    """Check the database, and make or bring up to date its tables, through a connection of whoever logs in.

    Raises `LogUnavailable` for a database that cannot hold a log, and what the driver raises.
    """
    for name, needed in _NEEDED.items():
        found = await connection.fetchval("SELECT current_setting($1)", name)
        if found != needed:
            raise LogUnavailable(
                f"The log {shown} would not be safe: PostgreSQL answers {name}={found}, and {needed} is needed."
            )
    version = await _version(connection)
    if version < SCHEMA_VERSION:
        async with connection.transaction():
            # Replicas that start at the same moment do it one after the other.
            await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCKS, _MIGRATING)
            await connection.execute(_BEGIN)
            version = await _version(connection)
            for number, migration in enumerate(_MIGRATIONS[version:], version + 1):
                assert migration.name.startswith(f"{number:04}_"), "migrations are numbered without a gap"
                await connection.execute(migration.read_text(encoding="utf-8"))
                await connection.execute(
                    "INSERT INTO cutpurse.migrations (number, name) VALUES ($1, $2)", number, migration.name
                )
    if version > SCHEMA_VERSION:
        raise LogUnavailable(
            f"The log {shown} has schema {version}, and this version of Cutpurse reads schema {SCHEMA_VERSION}. "
            "Use the version that wrote it, or choose another database."
        )


async def _version(connection: Any) -> int:
    if not await connection.fetchval(_APPLIED):
        return 0
    return int(await connection.fetchval(_LAST))
