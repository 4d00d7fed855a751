"""Durable appends in groups of 16 to a PostgreSQL of our own, through our backend and through the bare driver.

Both write 200 bytes an event to streams in turn. The floor has one table and one insert of arrays a group, and nothing
else. Without PostgreSQL's programs on this machine nothing is measured.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from functools import cache
from itertools import count
from pathlib import Path

import asyncpg

from cutpurse_server.bench.appends import EVENT_BYTES, GROUP, appends_per_s
from cutpurse_server.log.postgresql import PostgreSQLLog

__all__ = ["bare_database_appends_per_s", "database_appends_per_s", "fresh_database"]

_USER = "cutpurse"
_UNPRIVILEGED = "nobody"
"""As whom the server runs when we are root, as which it refuses to."""
_TABLE = "CREATE TABLE events (stream text, version bigint, body bytea, PRIMARY KEY (stream, version))"
_INSERT = "INSERT INTO events SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])"
_names = count(1)


def fresh_database() -> str | None:
    """The address of an empty database on a server that ends with this process; None without PostgreSQL's programs."""
    server = _server()
    if server is None:
        return None
    name = f"bench_{next(_names)}"
    asyncio.run(_create(f"postgresql://{_USER}@/postgres?host={server}", name))
    return f"postgresql://{_USER}@/{name}?host={server}"


def database_appends_per_s(seconds: float) -> float | None:
    """Our backend: guarded heads, chain values, one event to each of 16 streams in a flush, and a notification."""
    address = fresh_database()
    return None if address is None else asyncio.run(appends_per_s(PostgreSQLLog(address), seconds))


def bare_database_appends_per_s(seconds: float) -> float | None:
    """The floor: one row per event, one insert per group, synchronous_commit=on."""
    address = fresh_database()
    return None if address is None else asyncio.run(_bare_appends_per_s(address, seconds))


async def _bare_appends_per_s(address: str, seconds: float) -> float:
    connection = await asyncpg.connect(address, server_settings={"synchronous_commit": "on"})
    await connection.execute(_TABLE)
    insert = await connection.prepare(_INSERT)
    streams, body = [f"match/{stream}" for stream in range(GROUP)], os.urandom(EVENT_BYTES)
    version, begun = 0, time.perf_counter()
    while (wall := time.perf_counter() - begun) < seconds:
        version += 1
        await insert.fetch(streams, [version] * GROUP, [body] * GROUP)
    await connection.close()
    return version * GROUP / wall


async def _create(address: str, name: str) -> None:
    connection = await asyncpg.connect(address)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()


@cache
def _server() -> Path | None:
    """Start a server in a temporary folder, which is where its socket is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    beside = shutil.which("initdb")
    programs = found[-1] if found else Path(beside).resolve().parent if beside else None
    if programs is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="cutpurse-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    as_whom: list[str] = []
    if os.geteuid() == 0:
        account = pwd.getpwnam(_UNPRIVILEGED)
        os.chown(folder, account.pw_uid, account.pw_gid)
        folder.chmod(0o755)
        as_whom = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", "--"]

    def run(program: str, *arguments: str) -> None:
        command = [*as_whom, str(programs / program), "--pgdata", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)

    run("initdb", "--username", _USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c shared_buffers=128MB"
    run("pg_ctl", "--wait", "--log", str(folder / "server.log"), "--options", options, "start")
    atexit.register(run, "pg_ctl", "--wait", "--mode", "immediate", "stop")
    return folder
