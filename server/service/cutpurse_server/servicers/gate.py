"""The one gate that every call passes: who calls, whether the role may, how refusals and failures look from outside.

Default deny: a method that has no line in `ALLOWED` is refused. Requests arrive as bytes and are parsed behind the
gate, so that the text of no exception, not even of a failing parser, ever leaves the process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from cutpurse_server.errors import CATALOGUE, ErrorReason, ServiceError
from cutpurse_server.identity import Caller, Registry, Role
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.whereabouts import failure

__all__ = ["ALLOWED", "Gate", "current_caller", "status_of"]

_PLAYING = frozenset({Role.BOT, Role.PLAYER})
_ORGANISING = frozenset({Role.ORGANISER})
_WATCHING = frozenset(Role)
_AUDITING = frozenset({Role.ORGANISER, Role.AUDITOR})

ALLOWED: Mapping[str, frozenset[Role]] = {
    "/cutpurse.v1.GameService/ListGames": _WATCHING,
    "/cutpurse.v1.GameService/GetGame": _WATCHING,
    "/cutpurse.v1.IdentityService/GetIdentity": _WATCHING,
    "/cutpurse.v1.IdentityService/RegisterBot": _ORGANISING,
    "/cutpurse.v1.IdentityService/IssueToken": _ORGANISING,
    "/cutpurse.v1.IdentityService/RevokeToken": _ORGANISING,
    "/cutpurse.v1.IdentityService/ListBots": _ORGANISING,
    "/cutpurse.v1.MatchService/CreateMatch": _ORGANISING,
    "/cutpurse.v1.MatchService/GetMatch": _PLAYING | {Role.ORGANISER, Role.SPECTATOR},
    "/cutpurse.v1.MatchService/GetView": _PLAYING,
    "/cutpurse.v1.MatchService/ListLegalActions": _PLAYING,
    "/cutpurse.v1.MatchService/SubmitChoice": _PLAYING,
    "/cutpurse.v1.MatchService/WatchMatch": _PLAYING | {Role.ORGANISER, Role.SPECTATOR},
    "/cutpurse.v1.MatchService/AbortMatch": _ORGANISING,
    "/cutpurse.v1.BotService/Connect": _PLAYING,
    "/cutpurse.v1.TournamentService/CreateTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/EnterTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/StartTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/GetTournament": _WATCHING,
    "/cutpurse.v1.TournamentService/WatchTournament": _WATCHING,
    "/cutpurse.v1.TournamentService/GetStandings": _WATCHING,
    "/cutpurse.v1.TournamentService/WithdrawEntrant": _ORGANISING,
    "/cutpurse.v1.TournamentService/PauseTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/ResumeTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/VoidBlock": _ORGANISING,
    "/cutpurse.v1.AuditService/ExportBundle": _AUDITING,
}
"""Which roles may call what; every method of the contract has its line (a test compares with the descriptors)."""

_OPEN_TO_ALL = ("/grpc.health.v1.Health/", "/grpc.reflection.")
"""Say nothing about matches, and need no token."""
_DOMAIN = "cutpurse"
_BEARER = "Bearer "

_caller: ContextVar[Caller] = ContextVar("caller")

logger = structlog.get_logger(__name__)


def current_caller() -> Caller:
    """Who makes the call that is being served."""
    return _caller.get()


def status_of(refusal: ServiceError) -> tuple[grpc.StatusCode, str, tuple[tuple[str, str | bytes], ...]]:
    """The one translation: status code, public text, and trailing metadata with the reason, rich and plain."""
    code: grpc.StatusCode = getattr(grpc.StatusCode, CATALOGUE[refusal.reason][0])
    detail = AnyMessage()
    detail.Pack(ErrorInfo(reason=refusal.reason.name, domain=_DOMAIN))
    status = Status(code=code.value[0], message=refusal.text, details=[detail])
    trailing = (
        ("grpc-status-details-bin", status.SerializeToString()),
        ("cutpurse-reason", refusal.reason.name),
    )
    return code, refusal.text, trailing


class Gate(grpc.aio.ServerInterceptor):
    """Wraps every handler of the contract's services."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """See grpc.aio.ServerInterceptor."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith(_OPEN_TO_ALL):
            return handler
        parse = handler.request_deserializer
        serialise = handler.response_serializer
        if handler.request_streaming:
            served = self._stream(method, handler.stream_stream)
            return grpc.stream_stream_rpc_method_handler(served, None, serialise)
        if handler.response_streaming:
            served = self._answer_stream(method, handler.unary_stream, parse)
            return grpc.unary_stream_rpc_method_handler(served, None, serialise)
        served = self._answer(method, handler.unary_unary, parse)
        return grpc.unary_unary_rpc_method_handler(served, None, serialise)

    def _answer(self, method: str, inner: Callable[..., Awaitable[Any]], parse: Any) -> Any:
        async def answer(raw: bytes, context: Any) -> Any:
            async def served() -> Any:
                await self._admit(method, context)
                return await inner(_parsed(parse, raw), context)

            return await _shielded(method, context, served)

        return answer

    def _answer_stream(self, method: str, inner: Callable[..., Any], parse: Any) -> Any:
        async def answer(raw: bytes, context: Any) -> None:
            async def served() -> None:
                await self._admit(method, context)
                async with aclosing(inner(_parsed(parse, raw), context)) as responses:
                    async for response in responses:
                        await context.write(response)

            await _shielded(method, context, served)

        return answer

    def _stream(self, method: str, inner: Callable[..., Awaitable[None]]) -> Any:
        async def stream(request_iterator: Any, context: Any) -> None:
            async def served() -> None:
                await self._admit(method, context)
                await inner(request_iterator, context)

            await _shielded(method, context, served)

        return stream

    async def _admit(self, method: str, context: Any) -> None:
        """Set the caller, or raise why there is none."""
        token = ""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str) and value.startswith(_BEARER):
                token = value.removeprefix(_BEARER)
        caller = await self._registry.authenticate(token) if token else None
        if caller is None:
            raise ServiceError(ErrorReason.TOKEN_INVALID)
        if caller.role not in ALLOWED.get(method, frozenset()):
            raise ServiceError(ErrorReason.ROLE_FORBIDDEN)
        _caller.set(caller)


def _parsed(parse: Any, raw: bytes) -> Any:
    try:
        return parse(raw)
    except DecodeError:
        raise ServiceError(ErrorReason.MALFORMED) from None


async def _shielded(method: str, context: Any, served: Callable[[], Awaitable[Any]]) -> Any:
    """Serve a call; whatever it raises leaves as a reason of the catalogue, and nothing else does."""
    try:
        return await served()
    except ServiceError as error:
        refusal = error
    except LogUnavailable:
        refusal = ServiceError(ErrorReason.LOG_UNAVAILABLE)
    except (asyncio.CancelledError, grpc.aio.AbortError):
        raise
    except Exception as error:
        if context.cancelled() or context.done():
            return None
        logger.error("call failed", method=method, **failure(error))
        refusal = ServiceError(ErrorReason.INTERNAL)
    code, text, trailing = status_of(refusal)
    await context.abort(code, text, trailing)
    return None
