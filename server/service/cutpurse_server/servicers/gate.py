"""The one gate that every call passes: who calls, whether the role may, how refusals and failures look from outside.

Default deny: a method that has no line in `ALLOWED` is refused. Requests arrive as bytes and are parsed behind the
gate, so that the text of no exception, not even of a failing parser, ever leaves the process.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial
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
from cutpurse_server.servicers.rates import Rates
from cutpurse_server.whereabouts import failure

__all__ = ["ALLOWED", "MESSAGE_BYTES_MAX", "Gate", "current_caller", "status_of"]

MESSAGE_BYTES_MAX = 64 * 1024
"""The largest request. gRPC itself lets somewhat more through, so that the refusal can say its reason."""

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
    "/cutpurse.v1.IdentityService/ListTokens": _ORGANISING,
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
    "/cutpurse.v1.TournamentService/ListTournaments": _AUDITING,
    "/cutpurse.v1.TournamentService/GetTournament": _WATCHING,
    "/cutpurse.v1.TournamentService/WatchTournament": _WATCHING,
    "/cutpurse.v1.TournamentService/GetStandings": _WATCHING,
    "/cutpurse.v1.TournamentService/WithdrawEntrant": _ORGANISING,
    "/cutpurse.v1.TournamentService/DisqualifyEntrant": _ORGANISING,
    "/cutpurse.v1.TournamentService/PauseTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/ResumeTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/VoidBlock": _ORGANISING,
    "/cutpurse.v1.TournamentService/FinishTournament": _ORGANISING,
    "/cutpurse.v1.TournamentService/QuarantineEntrant": _ORGANISING,
    "/cutpurse.v1.TournamentService/ReleaseEntrant": _ORGANISING,
    "/cutpurse.v1.TournamentService/GetBotLog": _PLAYING | {Role.ORGANISER},
    "/cutpurse.v1.AuditService/ExportBundle": _AUDITING,
}
"""Which roles may call what; every method of the contract has its line (a test compares with the descriptors)."""

_OPEN_TO_ALL = ("/grpc.health.v1.Health/", "/grpc.reflection.")
"""Say nothing about matches, and need no token."""
_NEVER_LIMITED = frozenset({"/cutpurse.v1.MatchService/SubmitChoice"})
"""A move in a running match is never refused for its rate: the decision itself limits its answers."""
_DOMAIN = "cutpurse"
_BEARER = "Bearer "
_TEXT_CHARACTERS_MAX = 300
"""A text stands twice in the trailing metadata, of which clients read 8 KiB, and a character may take many bytes."""
_ANSWER_STREAMS_PER_CALLER_MAX = 256
_REFUSAL_MS = 250
"""How long a call that comes too often waits for its refusal, which costs as much as an answer."""
_PACE_MS = 100
"""How long a call waits that comes after many others: whoever calls as fast as the answers come takes others' time."""
_LOOK_S = 1.0
"""How often a stream's token is looked at: one that was revoked or has expired ends its streams."""
_FAREWELL_S = 2.0
"""How long a bot's stream may take to end by itself when the service stops."""

_caller: ContextVar[Caller] = ContextVar("caller")

logger = structlog.get_logger(__name__)


def current_caller() -> Caller:
    """Who makes the call that is being served."""
    return _caller.get()


def status_of(refusal: ServiceError) -> tuple[grpc.StatusCode, str, tuple[tuple[str, str | bytes], ...]]:
    """The one translation: status code, public text, and trailing metadata with the reason, rich and plain."""
    code: grpc.StatusCode = getattr(grpc.StatusCode, CATALOGUE[refusal.reason][0])
    text = refusal.text[:_TEXT_CHARACTERS_MAX]
    detail = AnyMessage()
    detail.Pack(ErrorInfo(reason=refusal.reason.name, domain=_DOMAIN))
    status = Status(code=code.value[0], message=text, details=[detail])
    trailing = (
        ("grpc-status-details-bin", status.SerializeToString()),
        ("cutpurse-reason", refusal.reason.name),
    )
    return code, text, trailing


class Gate(grpc.aio.ServerInterceptor):
    """Wraps every handler of the contract's services."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._rates = Rates()
        self._drained = asyncio.Event()
        self._wrapped: dict[str, Any] = {}
        """By method that there is: its handler behind the gate, since making one takes a tenth of a refused call."""
        self._answer_streams: Counter[str] = Counter()
        """By caller: open streams of answers."""

    def drain(self) -> None:
        """End the streams of answers, and after a while whatever bots' streams are left."""
        self._drained.set()

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """See grpc.aio.ServerInterceptor."""
        method = handler_call_details.method
        wrapped = self._wrapped.get(method)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None or method.startswith(_OPEN_TO_ALL):
                return handler
            wrapped = self._wrapped[method] = self._wrap(method, handler)
        return wrapped

    def _wrap(self, method: str, handler: Any) -> Any:
        parse = handler.request_deserializer
        serialise = handler.response_serializer
        if handler.request_streaming:
            served = self._stream(method, handler.stream_stream)
            return grpc.stream_stream_rpc_method_handler(served, None, partial(_serialised, serialise))
        if handler.response_streaming:
            served = self._answer_stream(method, handler.unary_stream, parse)
            return grpc.unary_stream_rpc_method_handler(served, None, serialise)
        served = self._answer(method, handler.unary_unary, parse, serialise)
        return grpc.unary_unary_rpc_method_handler(served, None, None)

    def _answer(self, method: str, inner: Callable[..., Awaitable[Any]], parse: Any, serialise: Any) -> Any:
        async def answer(raw: bytes, context: Any) -> Any:
            async def served() -> Any:
                caller = await self._admit(method, context)
                if caller.role is not Role.ORGANISER and method not in _NEVER_LIMITED:
                    await self._count(caller)
                return serialise(await inner(_parsed(parse, raw), context))

            return await _shielded(method, context, served)

        return answer

    def _answer_stream(self, method: str, inner: Callable[..., Any], parse: Any) -> Any:
        async def answer(raw: bytes, context: Any) -> None:
            async def write_all() -> None:
                async with aclosing(inner(_parsed(parse, raw), context)) as responses:
                    async for response in responses:
                        await context.write(response)

            async def served() -> None:
                caller = await self._admit(method, context)
                if self._answer_streams[caller.name] >= _ANSWER_STREAMS_PER_CALLER_MAX:
                    raise ServiceError(ErrorReason.TOO_MANY_STREAMS, "Too many open streams; close one.")
                self._answer_streams[caller.name] += 1
                try:
                    await _open_stream(context)
                    await self._while_admitted(caller, write_all(), 0)
                finally:
                    self._answer_streams[caller.name] -= 1
                    if not self._answer_streams[caller.name]:
                        del self._answer_streams[caller.name]

            await _shielded(method, context, served)

        return answer

    def _stream(self, method: str, inner: Callable[..., Coroutine[Any, Any, None]]) -> Any:
        async def stream(request_iterator: Any, context: Any) -> None:
            async def served() -> None:
                caller = await self._admit(method, context)
                # Dialling in counts as a call, too; what is said on the stream does not.
                await self._count(caller, dials=True)
                await _open_stream(context)
                await self._while_admitted(caller, inner(request_iterator, context), _FAREWELL_S)

            await _shielded(method, context, served)

        return stream

    async def _count(self, caller: Caller, *, dials: bool = False) -> None:
        """Count a call of the caller's owner; it waits if there were many; RATE_LIMITED if there were too many."""
        try:
            if dials:
                self._rates.dial(caller.bot)
            if self._rates.take(caller.owner or caller.name):
                await asyncio.sleep(_PACE_MS / 1_000)
        except ServiceError:
            await asyncio.sleep(_REFUSAL_MS / 1_000)
            raise

    async def _while_admitted(self, caller: Caller, serving: Coroutine[Any, Any, None], farewell_s: float) -> None:
        """Serve a stream until it ends, its token does, or the service stops and the stream does not end in time."""
        stream = asyncio.create_task(serving)
        drained = asyncio.create_task(self._drained.wait())
        try:
            while not stream.done():
                await asyncio.wait((stream, drained), timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                if drained.done() and not stream.done():
                    await asyncio.wait((stream,), timeout=farewell_s)
                    if not stream.done():
                        raise ServiceError(ErrorReason.DRAINING)
                elif not stream.done() and not await self._still_valid(caller):
                    raise ServiceError(ErrorReason.TOKEN_INVALID)
            stream.result()
        finally:
            stream.cancel()
            drained.cancel()
            await asyncio.gather(stream, drained, return_exceptions=True)

    async def _still_valid(self, caller: Caller) -> bool:
        try:
            return await self._registry.is_valid(caller.token_id)
        except LogUnavailable:
            # Nobody loses a stream because the log cannot be read for a while.
            return True

    async def _admit(self, method: str, context: Any) -> Caller:
        """The caller, who is set for the rest of the call; raises why there is none."""
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
        return caller


def _serialised(serialise: Callable[[Any], bytes], frame: Any) -> bytes:
    """A frame that may have been put together from bytes."""
    return frame if type(frame) is bytes else serialise(frame)


async def _open_stream(context: Any) -> None:
    """Send the initial metadata at once.

    gRPC would send it with the first write, and does not know that it did if that write is cut off: it would send it
    again with the status, which fails, and the caller would wait for a status that never comes.
    """
    await context.send_initial_metadata(())


def _parsed(parse: Any, raw: bytes) -> Any:
    if len(raw) > MESSAGE_BYTES_MAX:
        raise ServiceError(ErrorReason.TOO_LARGE, f"A request has at most {MESSAGE_BYTES_MAX} bytes.")
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
