"""A PostgreSQL server of the tests' own: made for one run, on a socket and a free port, and thrown away."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg

from tests.acceptance.processes import free_port

__all__ = ["OWNER", "Cluster", "programs", "running_cluster"]

OWNER = "cutpurse"
"""The user that the tests log in as, who may do everything."""

_ROOM_BYTES = 2 << 30
_UNPRIVILEGED = "nobody"
"""The server refuses to run as root."""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "120",
    "shared_buffers": "32MB",
    # Replicas of the tests have to be told, as others.
    "log_min_messages": "warning",
}


def programs() -> Path:
    """The folder of `initdb` and `pg_ctl`; a missing PostgreSQL fails whoever asks, and is never skipped."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    found = shutil.which("initdb")
    for folder in (*folders, *([Path(found).resolve().parent] if found else [])):
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    raise AssertionError("PostgreSQL is missing: apt-get install postgresql; `make test` does without it")


class Cluster:
    """One server and its databases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._names = count(1)
        self._programs = programs()
        self._run(
            "initdb", "--username", OWNER, "--auth-local=trust", "--auth-host=scram-sha-256",
            "--encoding=UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        with (folder / "data" / "postgresql.conf").open("a") as settings:
            for name, value in _SETTINGS.items():
                settings.write(f"{name} = '{value}'\n")
            settings.write(f"port = {self.port}\nunix_socket_directories = '{folder}'\n")
        self.start()

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        self._run("pg_ctl", "--wait", "--log", str(self.folder / "server.log"), "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `immediate` is like a crash of all its processes."""
        self._run("pg_ctl", "--wait", "--mode", mode, "stop")

    def restart(self, mode: str = "immediate") -> None:
        """Stop it and start it again."""
        self._run("pg_ctl", "--wait", "--log", str(self.folder / "server.log"), "--mode", mode, "restart")

    def address(self, database: str, user: str = OWNER) -> str:
        """The address of a database, over the socket."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def address_over_tcp(self, database: str, user: str = OWNER, password: str = "") -> str:
        """The same over the loopback, where the server asks for a password."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    async def create_database(self, options: str = "") -> str:
        """A fresh, empty database; its name."""
        name = f"log_{next(self._names)}"
        await self.execute("postgres", f"CREATE DATABASE {name} {options}")
        return name

    async def execute(self, database: str, *statements: str, user: str = OWNER) -> None:
        """Execute statements, each in a transaction of its own."""
        async with self.connected(database, user) as connection:
            for statement in statements:
                await connection.execute(statement)

    async def value(self, database: str, query: str, *arguments: Any) -> Any:
        """The first column of a query's first row."""
        async with self.connected(database) as connection:
            return await connection.fetchval(query, *arguments)

    def connected(self, database: str, user: str = OWNER) -> Any:
        """A connection for a block."""
        return _Connected(self.address(database, user))

    async def terminate_backends(self, database: str) -> int:
        """Cut all connections to a database; how many there were."""
        return int(
            await self.value(
                "postgres",
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1",
                database,
            )
        )

    def run_program(self, name: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run one of PostgreSQL's programs against this server."""
        command = [str(self._programs / name), "--host", str(self.folder), "--port", str(self.port), "-U", OWNER]
        return subprocess.run([*command, *arguments], capture_output=True, check=True, timeout=60)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "--pgdata", str(self.folder / "data"), *arguments]
        if os.geteuid() == 0:
            account = pwd.getpwnam(_UNPRIVILEGED)
            # Not by subprocess' own `user`: that forks, which gRPC's threads in this process do not bear.
            whose = (f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups")
            command = ["setpriv", *whose, "--", *command]
        output = self.folder / "programs.log"
        # To a file, since a server that was started keeps its output open.
        with output.open("a") as file:
            done = subprocess.run(command, stdout=file, stderr=file, check=False, timeout=60, cwd=self.folder)
        assert done.returncode == 0, f"{program} ended with {done.returncode}: {output.read_text()}"


class _Connected:
    """A connection for a block, closed at its end whatever happens."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: Any = None

    async def __aenter__(self) -> Any:
        self._connection = await asyncpg.connect(self._address)
        return self._connection

    async def __aexit__(self, *_: object) -> None:
        self._connection.terminate()


def _quickest() -> str | None:
    """A folder in memory if there is room for several clusters: crashes of the server are all the same there."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > _ROOM_BYTES else None


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A cluster that is gone when the block is left."""
    # Not below pytest's folder, which nobody else may enter, and with a short path for the socket.
    folder = Path(tempfile.mkdtemp(prefix="cutpurse-pg-", dir=_quickest()))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _UNPRIVILEGED)
            folder.chmod(0o755)
        cluster = Cluster(folder)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
