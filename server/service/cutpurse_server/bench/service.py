"""Decisions through the service, bots included: replicas on one durable log, each a process, and one of eight bots.

Each replica begins a new match whenever one of its own ends, so that a given number always runs. The bots answer at
random, by index, over one stream each, and write all answers that are due in one frame. They dial in at the replicas
in turn, so that every match has bots at different ones.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import typer

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2
from cutpurse_server.bench.processes import percentile, serve_until_told
from cutpurse_server.identity import Role
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.matches import record
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import Clock, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.serve import Service, log_of, running_service
from cutpurse_server.whereabouts import configure_logs

__all__ = ["BOTS", "address_of", "bots_of"]

BOTS = 8
_PLAYERS = 4
_WARM_UP_S = 1.0


def bots_of(number: int) -> list[int]:
    """Which bots play a match, by seat."""
    return [(number + 2 * seat + seat // 2) % BOTS for seat in range(_PLAYERS)]


def address_of(bot: int, addresses: Sequence[str]) -> str:
    """At which replica a bot dials in."""
    return addresses[bot % len(addresses)]


class _Matchmaker:
    """Keeps a number of matches running; of several replicas, each begins its own."""

    def __init__(self, service: Service, game: str, replica: int, replicas: int) -> None:
        self._service = service
        self._game = game
        self._numbers = count(replica, replicas)
        self._running: set[str] = set()
        self._beginning: set[asyncio.Task[None]] = set()
        service.desk.observe(self)

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        if after.over and after.match in self._running:
            self._running.remove(after.match)
            self._service.desk.unfollow(after.match)
            if not self._service.desk.draining:
                task = asyncio.create_task(self.begin())
                self._beginning.add(task)
                task.add_done_callback(self._beginning.discard)

    async def begin(self) -> None:
        number = next(self._numbers)
        match = f"bench-{number}"
        seats = [SeatIdentity(f"bot-{bot}", "bench") for bot in bots_of(number)]
        # Its last decision may be made where none of our bots is.
        self._service.desk.follow(match)
        self._running.add(match)
        now_ms = self._service.log.now_ms()
        await self._service.desk.begin(begin_match(match, self._game, {}, Clock(), seats, now_ms))


async def _serve(log: str, game: str, matches: int, replica: int, replicas: int) -> None:
    configure_logs("error")
    with tempfile.TemporaryDirectory(prefix="cutpurse-bench-") as folder:
        address = log or f"sqlite:{Path(folder) / 'log.sqlite'}"
        async with running_service(log_of(address)) as service:
            # A bot is registered once, and its token is good at all replicas.
            tokens = await _tokens(service) if replica == 0 else []
            matchmaker = _Matchmaker(service, game, replica, replicas)
            for _ in range(replica, matches, replicas):
                await matchmaker.begin()
            facts = {"address": service.addresses[0], "tokens": tokens, "code": Path(record.__file__).suffix}
            await serve_until_told(facts)


async def _tokens(service: Service) -> list[str]:
    tokens = []
    for number in range(BOTS):
        await service.registry.register_bot(f"bot-{number}", "bench")
        tokens.append((await service.registry.issue_token(Role.BOT, f"bot-{number}", 0))[0])
    return tokens


class _Bots:
    """What the bots measure together."""

    def __init__(self) -> None:
        self.measuring = False
        self.accepted = 0
        self.turns: list[float] = []
        """Seconds from one decision of a match to its next, whoever is asked."""
        self.frames = 0
        self._seen: dict[str, float] = {}

    async def play(self, channel: grpc.aio.Channel, token: str, seed: int) -> None:
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        call = stub.Connect(metadata=(("authorization", f"Bearer {token}"),))
        await call.write(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1)))
        below = random.Random(seed).random
        counter = 0
        while (frame := await call.read()) is not grpc.aio.EOF:
            now = time.perf_counter()
            choices = []
            for decision in frame.decisions:
                counter += 1
                choices.append(
                    match_pb2.Choice(
                        match=decision.match,
                        decision=decision.decision,
                        request_id=counter.to_bytes(8, "big"),
                        index=int(below() * len(decision.legal)),
                    )
                )
            readies = [bot_pb2.Ready(match=offer.match) for offer in frame.offers]
            if choices or readies:
                await call.write(bot_pb2.ConnectRequest(readies=readies, choices=choices))
            if self.measuring:
                self._note(frame, now)
            assert not frame.refused, f"the bench's answers are legal: {frame.refused[0]}"

    def _note(self, frame: bot_pb2.ConnectResponse, now: float) -> None:
        self.frames += 1
        self.accepted += len(frame.accepted)
        for decision in frame.decisions:
            before = self._seen.get(decision.match)
            if before is not None:
                self.turns.append(now - before)
            self._seen[decision.match] = now
        for ended in frame.ended:
            self._seen.pop(ended.match, None)


async def _measure(addresses: Sequence[str], tokens: Sequence[str], seconds: float) -> dict[str, float]:
    bots = _Bots()
    async with AsyncExitStack() as open_channels:
        channels = {
            each: await open_channels.enter_async_context(grpc.aio.insecure_channel(each)) for each in addresses
        }
        playing = [
            asyncio.create_task(bots.play(channels[address_of(bot, addresses)], token, bot))
            for bot, token in enumerate(tokens)
        ]
        await asyncio.sleep(_WARM_UP_S)
        bots.measuring, begun = True, time.perf_counter()
        await asyncio.sleep(seconds)
        bots.measuring, wall = False, time.perf_counter() - begun
        # A bot that has ended was refused something, and what the others did is no measurement.
        for task in playing:
            if task.done():
                task.result()
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)
    return {
        "per_s": bots.accepted / wall,
        "p50_us": percentile(bots.turns, 0.5) * 1e6,
        "p99_us": percentile(bots.turns, 0.99) * 1e6,
        "choices_per_frame": bots.accepted / max(1, bots.frames),
    }


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        run_on_fast_loop(_serve(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:7])))
    else:
        figures = run_on_fast_loop(_measure(json.loads(sys.argv[2]), json.loads(sys.argv[3]), float(sys.argv[4])))
        typer.echo(json.dumps(figures))
