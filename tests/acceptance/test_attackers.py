"""Attackers at the service's port while honest bots play: nobody's match suffers, and nothing secret is said."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import PATIENCE_S, Marked
from tests.acceptance.serving import BOTS, SEED, Service, check_ledger, dial_in, enter

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"
HEADERS_CUT_SHORT = b"\0\xff\xff\1\4\0\0\0\1"
GROWTH_MB_MAX = 150
MATCHES = 3


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


Attack = Callable[[tuple[str, int], str], None]
"""What is done at an address by somebody who has a bot's token."""


def connect_and_say(address: tuple[str, int], times: int, *words: bytes) -> list[socket.socket]:
    """Many connections, each of which says something of its own and stays."""
    connections = []
    for number in range(times):
        connection = socket.create_connection(address)
        try:
            connection.sendall(words[number % len(words)])
        except OSError:
            connection.close()
            continue
        connections.append(connection)
    return connections


def stay_idle(address: tuple[str, int], token: str) -> None:
    """Many connections that say nothing, or only half of what they began."""
    for connection in connect_and_say(address, 600, b"", PREFACE, PREFACE + SETTINGS + HEADERS_CUT_SHORT):
        connection.close()


def say_garbage(address: tuple[str, int], token: str) -> None:
    """Bytes that are no HTTP/2, or that stop being it."""
    for connection in connect_and_say(address, 200, os.urandom(4_000), PREFACE + os.urandom(4_000), b"GET / HTTP/1.1"):
        connection.close()


def send_huge_frames(address: tuple[str, int], token: str) -> None:
    """Frames of up to 20 MB, as a bot that is let in."""
    options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel("{}:{}".format(*address), options=options) as channel:
        connect = channel.stream_stream("/cutpurse.v1.BotService/Connect", bytes, bytes)
        for size in (65_537, 262_145, 20_000_000):
            with pytest.raises(grpc.RpcError) as refused:
                list(connect(iter([b"x" * size]), metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE_S))
            error: Any = refused.value
            assert error.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT)


def flood_unread(address: tuple[str, int], token: str) -> None:
    """Thousands of choices in matches that are not there, on a stream whose replies nobody reads."""
    choices = [match_pb2.Choice(match="m" * 200, request_id=b"1", index=0)] * 200
    frames = [bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1))]
    frames += [bot_pb2.ConnectRequest(choices=choices)] * 100
    with grpc.insecure_channel("{}:{}".format(*address)) as channel:
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        calls = [stub.Connect(iter(frames), metadata=(("authorization", f"Bearer {token}"),)) for _ in range(4)]
        for call in calls:
            # Streams beyond a bot's share are refused.
            with suppress(grpc.RpcError):
                next(iter(call), None)
            call.cancel()


def open_many_streams(address: tuple[str, int], token: str) -> None:
    """Streams that never say Hello, and calls with tokens that are none."""
    with grpc.insecure_channel("{}:{}".format(*address)) as channel:
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        calls = []
        for number in range(300):
            shown = token if number % 2 else f"guessed-{number}"
            calls.append(stub.Connect(_silence(), metadata=(("authorization", f"Bearer {shown}"),)))
        for call in calls:
            call.cancel()


def _silence() -> Iterator[bot_pb2.ConnectRequest]:
    """No frame for a while, and then no more."""
    time.sleep(0.5)
    yield from ()


ATTACKS: tuple[Attack, ...] = (stay_idle, say_garbage, send_huge_frames, flood_unread, open_many_streams)


def memory_mb(process: int) -> int:
    """The resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of another process' memory this way")
async def test_attackers_disturb_nobody_and_learn_nothing(marked: Marked, tmp_path: Path) -> None:
    service = Service(marked, tmp_path)
    service.until_it_serves()
    tokens, ids = enter(service, MATCHES)
    host, _, port = service.address.rpartition(":")
    before_mb = memory_mb(service.process.pid)
    clients = dial_in(marked, tmp_path, [service.address], tokens, MATCHES)

    for attack in ATTACKS:
        # With the token of a bot that plays at the same time: its own streams are the nearest to suffer.
        attack((host, int(port)), tokens["cat"])
        print(attack.__name__, memory_mb(service.process.pid), "MB")

    for bot, client in clients.items():
        assert client.wait(PATIENCE_S * 2) == 0, (tmp_path / f"{bot}.log").read_text()
    assert memory_mb(service.process.pid) < before_mb + GROWTH_MB_MAX
    service.stop()
    logs = await read_matches(service.log)
    assert logs.keys() == set(ids)
    for bot in BOTS:
        assert check_ledger(bot, tmp_path / bot, logs)["acknowledged"]
    assert not any(log.defaulted for log in logs.values())
    for secret in (*tokens.values(), SEED, "guessed-", " take ", "play GD", "Traceback"):
        assert secret not in service.printed
