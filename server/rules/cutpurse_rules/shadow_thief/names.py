"""What the game and its cards are called in each language. The game was first sold in German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cutpurse_rules.contract import Names

__all__ = ["NAMES"]


def _cards(jewelry: tuple[str, str, str, str], locked_safe: str, thieves: tuple[str, ...]) -> tuple[str, ...]:
    """The names of all cards in canonical order, from those of brooch, ring, watch and cufflink, safe and thieves."""
    return (
        *(f"{piece} {value}" for piece in jewelry for value in range(1, 11)),
        *(f"{locked_safe} {value}" for value in range(4, 16)),
        *thieves,
    )


NAMES: Final[Mapping[str, Names]] = {
    "en": Names(
        game="The Shadow Thief",
        kinds={"cards": "Cards"},
        components={
            "cards": _cards(
                ("Brooch", "Ring", "Watch", "Cufflink"),
                "Locked Safe",
                ("Brooch Thief", "Ring Thief", "Watch Thief", "Cufflink Thief", "Shadow Thief"),
            )
        },
    ),
    "de": Names(
        game="Der Schattendieb",
        kinds={"cards": "Karten"},
        components={
            "cards": _cards(
                ("Brosche", "Ring", "Uhr", "Manschettenknopf"),
                "Tresor zu",
                ("Broschendieb", "Ringdieb", "Uhrendieb", "Manschettenknopfdieb", "Schattendieb"),
            )
        },
    ),
    "vi": Names(
        game="Kẻ trộm bóng đêm",
        kinds={"cards": "Lá bài"},
        components={
            "cards": _cards(
                ("Trâm cài áo", "Nhẫn", "Đồng hồ", "Khuy măng sét"),
                "Két sắt đã khóa",
                (
                    "Kẻ trộm trâm cài áo",
                    "Kẻ trộm nhẫn",
                    "Kẻ trộm đồng hồ",
                    "Kẻ trộm khuy măng sét",
                    "Kẻ trộm bóng đêm",
                ),
            )
        },
    ),
}
"""By language; cards in canonical order. The Shadow Thief gives the game its name, so the two names are alike."""
