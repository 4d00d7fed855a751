"""All tables of a round in an order in which nobody is ever ahead of anybody by more than one table.

That there is such an order for every number of entrants and seats follows as Baranyai's theorem does, and its proof
makes it (A. E. Brouwer and A. Schrijver, Uniform hypergraphs, 1979). Places in the order begin as empty sets, and one
entrant after the other is added to as many of them as there are tables with it. After each, every set S stands at as
many places as there are tables at which, of the entrants so far, exactly those of S sit; and of the first places,
however many, every entrant so far is at as many as all of them would be on average, rounded down or up.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import comb

from cutpurse_server.tournaments.formats.course import Table

__all__ = ["even_order"]


def even_order(entrants: int, players: int, lot: Callable[[int, int], Sequence[int]]) -> list[Table]:
    """Every set of `players` of the numbers 0, 1, …, entrants − 1 once, each ascending.

    `lot` decides what is free: it gives the numbers below its second argument in the order in which places are tried
    for the entrant that is its first. Without it, whoever has seen the first tables could tell the next ones.
    """
    places: list[Table] = [()] * comb(entrants, players)
    for number in range(entrants):
        for at in _Addition(places, entrants - number, players, lot(number, len(places))).places():
            places[at] = (*places[at], number)
    return places


class _Addition:
    """To which places the next entrant is added: a matching of its turns with places.

    An entrant that were spread evenly would be at a place with the share of seats that are free there: free seats ÷
    entrants to come. Its turn t may be at those places where that sum passes from t to t + 1. So there is a solution in
    shares, and therefore one in whole places, which augmenting paths find: each turn takes a place, unless another turn
    has it, or the other turns have all that the set at it may grant.
    """

    def __init__(self, places: Sequence[Table], to_come: int, players: int, tried: Sequence[int]) -> None:
        self._places = places
        free = [players - len(each) for each in places]
        self._reach: list[list[int]] = [[] for _ in range(sum(free) // to_come)]
        """By turn: the places where it may be, in the order in which they are tried."""
        passed = 0
        for at, seats in enumerate(free):
            for turn in range(passed // to_come, -(-(passed + seats) // to_come)):
                self._reach[turn].append(at)
            passed += seats
        rank = {at: position for position, at in enumerate(tried)}
        for reach in self._reach:
            reach.sort(key=rank.__getitem__)
        stands = Counter(places)
        self._grants = {each: count * (players - len(each)) // to_come for each, count in stands.items()}
        """By set: at how many of its places the entrant is added."""
        self._taken: dict[Table, set[int]] = {each: set() for each in stands}
        """By set: the turns that are at its places."""
        self._turn_at: dict[int, int] = {}
        self._place_of: dict[int, int] = {}

    def places(self) -> list[int]:
        """By turn."""
        for turn in range(len(self._reach)):
            self._seat(turn)
        return [self._place_of[turn] for turn in range(len(self._reach))]

    def _seat(self, turn: int) -> None:
        """Give a turn a place; others move on for it, as few as possible."""
        moves: dict[int, tuple[int, int] | None] = {turn: None}
        """By turn that is asked to move: who would get which place then."""
        asked = deque([turn])
        exhausted: set[Table] = set()
        while True:
            mover = asked.popleft()
            for at in self._reach[mover]:
                holders: Sequence[int] = ()
                if at in self._turn_at:
                    holders = [self._turn_at[at]]
                elif len(self._taken[self._places[at]]) < self._grants[self._places[at]]:
                    return self._move(moves, mover, at)
                elif self._places[at] not in exhausted:
                    exhausted.add(self._places[at])
                    holders = sorted(self._taken[self._places[at]])
                for holder in holders:
                    if holder not in moves:
                        moves[holder] = (mover, at)
                        asked.append(holder)

    def _move(self, moves: dict[int, tuple[int, int] | None], mover: int, at: int) -> None:
        """The last one asked moves to a place that nobody has, and so on back to the first."""
        step: tuple[int, int] | None = (mover, at)
        while step is not None:
            mover, at = step
            before = self._place_of.get(mover)
            if before is not None:
                self._taken[self._places[before]].remove(mover)
                if self._turn_at[before] == mover:
                    del self._turn_at[before]
            self._place_of[mover] = at
            self._turn_at[at] = mover
            self._taken[self._places[at]].add(mover)
            step = moves[mover]
