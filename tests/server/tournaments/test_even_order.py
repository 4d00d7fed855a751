"""The order of all tables of a round in which nobody is ever ahead by more than one."""

import random
from itertools import combinations

import pytest

from cutpurse_server.tournaments.formats.even_order import even_order

SIZES = [(entrants, players) for players in range(1, 9) for entrants in range(players, 13)] + [
    (30, 2),
    (31, 2),
    (18, 3),
]


@pytest.mark.parametrize(("entrants", "players"), SIZES)
def test_at_every_place_entrants_differ_by_one_at_most_and_every_table_is_there_once(
    entrants: int, players: int
) -> None:
    tried = random.Random(f"{entrants} {players}")

    order = even_order(entrants, players, lambda _, places: tried.sample(range(places), places))

    assert sorted(order) == list(combinations(range(entrants), players))
    sat = [0] * entrants
    for table in order:
        for each in table:
            sat[each] += 1
        assert max(sat) - min(sat) <= 1


def test_the_lot_decides_what_is_free() -> None:
    orders = set()
    for seed in range(50):
        tried = random.Random(seed)
        orders.add(tuple(even_order(6, 3, lambda _, places, tried=tried: tried.sample(range(places), places))))  # type: ignore[misc]

    assert len(orders) == 50
