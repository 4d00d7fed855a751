"""Connections without a gRPC library: what is done with bytes alone, and how the service ends it."""

from __future__ import annotations

import asyncio

import trustme

from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import Tls, running_service
from tests.server.service.arena import open_arena

__all__ = ["idleness", "many_connections", "many_pings", "slow_encryption", "slow_settings"]

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"
PING = b"\0\0\x08\6\0\0\0\0\0" + bytes(8)
ENHANCE_YOUR_CALM = b"\0\0\0\x0b"
_WITHIN_S = 2.5
_PING_S = 0.02


async def heard(address: str, said: bytes, again: bytes = b"") -> bytes | None:
    """All that the service says until it ends the connection; None if it does not. `again` is said all the time."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))

    async def listen() -> bytes:
        everything = b""
        try:
            while part := await reader.read(4_096):
                everything += part
        except ConnectionError:
            # It was reset, which is an end too.
            pass
        return everything

    listening = asyncio.create_task(listen())
    writer.write(said)
    for _ in range(round(_WITHIN_S / _PING_S)):
        await asyncio.wait((listening,), timeout=_PING_S)
        if listening.done():
            break
        writer.write(again)
    listening.cancel()
    writer.transport.abort()
    await asyncio.gather(listening, return_exceptions=True)
    return None if listening.cancelled() else listening.result()


async def many_connections() -> None:
    """Five where three are allowed; those are not concerned."""
    async with open_arena() as arena:
        # The arena's own channel has not dialled yet.
        ends = await asyncio.gather(*(heard(arena.address, PREFACE + SETTINGS) for _ in range(5)))
    assert ends.count(b"") == 2, f"no limit: {ends.count(None)} connections are open"
    assert ends.count(None) == 3


async def idleness() -> None:
    """A connection that was set up well and asks for nothing."""
    async with open_arena() as arena:
        end = await heard(arena.address, PREFACE + SETTINGS)
    assert end is not None, "no limit: an idle connection is kept"


async def slow_settings() -> None:
    """Nothing at all, and half of what HTTP/2 begins with."""
    async with open_arena() as arena:
        for said in (b"", PREFACE[:9], PREFACE):
            assert await heard(arena.address, said) is not None, f"no limit: after {said!r} the connection is kept"


async def slow_encryption() -> None:
    """A connection to an encrypted port on which nothing is said, or only the beginning."""
    certificate = trustme.CA().issue_cert("localhost")
    tls = Tls(b"".join(blob.bytes() for blob in certificate.cert_chain_pems), certificate.private_key_pem.bytes())
    async with running_service(MemoryLog(), ["127.0.0.1:0"], tls) as service:
        for said in (b"", b"\x16\x03\x01"):
            end = await heard(service.addresses[0], said)
            assert end is not None, f"no limit: after {said!r} the connection is kept"


async def many_pings() -> None:
    """A ping fifty times a second."""
    async with open_arena() as arena:
        end = await heard(arena.address, PREFACE + SETTINGS, PING)
    assert end is not None, "no limit: pings are answered for ever"
    assert ENHANCE_YOUR_CALM in end
