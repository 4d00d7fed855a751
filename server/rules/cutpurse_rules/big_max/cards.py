"""The cards: thirteen kinds, numbered from 1 in canonical order as in the protocol's enum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = [
    "CARDS", "CARD_COUNTS", "CARD_SHARP", "COUNT_MAX", "DEFENDERS", "GUNMAN", "HAND_SIZE", "MASTER_THIEF", "SUITCASE",
    "THIEVES", "VALUES", "Card", "notation",
]  # fmt: skip

Card: TypeAlias = int
"""A kind of card."""

SUITCASE: Final = 1
MASTER_THIEF: Final = 2
CARD_SHARP: Final = 12
GUNMAN: Final = 13

DEFENDERS: Final = range(MASTER_THIEF, 7)
"""The Master Thief, then the henchmen of value 2, 3, 4, 6."""
THIEVES: Final = range(7, 12)
"""The thieves of value 2 to 6."""

CARDS: Final = ("SC", "MT", "H2", "H3", "H4", "H6", "T2", "T3", "T4", "T5", "T6", "CS", "GM")
"""The notation of each kind, in canonical order."""

CARD_COUNTS: Final[Mapping[str, int]] = {
    "SC": 20, "MT": 4, "H2": 6, "H3": 6, "H4": 5, "H6": 3, "T2": 6, "T3": 6, "T4": 5, "T5": 4, "T6": 3, "CS": 12,
    "GM": 8,
}  # fmt: skip
"""The deck as the page has it: 88 cards, their split assumed."""

COUNT_MAX: Final = 100
"""How many of a kind a configured deck may have. Their number so fits in a byte."""

VALUES: Final = (0, 0, 10, 2, 3, 4, 6, 2, 3, 4, 5, 6, 0, 0)
"""By kind, what a defender or a thief is worth; 0 for other cards, and kind 0 does not exist."""

HAND_SIZE: Final = 6
"""What a seat is dealt, and draws up to."""


def notation(card: Card) -> str:
    """The card's short text: `SC`, `T4`."""
    return CARDS[card - 1]
