"""What a seat or a spectator may know: this file alone decides secrecy (page: *Who sees what*).

Public are revealed cards, safes and locks, revealed discards, and the numbers of all that is hidden. Secret are hands,
the deck's order, and which cards were put back, set aside or discarded unseen: of the hands and of what seats put back
or set aside only the viewer's own is ever read here, and of everything else that is hidden only its length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations
from cutpurse_rules.shadow_thief import cards
from cutpurse_rules.shadow_thief.actions import ShadowThiefAction
from cutpurse_rules.shadow_thief.cards import CARDS, Card
from cutpurse_rules.shadow_thief.state import State, Step

__all__ = ["ShadowThiefView", "view_for"]


class ShadowThiefView(NamedTuple):
    """The present table as the viewer may know it (G11); multisets as the state has them, in canonical order.

    A named tuple, since one is made for every decision.
    """

    seat: Seat | None
    """The viewer; None for a spectator."""
    hand: bytes | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int, ...]
    asked: tuple[Seat, ...]
    """All seats asked in this decision, whether they have chosen or not."""
    deal: int
    round: int
    step: Step
    scores: tuple[int, ...]
    """By seat, its points of all finished deals."""
    safes: tuple[bytes, ...]
    locks: tuple[Card | None, ...]
    """By seat, the card on its safe; None while the safe is open."""
    front: tuple[bytes, ...]
    """By seat, what lies revealed in front of it now."""
    deck_size: int
    exhausted: bool
    discards: bytes
    """The discarded cards of this deal that had been revealed."""
    put_back_count: int
    """How many cards were put under the deck in this deal, by all seats."""
    set_aside_count: int
    """How many cards were set aside in this deal, by all seats."""
    unseen_count: int
    """How many cards were discarded unseen in this deal."""
    put_back: bytes | None
    """What the viewer itself put back or set aside in this deal; None for a spectator."""
    choice: ShadowThiefAction | None
    """The viewer's own choice in the open decision, if it has made one."""

    @property
    def game(self) -> str:
        """The game's identifier."""
        return "shadow_thief"

    def to_json(self) -> dict[str, Any]:
        """The view key by key as rules/trace.md gives it."""
        return {
            "game": self.game,
            "seat": self.seat,
            "hand": None if self.hand is None else notations(self.hand, CARDS),
            "hand_sizes": list(self.hand_sizes),
            "asked": list(self.asked),
            "deal": self.deal,
            "round": self.round,
            "step": self.step.value,
            "scores": list(self.scores),
            "safes": [notations(safe, CARDS) for safe in self.safes],
            "locks": [None if lock is None else cards.notation(lock) for lock in self.locks],
            "front": [notations(revealed, CARDS) for revealed in self.front],
            "deck_size": self.deck_size,
            "exhausted": self.exhausted,
            "discards": notations(self.discards, CARDS),
            "put_back_count": self.put_back_count,
            "set_aside_count": self.set_aside_count,
            "unseen_count": self.unseen_count,
            "put_back": None if self.put_back is None else notations(self.put_back, CARDS),
            "choice": None if self.choice is None else self.choice.notation,
        }


def view_for(state: State, viewer: Seat | None, choice: ShadowThiefAction | None) -> ShadowThiefView:
    """The viewer's view, built field by field; `choice` is the viewer's own."""
    assert choice is None or viewer in state.asked
    return ShadowThiefView(
        seat=viewer,
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(len, state.hands)),
        asked=state.asked,
        deal=state.deal,
        round=state.round,
        step=state.step,
        scores=state.scores,
        safes=tuple(state.safes),
        locks=state.locks,
        front=tuple(state.front),
        deck_size=len(state.deck),
        exhausted=state.exhausted,
        discards=state.discards,
        put_back_count=sum(map(len, state.put_back)),
        set_aside_count=sum(map(len, state.set_aside)),
        unseen_count=len(state.unseen),
        # A seat locks its safe once in a deal: it has put cards back, or set them aside, or neither.
        put_back=None if viewer is None else state.put_back[viewer] or state.set_aside[viewer],
        choice=choice,
    )
