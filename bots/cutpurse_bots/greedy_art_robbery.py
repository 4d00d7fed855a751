"""Greedy at Art Robbery: try every legal action on the table as it lies, and take the one that promises most.

**What it wants.** A match is worth points: the part of the other seats that end up behind you. So the bot never asks
"how many alibis are enough?" but, for every other seat, "how likely am I placed above it?":

- With three seats or more the seat with the fewest alibis is caught and placed last. How likely that is for a seat
  follows from how far its alibis lie above or below everybody else's, and from how much can still change (`_caught`).
- With two seats nobody is caught; the seat with fewer alibis loses ten points, so alibis are points (`_two_seats`).
- Between two seats that are not caught the points decide, again as far as they can still change (`_above`).

**What it expects of tiles.** A tile of a finished heist counts in full. A tile in front of a seat counts less while
others may still take it: a number can be taken once the middle has none of its value left, the Boss tile always; the
dog protects (`_loss`). The Boss tile counts as far as its owner is likely to hold a 4 or a 5 in the end
(`_boss_kept`). What comes later is the same for everybody in expectation, and only adds uncertainty (`_Outlook`).

**What follows from it.** It collects alibis until it is safe and values afterwards, robs the seats that are ahead more
than others, takes the last 4 or 5 from a seat with the Boss tile, guards with the dog what is worth it, and ends a
heist that stands well. It looks one action ahead and remembers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, sqrt

from cutpurse.v1.art_robbery_pb2 import ArtRobberyTable
from cutpurse.v1.match_pb2 import Decision
from cutpurse_bots.best_actions import best_action

__all__ = ["choose"]

NOTATIONS = ("0.3", "0.2", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS")
"""The tiles in canonical order: position i has the enum number i + 1."""

TILES = {notation: number for number, notation in enumerate(NOTATIONS, 1)}
VALUES = (0, 0, 0, 1, 2, 3, 4, 5, 5)
"""By enum number; what the Boss tile counts if it is kept."""
ALIBIS = (0, 3, 2, 1, 1, 0, 0, 0, 0)
FOUR, FIVE, BOSS = TILES["4.0"], TILES["5.0"], TILES["BOSS"]

HEISTS = 4
DISCARD = 10
"""What the seat with fewer alibis loses when two play."""

VALUE_SPREAD = 81.0
"""The squares of a heist's values, added up: how much a whole heist still to come can change."""
ALIBI_SPREAD = 12.0
"""The same of its alibis, taken as less: whoever is short of alibis collects them, so they vary less than by chance."""

LOSS = 0.15
"""How much of an open tile without a guard gets lost until the end of a heist that has just begun."""
GUARDED = 0.35
"""How much of that remains with the dog."""

KEEP = {"N0": 1.0, "N1": 0.6, "N2": 0.7, "N3": 0.8, "N4": 1.0, "N5": 1.2, "GD": 0.9, "GT": 1.8, "BS": 0.8}
"""What it is worth to still have a card next turn, against each other."""
KEEP_WEIGHT = 0.006
"""What one unit of that is worth in match points: little, so that it decides between actions of about equal worth."""


def choose(decision: Decision, key: bytes) -> str:
    """The notation of the action that promises most; between equal ones the key decides."""
    return best_action(decision, key, _Outlook(decision.view.art_robbery.table, decision.seat).worth_of)


class _Outlook:
    """The table as it is, and how the match would probably end after an action."""

    def __init__(self, table: ArtRobberyTable, seat: int) -> None:
        self.seat = seat
        self.seats = len(table.hand_sizes)
        self.taking = table.taking if table.HasField("taking") else None
        self.heists_left = HEISTS - table.heist
        self.middle: list[int] = list(table.middle)
        self.front: list[list[int]] = [[] for _ in range(self.seats)]
        for tile, owner in zip(table.front, table.front_seats, strict=True):
            self.front[owner].append(tile)
        self.dog = table.dog if table.HasField("dog") else None
        self.safe_values = [0.0] * self.seats
        self.safe_alibis = [0.0] * self.seats
        for tile, owner in zip(table.safe, table.safe_seats, strict=True):
            self.safe_values[owner] += VALUES[tile]
            self.safe_alibis[owner] += ALIBIS[tile]
        self._known: dict[tuple[object, ...], float] = {}

    def worth_of(self, action: str) -> float:
        """The match points to be expected after an action, from 0 to 1, less what the card would be worth later."""
        if self.taking is not None:
            return self._worth_of_answer(action)
        words = action.split(" ")
        card, cost = words[1], KEEP_WEIGHT * KEEP.get(words[1], 1.0)
        if len(words) > 2:
            source = None if words[5] == "middle" else int(words[5])
            return self._worth_of_taking(TILES[words[3]], source) - cost
        if card == "GD":
            return self._worth_with_dog(self.seat) - cost
        if card == "BS":
            return self._worth_of_boss() - cost
        return self._worth() - cost

    def _worth_of_answer(self, action: str) -> float:
        """This seat has the dog and is being robbed."""
        assert self.taking is not None, "an answer needs a question"
        taker = self.taking.seat
        if action == "give dog":
            return self._worth_with_dog(taker)
        return self._worth_after_move(self.taking.tile, self.seat, taker)

    def _worth_of_taking(self, tile: int, source: int | None) -> float:
        """Take a tile. A robbed seat with the dog gives whichever is better for it, that is: worse for us."""
        worth = self._worth_after_move(tile, source, self.seat)
        if source is not None and source == self.dog:
            return min(worth, self._worth_with_dog(self.seat))
        return worth

    def _worth_of_boss(self) -> float:
        """Take the Boss tile from wherever it is."""
        if BOSS in self.middle:
            return self._worth_of_taking(BOSS, None)
        for owner, tiles in enumerate(self.front):
            if BOSS in tiles and owner != self.seat:
                return self._worth_of_taking(BOSS, owner)
        return self._worth()

    def _worth_with_dog(self, owner: int) -> float:
        """The worth if a seat had the dog."""
        before, self.dog = self.dog, owner
        worth = self._worth()
        self.dog = before
        return worth

    def _worth_after_move(self, tile: int, source: int | None, target: int) -> float:
        """The worth if a tile lay elsewhere. Actions that do the same are thought through once."""
        known = self._known.get((tile, source, target))
        if known is None:
            origin = self.middle if source is None else self.front[source]
            place = origin.index(tile)
            del origin[place]
            self.front[target].append(tile)
            known = self._known[tile, source, target] = self._worth()
            self.front[target].pop()
            origin.insert(place, tile)
        return known

    def _worth(self) -> float:
        """The match points that this seat may expect as the table lies."""
        values, alibis = list(self.safe_values), list(self.safe_alibis)
        for owner, tiles in enumerate(self.front):
            for tile in tiles:
                kept = 1.0 - self._loss(tile, owner)
                if tile == BOSS:
                    kept *= self._boss_kept(tiles)
                values[owner] += kept * VALUES[tile]
                alibis[owner] += kept * ALIBIS[tile]
        # A tile that goes to any seat by equal chance varies a seat's sum by its square times this.
        share = (1.0 / self.seats) * (1.0 - 1.0 / self.seats)
        value_spread = share * (self.heists_left * VALUE_SPREAD + sum(VALUES[tile] ** 2 for tile in self.middle))
        alibi_spread = share * (self.heists_left * ALIBI_SPREAD + sum(ALIBIS[tile] ** 2 for tile in self.middle))
        if self.middle:
            value_spread += 3.0
            alibi_spread += 0.5
        if self.seats == 2:
            return _two_seats(values, alibis, self.seat, value_spread, alibi_spread)
        return _many_seats(values, alibis, self.seat, value_spread, alibi_spread)

    def _loss(self, tile: int, owner: int) -> float:
        """How likely a tile in front of a seat is lost until the heist ends."""
        if not self.middle:
            return 0.0
        if tile != BOSS and any(VALUES[other] == VALUES[tile] and other != BOSS for other in self.middle):
            # While the middle has one of that value nobody can take this one, but that may change.
            exposure = 0.5
        else:
            exposure = 1.0
        loss = LOSS * exposure * len(self.middle) / 9.0
        return loss * GUARDED if owner == self.dog else loss

    def _boss_kept(self, tiles: Sequence[int]) -> float:
        """How likely the owner of the Boss tile will hold a 4 or a 5 of this heist when it ends."""
        covers = (FOUR in tiles) + (FIVE in tiles)
        if not self.middle:
            return 1.0 if covers else 0.0
        if covers:
            return 0.97 if covers == 2 else 0.85
        if FOUR in self.middle or FIVE in self.middle:
            return 0.35
        return 0.1


def _many_seats(
    values: Sequence[float], alibis: Sequence[float], seat: int, value_spread: float, alibi_spread: float
) -> float:
    """Match points expected with three seats or more."""
    caught = [_caught(alibis, each, alibi_spread) for each in range(len(values))]
    free = 1.0 - caught[seat]
    others = [other for other in range(len(values)) if other != seat]
    total = 0.0
    for other in others:
        above = _above(values[seat] - values[other], value_spread)
        total += free * (caught[other] + (1.0 - caught[other]) * above) + 0.5 * caught[seat] * caught[other]
    return total / len(others)


def _caught(alibis: Sequence[float], seat: int, spread: float) -> float:
    """How likely a seat ends with the fewest alibis, alone or with others."""
    likely = 1.0
    for other, theirs in enumerate(alibis):
        if other != seat:
            # Half an alibi more: who is level with the fewest is caught as well.
            likely *= _above(theirs - alibis[seat] + 0.5, spread)
    return likely


def _two_seats(
    values: Sequence[float], alibis: Sequence[float], seat: int, value_spread: float, alibi_spread: float
) -> float:
    """Match points expected with two seats: fewer alibis cost ten points, or all that there is."""
    more = alibis[seat] - alibis[1 - seat]
    fewer_ours = _above(-more - 0.5, alibi_spread)
    fewer_theirs = _above(more - 0.5, alibi_spread)
    lead = values[seat] - values[1 - seat]
    level = 1.0 - fewer_ours - fewer_theirs
    return (
        fewer_ours * _above(lead - DISCARD, value_spread)
        + fewer_theirs * _above(lead + DISCARD, value_spread)
        + level * _above(lead, value_spread)
    )


def _above(lead: float, spread: float) -> float:
    """How likely a seat ends above another, given its lead now and by how much each of the two can still vary."""
    return 0.5 * (1.0 + erf(lead / (2.0 * sqrt(spread + 0.02))))
