"""The cards: nine kinds, numbered from 1 in canonical order as in the protocol's enum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = ["BOSS", "CARDS", "CARD_COUNTS", "GREEDY_THIEF", "GUARD_DOG", "HAND_SIZE", "N0", "N5", "Card", "notation"]

Card: TypeAlias = int
"""A kind of card."""

N0: Final = 1
N5: Final = 6
"""Number n is the kind `N0 + n`."""
GUARD_DOG: Final = 7
GREEDY_THIEF: Final = 8
BOSS: Final = 9

CARDS: Final = ("N0", "N1", "N2", "N3", "N4", "N5", "GD", "GT", "BS")
"""The notation of each kind, in canonical order."""

CARD_COUNTS: Final[Mapping[str, int]] = {
    "N0": 6, "N1": 6, "N2": 6, "N3": 6, "N4": 6, "N5": 6, "GD": 6, "GT": 7, "BS": 6,
}  # fmt: skip
"""The deck as the page has it: 55 cards."""

HAND_SIZE: Final = 5
"""What a seat is dealt, and draws back to."""


def notation(card: Card) -> str:
    """The card's short text: `N3`, `GD`."""
    return CARDS[card - 1]
