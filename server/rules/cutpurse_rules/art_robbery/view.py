"""What a seat or a spectator may know: this file alone decides secrecy (page: *Who sees what*).

Public are the middle, all tiles, the dog, the discards, the sizes of hands and pile. Secret are the hands and the
pile's order: of the hands only the viewer's own is ever read here, and of the pile only its length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutpurse_rules.art_robbery import cards, tiles
from cutpurse_rules.art_robbery.state import MIDDLE, State, Step, Taking
from cutpurse_rules.contract import Seat

__all__ = ["ArtRobberyView", "view_for"]


class ArtRobberyView(NamedTuple):
    """The present table as the viewer may know it (G11); multisets as the state has them, in canonical order.

    A named tuple, since one is made for every decision.
    """

    seat: Seat | None
    """The viewer; None for a spectator."""
    hand: bytes | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int, ...]
    asked: tuple[Seat, ...]
    heist: int
    turn: int
    turn_seat: Seat
    step: Step
    middle: bytes
    front: tuple[bytes, ...]
    """By seat, its tiles of the running heist."""
    safe: tuple[bytes, ...]
    """By seat, its tiles of all finished heists together."""
    out: bytes
    dog: Seat | None
    """None while the dog is in the middle."""
    taking: Taking | None
    discards: bytes
    pile_size: int

    @property
    def game(self) -> str:
        """The game's identifier."""
        return "art_robbery"

    def to_json(self) -> dict[str, Any]:
        """The view key by key as rules/trace.md gives it."""
        return {
            "game": self.game,
            "seat": self.seat,
            "hand": None if self.hand is None else _cards(self.hand),
            "hand_sizes": list(self.hand_sizes),
            "asked": list(self.asked),
            "heist": self.heist,
            "turn": self.turn,
            "turn_seat": self.turn_seat,
            "step": self.step.value,
            "middle": _tiles(self.middle),
            "front": [_tiles(each) for each in self.front],
            "safe": [_tiles(each) for each in self.safe],
            "out": _tiles(self.out),
            "dog": self.dog,
            "taking": None if self.taking is None else _taking(self.taking),
            "discards": _cards(self.discards),
            "pile_size": self.pile_size,
        }


def view_for(state: State, viewer: Seat | None) -> ArtRobberyView:
    """The viewer's view, built field by field."""
    asked = state.asked_seat()
    return ArtRobberyView(
        seat=viewer,
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(len, state.hands)),
        asked=() if asked is None else (asked,),
        heist=state.heist,
        turn=state.turn,
        turn_seat=state.turn_seat,
        step=state.step,
        middle=state.middle,
        front=tuple(state.front),
        safe=state.safe_by_seat(),
        out=state.out,
        dog=None if state.dog == MIDDLE else state.dog,
        taking=state.taking,
        discards=state.discards,
        pile_size=len(state.pile),
    )


def _cards(held: bytes) -> list[str]:
    return [cards.notation(card) for card in held]


def _tiles(lying: bytes) -> list[str]:
    return [tiles.notation(tile) for tile in lying]


def _taking(taking: Taking) -> dict[str, Any]:
    return {
        "card": cards.notation(taking.card),
        "seat": taking.seat,
        "from": taking.from_seat,
        "tile": tiles.notation(taking.tile),
    }
