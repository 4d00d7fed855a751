"""Between the bot and the real service: every frame of the bots' stream goes through a scenario's script.

All other calls are passed on as they are. What was said is kept in the ledger, as the bot said and heard it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.front import Front
from cutpurse_server.conformance.ledger import Ledger

__all__ = ["Line", "LineEnded", "Relay", "Script"]

_CONNECT = "/cutpurse.v1.BotService/Connect"
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # Every line stands alone, and finds a service that has just come back at once.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
)
_GRACE_S = 0.2


class LineEnded(Exception):
    """Raised by a script: the stream ends now, in this way. With `OK` it ends in good order."""

    def __init__(self, code: grpc.StatusCode, reason: str = "", text: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.trailing = (("cutpurse-reason", reason),) if reason else ()
        self.text = text


class _LineLost(Exception):
    """Whoever was to be told something is not there any more."""


class Line:
    """One stream of the bot, and the one to the service that goes with it."""

    def __init__(self, number: int, authorization: str, relay: Relay, context: Any, call: Any) -> None:
        self.number = number
        """Counts the bot's streams from 1."""
        self.authorization = authorization
        """What the bot gave as its credentials."""
        self._relay = relay
        self._context = context
        self._call = call
        self._to_bot = asyncio.Lock()
        self._to_service = asyncio.Lock()

    async def tell_bot(self, frame: bot_pb2.ConnectResponse) -> None:
        """Pass a frame to the bot."""
        async with self._to_bot:
            self._relay.ledger.heard(self.number, frame)
            try:
                await self._context.write(frame.SerializeToString())
            except Exception as error:
                # gRPC has many ways to say that a caller has gone, some of them its own secrets.
                raise _LineLost from error

    async def tell_service(self, frame: bot_pb2.ConnectRequest) -> None:
        """Pass a frame to the service."""
        async with self._to_service:
            try:
                await self._call.write(frame.SerializeToString())
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                raise _LineLost from error

    def cut(self) -> None:
        """Break the bot's connection."""
        self._relay.front.cut()

    def cut_after(self, count: int) -> None:
        """Break it when so many further bytes have gone to the bot."""
        self._relay.front.cut_after(count)


class Script:
    """What a scenario does with what is said. As it stands it passes everything on."""

    async def dialled(self, line: Line) -> None:
        """A stream was opened, and nothing has been read from it."""

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        """The bot said something."""
        await line.tell_service(frame)

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        """The service said something."""
        await line.tell_bot(frame)


class Relay:
    """A gRPC server that looks like the service."""

    def __init__(self, service: str, front: Front, ledger: Ledger) -> None:
        """`service` is the real one's address."""
        self._service = service
        self._server = grpc.aio.server(options=_OPTIONS)
        self._server.add_generic_rpc_handlers((_Everything(self),))
        self.front = front
        self.ledger = ledger
        self.script = Script()
        """May be changed at any time; whatever comes next goes through the new one."""
        self.lines = 0
        """How many streams the bot has opened."""
        self.mistake: Exception | None = None
        """A script's, and not the bot's."""

    async def open(self, address: str) -> None:
        """Listen on an address."""
        self._server.add_insecure_port(address)
        await self._server.start()

    async def close(self) -> None:
        """End everything."""
        await self._server.stop(None)

    async def connect(self, requests: Any, context: Any) -> None:
        """A bot's stream."""
        self.lines += 1
        metadata = _passable(context)
        async with grpc.aio.insecure_channel(self._service, options=_OPTIONS) as channel:
            call: Any = channel.stream_stream(_CONNECT)(metadata=metadata)
            line = Line(self.lines, dict(metadata).get("authorization", ""), self, context, call)
            self.ledger.dialled(line.number, line.authorization)
            try:
                await context.send_initial_metadata(())
                await self.script.dialled(line)
                await self._pass_all(line, context, call)
            except LineEnded as ended:
                if ended.code is not grpc.StatusCode.OK:
                    await context.abort(ended.code, ended.text, ended.trailing)
            except grpc.aio.AioRpcError as error:
                await context.abort(*_status_of(error))
            except (_LineLost, grpc.aio.BaseError):
                # The bot has gone in the middle of a word.
                return
            except Exception as error:
                if not (context.cancelled() or context.done()):
                    self.mistake = error
                raise
            finally:
                self.ledger.ended(line.number)
                call.cancel()

    async def _pass_all(self, line: Line, context: Any, call: Any) -> None:
        up = asyncio.create_task(self._pass_up(line, context, call))
        down = asyncio.create_task(self._pass_down(line, call))
        try:
            done, _ = await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            if up in done and up.exception() is None:
                # The bot has said all that it wanted; the service may still answer.
                await down
            elif up in done and isinstance(up.exception(), _LineLost):
                # One of both has ended the call; if it was the service, it says why on the way down.
                await asyncio.wait({down}, timeout=_GRACE_S)
            for task in (down, up):
                if task.done():
                    task.result()
        finally:
            up.cancel()
            down.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    async def _pass_up(self, line: Line, context: Any, call: Any) -> None:
        while (raw := await context.read()) is not grpc.aio.EOF:
            try:
                frame = bot_pb2.ConnectRequest.FromString(raw)
            except DecodeError:
                self.ledger.complain("sent a frame that is no ConnectRequest")
                raise LineEnded(grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED") from None
            self.ledger.said(line.number, frame, len(raw))
            await self.script.from_bot(line, frame)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.done_writing()

    async def _pass_down(self, line: Line, call: Any) -> None:
        while (raw := await call.read()) is not grpc.aio.EOF:
            await self.script.from_service(line, bot_pb2.ConnectResponse.FromString(raw))

    async def pass_call(self, method: str, context: Any) -> None:
        """Any other call, whatever its kind: on the wire they look alike."""
        async with grpc.aio.insecure_channel(self._service, options=_OPTIONS) as channel:
            call: Any = channel.stream_stream(method)(metadata=_passable(context), timeout=context.time_remaining())
            try:
                while (raw := await context.read()) is not grpc.aio.EOF:
                    await call.write(raw)
                await call.done_writing()
                while (raw := await call.read()) is not grpc.aio.EOF:
                    await context.write(raw)
            except grpc.aio.AioRpcError as error:
                await context.abort(*_status_of(error))
            finally:
                call.cancel()


class _Everything(grpc.GenericRpcHandler):
    """Serves every method there is."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method
        if method == _CONNECT:
            return grpc.stream_stream_rpc_method_handler(self._relay.connect)

        async def pass_call(requests: Any, context: Any) -> None:
            await self._relay.pass_call(method, context)

        return grpc.stream_stream_rpc_method_handler(pass_call)


def _status_of(error: grpc.aio.AioRpcError) -> tuple[grpc.StatusCode, str, tuple[Any, ...]]:
    return error.code(), error.details() or "", tuple(error.trailing_metadata() or ())


def _passable(context: Any) -> tuple[tuple[str, str], ...]:
    """The caller's metadata, without what gRPC itself says."""
    own = ("grpc-", "user-agent", "content-type", "te", ":")
    return tuple((key, value) for key, value in context.invocation_metadata() or () if not key.startswith(own))
