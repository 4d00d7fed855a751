"""What a seat or a spectator may know: this file alone decides secrecy (page: *Who sees what*).

Public are displays, standing thieves, the running challenge, the discards, the sizes of hands and pile. Secret are the
hands, the pile's order and which card a card-sharp took: of hands and card-sharps only the viewer's own are ever read
here (R9), and of the pile only its length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutpurse_rules.big_max.cards import notation
from cutpurse_rules.big_max.state import Challenge, Sharp, Standing, State, Step
from cutpurse_rules.contract import Seat

__all__ = ["BigMaxView", "view_for"]


class BigMaxView(NamedTuple):
    """The present table as the viewer may know it (G11); multisets as the state has them, in canonical order.

    A named tuple, since one is made for every decision.
    """

    seat: Seat | None
    """The viewer; None for a spectator."""
    hand: bytes | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int, ...]
    asked: tuple[Seat, ...]
    turn: int
    """Turns begun, from 1, skipped ones included (R10)."""
    turn_seat: Seat
    step: Step
    displays: tuple[int, ...]
    """By seat, its suitcases on display."""
    standing: tuple[tuple[Standing, ...], ...]
    """By seat, the thieves in front of it, oldest first."""
    challenge: Challenge | None
    """None when no challenge runs; in the end only set if the match was won while a reply was due."""
    discards: bytes
    pile_size: int
    sharps: tuple[Sharp, ...] | None
    """Every card-sharp of the match that concerned the viewer, oldest first; None for a spectator."""

    @property
    def game(self) -> str:
        """The game's identifier."""
        return "big_max"

    def to_json(self) -> dict[str, Any]:
        """The view key by key as rules/trace.md gives it."""
        return {
            "game": self.game,
            "seat": self.seat,
            "hand": None if self.hand is None else _cards(self.hand),
            "hand_sizes": list(self.hand_sizes),
            "asked": list(self.asked),
            "turn": self.turn,
            "turn_seat": self.turn_seat,
            "step": self.step.value,
            "displays": list(self.displays),
            "standing": [[_standing(thief) for thief in thieves] for thieves in self.standing],
            "challenge": None if self.challenge is None else _challenge(self.challenge),
            "discards": _cards(self.discards),
            "pile_size": self.pile_size,
            "sharps": None if self.sharps is None else [_sharp(sharp) for sharp in self.sharps],
        }


def view_for(state: State, viewer: Seat | None) -> BigMaxView:
    """The viewer's view, built field by field."""
    asked = state.asked_seat()
    return BigMaxView(
        seat=viewer,
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(len, state.hands)),
        asked=() if asked is None else (asked,),
        turn=state.turn,
        turn_seat=state.turn_seat,
        step=state.step,
        displays=state.displays,
        standing=state.standing,
        challenge=state.challenge,
        discards=state.discards,
        pile_size=len(state.pile),
        sharps=None if viewer is None else state.sharps_of(viewer),
    )


def _cards(held: bytes) -> list[str]:
    return [notation(card) for card in held]


def _standing(thief: Standing) -> dict[str, Any]:
    return {"card": notation(thief.card), "employer": thief.employer, "gunmen": thief.gunmen}


def _challenge(challenge: Challenge) -> dict[str, Any]:
    return {
        "card": notation(challenge.card),
        "challenger": challenge.challenger,
        "employer": challenge.employer,
        "target": challenge.target,
        "gunmen": challenge.gunmen,
    }


def _sharp(sharp: Sharp) -> dict[str, Any]:
    return {"from": sharp.from_seat, "to": sharp.to_seat, "card": notation(sharp.card)}
