"""BotService: the bots' stream."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from time import monotonic
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server import __version__
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.crowd import Crowd
from cutpurse_server.matches.deciding import REQUEST_ID_BYTES_MAX, Answer, Draft, choose, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.matches.replies import Refused
from cutpurse_server.servicers.connection import Connection
from cutpurse_server.servicers.gate import current_caller
from cutpurse_server.servicers.hub import STREAMS_PER_BOT_MAX, Hub
from cutpurse_server.wire.matches import answer_from_proto, refused_to_proto

__all__ = ["FRAME_BYTES_MAX", "PROTOCOL_VERSION", "BotServicer"]

PROTOCOL_VERSION = 1
"""The newest that this service speaks, and the oldest. A bot names its newest; Welcome says which both will speak."""
FRAME_BYTES_MAX = 64 * 1024
_CHOICES_PER_FRAME_MAX = 256
_READIES_PER_FRAME_MAX = 256
_HELLO_S = 10.0
"""How long a stream may be open before its Hello."""
_READY_AGAIN_S = 0.25
"""How long until a readiness that could not be written is tried again."""
_STRAY_MS = 20
"""One in so long of a bot's answers to matches in which it has no seat is refused, whatever streams they come on, and
what comes behind it waits: each costs a look into the log and a refusal, and nobody is to be asked who only guesses."""
_STRAYS_AT_ONCE = 10
"""After a pause so many are refused at once, since a frame for each refusal would cost more than the looks do."""
_SDK_BYTES_MAX = 128
_NAME_SHOWN_CHARACTERS = 64
_MATCH_SHOWN_CHARACTERS = 256
"""A refusal says no more of a match's name: what is refused may wait for a slow reader."""

logger = structlog.get_logger(__name__)


class BotServicer(bot_pb2_grpc.BotServiceServicer):
    """Streams frames between bots and the desk."""

    def __init__(self, desk: MatchDesk, hub: Hub, crowd: Crowd) -> None:
        self._desk = desk
        self._hub = hub
        self._crowd = crowd
        self._readying: set[tuple[str, str]] = set()
        """By bot and match: who is being written down as ready."""
        self._greeting: Counter[str] = Counter()
        """By bot: streams that have not said Hello."""
        self._strays_due_s: dict[str, float] = {}
        """By bot: when its next stray answer would be refused, had each been waited for."""

    async def Connect(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]
        """See bot.proto. Frames arrive as bytes: a frame that cannot be read ends the stream with MALFORMED."""
        bot = current_caller().bot
        hello = await self._greeted(bot, context)
        connection = Connection(bot, hello, context, self._desk.log)
        reader = asyncio.current_task()
        assert reader is not None
        cut = asyncio.Event()

        def cut_off() -> None:
            cut.set()
            reader.cancel()

        await self._desk.catch_up(bot)
        self._hub.open(connection, cut_off)
        writer = asyncio.create_task(self._write(connection, context))
        reading = asyncio.create_task(self._read(connection, context))
        try:
            done, _ = await asyncio.wait({writer, reading}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if reading in done:
                connection.close()
                await writer
        except asyncio.CancelledError:
            if not cut.is_set():
                raise
            raise ServiceError(ErrorReason.READER_TOO_SLOW) from None
        finally:
            self._hub.close(connection)
            reading.cancel()
            writer.cancel()
            await asyncio.gather(reading, writer, return_exceptions=True)

    async def _greeted(self, bot: str, context: Any) -> bot_pb2.Hello:
        """The stream's Hello; raises what is wrong with it, or with a stream that says none."""
        if self._greeting[bot] >= STREAMS_PER_BOT_MAX:
            raise ServiceError(ErrorReason.TOO_MANY_STREAMS)
        self._greeting[bot] += 1
        try:
            async with asyncio.timeout(_HELLO_S):
                raw = await context.read()
        except TimeoutError:
            raise ServiceError(ErrorReason.HELLO_EXPECTED) from None
        finally:
            self._greeting[bot] -= 1
            if not self._greeting[bot]:
                del self._greeting[bot]
        hello = _hello(_frame(raw), bot)
        if self._desk.draining:
            raise ServiceError(ErrorReason.DRAINING)
        return hello

    async def _write(self, connection: Connection, context: Any) -> None:
        welcome = bot_pb2.Welcome(
            protocol_version=PROTOCOL_VERSION,
            bot=connection.bot,
            server=f"cutpurse-server/{__version__}",
            frame_bytes_max=FRAME_BYTES_MAX,
        )
        await context.write(bot_pb2.ConnectResponse(welcome=welcome))
        await connection.write_all()

    async def _read(self, connection: Connection, context: Any) -> None:
        while (raw := await context.read()) is not grpc.aio.EOF:
            received_at_ms = self._desk.log.now_ms()
            frame = _frame(raw)
            if frame.HasField("hello"):
                raise ServiceError(ErrorReason.HELLO_EXPECTED)
            if len(frame.choices) > _CHOICES_PER_FRAME_MAX:
                raise ServiceError(ErrorReason.TOO_LARGE, f"A frame holds at most {_CHOICES_PER_FRAME_MAX} choices.")
            if len(frame.readies) > _READIES_PER_FRAME_MAX:
                raise ServiceError(ErrorReason.TOO_LARGE, f"A frame holds at most {_READIES_PER_FRAME_MAX} readies.")
            for ready in frame.readies:
                await self._ready(connection, ready.match)
            for choice in frame.choices:
                record = self._desk.held(choice.match) or await self._desk.record(choice.match)
                if record is None or connection.bot not in record.seat_of:
                    await self._wait_for_strays(connection.bot)
                self._choose(connection, record, choice, received_at_ms)
            await connection.room()

    async def _wait_for_strays(self, bot: str) -> None:
        """Wait until a stray answer of a bot may be refused; the first few after a pause may at once."""
        now_s = monotonic()
        due_s = max(now_s, self._strays_due_s.pop(bot, now_s))
        # The bot that was named last stands last, so those that need not be remembered any more stand first.
        self._strays_due_s[bot] = due_s + _STRAY_MS / 1_000
        while (first := next(iter(self._strays_due_s))) != bot and self._strays_due_s[first] <= now_s:
            del self._strays_due_s[first]
        wait_s = due_s - now_s
        if wait_s and wait_s >= _STRAYS_AT_ONCE * _STRAY_MS / 1_000:
            await asyncio.sleep(wait_s)

    async def _ready(self, connection: Connection, match: str) -> None:
        """A bot that was ready already, or is late, changes nothing: it must not take anybody's place in a queue."""
        record = self._desk.held(match) or await self._desk.record(match)
        seat = record.seat_of.get(connection.bot) if record else None
        if record is None or seat is None or record.phase is not Phase.WARM_UP or seat in record.ready:
            return
        key = (connection.bot, match)
        if key not in self._readying:
            self._readying.add(key)
            self._write_ready(key, seat)

    def _write_ready(self, key: tuple[str, str], seat: Seat) -> None:
        self._desk.submit(key[1], partial(_get_ready, seat), partial(self._got_ready, key, seat), patient=True)

    def _got_ready(self, key: tuple[str, str], seat: Seat, _: Any, error: Exception | None) -> None:
        """A bot that is ready need not be told so, and says it once: if the log was away, it is written later."""
        if isinstance(error, ServiceError) and error.reason is ErrorReason.LOG_UNAVAILABLE:
            asyncio.get_running_loop().call_later(_READY_AGAIN_S, self._write_ready, key, seat)
            return
        self._readying.discard(key)
        if error is not None:
            logger.warning("a seat's being ready was not written", match=key[1], error=type(error).__name__)

    def _choose(
        self, connection: Connection, record: MatchRecord | None, choice: match_pb2.Choice, received_at_ms: int
    ) -> None:
        if not 1 <= len(choice.request_id) <= REQUEST_ID_BYTES_MAX:
            self._refuse(connection, choice, ErrorReason.MALFORMED)
            return
        seat = record.seat_of.get(connection.bot) if record else None
        if record is None or seat is None:
            # The bot named a match that is not there, or not its own: both look the same.
            self._refuse(connection, choice, ErrorReason.MATCH_UNKNOWN)
            return
        answer = answer_from_proto(choice, record.begun.game)
        if not self._crowd.enter(connection.bot, choice.match):
            self._refuse(connection, choice, ErrorReason.RATE_LIMITED)
            return
        command = partial(_choose, seat, answer, received_at_ms)
        self._desk.submit(record.begun.match, command, partial(self._answered, connection, choice))

    def _answered(self, connection: Connection, choice: match_pb2.Choice, reply: Any, error: Exception | None) -> None:
        match = choice.match
        self._crowd.leave(connection.bot, match)
        if error is not None:
            self._refuse(connection, choice, error.reason if isinstance(error, ServiceError) else ErrorReason.INTERNAL)
        elif type(reply) is Refused:
            connection.refuse(refused_to_proto(match, reply))
        else:
            connection.accept(match, reply)

    def _refuse(self, connection: Connection, choice: match_pb2.Choice, reason: ErrorReason) -> None:
        reply = Refused(choice.decision, choice.request_id[:REQUEST_ID_BYTES_MAX], reason, "", None)
        connection.refuse(refused_to_proto(choice.match[:_MATCH_SHOWN_CHARACTERS], reply))


def _choose(seat: Seat, answer: Answer, received_at_ms: int, draft: Draft, now_ms: int) -> Any:
    return choose(draft, seat, answer, received_at_ms, now_ms)


def _get_ready(seat: Seat, draft: Draft, now_ms: int) -> None:
    get_ready(draft, seat, now_ms)


def _frame(raw: Any) -> bot_pb2.ConnectRequest:
    if raw is grpc.aio.EOF:
        raise ServiceError(ErrorReason.HELLO_EXPECTED)
    if len(raw) > FRAME_BYTES_MAX:
        raise ServiceError(ErrorReason.TOO_LARGE, f"A frame has at most {FRAME_BYTES_MAX} bytes.")
    try:
        return bot_pb2.ConnectRequest.FromString(raw)
    except DecodeError:
        raise ServiceError(ErrorReason.MALFORMED, "The frame is no ConnectRequest.") from None


def _hello(frame: bot_pb2.ConnectRequest, bot: str) -> bot_pb2.Hello:
    """The Hello of a first frame; raises what is wrong with it."""
    if not frame.HasField("hello") or frame.choices or frame.readies:
        raise ServiceError(ErrorReason.HELLO_EXPECTED)
    hello = frame.hello
    if hello.protocol_version < PROTOCOL_VERSION:
        spoken = f"This service speaks protocol version {PROTOCOL_VERSION}, not {hello.protocol_version}."
        raise ServiceError(ErrorReason.PROTOCOL_UNSUPPORTED, spoken)
    if hello.bot and hello.bot != bot:
        raise ServiceError(
            ErrorReason.BOT_UNKNOWN, f"The token is not {hello.bot[:_NAME_SHOWN_CHARACTERS]!r}'s; leave the name out."
        )
    if len(hello.sdk.encode()) > _SDK_BYTES_MAX:
        raise ServiceError(ErrorReason.MALFORMED, f"Hello.sdk has at most {_SDK_BYTES_MAX} bytes.")
    if hello.concurrency:
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED, "Hello.concurrency is not in this version; leave it out.")
    if hello.wants_receipts:
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED, "Receipts are not in this version; leave wants_receipts out.")
    return hello
