"""Where the bot dials in: passes bytes to and from the relay, and treats connections as badly as a network may."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["Front"]

_BUFFER_BYTES = 65_536
_RESET = struct.pack("ii", 1, 0)
"""A closed connection is reset, and not ended in good order."""
_LAST_BYTES_S = 0.02
"""How long what was written last may take to its reader before the connection is reset."""


class Front:
    """Listens on a port of the loopback or on a unix socket, the same after every `close` and `open`."""

    def __init__(self, relay: Path, socket_path: Path | None) -> None:
        """`relay` is the relay's unix socket; without a path of its own the front listens on a port."""
        self._relay = relay
        self._path = socket_path
        self._port = 0
        self._server: asyncio.Server | None = None
        self._ways: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.StreamWriter] = set()
        self._fuse_bytes: int | None = None
        self.connections = 0
        """How often somebody has connected."""
        self.turns_away = False
        """Whether every connection is reset as soon as it is there."""
        self.piece_bytes = 0
        """So many bytes at a time go to the bot, with a pause after each piece; 0: all that there is, at once."""
        self.pause_s = 0.0
        self.encryption: ssl.SSLContext | None = None
        """With what it shows itself and encrypts, from the next `open` on; None: it does not."""

    @property
    def address(self) -> str:
        """Where it listens, as bots are told it."""
        # By a name, since that is what certificates are mostly for.
        host = "127.0.0.1" if self.encryption is None else "localhost"
        return f"{host}:{self._port}" if self._path is None else f"unix:{self._path}"

    async def open(self) -> None:
        """Listen."""
        if self._path is None:
            self._server = await asyncio.start_server(self._accepted, "127.0.0.1", self._port, ssl=self.encryption)
            self._port = self._server.sockets[0].getsockname()[1]
        else:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._accepted, self._path)

    async def close(self) -> None:
        """Listen no more, and cut what is connected: from outside there is no service."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.gather(*self._ways, return_exceptions=True)

    def cut(self) -> None:
        """Reset all connections."""
        self._fuse_bytes = None
        for end in self._ends:
            _reset(end)

    def cut_after(self, count: int) -> None:
        """Reset all connections when so many further bytes have gone to the bot."""
        self._fuse_bytes = count

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.turns_away or self._server is None:
            _reset(writer)
            return
        self._begin(self._serve(reader, writer))

    def _begin(self, way: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(way)
        self._ways.add(task)
        task.add_done_callback(self._ways.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        self._ends.add(writer)
        try:
            with suppress(OSError):
                inner_reader, inner_writer = await asyncio.open_unix_connection(self._relay)
                self._ends.add(inner_writer)
                try:
                    ways = (self._pass(reader, inner_writer), self._pass_down(inner_reader, writer))
                    tasks = [asyncio.create_task(way) for way in ways]
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                finally:
                    self._ends.discard(inner_writer)
                    inner_writer.transport.abort()
        finally:
            self._ends.discard(writer)
            writer.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_BUFFER_BYTES):
            writer.write(data)
            await writer.drain()

    async def _pass_down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_BUFFER_BYTES):
            fuse = self._fuse_bytes
            if fuse is not None and len(data) > fuse:
                writer.write(data[:fuse])
                await writer.drain()
                await asyncio.sleep(_LAST_BYTES_S)
                self.cut()
                return
            if fuse is not None:
                self._fuse_bytes = fuse - len(data)
            step = self.piece_bytes or len(data)
            for begin in range(0, len(data), step):
                writer.write(data[begin : begin + step])
                await writer.drain()
                if self.piece_bytes:
                    await asyncio.sleep(self.pause_s)


def _reset(end: asyncio.StreamWriter) -> None:
    bare = end.get_extra_info("socket")
    with suppress(OSError):
        if bare is not None and bare.family != socket.AF_UNIX:
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    end.transport.abort()
