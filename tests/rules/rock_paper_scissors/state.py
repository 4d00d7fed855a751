"""The table of rock, paper, scissors, and what one seat may see of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations

SHAPES = ("R", "P", "S")
STAKES = ("1", "2", "3")


@dataclass(frozen=True)
class Show:
    """One of the seat's cards, shown together with the other seat's."""

    shape: int

    @property
    def notation(self) -> str:
        """`show R`."""
        return f"show {SHAPES[self.shape - 1]}"


@dataclass(frozen=True)
class State:
    """The whole table; a frozen one, because here nothing needs to be fast."""

    rounds_left: int
    hands: tuple[bytes, bytes]
    stakes: bytes
    """The stake of the round first; hidden are those below it."""
    points: tuple[int, int]

    def asked(self) -> tuple[Seat, ...]:
        """Both seats while there are rounds left."""
        return (Seat(0), Seat(1)) if self.rounds_left else ()


@dataclass(frozen=True)
class RockPaperScissorsView:
    """What the viewer may know: no field could hold the stakes below."""

    seat: Seat | None
    hands: tuple[bytes, bytes]
    asked: tuple[Seat, ...]
    stake: int
    """The stake of the round, 0 at the end."""
    points: tuple[int, int]
    choice: Show | None
    """The seat's own in the open decision."""

    def to_json(self) -> dict[str, Any]:
        """Key by key, as a page of traces would give it."""
        return {
            "game": "rock_paper_scissors",
            "seat": self.seat,
            "hand": None if self.seat is None else notations(self.hands[self.seat], SHAPES),
            "hand_sizes": [len(hand) for hand in self.hands],
            "asked": list(self.asked),
            "hands": [notations(hand, SHAPES) for hand in self.hands],
            "stake": self.stake,
            "points": list(self.points),
            "choice": None if self.choice is None else self.choice.notation,
        }


def view_for(state: State, viewer: Seat | None, choice: Show | None) -> RockPaperScissorsView:
    """The viewer's view, built field by field."""
    return RockPaperScissorsView(
        seat=viewer,
        hands=state.hands,
        asked=state.asked(),
        stake=state.stakes[0] if state.rounds_left else 0,
        points=state.points,
        choice=choice,
    )
