"""A ladder's ratings: those of the published rule, whatever the order of results within a period."""

import math
import random
from decimal import Decimal, localcontext

import pytest

from cutpurse_server.tournaments.blocks import Block, BlockKey
from cutpurse_server.tournaments.events import BlockCompleted, Entrant
from cutpurse_server.tournaments.formats.ladder import START, after_period
from tests.server.tournaments.folded import completed


def table(number: int, members: list[int], places: list[int]) -> tuple[list[int], BlockCompleted]:
    """A table whose bots were placed so in all matches of the block."""
    placed = {f"b{member}": place for member, place in zip(members, places, strict=True)}
    block = Block(BlockKey(1, number), number, tuple(Entrant(f"b{member}", "o") for member in members))
    return members, completed(block, lambda bots: [placed[bot] for bot in bots])


def in_floats(places: list[int]) -> list[tuple[float, float]]:
    """Means and deviations after one table of newcomers, by the formulas of Weng and Lin's algorithm 1 in floats."""
    variance, beta2 = (25 / 3) ** 2 + 1 / 144, (25 / 6) ** 2
    after = []
    for own, place in enumerate(places):
        omega = delta = 0.0
        for other, its in enumerate(places):
            if other == own:
                continue
            c = math.sqrt(2 * variance + 2 * beta2)
            p = 1 / (1 + math.exp(0 / c))
            score = 1.0 if place < its else 0.5 if place == its else 0.0
            omega += variance / c * (score - p)
            delta += math.sqrt(variance) / c * variance / c**2 * p * (1 - p)
        after.append((25 + omega, math.sqrt(variance * max(1 - delta, 1e-4))))
    return after


@pytest.mark.parametrize("places", [[1, 2], [2, 1], [1, 1], [1, 2, 3], [2, 1, 2], [1, 3, 1, 3, 5]])
def test_ratings_are_those_of_the_published_rule(places: list[int]) -> None:
    members = list(range(len(places)))

    after = after_period([START] * len(places), [table(1, members, places)])

    for rating, (mean, deviation) in zip(after, in_floats(places), strict=True):
        assert float(rating.mean) == pytest.approx(mean, abs=1e-12)
        assert math.sqrt(rating.variance) == pytest.approx(deviation, abs=1e-12)


def test_a_shared_first_place_never_loses_to_a_worse_one() -> None:
    after = after_period([START] * 3, [table(1, [0, 1, 2], [1, 1, 3])])

    assert after[0].mean == after[1].mean > after[2].mean


def test_the_order_of_tables_changes_nothing_but_the_last_digit() -> None:
    chance = random.Random(3)
    tables = [table(n, [n, n + 6], chance.choice([[1, 2], [2, 1], [1, 1]])) for n in range(6)]

    one = after_period([START] * 12, tables)

    assert one == after_period([START] * 12, tables[::-1])


def test_the_precision_that_somebody_else_set_changes_nothing() -> None:
    expected = after_period([START] * 3, [table(1, [0, 1, 2], [1, 2, 3])])

    with localcontext() as context:
        context.prec = 5
        found = after_period([START] * 3, [table(1, [0, 1, 2], [1, 2, 3])])

    assert found == expected


def test_who_does_not_play_becomes_less_certain() -> None:
    (rating,) = after_period([START], [])

    assert rating.mean == Decimal(25)
    assert rating.variance > START.variance
