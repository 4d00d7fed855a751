"""What the game, its cards and its tiles are called in each language.

The game is sold under its English name everywhere, so that is its name in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cutpurse_rules.contract import Names

__all__ = ["NAMES"]

_VALUES: Final = range(6)
_GAME: Final = "Art Robbery"

NAMES: Final[Mapping[str, Names]] = {
    "en": Names(
        game=_GAME,
        kinds={"cards": "Cards", "tiles": "Loot tiles"},
        components={
            "cards": (*(f"Number {value}" for value in _VALUES), "Guard Dog", "Greedy Thief", "Boss"),
            "tiles": (
                "Loot 0 (3 alibis)",
                "Loot 0 (2 alibis)",
                "Loot 1 (1 alibi)",
                "Loot 2 (1 alibi)",
                "Loot 3 (no alibi)",
                "Loot 4 (no alibi)",
                "Loot 5 (no alibi)",
                "Boss tile",
            ),
        },
    ),
    "de": Names(
        game=_GAME,
        kinds={"cards": "Karten", "tiles": "Beuteplättchen"},
        components={
            "cards": (*(f"Zahl {value}" for value in _VALUES), "Wachhund", "Gieriger Dieb", "Boss"),
            "tiles": (
                "Beute 0 (3 Alibis)",
                "Beute 0 (2 Alibis)",
                "Beute 1 (1 Alibi)",
                "Beute 2 (1 Alibi)",
                "Beute 3 (kein Alibi)",
                "Beute 4 (kein Alibi)",
                "Beute 5 (kein Alibi)",
                "Bossplättchen",
            ),
        },
    ),
    "vi": Names(
        game=_GAME,
        kinds={"cards": "Lá bài", "tiles": "Miếng chiến lợi phẩm"},
        components={
            "cards": (*(f"Số {value}" for value in _VALUES), "Chó canh", "Kẻ trộm tham lam", "Ông chủ"),
            "tiles": (
                "Chiến lợi phẩm 0 (3 alibi)",
                "Chiến lợi phẩm 0 (2 alibi)",
                "Chiến lợi phẩm 1 (1 alibi)",
                "Chiến lợi phẩm 2 (1 alibi)",
                "Chiến lợi phẩm 3 (không có alibi)",
                "Chiến lợi phẩm 4 (không có alibi)",
                "Chiến lợi phẩm 5 (không có alibi)",
                "Miếng Ông chủ",
            ),
        },
    ),
}
"""By language; cards and tiles in canonical order."""
