"""What the toy game, its stakes and its shapes are called in each language."""

from __future__ import annotations

from collections.abc import Mapping

from cutpurse_rules.contract import Names

NAMES: Mapping[str, Names] = {
    "en": Names(
        game="Rock, Paper, Scissors",
        kinds={"cards": "Stakes", "shapes": "Shapes"},
        components={"cards": ("Stake 1", "Stake 2", "Stake 3"), "shapes": ("Rock", "Paper", "Scissors")},
    ),
    "de": Names(
        game="Schere, Stein, Papier",
        kinds={"cards": "Einsätze", "shapes": "Figuren"},
        components={"cards": ("Einsatz 1", "Einsatz 2", "Einsatz 3"), "shapes": ("Stein", "Papier", "Schere")},
    ),
    "vi": Names(
        game="Oẳn tù tì",
        kinds={"cards": "Mức cược", "shapes": "Thế tay"},
        components={"cards": ("Mức cược 1", "Mức cược 2", "Mức cược 3"), "shapes": ("Búa", "Bao", "Kéo")},
    ),
}
