"""The wiring: one replica of the service from its parts, and its life from opening the log to closing it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from cutpurse.v1 import (
    audit_pb2,
    audit_pb2_grpc,
    bot_pb2,
    bot_pb2_grpc,
    game_pb2,
    game_pb2_grpc,
    identity_pb2,
    identity_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from cutpurse_server.addresses import is_local
from cutpurse_server.identity import Registry
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.crowd import Crowd
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.presence import Presence
from cutpurse_server.metrics import Figures, MeteredLog
from cutpurse_server.servicers.audits import AuditServicer
from cutpurse_server.servicers.bots import FRAME_BYTES_MAX, BotServicer
from cutpurse_server.servicers.call_metrics import CallMetrics
from cutpurse_server.servicers.games import GameServicer
from cutpurse_server.servicers.gate import Gate
from cutpurse_server.servicers.hub import Hub
from cutpurse_server.servicers.identity import IdentityServicer
from cutpurse_server.servicers.matches import MatchServicer
from cutpurse_server.servicers.tournaments import TournamentServicer
from cutpurse_server.tournaments import Tournaments
from cutpurse_server.wire import identity_events, match_events, tournament_events

__all__ = ["Service", "Tls", "log_of", "running_service"]

_METADATA_BYTES_MAX = 16 * 1024
_CONNECTIONS_MAX = 4_096
"""Of all clients together: a connection costs memory before anybody knows whose it is."""
_STREAMS_PER_CONNECTION_MAX = 512
"""Open calls of one connection: more than a caller's streams of answers, a bot's streams and their calls together."""
_CALLS_MAX = 16_384
"""Open calls of all connections, streams included."""
_HANDSHAKE_MS = 10_000
"""From a connection's first byte to its encryption and HTTP/2 settings."""
_IDLE_MS = 300_000
"""How long a connection without an open call is kept."""
_CONNECTION_AGE_MS = 3_600_000
_CONNECTION_GRACE_MS = 60_000
"""What is still open on a connection that is too old may go on so long."""
_PING_STRIKES_MAX = 2
_PING_INTERVAL_MS = 10_000
"""Pings that come sooner after each other, with nothing said between them, are strikes."""
_OPTIONS = (
    # What lies between the two limits is refused with its reason, the rest by gRPC itself.
    ("grpc.max_receive_message_length", 4 * FRAME_BYTES_MAX),
    ("grpc.max_metadata_size", _METADATA_BYTES_MAX // 2),
    ("grpc.absolute_max_metadata_size", _METADATA_BYTES_MAX),
    ("grpc.so_reuseport", 0),
    ("grpc.max_allowed_incoming_connections", _CONNECTIONS_MAX),
    ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION_MAX),
    ("grpc.server_handshake_timeout_ms", _HANDSHAKE_MS),
    ("grpc.max_connection_idle_ms", _IDLE_MS),
    ("grpc.max_connection_age_ms", _CONNECTION_AGE_MS),
    ("grpc.max_connection_age_grace_ms", _CONNECTION_GRACE_MS),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # gRPC waits a whole minute for the answer to some pings otherwise, whatever the line above says.
    ("grpc.http2.ping_timeout_ms", 20_000),
    # A bot may have nothing to say for longer than two pings take.
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", _PING_INTERVAL_MS),
    ("grpc.http2.max_ping_strikes", _PING_STRIKES_MAX),
)
_DRAIN_S = 3.0
_HEALTH_S = 0.25
"""How soon health says that the log has gone or come back."""
_SERVICES = tuple(
    module.DESCRIPTOR.services_by_name[name].full_name
    for module, name in (
        (game_pb2, "GameService"),
        (match_pb2, "MatchService"),
        (bot_pb2, "BotService"),
        (tournament_pb2, "TournamentService"),
        (audit_pb2, "AuditService"),
        (identity_pb2, "IdentityService"),
    )
)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates, as PEM."""

    certificate: bytes
    key: bytes
    client_authority: bytes | None = None
    """If given, clients must show a certificate that it signed."""


@dataclass(frozen=True, slots=True)
class Service:
    """One running replica."""

    log: Log
    desk: MatchDesk
    registry: Registry
    presence: Presence
    tournaments: Tournaments
    addresses: tuple[str, ...]
    """Where it listens, ports filled in."""


def log_of(address: str) -> Log:
    """The log of an address: `sqlite:PATH`, `postgresql://…` or `memory:`.

    Raises ValueError with a sentence that says what to write or to install, and that repeats no password.
    """
    kind, _, rest = address.partition(":")
    if kind == "memory" and not rest:
        return MemoryLog()
    if kind == "sqlite" and rest:
        return SQLiteLog(rest)
    if kind in ("postgresql", "postgres"):
        return _postgresql_log(address)
    raise ValueError(
        f"{address!r} is no log; write sqlite:PATH or postgresql://USER@HOST:PORT/DATABASE (both kept), "
        "or memory: (gone when the service stops)."
    )


def _postgresql_log(address: str) -> Log:
    # Imported only by who needs it: the driver is an extra.
    try:
        from cutpurse_server.log.postgresql import PostgreSQLLog
    except ModuleNotFoundError:
        raise ValueError("A log in PostgreSQL takes a driver: pip install 'cutpurse-server[postgresql]'.") from None
    return PostgreSQLLog(address)


@asynccontextmanager
async def running_service(
    log: Log, listen: Sequence[str] = ("127.0.0.1:0",), tls: Tls | None = None, figures: Figures | None = None
) -> AsyncIterator[Service]:
    """A replica that serves until the block is left, then drains: streams are told, what was begun is finished.

    `listen` holds `HOST:PORT` (port 0: any) or `unix:PATH`; `figures` are kept up to date if given. Raises ValueError
    for an address off the loopback without TLS, OSError for one that cannot be had, and LogUnavailable.
    """
    for address in listen:
        if tls is None and not is_local(address):
            raise ValueError(f"{address} can be reached from outside: give a certificate (--tls-cert, --tls-key).")
    if figures is not None:
        log = MeteredLog(log, figures)
    await log.open()
    presence = Presence()
    desk = MatchDesk(log, match_events, presence.fault_of)
    hub = Hub(desk, presence)
    registry = Registry(log, identity_events)
    tournaments = Tournaments(log, tournament_events, desk, registry)
    gate = Gate(registry)
    crowd = Crowd()
    interceptors = [gate] if figures is None else [CallMetrics(figures), gate]
    server = grpc.aio.server(interceptors=interceptors, options=_OPTIONS, maximum_concurrent_rpcs=_CALLS_MAX)
    game_pb2_grpc.add_GameServiceServicer_to_server(GameServicer(), server)
    identity_pb2_grpc.add_IdentityServiceServicer_to_server(IdentityServicer(registry), server)
    match_pb2_grpc.add_MatchServiceServicer_to_server(MatchServicer(desk, hub, registry, crowd), server)
    bot_pb2_grpc.add_BotServiceServicer_to_server(BotServicer(desk, hub, crowd), server)
    tournament_pb2_grpc.add_TournamentServiceServicer_to_server(TournamentServicer(tournaments), server)
    audit_pb2_grpc.add_AuditServiceServicer_to_server(AuditServicer(log), server)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection((*_SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    readers = asyncio.create_task(hub.watch_readers())
    telling: asyncio.Task[None] | None = None
    try:
        addresses = tuple(_listen(server, address, tls) for address in listen)
        await desk.open()
        await tournaments.open()
        await server.start()
        await _set_health(healthy, serving=True)
        telling = asyncio.create_task(_tell_health(healthy, desk))
        logger.info("serving", addresses=addresses)
        yield Service(log, desk, registry, presence, tournaments, addresses)
    finally:
        readers.cancel()
        if telling is not None:
            telling.cancel()
        await healthy.enter_graceful_shutdown()
        desk.drain()
        hub.drain()
        gate.drain()
        await server.stop(_DRAIN_S)
        await tournaments.close()
        await desk.close()
        await log.close()
        logger.info("stopped")


async def _tell_health(healthy: health.aio.HealthServicer, desk: MatchDesk) -> None:
    """Say that nothing is served as long as the log is away or the desk cannot work; runs for ever."""
    told = True
    while True:
        await asyncio.sleep(_HEALTH_S)
        serving = desk.log_is_there and not desk.failed.is_set()
        if serving is not told:
            told = serving
            await _set_health(healthy, serving=serving)


async def _set_health(healthy: health.aio.HealthServicer, *, serving: bool) -> None:
    status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
    for service in ("", *_SERVICES):
        await healthy.set(service, status)


def _listen(server: grpc.aio.Server, address: str, tls: Tls | None) -> str:
    """Bind one address; the address with its port filled in."""
    try:
        if tls is None or address.startswith("unix:"):
            port = server.add_insecure_port(address)
        else:
            credentials = grpc.ssl_server_credentials(
                [(tls.key, tls.certificate)],
                root_certificates=tls.client_authority,
                require_client_auth=tls.client_authority is not None,
            )
            port = server.add_secure_port(address, credentials)
    except RuntimeError:
        raise OSError(f"cannot listen on {address}: is it in use, or not this machine's?") from None
    return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
