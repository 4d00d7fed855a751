"""Decisions through the service, bots included: a service process on a durable log, and a process of eight bots.

The service begins a new match whenever one ends, so that a given number always runs. The bots answer at random, by
index, over one stream each, and write all answers that are due in one frame.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import typer

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2
from cutpurse_server.bench.processes import percentile, serve_until_told
from cutpurse_server.identity import Role
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import Clock, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.serve import Service, log_of, running_service
from cutpurse_server.whereabouts import configure_logs

__all__ = ["BOTS"]

BOTS = 8
_PLAYERS = 4
_WARM_UP_S = 1.0


class _Matchmaker:
    """Keeps a number of matches running."""

    def __init__(self, service: Service, game: str) -> None:
        self._service = service
        self._game = game
        self._count = 0
        self._beginning: set[asyncio.Task[None]] = set()
        service.desk.observe(self)

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        if after.over:
            task = asyncio.create_task(self.begin())
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)

    async def begin(self) -> None:
        number = self._count
        self._count += 1
        seats = [SeatIdentity(f"bot-{(number + 2 * seat + seat // 2) % BOTS}", "bench") for seat in range(_PLAYERS)]
        now_ms = self._service.log.now_ms()
        await self._service.desk.begin(begin_match(f"bench-{number}", self._game, {}, Clock(), seats, now_ms))


async def _serve(log: str, game: str, matches: int) -> None:
    configure_logs("error")
    with tempfile.TemporaryDirectory(prefix="cutpurse-bench-") as folder:
        address = log or f"sqlite:{Path(folder) / 'log.sqlite'}"
        async with running_service(log_of(address)) as service:
            tokens = []
            for number in range(BOTS):
                await service.registry.register_bot(f"bot-{number}", "bench")
                tokens.append((await service.registry.issue_token(Role.BOT, f"bot-{number}", 0))[0])
            matchmaker = _Matchmaker(service, game)
            for _ in range(matches):
                await matchmaker.begin()
            await serve_until_told({"address": service.addresses[0], "tokens": tokens})


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


async def _measure(address: str, tokens: Sequence[str], seconds: float) -> dict[str, float]:
    bots = _Bots()
    async with grpc.aio.insecure_channel(address) as channel:
        playing = [asyncio.create_task(bots.play(channel, token, seed)) for seed, token in enumerate(tokens)]
        await asyncio.sleep(_WARM_UP_S)
        for task in playing:
            if task.done():
                task.result()
        bots.measuring, begun = True, time.perf_counter()
        await asyncio.sleep(seconds)
        bots.measuring, wall = False, time.perf_counter() - begun
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
        run_on_fast_loop(_serve(sys.argv[2], sys.argv[3], int(sys.argv[4])))
    else:
        figures = run_on_fast_loop(_measure(sys.argv[2], json.loads(sys.argv[3]), float(sys.argv[4])))
        typer.echo(json.dumps(figures))
