"""The floor of everything that goes over the network: a bare bidirectional echo on grpc.aio and uvloop.

Run as a module it is the server or the client of the measurement, each a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import grpc
import typer
from google.protobuf.wrappers_pb2 import BytesValue

from cutpurse_server.bench.processes import percentile, serve_until_told
from cutpurse_server.loops import run_on_fast_loop

__all__ = ["PAYLOAD_BYTES"]

PAYLOAD_BYTES = 290
_METHOD = "/echo/Chat"
_WARM_UP_S = 0.3


async def _echo(_: Any, context: Any) -> None:
    read, write = context.read, context.write
    while (message := await read()) is not grpc.aio.EOF:
        await write(message)


async def _serve() -> None:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler = grpc.stream_stream_rpc_method_handler(_echo, BytesValue.FromString, BytesValue.SerializeToString)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo", {"Chat": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await serve_until_told({"address": f"127.0.0.1:{port}"})
    await server.stop(0)


async def _measure(address: str, streams: int, seconds: float) -> dict[str, float]:
    latencies: list[float] = []
    measuring = False
    over = False

    async def chat(channel: grpc.aio.Channel) -> None:
        call = channel.stream_stream(_METHOD, BytesValue.SerializeToString, BytesValue.FromString)()
        payload = bytes(PAYLOAD_BYTES)
        while not over:
            begun = time.perf_counter()
            await call.write(BytesValue(value=payload))
            await call.read()
            if measuring:
                latencies.append(time.perf_counter() - begun)
        await call.done_writing()
        await call.read()

    async with grpc.aio.insecure_channel(address) as channel:
        chats = [asyncio.create_task(chat(channel)) for _ in range(streams)]
        await asyncio.sleep(_WARM_UP_S)
        measuring, begun = True, time.perf_counter()
        await asyncio.sleep(seconds)
        measuring, wall = False, time.perf_counter() - begun
        over = True
        await asyncio.wait(chats)
    return {
        "per_s": len(latencies) / wall,
        "p50_us": percentile(latencies, 0.5) * 1e6,
        "p99_us": percentile(latencies, 0.99) * 1e6,
    }


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        run_on_fast_loop(_serve())
    else:
        typer.echo(json.dumps(run_on_fast_loop(_measure(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))))
