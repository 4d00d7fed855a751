"""The actions and their notation. There are 1,238 of them; each exists once.

When Jewelry is added a hand holds three cards at most, so the additions are the multisets of up to three cards of a
type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

from cutpurse_rules.multisets import notations
from cutpurse_rules.shadow_thief import cards
from cutpurse_rules.shadow_thief.cards import (
    CARDS,
    FIRST_OF_TYPE,
    HAND_SIZE,
    LAST_JEWELRY,
    LAST_OF_TYPE,
    Card,
)

__all__ = [
    "ACTIONS", "ADDS", "ADD_NOTHING", "MAX_SEATS", "PLAYS", "STEALS", "WAYS_TO_ADD", "Add", "Play",
    "ShadowThiefAction", "Steal",
]  # fmt: skip

MAX_SEATS: Final = 7


@dataclass(frozen=True, slots=True)
class Play:
    """The card of one's hand that is revealed in step 1."""

    card: Card
    notation: str


@dataclass(frozen=True, slots=True)
class Steal:
    """The piece of Jewelry that a thief takes in step 3; its value differs from all others lying there."""

    card: Card
    notation: str


@dataclass(frozen=True, slots=True)
class Add:
    """What is laid beside one's own piece of Jewelry in step 4, nothing included."""

    cards: bytes
    """A multiset of cards of one type."""
    notation: str


ShadowThiefAction: TypeAlias = Play | Steal | Add

PLAYS: Final[Mapping[Card, Play]] = {
    card: Play(card, f"play {cards.notation(card)}") for card in range(1, len(CARDS) + 1)
}
"""By card, its only play."""

STEALS: Final[Mapping[Card, Steal]] = {
    card: Steal(card, f"steal {cards.notation(card)}") for card in range(1, LAST_JEWELRY + 1)
}
"""By piece of Jewelry, its only theft."""

_ADDED: Final = tuple(
    bytes(added)
    for size in range(1, HAND_SIZE)
    for first, last in zip(FIRST_OF_TYPE, LAST_OF_TYPE, strict=True)
    for added in combinations_with_replacement(range(first, last + 1), size)
)

ADDS: Final[Mapping[bytes, Add]] = {
    added: Add(added, " ".join(("add", *notations(added, CARDS)))) for added in (b"", *_ADDED)
}
"""By multiset of added cards, its only addition; in canonical order: by number of cards, then card by card."""

ADD_NOTHING: Final = ADDS[b""]

WAYS_TO_ADD: Final[Mapping[bytes, tuple[Add, ...]]] = {
    held: tuple(
        # A choice of two equal cards comes up twice and is one action (G4).
        dict.fromkeys(ADDS[bytes(added)] for size in range(len(held) + 1) for added in combinations(held, size))
    )
    for held in ADDS
}
"""By multiset of cards of the type in question that a hand holds, all additions, in canonical order (G6)."""

_ALL: Final[tuple[ShadowThiefAction, ...]] = (*PLAYS.values(), *STEALS.values(), *ADDS.values())

ACTIONS: Final[Mapping[str, ShadowThiefAction]] = {action.notation: action for action in _ALL}
"""Every action of the game, by notation."""
