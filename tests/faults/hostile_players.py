"""Bots at a service of its own process: honest ones that measure their turns, and hostile ones of three kinds.

    python hostile_players.py honest|spamming|unreading|storming ADDRESS SECONDS < TOKENS

Tokens are read line by line, `BOT TOKEN`. All bots of a kind share a process. Honest ones answer whatever they are
asked for so long, and print, as JSON, how often they were dropped and how long turns took in milliseconds, from an
answer to the next decision of the match.
"""

from __future__ import annotations

import asyncio
import json
import sys
from time import monotonic
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2, match_pb2_grpc

HELLO = bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1, wants_resolved=True))
_OPTIONS = (("grpc.use_local_subchannel_pool", 1),)
_THOUGHT_S = 0.05
"""An honest bot thinks, so that the service has something left to give."""
_answered_s: dict[str, float] = {}
"""By match: when one of the honest bots, all of which are here, answered last."""


def metadata(token: str) -> Any:
    """What a bot shows."""
    return (("authorization", f"Bearer {token}"),)


async def honest(address: str, token: str, until_s: float) -> dict[str, Any]:
    """Answer every decision; how long each turn took that ended here, and how often the stream broke."""
    turns_ms: list[float] = []
    dropped = 0
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        call: Any = bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=metadata(token))
        await call.write(HELLO)
        try:
            async with asyncio.timeout(until_s - monotonic()):
                while (frame := await call.read()) is not grpc.aio.EOF:
                    answer = bot_pb2.ConnectRequest(readies=[bot_pb2.Ready(match=each.match) for each in frame.offers])
                    for decision in frame.decisions:
                        if (said_s := _answered_s.pop(decision.match, None)) is not None:
                            turns_ms.append((monotonic() - said_s) * 1_000)
                        request_id = f"{decision.match}/{decision.decision}".encode()
                        answer.choices.add(
                            match=decision.match, decision=decision.decision, request_id=request_id, index=0
                        )
                    if answer.choices:
                        await asyncio.sleep(_THOUGHT_S)
                        _answered_s.update((choice.match, monotonic()) for choice in answer.choices)
                    if answer.choices or answer.readies:
                        await call.write(answer)
                dropped += 1
        except TimeoutError:
            call.cancel()
        except grpc.aio.AioRpcError:
            dropped += 1
    return {"turns_ms": turns_ms, "dropped": dropped}


async def spamming(address: str, token: str, until_s: float) -> dict[str, Any]:
    """Answers to matches that are not there, stale ones, and calls, as fast as they are taken."""
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        while monotonic() < until_s:
            call: Any = bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=metadata(token))
            stub: Any = match_pb2_grpc.MatchServiceStub(channel)
            try:
                await call.write(HELLO)
                reading = asyncio.create_task(_read_all(call))
                while monotonic() < until_s:
                    choices = [match_pb2.Choice(match="m", decision=1, request_id=b"%d" % each) for each in range(200)]
                    await call.write(bot_pb2.ConnectRequest(choices=choices))
                    await stub.GetMatch(match_pb2.GetMatchRequest(match="m"), metadata=metadata(token))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await asyncio.sleep(0.01)
            finally:
                call.cancel()
                reading.cancel()
    return {}


async def _read_all(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def unreading(address: str, token: str, until_s: float) -> dict[str, Any]:
    """Full frames on a stream whose replies are never read."""
    async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
        while monotonic() < until_s:
            call: Any = bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=metadata(token))
            try:
                async with asyncio.timeout(until_s - monotonic()):
                    await call.write(HELLO)
                    while True:
                        choices = [match_pb2.Choice(match="m" * 60, decision=1, request_id=b"1")] * 250
                        await call.write(bot_pb2.ConnectRequest(choices=choices))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError):
                await asyncio.sleep(0.01)
            finally:
                call.cancel()
    return {}


async def storming(address: str, token: str, until_s: float) -> dict[str, Any]:
    """New connections all the time, some of which say Hello, and all of which are thrown away."""
    while monotonic() < until_s:
        async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
            calls = [bot_pb2_grpc.BotServiceStub(channel).Connect(metadata=metadata(token)) for _ in range(6)]
            for call in calls[:5]:
                try:
                    await call.write(HELLO)
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    continue
            await asyncio.sleep(0.02)
            for call in calls:
                call.cancel()
    return {}


KINDS = {each.__name__: each for each in (honest, spamming, unreading, storming)}


async def play(kind: str, address: str, seconds: float, tokens: list[str]) -> list[dict[str, Any]]:
    """All bots of a kind for so long."""
    until_s = monotonic() + seconds
    return await asyncio.gather(*(KINDS[kind](address, token, until_s) for token in tokens))


if __name__ == "__main__":
    chosen, where, how_long = sys.argv[1:]
    shown = [line.split()[1] for line in sys.stdin]
    print(json.dumps(asyncio.run(play(chosen, where, float(how_long), shown))))
