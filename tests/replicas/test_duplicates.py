"""Answers delivered several times, in any order, to any of three replicas: one effect each, and the same reply.

CUTPURSE_DUPLICATES says how many deliveries the long form makes.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.test_duplicates import LONG_DELIVERIES, MATCHES, SEED, deliver_matches
from tests.server.service.arena import Arena

pytestmark = pytest.mark.postgresql


async def test_answers_delivered_to_any_of_three_replicas_have_one_effect_each(replicas: list[Arena]) -> None:
    counted = await deliver_matches(replicas, SEED)

    assert counted["intents"] >= MATCHES * 30
    assert counted["deliveries"] >= 5 * counted["intents"]
    assert counted["torn"]


@pytest.mark.long
@pytest.mark.timeout(7_200)
async def test_very_many_deliveries_to_three_replicas_have_one_effect_for_each_answer(replicas: list[Arena]) -> None:
    total: Counter[str] = Counter()
    rounds = 0
    while total["deliveries"] < LONG_DELIVERIES:
        total += await deliver_matches(replicas, f"{SEED}/{rounds}", 60)
        rounds += 1
    print(dict(total))
