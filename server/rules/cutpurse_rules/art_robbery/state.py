"""The whole table, hidden cards included, as it stands between two decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from struct import Struct
from typing import Final

from cutpurse_rules.art_robbery.actions import LYING_BITS
from cutpurse_rules.art_robbery.cards import Card
from cutpurse_rules.art_robbery.tiles import Tile
from cutpurse_rules.contract import Seat

__all__ = ["ANSWER", "MIDDLE", "OVER", "TURN", "Setup", "State", "Step", "Taking"]

MIDDLE: Final = Seat(-1)
"""Where the dog is while no seat has it."""


class Step(StrEnum):
    """What is being decided."""

    TURN = "TURN"
    ANSWER = "ANSWER"
    """A tile is about to be taken from the seat that has the dog."""
    OVER = "OVER"


# A member is looked up in its class at a cost that is felt when it is done three times in every decision.
TURN: Final = Step.TURN
ANSWER: Final = Step.ANSWER
OVER: Final = Step.OVER

_STEP_NUMBERS: Final = {TURN: 1, ANSWER: 2, OVER: 3}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is played with; the same from beginning to end."""

    players: int
    deck: bytes
    """The cards, a multiset."""
    tiles: bytes
    """The tiles of every heist, a multiset."""
    heist_turn_limit: int
    next_seat: tuple[Seat, ...]
    """By seat, the one clockwise of it."""
    fingerprint: bytes
    """The configuration in the state's canonical bytes."""


@dataclass(frozen=True, slots=True)
class Taking:
    """A tile that is about to be taken while the dog's answer is awaited."""

    card: Card
    seat: Seat
    """Who takes."""
    from_seat: Seat
    """Who has the dog and answers."""
    tile: Tile


class State:
    """The table. Only the steps of this folder change it, and only a copy that nobody else has seen yet.

    Hands and heaps of tiles are multisets (see `cutpurse_rules.multisets`). Copied and changed by hand: this is the
    hot path, and an immutable form costs half of the speed.
    """

    __slots__ = (
        "discards", "dog", "front", "hands", "heist", "lying", "middle", "out", "pile", "reshuffles", "safe", "setup",
        "step", "taking", "turn", "turn_seat",
    )  # fmt: skip

    setup: Setup
    heist: int
    """From 1 to 4."""
    turn: int
    """Turns begun in this heist, from 1."""
    turn_seat: Seat
    step: Step
    dog: Seat
    """Who has the dog figure, or MIDDLE."""
    taking: Taking | None
    """Set exactly while the step is ANSWER."""
    hands: list[bytes]
    pile: bytes
    """The draw pile, top card first."""
    discards: bytes
    reshuffles: int
    """How often the discards were shuffled into a new pile."""
    middle: bytes
    front: list[bytes]
    """By seat, its tiles of the running heist."""
    safe: tuple[tuple[bytes, ...], ...]
    """By finished heist, then seat; R7 needs to know the heist of a tile."""
    out: bytes
    """Tiles out of the game."""
    lying: int
    """Which kinds lie in the middle and in front of seats, by `LYING_BITS`: follows from `middle` and `front`."""

    def copy(self) -> State:
        """A state of its own that is equal to this one."""
        copy = State.__new__(State)
        copy.setup = self.setup
        copy.heist = self.heist
        copy.turn = self.turn
        copy.turn_seat = self.turn_seat
        copy.step = self.step
        copy.dog = self.dog
        copy.taking = self.taking
        copy.hands = self.hands[:]
        copy.pile = self.pile
        copy.discards = self.discards
        copy.reshuffles = self.reshuffles
        copy.middle = self.middle
        copy.front = self.front[:]
        copy.safe = self.safe
        copy.out = self.out
        copy.lying = self.lying
        return copy

    def asked_seat(self) -> Seat | None:
        """The one seat that has to choose now; None when the match is over."""
        if self.step is TURN:
            return self.turn_seat
        return None if self.taking is None else self.taking.from_seat

    def safe_by_seat(self) -> tuple[bytes, ...]:
        """By seat, its safe tiles of all finished heists together, in canonical order."""
        return _together(self.safe) if self.safe else (b"",) * self.setup.players

    def lay_out_tiles(self) -> None:
        """Put the tiles of a heist into the middle."""
        self.middle = self.setup.tiles
        self.lying = sum(LYING_BITS[0][tile] for tile in set(self.middle))

    def fingerprint(self) -> bytes:
        """The whole state as canonical bytes, equal exactly for equal states.

        Numbers of fixed width, then every multiset and the pile, with a zero byte between, which no component is.
        """
        taking = self.taking
        card, from_seat, tile = (0, 0, 0) if taking is None else (taking.card, taking.from_seat, taking.tile)
        step = _STEP_NUMBERS[self.step]
        numbers = _NUMBERS.pack(
            self.heist, self.turn, self.turn_seat, step, self.dog + 1, card, from_seat, tile, self.reshuffles
        )
        heaps = [*self.hands, self.pile, self.discards, self.middle, *self.front, self.out]
        for heist in self.safe:
            heaps += heist
        return self.setup.fingerprint + numbers + b"\x00".join(heaps)


_NUMBERS: Final = Struct(">BIBBBBBBI")


@lru_cache(maxsize=1_024)
def _together(safe: tuple[tuple[bytes, ...], ...]) -> tuple[bytes, ...]:
    """Tiles by heist and seat, put together by seat. Asked for in every view, and changes four times in a match."""
    return tuple(bytes(sorted(b"".join(of_seat))) for of_seat in zip(*safe, strict=True))
