"""Bots at any replica whose streams are read all the time, so that a test may stop in the middle of a match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, match_pb2
from tests.server.service.arena import PATIENCE_S, Arena, BotStream, eventually

__all__ = ["Player", "play", "seated"]


class Player:
    """One stream of a bot."""

    def __init__(self, stream: BotStream, first_request: int = 0) -> None:
        """`first_request` keeps the request ids of a second stream of one bot apart from those of the first."""
        self.stream = stream
        stream._requests = first_request
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        # `read` gives up a silent stream after a while; no test takes so long.
        try:
            while await self.stream.read():
                pass
        except (grpc.aio.AioRpcError, TimeoutError):
            return

    def waiting(self, kind: str, match: str) -> Any:
        """The first part of a kind of a match that was not taken yet, or None."""
        return next((each for found, each in self.stream.parts if found == kind and each.match == match), None)

    async def next(self, kind: str, match: str) -> Any:
        """The next part of a kind of a match."""
        await eventually(lambda: self.waiting(kind, match) is not None)
        part = self.waiting(kind, match)
        self.stream.parts.remove((kind, part))
        return part

    async def answer(self, decision: match_pb2.Decision) -> None:
        """Answer a decision and wait for the acknowledgement."""
        choice = self.stream.choice(decision)
        await self.stream.say(choices=[choice])
        while (await self.next("accepted", decision.match)).request_id != choice.request_id:
            pass
        assert self.waiting("refused", decision.match) is None


async def seated(match_at: Arena, bots_at: dict[str, Arena], **settings: Any) -> tuple[str, dict[str, Player]]:
    """A match created at one replica, its bots connected to others and ready."""
    players = {bot: Player(await arena.dial(bot)) for bot, arena in bots_at.items()}
    match = await match_at.create(list(bots_at), **settings)
    for player in players.values():
        await player.next("offers", match)
        await player.stream.say(readies=[bot_pb2.Ready(match=match)])
    return match, players


async def play(players: Iterable[Player], match: str, enough: Callable[[int], bool] = lambda _: False) -> int:
    """Answer whatever is asked until the match is over, or enough answers were given; how many there were."""
    given = 0
    everybody = list(players)
    async with asyncio.timeout(PATIENCE_S * 2):
        while not enough(given) and any(player.waiting("ended", match) is None for player in everybody):
            asked = next((player for player in everybody if player.waiting("decisions", match) is not None), None)
            if asked is None:
                await asyncio.sleep(0.002)
                continue
            await asked.answer(await asked.next("decisions", match))
            given += 1
    return given
