"""Whole matches through a network that delays, throttles, cuts, half-closes and swallows, as a seed says.

However often that happens: no acknowledged answer is lost or doubled, the same request gets the same reply byte for
byte, nobody is charged for it, and every match comes to its end.

A seed that failed is played again by CUTPURSE_NETWORK_SEED=…; CUTPURSE_NETWORK_SEEDS says how many the long form plays,
and CUTPURSE_NETWORK_FIRST from which number on, so that they can be played in portions.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_sdk import settings
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import deciding
from cutpurse_server.matches.replies import Accepted, Replies
from cutpurse_server.servicers import bots, connection, matches
from cutpurse_server.wire.decisions import accepted_to_frame
from cutpurse_server.wire.matches import accepted_to_proto
from tests.acceptance.logs import MatchLog
from tests.faults import network_clients
from tests.faults.network_clients import CLIENTS, Client, SDKBot, StreamBot, UnaryBot, Violation
from tests.faults.proxy import Fault, FaultyProxy, Kind, Plan, planned
from tests.server.service.arena import clock, open_arena

SEED = os.environ.get("CUTPURSE_NETWORK_SEED")
LONG_SEEDS = int(os.environ.get("CUTPURSE_NETWORK_SEEDS", "2000"))
LONG_FIRST = int(os.environ.get("CUTPURSE_NETWORK_FIRST", "0"))
AT_ONCE = 6
"""Matches of the long form that are played beside each other."""
MATCH_S_MAX = 90
BOTS = ("ann", "ben", "cat")
OPTIONS: dict[str, dict[str, Any]] = {
    "art_robbery": {"heist_turn_limit": "6"},
    "big_max": {"turn_limit": "45"},
    "shadow_thief": {"deals": "2"},
}
"""By game, options under which a match is over soon, but not at once."""
GENEROUS = clock(decision_ms=120_000, warm_up_ms=120_000, strikes_max=1)


def clients_of(seed: str) -> list[type[SDKBot] | type[StreamBot] | type[UnaryBot]]:
    """The kinds of bots at the table, seat by seat."""
    first = sum(seed.encode()) % len(CLIENTS)
    return [*CLIENTS[first:], *CLIENTS[:first]]


async def play_through(seed: str, plan_of: Callable[[str], Plan] = planned, log: Log | None = None) -> Counter[str]:
    """One match of three kinds of bots, each behind a proxy of its own; what was counted. Raises `Violation`."""
    game = sorted(GAMES)[sum(seed.encode()) // len(CLIENTS) % len(GAMES)]
    struck: Counter[Kind] = Counter()
    async with open_arena(log or MemoryLog()) as arena, AsyncExitStack() as stack:
        match = await arena.create(BOTS, game=game, seed=seed, clock=GENEROUS, **OPTIONS.get(game, {}))
        clients: list[Client] = []
        proxies = []
        for bot, kind in zip(BOTS, clients_of(seed), strict=True):
            proxy = await stack.enter_async_context(FaultyProxy(arena.address, plan_of(f"{seed}/{bot}")))
            proxies.append(proxy)
            clients.append(kind(bot, proxy.address, arena.tokens[bot], match))
        async with asyncio.timeout(MATCH_S_MAX):
            await asyncio.gather(*(client.play() for client in clients))
        for proxy in proxies:
            struck.update(proxy.struck)
        played = MatchLog(await arena.service.desk.events_of(match))
    played.check_order()
    counted = Counter({f"{kind.value}s": times for kind, times in struck.items()})
    for client in clients:
        counted["acknowledged"] += client.check(played)
        counted["repeated"] += client.repeated
    assert played.record.outcome is not None, "a match without an end"
    assert not any(played.faults_of(bot) for bot in BOTS), "somebody was charged for the network"
    return counted + Counter(matches=1)


async def play_all(seeds: Iterable[str], at_once: int) -> Counter[str]:
    """A match for each seed, some beside each other; those that fail are named."""
    waiting = iter(seeds)
    counted: Counter[str] = Counter()
    failures: list[Exception] = []

    async def play_one_after_the_other() -> None:
        for seed in waiting:
            try:
                counted.update(await play_through(seed))
            except Exception as error:
                print(f"CUTPURSE_NETWORK_SEED={seed!r} {error!r}")
                failures.append(error)

    await asyncio.gather(*(play_one_after_the_other() for _ in range(at_once)))
    print(dict(counted))
    if failures:
        raise ExceptionGroup("seeds failed", failures)
    return counted


async def bad_networks(seeds: Sequence[str]) -> None:
    """Play some seeds, or the one that is to be played again."""
    counted = await play_all([SEED] if SEED else seeds, AT_ONCE)

    if not SEED:
        assert counted["matches"] == len(seeds)
        assert counted["acknowledged"] >= len(seeds) * 30
        assert counted["repeated"] >= len(seeds) * 5
        assert all(counted[f"{kind.value}s"] for kind in Kind if kind is not Kind.NONE), "a fault that never struck"


async def test_a_bad_network_loses_and_doubles_no_acknowledged_answer() -> None:
    await bad_networks([f"network {number}" for number in range(6)])


@pytest.mark.slow
async def test_many_bad_networks_lose_and_double_nothing() -> None:
    await bad_networks([f"slow {number}" for number in range(30)])


async def test_a_bad_network_does_not_matter_to_a_log_in_a_file(tmp_path: Path) -> None:
    counted = await play_through("file 1", log=SQLiteLog(tmp_path / "log.sqlite"))

    assert counted["acknowledged"] >= 20


@pytest.mark.long
@pytest.mark.timeout(7_200)
async def test_very_many_bad_networks_lose_and_double_nothing() -> None:
    await bad_networks([f"long {number}" for number in range(LONG_FIRST, LONG_FIRST + LONG_SEEDS)])


@pytest.mark.parametrize("kind", list(Kind))
async def test_each_fault_alone_is_survived_by_every_kind_of_bot(kind: Kind) -> None:
    def plan_of(_: str) -> Plan:
        # Within the first frames, within the match, and then no more.
        places = (20, 400, 1_500, 4_000)
        return lambda number: Fault(kind if number < len(places) else Kind.NONE, False, places[number % 4], 0.01)

    counted = await play_through("alone", plan_of)

    assert counted["acknowledged"] >= 20
    assert kind is Kind.NONE or counted[f"{kind.value}s"] >= 3


def cut_in_every_reply(_: str) -> Plan:
    """Cuts soon after each other, so that many a reply is lost."""
    return lambda number: Fault(Kind.CUT if number < 40 else Kind.NONE, False, 600 + 53 * number)


def forget_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service knows no answer again."""
    really = deciding.choose

    def choose(draft: deciding.Draft, *rest: object) -> object:
        draft.record.replies = Replies()
        return really(draft, *rest)  # type: ignore[arg-type]

    for module in (bots, matches):
        monkeypatch.setattr(module, "choose", choose)


def number_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply says how many have been made."""
    numbers = iter(range(1, 1_000_000))

    def numbered(really: Callable[[str, Accepted], object]) -> Callable[[str, Accepted], object]:
        return lambda match, reply: really(match, reply._replace(decision=next(numbers)))

    monkeypatch.setattr(connection, "accepted_to_frame", numbered(accepted_to_frame))
    monkeypatch.setattr(matches, "accepted_to_proto", numbered(accepted_to_proto))


def make_new_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot of stubs takes another request id whenever it is asked again."""
    really = network_clients.choice_to
    made = iter(range(1_000_000))

    def choice_to(*asked: object) -> object:
        choice = really(*asked)  # type: ignore[arg-type]
        choice.request_id = b"%16d" % next(made)
        return choice

    monkeypatch.setattr(network_clients, "choice_to", choice_to)


@pytest.mark.parametrize("plant", [forget_requests, number_replies, make_new_ids], ids=lambda plant: plant.__name__)
async def test_a_planted_fault_is_noticed(plant: Callable[[pytest.MonkeyPatch], None]) -> None:
    noticed = []
    for number in range(12):
        with pytest.MonkeyPatch.context() as planting:
            plant(planting)
            try:
                await play_through(f"planted {number}", cut_in_every_reply)
            except Violation as violation:
                noticed.append(violation)
                break

    assert noticed


async def test_a_connection_that_died_in_silence_is_noticed_by_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    # The SDK's own half a minute would make a long test.
    quicker = {"grpc.keepalive_time_ms": 500, "grpc.keepalive_timeout_ms": 700, "grpc.http2.ping_timeout_ms": 700}
    options = [(name, quicker.get(name, value)) for name, value in settings._CHANNEL_OPTIONS]
    assert quicker.keys() <= dict(options).keys()
    monkeypatch.setattr(settings, "_CHANNEL_OPTIONS", options)

    counted = await play_silently()

    assert counted[f"{Kind.BLACKHOLE.value}s"] == 1


@pytest.mark.slow
async def test_without_a_look_at_the_connection_its_silent_death_would_not_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = [
        (name, value) for name, value in settings._CHANNEL_OPTIONS if "keepalive" not in name and "ping" not in name
    ]
    monkeypatch.setattr(settings, "_CHANNEL_OPTIONS", options)

    with pytest.raises(TimeoutError):
        await play_silently()


async def play_silently() -> Counter[str]:
    """A match in which the SDK's first connection dies without anybody's being told; at most a few seconds of it."""

    def plan_of(name: str) -> Plan:
        dies = name.endswith("ann")
        return lambda number: Fault(Kind.BLACKHOLE if dies and not number else Kind.NONE, False, 1_500, 3_600)

    # This seed gives the first seat to the SDK.
    assert clients_of("quiet")[0] is SDKBot
    async with asyncio.timeout(6):
        return await play_through("quiet", plan_of)
