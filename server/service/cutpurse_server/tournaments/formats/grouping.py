"""Tables of neighbours: an order of entrants is cut into tables so that who should not meet does not, if possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from cutpurse_server.tournaments.formats.course import Table

__all__ = ["SAME_OWNER", "Avoid", "mended", "tables_of_neighbours"]

Avoid = Callable[[int, int], int]
"""How much two entrants should be kept apart: 0 not at all."""

SAME_OWNER = 1_000_000
"""More than all rematches of a table together can weigh: bots of one owner are kept apart first."""

_STEPS_PER_ENTRANT, _STEPS = 60, 20_000
_SWEEPS = 12


def tables_of_neighbours(order: Sequence[int], size: int, avoid: Avoid) -> list[Table]:
    """Tables of `size` of all entrants of an order, whose number it must divide; neighbours sit together.

    Nobody meets whom it should avoid if there is such a seating (found by search, which is exhaustive for small fields
    and bounded for large ones); else nobody meets a bot of its own owner, if that can be; else as little as swapping
    two bots at a time achieves.
    """
    assert len(order) % size == 0
    exact = _searched(order, size, lambda one, other: avoid(one, other) > 0)
    if exact is not None:
        return exact
    near = _searched(order, size, lambda one, other: avoid(one, other) >= SAME_OWNER)
    if near is None:
        near = [tuple(sorted(order[at : at + size])) for at in range(0, len(order), size)]
    return mended(near, avoid)


def mended(tables: Sequence[Table], avoid: Avoid) -> list[Table]:
    """The tables after as many swaps of two bots as make them better, nearest tables first."""
    seated = [list(table) for table in tables]
    for _ in range(_SWEEPS):
        swapped = [_mend_one(seated, at, avoid) for at in range(len(seated)) if _cost(seated[at], avoid)]
        if not any(swapped):
            break
    return [tuple(sorted(table)) for table in seated]


def _mend_one(seated: list[list[int]], at: int, avoid: Avoid) -> bool:
    """Make the one swap that helps a table, at the nearest other table where one does."""
    table = seated[at]
    for place in sorted(range(len(seated)), key=lambda each: abs(each - at)):
        other = seated[place]
        if place == at:
            continue
        before = _cost(table, avoid) + _cost(other, avoid)
        for one, two in ((one, two) for one in range(len(table)) for two in range(len(other))):
            table[one], other[two] = other[two], table[one]
            if _cost(table, avoid) + _cost(other, avoid) < before:
                return True
            table[one], other[two] = other[two], table[one]
    return False


def _cost(table: Sequence[int], avoid: Avoid) -> int:
    return sum(avoid(one, other) for one, other in combinations(table, 2))


def _searched(order: Sequence[int], size: int, forbidden: Callable[[int, int], bool]) -> list[Table] | None:
    """Tables without a forbidden pair, each of the nearest neighbours that allow it; None if the search finds none."""
    count = len(order)
    steps_left = _STEPS + _STEPS_PER_ENTRANT * count
    used = [False] * count
    seats: list[int] = []
    """Positions in the order, table by table."""

    def choices() -> Iterator[int]:
        """Positions that may take the next seat."""
        begun = len(seats) % size
        if not begun:
            # The first who is left opens the next table: no other way needs to be tried.
            yield next(at for at in range(seats[-size] if seats else 0, count) if not used[at])
            return
        table = seats[-begun:]
        for at in range(table[-1] + 1, count):
            if not used[at] and not any(forbidden(order[at], order[each]) for each in table):
                yield at

    ways = [choices()] if count else []
    while ways and len(seats) < count:
        steps_left -= 1
        if steps_left < 0:
            return None
        at = next(ways[-1], None)
        if at is None:
            ways.pop()
            if seats:
                used[seats.pop()] = False
            continue
        used[at] = True
        seats.append(at)
        if len(seats) < count:
            ways.append(choices())
    if len(seats) < count:
        return None
    return [tuple(sorted(order[at] for at in seats[first : first + size])) for first in range(0, count, size)]
