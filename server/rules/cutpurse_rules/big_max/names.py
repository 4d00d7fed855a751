"""What the game and its cards are called in each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cutpurse_rules.contract import Names

__all__ = ["NAMES"]


def _cards(
    suitcase: str, master_thief: str, henchman: str, thief: str, card_sharp: str, gunman: str
) -> tuple[str, ...]:
    """The names of all cards in canonical order."""
    return (
        suitcase,
        master_thief,
        *(f"{henchman} {value}" for value in (2, 3, 4, 6)),
        *(f"{thief} {value}" for value in (2, 3, 4, 5, 6)),
        card_sharp,
        gunman,
    )


NAMES: Final[Mapping[str, Names]] = {
    "en": Names(
        game="Big Max's Inheritance",
        kinds={"cards": "Cards"},
        components={"cards": _cards("Suitcase", "Master Thief", "Henchman", "Thief", "Card-sharp", "Gunman")},
    ),
    "de": Names(
        game="Das Erbe von Big Max",
        kinds={"cards": "Karten"},
        components={
            "cards": _cards("Geldkoffer", "Meisterdieb", "Handlanger", "Dieb", "Falschspieler", "Revolverheld")
        },
    ),
    "vi": Names(
        game="Gia tài của Big Max",
        kinds={"cards": "Lá bài"},
        components={"cards": _cards("Va li tiền", "Siêu trộm", "Tay sai", "Kẻ trộm", "Tay cờ bạc bịp", "Tay súng")},
    ),
}
"""By language; cards in canonical order."""
