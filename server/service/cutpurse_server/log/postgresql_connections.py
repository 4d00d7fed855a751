"""Connections to one PostgreSQL database, made anew when they break, and what their failures mean to an operator.

No text that leaves this module holds a password, or a value of a row: addresses are shown without what follows the
database's name, and the server's own messages only where they cannot name a value.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import Any

import asyncpg

from cutpurse_server.addresses import without_secrets
from cutpurse_server.log.port import LogUnavailable

__all__ = ["ROLE", "SETTINGS", "Connections", "Server", "end"]

ROLE = "cutpurse_service"
"""As whom the service works, whoever logs in: it can neither change nor remove what was appended."""

SETTINGS: Mapping[str, str] = {
    "application_name": "cutpurse",
    # With less, a commit that was acknowledged may be gone after a loss of power.
    "synchronous_commit": "on",
    # Every query looks rows up by key, in the order in which it names them: so two replicas whose flushes name the same
    # streams take them in the same order, and never wait for each other in a circle.
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
    "timezone": "UTC",
}
"""What every connection is set to, whatever the address, the user or the database say."""

_CONNECT_S = 5.0
_ANSWER_S = 10.0
"""An answer that takes longer is given up; the outcome of what was asked is unknown."""
_CLOSE_S = 2.0
_PAUSE_S_MIN = 0.05
_PAUSE_S_MAX = 1.0


class Server:
    """Where the database is, and how to reach it."""

    def __init__(self, address: str) -> None:
        """Of an address `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?…]`; nothing is looked at yet."""
        self._address = address
        self.shown = without_secrets(address)
        """The address without its secrets."""
        self.connections = 0
        """How many connections have been made."""
        self._pause_s = 0.0
        self._not_before_s = 0.0
        self._last_failure = ""

    async def connect(self, *, role: str | None = ROLE) -> Any:
        """A new connection to the primary; soon after a failure the last failure is told again instead of trying."""
        if monotonic() < self._not_before_s:
            raise LogUnavailable(self._last_failure)
        try:
            with self.translated("opened"):
                connection = await asyncpg.connect(
                    self._address,
                    timeout=_CONNECT_S,
                    command_timeout=_ANSWER_S,
                    server_settings=dict(SETTINGS) | ({"role": role} if role else {}),
                    # Decisions are made on the primary alone: a standby may lag behind, and takes no writes.
                    target_session_attrs="primary",
                )
        except LogUnavailable as unavailable:
            self._pause_s = min(max(_PAUSE_S_MIN, 2 * self._pause_s), _PAUSE_S_MAX)
            self._not_before_s, self._last_failure = monotonic() + self._pause_s, str(unavailable)
            raise
        self._pause_s = self._not_before_s = 0.0
        self.connections += 1
        return connection

    @contextmanager
    def translated(self, done: str) -> Iterator[None]:
        """Turn the driver's errors into the port's."""
        try:
            yield
        except LogUnavailable:
            raise
        except Exception as failure:
            why = _why(failure)
            if why is None:
                raise
            # Without its cause, which may hold the address with its password, or values of rows.
            raise LogUnavailable(f"The log {self.shown} could not be {done}: {why}") from None


class Connections:
    """A few connections, each used by one caller at a time. What fails is closed, and made anew by the next caller."""

    def __init__(self, server: Server, count: int) -> None:
        self._server = server
        # The one that was used last is taken first: it is the warmest.
        self._idle: asyncio.LifoQueue[Any | None] = asyncio.LifoQueue()
        for _ in range(count):
            self._idle.put_nowait(None)
        self._all: set[Any] = set()
        self._closed = False

    @asynccontextmanager
    async def one(self, done: str) -> AsyncIterator[Any]:
        """A connection for the block; raises `LogUnavailable`, saying what could not be `done`."""
        connection = await self._idle.get()
        kept = None
        try:
            if self._closed:
                raise LogUnavailable(f"The log {self._server.shown} is closed.")
            if connection is None or connection.is_closed():
                self._all.discard(connection)
                connection = await self._server.connect()
                self._all.add(connection)
            with self._server.translated(done):
                yield connection
            kept = connection
        finally:
            if kept is None and connection is not None:
                # Nobody knows what it is in the middle of.
                connection.terminate()
                self._all.discard(connection)
            self._idle.put_nowait(kept)

    async def close(self) -> None:
        """Close all of them."""
        self._closed = True
        while self._all:
            await end(self._all.pop())


async def end(connection: Any) -> None:
    """Close a connection in good order, or not."""
    try:
        await connection.close(timeout=_CLOSE_S)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
        connection.terminate()


def _why(failure: Exception) -> str | None:
    """What an operator is to know and do; None if it is no failure of the database's."""
    match failure:
        case asyncpg.InvalidCatalogNameError():
            return "there is no such database. Create it first: createdb NAME."
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return "the server refuses this user, or the password is wrong. Look at the address, PGPASSWORD or .pgpass."
        case asyncpg.exceptions.TargetServerAttributeNotMatched() | asyncpg.ReadOnlySQLTransactionError():
            return "the server is a standby, or takes no writes. Give the address of the primary."
        case asyncpg.InsufficientPrivilegeError():
            return (
                f"the user lacks a privilege ({failure.sqlstate}). At the first start it must own the database and may "
                f"create the role {ROLE}; later a member of that role is enough."
            )
        case asyncpg.InvalidParameterValueError() | asyncpg.UndefinedObjectError():
            return f"the server does not know the role {ROLE}, or a setting ({failure.sqlstate})."
        case asyncpg.DiskFullError():
            return "its disk is full. Free some space."
        case asyncpg.CannotConnectNowError() | asyncpg.AdminShutdownError() | asyncpg.CrashShutdownError():
            return "the server is starting or stopping."
        case asyncpg.TooManyConnectionsError():
            return "the server has too many connections. Raise max_connections; a replica needs five."
        case TimeoutError():
            return "the server did not answer in time."
        case asyncpg.exceptions.ClientConfigurationError():
            return "the address cannot be read; write postgresql://USER@HOST:PORT/DATABASE."
        case asyncpg.PostgresConnectionError() | asyncpg.InterfaceError() | asyncpg.InternalClientError():
            return "the connection broke."
        case asyncpg.PostgresError():
            return f"the server says {type(failure).__name__} ({failure.sqlstate})."
        case OSError():
            return f"the server cannot be reached ({type(failure).__name__}). Is it running, and the address right?"
        case ValueError():
            return "the address cannot be read; write postgresql://USER@HOST:PORT/DATABASE."
        case _:
            return None
