"""A TCP proxy on the loopback that treats each connection badly, in a way that follows from a seed alone."""

from __future__ import annotations

import asyncio
import enum
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

__all__ = ["Fault", "FaultyProxy", "Kind", "Plan", "planned"]


class Kind(enum.Enum):
    """What happens to a connection."""

    NONE = "none"
    """Nothing: bytes pass as they come."""
    DELAY = "delay"
    """Each piece waits a little before it goes on."""
    THROTTLE = "throttle"
    """Bytes pass few at a time."""
    CUT = "cut"
    """Both ends are reset, in the middle of whatever was under way."""
    HALF_CLOSE = "half-close"
    """One side hears that the other says nothing more, which is not true; the other way stays open."""
    BLACKHOLE = "blackhole"
    """Neither side hears anything for a while, nor of an end; then the connection is reset."""


@dataclass(frozen=True)
class Fault:
    """What happens to one connection, and when."""

    kind: Kind
    upwards: bool = False
    """Whether it is told by the bytes from the client, or by those from the service."""
    after_bytes: int = 0
    """So many bytes pass that way before."""
    for_s: float = 0.0
    """How long a piece is delayed, or nothing is heard."""


Plan = Callable[[int], Fault]
"""What happens to each connection, counted from 0."""

FAULTY_MAX = 25
"""Connections beyond these are left alone, so that every match comes to its end."""
_LOG_BYTES_MAX = 13
_WEIGHTS = (1, 1, 1, 5, 3, 3)
"""How likely each kind is; those that leave a connection open are rarer, since nothing else happens to it."""
_PIECE_BYTES = 64
_DELAY_S_MAX = 0.01
_SILENCE_S_MAX = 0.6
_BUFFER_BYTES = 16_384


def planned(seed: str) -> Plan:
    """A fault for each of the first connections, by lot: early or late, in all its kinds."""

    def fault_of(number: int) -> Fault:
        if number >= FAULTY_MAX:
            return Fault(Kind.NONE)
        lot = random.Random(f"{seed}/{number}")
        (kind,) = lot.choices(list(Kind), _WEIGHTS)
        most_s = _SILENCE_S_MAX if kind is Kind.BLACKHOLE else _DELAY_S_MAX
        # As often within the first hundred bytes as within ten thousand.
        return Fault(kind, lot.random() < 0.4, round(2 ** lot.uniform(0, _LOG_BYTES_MAX)), lot.uniform(0, most_s))

    return fault_of


class FaultyProxy:
    """Listens while the block lasts, and passes bytes to and from one service."""

    def __init__(self, service: str, plan: Plan) -> None:
        """`service` is its HOST:PORT."""
        host, _, port = service.rpartition(":")
        self._service = (host, int(port))
        self._plan = plan
        self._connections = 0
        self._closing = False
        self._serving: set[asyncio.Task[None]] = set()
        self.struck: Counter[Kind] = Counter()
        """How often which fault really happened; a connection may end before its own does."""
        self.address = ""
        """Where it listens."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()
        self._closing = True
        # Whatever has been accepted gets its task before, and the ends of all connections their last word after.
        await asyncio.sleep(0)
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._server.wait_closed()
        await asyncio.sleep(0)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closing:
            writer.transport.abort()
            return
        fault = self._plan(self._connections)
        self._connections += 1
        task = asyncio.create_task(self._serve(reader, writer, fault))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault) -> None:
        ends = [writer]
        ways: list[asyncio.Task[None]] = []
        try:
            further_reader, further_writer = await asyncio.open_connection(*self._service)
            ends.append(further_writer)
            passing = _Passing(fault, self.struck)
            ways = [
                asyncio.create_task(passing.way(reader, further_writer, upwards=True)),
                asyncio.create_task(passing.way(further_reader, writer, upwards=False)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for way in ways:
                way.cancel()
            for end in ends:
                end.transport.abort()
            await asyncio.gather(*ways, *(end.wait_closed() for end in ends), return_exceptions=True)


class _Passing:
    """The bytes of one connection, both ways."""

    def __init__(self, fault: Fault, struck: Counter[Kind]) -> None:
        self._fault = fault
        self._struck = struck
        self._heard = asyncio.Event()
        """Cleared while nobody hears anything."""
        self._struck_already = False
        self._heard.set()

    async def way(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, upwards: bool) -> None:
        """Pass on what comes one way until it ends; raises ConnectionError when the connection is to be reset."""
        fault = self._fault
        left = fault.after_bytes if upwards is fault.upwards and fault.kind is not Kind.NONE else None
        while data := await reader.read(_BUFFER_BYTES):
            await self._heard.wait()
            if left is not None and len(data) > left:
                writer.write(data[:left])
                if fault.kind is Kind.HALF_CLOSE:
                    self._struck[fault.kind] += 1
                    break
                await self._strike()
                data = data[left:]
                left = 0
            elif left is not None:
                left -= len(data)
            await self._pass(writer, data, slowly=left == 0)
        if writer.can_write_eof():
            writer.write_eof()

    async def _strike(self) -> None:
        """What happens the moment the fault comes; a slow way is slow from then on."""
        if not self._struck_already:
            self._struck[self._fault.kind] += 1
            self._struck_already = True
        if self._fault.kind is Kind.CUT:
            raise ConnectionResetError
        if self._fault.kind is Kind.BLACKHOLE:
            self._heard.clear()
            await asyncio.sleep(self._fault.for_s)
            raise ConnectionResetError

    async def _pass(self, writer: asyncio.StreamWriter, data: bytes, *, slowly: bool) -> None:
        if slowly and self._fault.kind is Kind.DELAY:
            await asyncio.sleep(self._fault.for_s)
        step = _PIECE_BYTES if slowly and self._fault.kind is Kind.THROTTLE else len(data)
        for begin in range(0, len(data), step):
            writer.write(data[begin : begin + step])
            await writer.drain()
            if step < len(data):
                await asyncio.sleep(self._fault.for_s / 10)
