"""The connection by which a replica hears of the others, and by which they know that it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from cutpurse_server.log.port import Heard, LogUnavailable
from cutpurse_server.log.postgresql_connections import Server, end
from cutpurse_server.log.postgresql_schema import LOCKS

__all__ = ["CHANNEL", "Sentry", "others_are_there"]

CHANNEL = "cutpurse"
"""A notification names its sender in the first line, and then one stream in each line; none stands for any."""

_TAKING_UP, _ALIVE = 2, 3
"""The second numbers of advisory locks: one holds the first at a time, every replica the second, shared."""
_TAKING_UP_S = 60.0
_LOOK_S = 5.0
"""How often a connection on which nothing comes is asked whether it still is one."""
_RETRY_S = 0.25

_OTHERS = """
SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objid = $2::bigint::oid
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()
"""


async def others_are_there(connection: Any) -> bool:
    """Whether other replicas have the log open."""
    count: int = await connection.fetchval(_OTHERS, LOCKS, _ALIVE)
    return count > 0


class Sentry:
    """Listens, and holds the locks that say who is there. The server lets go of them when the connection ends."""

    def __init__(self, server: Server, name: str) -> None:
        """`name` tells this replica's notifications from those of others."""
        self._server = server
        self._name = name
        self._connection: Any = None
        self._lost = asyncio.Event()
        self._one_by_one = asyncio.Lock()
        self._alive = False
        self._heard: Heard | None = None
        self._listening: asyncio.Task[None] | None = None

    def listen(self, heard: Heard) -> None:
        """Have somebody told of notifications of other replicas, and of everything whenever some may be missing."""
        assert self._listening is None
        self._heard = heard
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        """Stop listening and let go of the locks."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
            self._listening = None
        connection, self._connection = self._connection, None
        if connection is not None:
            await end(connection)

    @asynccontextmanager
    async def taking_up(self) -> AsyncIterator[bool]:
        """The block in which one replica is at a time; whether no other is there. From its end on this one is."""
        async with self._asking("taken up") as connection:
            await connection.execute("SELECT pg_advisory_lock($1, $2)", LOCKS, _TAKING_UP, timeout=_TAKING_UP_S)
            alone = not await others_are_there(connection)
        try:
            yield alone
        finally:
            async with self._asking("taken up") as connection:
                if not self._alive:
                    await connection.execute("SELECT pg_advisory_lock_shared($1, $2)", LOCKS, _ALIVE)
                    self._alive = True
                # If the connection broke meanwhile, the server has let go of the lock, and says false here.
                await connection.execute("SELECT pg_advisory_unlock($1, $2)", LOCKS, _TAKING_UP)

    @asynccontextmanager
    async def _asking(self, done: str) -> AsyncIterator[Any]:
        """The connection for somebody who asks something on it; closed if that fails."""
        async with self._one_by_one:
            if self._connection is None or self._connection.is_closed():
                await self._connect()
            with self._server.translated(done):
                try:
                    yield self._connection
                except BaseException:
                    self._connection.terminate()
                    raise

    async def _connect(self) -> None:
        connection = await self._server.connect()
        self._lost.clear()
        connection.add_termination_listener(lambda _: self._lost.set())
        self._connection = connection
        with self._server.translated("taken up"):
            try:
                if self._heard is not None:
                    await connection.add_listener(CHANNEL, self._notified)
                if self._alive:
                    await connection.execute("SELECT pg_advisory_lock_shared($1, $2)", LOCKS, _ALIVE)
            except BaseException:
                connection.terminate()
                raise
        if self._heard is not None:
            # Whatever was said while nobody listened.
            self._heard(None)

    async def _listen(self) -> None:
        async with self._one_by_one:
            if self._connection is not None:
                # It was made before there was anybody to tell.
                self._connection.terminate()
        while True:
            try:
                async with self._asking("read") as connection:
                    await connection.execute("SELECT 1")
            except LogUnavailable:
                await asyncio.sleep(_RETRY_S)
                continue
            try:
                async with asyncio.timeout(_LOOK_S):
                    await self._lost.wait()
            except TimeoutError:
                continue

    def _notified(self, connection: Any, pid: int, channel: str, payload: str) -> None:
        sender, *streams = payload.split("\n")
        if sender != self._name and self._heard is not None:
            self._heard(streams or None)
