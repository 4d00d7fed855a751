"""Duplicate, reordered and lost requests: as many effects as there were answers, and the same reply to each copy.

A seed that failed is played again by CUTPURSE_DUPLICATES_SEED=…; CUTPURSE_DUPLICATES says how many deliveries the long
form makes.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.matches import deciding
from cutpurse_server.matches.replies import Accepted, Answered, Replies
from cutpurse_server.servicers import bots, connection, matches
from cutpurse_server.wire.decisions import accepted_to_frame
from tests.acceptance.logs import MatchLog
from tests.faults.duplicates import BOTS, Post, Violation
from tests.server.service.arena import Arena, clock, open_arena

SEED = os.environ.get("CUTPURSE_DUPLICATES_SEED", "1")
LONG_DELIVERIES = int(os.environ.get("CUTPURSE_DUPLICATES", "1000000"))
MATCHES = 12
"""Matches that are played beside each other."""
GENEROUS = clock(decision_ms=600_000, warm_up_ms=600_000, strikes_max=1)
OPTIONS: dict[str, dict[str, Any]] = {
    "art_robbery": {"heist_turn_limit": "6"},
    "big_max": {"turn_limit": "45"},
    "shadow_thief": {"deals": "3"},
}
"""By game, options under which a match is over soon, but not at once."""


async def deliver_matches(arenas: Sequence[Arena], seed: str, number: int = MATCHES) -> Counter[str]:
    """Play some matches of every game, each answer delivered several times; what was counted."""
    print(f"CUTPURSE_DUPLICATES_SEED={seed}")
    games = sorted(GAMES)
    created = []
    for each in range(number):
        game = games[each % len(games)]
        arena = arenas[each % len(arenas)]
        seats = [*BOTS[each % 3 :], *BOTS[: each % 3]]
        request_id = f"{seed}/{each}".encode()
        created.append(
            await arena.create(
                seats, game=game, seed=f"{seed}/{each}", clock=GENEROUS, request_id=request_id, **OPTIONS.get(game, {})
            )
        )
    async with Post(arenas, seed) as post:
        await post.deliver(created)
    desk = arenas[-1].service.desk
    post.check([MatchLog(await desk.events_of(match)) for match in created])
    print(dict(post.counted))
    return post.counted


async def test_answers_delivered_several_times_in_any_order_have_one_effect_each() -> None:
    async with open_arena() as arena:
        counted = await deliver_matches([arena], SEED)

    assert counted["intents"] >= MATCHES * 30
    assert counted["deliveries"] >= 5 * counted["intents"]
    assert counted["calls"]
    assert counted["lost"]
    assert counted["torn"]


@pytest.mark.long
@pytest.mark.timeout(7_200)
async def test_very_many_deliveries_have_one_effect_for_each_answer() -> None:
    total: Counter[str] = Counter()
    rounds = 0
    async with open_arena() as arena:
        while total["deliveries"] < LONG_DELIVERIES:
            total += await deliver_matches([arena], f"{SEED}/{rounds}", 60)
            rounds += 1
    print(dict(total))


def forget_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service knows no answer again."""
    really = deciding.choose

    def choose(draft: deciding.Draft, *rest: Any) -> object:
        draft.record.replies = Replies()
        return really(draft, *rest)

    for module in (bots, matches):
        monkeypatch.setattr(module, "choose", choose)


def forget_one_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service knows no answer of the second seat again."""
    really = deciding.choose

    def choose(draft: deciding.Draft, seat: Any, *rest: Any) -> object:
        known, draft.record.replies = draft.record.replies, Replies()
        for other, request_id in known:
            if other != 1:
                draft.record.replies.add(other, request_id, cast("Answered", known.get(other, request_id)))
        return really(draft, seat, *rest)

    for module in (bots, matches):
        monkeypatch.setattr(module, "choose", choose)


def number_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply over a stream says how many there were."""
    numbers = iter(range(1, 1_000_000))

    def numbered(match: str, reply: Accepted) -> bytes:
        return accepted_to_frame(match, reply._replace(decision=next(numbers)))

    monkeypatch.setattr(connection, "accepted_to_frame", numbered)


PLANTS: list[Callable[[pytest.MonkeyPatch], None]] = [forget_requests, forget_one_seat, number_replies]


@pytest.mark.interpreted
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
async def test_a_planted_fault_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_arena() as arena:
        plant(monkeypatch)
        with pytest.raises(Violation):
            async with asyncio.timeout(30):
                await deliver_matches([arena], SEED, 3)
