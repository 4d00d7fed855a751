"""Connections that the service ends because they have become too old: nobody is charged, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

import cutpurse_sdk
from cutpurse_server import serve
from cutpurse_server.cli.remote import CallFailed, Organiser
from cutpurse_server.log.memory import MemoryLog
from tests.acceptance.logs import MatchLog
from tests.faults.network_clients import choice_to
from tests.server.service.arena import Arena, clock, eventually, open_arena
from tests.server.tournaments.scripted_desk import manifest

BOTS = ("ann", "ben")
AGE_MS = 250


def shorten_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let connections become too old soon."""
    lives = {"grpc.max_connection_age_ms": AGE_MS, "grpc.max_connection_age_grace_ms": 100}
    options: dict[str, Any] = dict(serve._OPTIONS)
    assert lives.keys() <= options.keys()
    monkeypatch.setattr(serve, "_OPTIONS", tuple((options | lives).items()))


async def test_the_age_of_a_connection_costs_a_bot_of_the_sdk_nothing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten_lives(monkeypatch)
    answers: dict[str, list[str]] = {bot: [] for bot in BOTS}

    def chooser(bot: str) -> cutpurse_sdk.Choose:
        async def choose(decision: cutpurse_sdk.Decision) -> str:
            # Some decisions are asked by one connection and answered over the next.
            await asyncio.sleep(0.05)
            answer = choice_to(bot, decision.match, decision.decision, decision.legal).notation
            answers[bot].append(answer)
            return answer

        return choose

    async with open_arena() as arena:
        strict = clock(decision_ms=30_000, strikes_max=1)
        match = await arena.create(BOTS, clock=strict, heist_turn_limit="12")
        played = await asyncio.gather(
            *(
                cutpurse_sdk.play(chooser(bot), address=arena.address, token=arena.tokens[bot], matches=1)
                for bot in BOTS
            )
        )
        log = MatchLog(await arena.service.desk.events_of(match))

    assert caplog.text.count("dialling in again") >= 4, "connections were ended again and again"
    assert [each.refused for each in played] == [0, 0]
    assert not log.defaulted
    for bot in BOTS:
        assert [made.notation for made in log.choices_of(bot).values()] == answers[bot]


async def test_whoever_watches_a_tournament_by_the_command_goes_on_over_the_next_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[dict[str, Any]] = []

    def ask(arena: Arena, what: Callable[[Organiser], object]) -> Awaitable[None]:
        def asked() -> None:
            with grpc.insecure_channel(arena.address) as channel:
                what(Organiser(channel, arena.address, arena.tokens["organiser"]))

        return asyncio.to_thread(asked)

    def listen(organiser: Organiser) -> None:
        for each in organiser.watch("cup"):
            heard.append(each)

    log = MemoryLog()
    async with open_arena(log) as arena:
        await ask(arena, lambda organiser: organiser.create(manifest(players=2)))
    shorten_lives(monkeypatch)
    async with open_arena(log, tokens=arena.tokens) as arena:
        watching = asyncio.ensure_future(ask(arena, lambda organiser: listen(organiser)))
        await eventually(lambda: len(heard) >= 4)
        assert not watching.done()

    # It ends when the service says that it does.
    with pytest.raises(CallFailed, match="DRAINING"):
        await watching
