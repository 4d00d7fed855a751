"""The cards: 57 kinds, numbered from 1 in canonical order as in the protocol's enum.

Jewelry comes first, ten values of each type, then the Locked Safes, then the thieves in the order of their types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = [
    "CARDS", "CARD_COUNTS", "FIRST_LOCKED_SAFE", "FIRST_OF_TYPE", "FIRST_THIEF", "HAND_SIZE", "JEWELRY_TYPES",
    "LAST_JEWELRY", "LAST_OF_TYPE", "SHADOW_THIEF", "SMALL_HAND_SIZE", "THIEVES", "TYPE", "VALUE", "Card", "notation",
]  # fmt: skip

Card: TypeAlias = int
"""A kind of card."""

JEWELRY_TYPES: Final = ("BROOCH", "RING", "WATCH", "CUFFLINK")
"""In canonical order; a type is its place here."""

_JEWELRY_VALUES: Final = range(1, 11)
_LOCKED_SAFE_VALUES: Final = range(4, 16)

CARDS: Final = (
    *(f"{letter}{value}" for letter in "BRWC" for value in _JEWELRY_VALUES),
    *(f"S{value}" for value in _LOCKED_SAFE_VALUES),
    "TB", "TR", "TW", "TC", "TX",
)  # fmt: skip
"""The notation of each kind, in canonical order."""

LAST_JEWELRY: Final = len(JEWELRY_TYPES) * len(_JEWELRY_VALUES)
"""Kinds up to this one are Jewelry."""
FIRST_LOCKED_SAFE: Final = LAST_JEWELRY + 1
FIRST_THIEF: Final = FIRST_LOCKED_SAFE + len(_LOCKED_SAFE_VALUES)
"""Kinds from this one on are thieves: the four specialists, then the Shadow thief."""
SHADOW_THIEF: Final = len(CARDS)

THIEVES: Final = tuple(CARDS[FIRST_THIEF - 1 :])
"""The notation of each thief."""

VALUE: Final = (
    0,
    *(value for _ in JEWELRY_TYPES for value in _JEWELRY_VALUES),
    *_LOCKED_SAFE_VALUES,
    *(0 for _ in THIEVES),
)
"""By kind, the value printed on the card, 0 for a thief; kind 0 does not exist."""

FIRST_OF_TYPE: Final = tuple(1 + place * len(_JEWELRY_VALUES) for place in range(len(JEWELRY_TYPES)))
"""By type, its Jewelry of value 1."""
LAST_OF_TYPE: Final = tuple(first + len(_JEWELRY_VALUES) - 1 for first in FIRST_OF_TYPE)
"""By type, its Jewelry of value 10."""

TYPE: Final = (
    -1,
    *(place for place in range(len(JEWELRY_TYPES)) for _ in _JEWELRY_VALUES),
    *(-1 for _ in _LOCKED_SAFE_VALUES),
    *range(len(JEWELRY_TYPES)),
    -1,
)
"""By kind, the type of a piece of Jewelry or of a specialist; -1 for what has none, and for kind 0."""

CARD_COUNTS: Final[Mapping[str, int]] = {
    card: 2 if kind <= LAST_JEWELRY or (kind < FIRST_THIEF and VALUE[kind] <= 11) else 1
    for kind, card in enumerate(CARDS, start=1)
}
"""The deck as the page has it: 105 cards, the values of the Locked Safes assumed."""

HAND_SIZE: Final = 4
"""What a seat is dealt, and draws up to while the deck has enough for all."""
SMALL_HAND_SIZE: Final = 3
"""What seats draw up to when the deck is about to run out."""


def notation(card: Card) -> str:
    """The card's short text: `B10`, `S4`, `TX`."""
    return CARDS[card - 1]
