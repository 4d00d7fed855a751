"""The table of games: a further game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cutpurse_rules.art_robbery import ArtRobbery
from cutpurse_rules.big_max import BigMax
from cutpurse_rules.contract import Game
from cutpurse_rules.shadow_thief import ShadowThief

__all__ = ["GAMES"]

GAMES: Final[Mapping[str, Game[Any, Any, Any]]] = MappingProxyType(
    {
        game.id: game
        for game in (
            ArtRobbery(),
            BigMax(),
            ShadowThief(),
        )
    }
)  # fmt: skip
"""Every game by its identifier, in alphabetical order."""
