"""The types of all games' views and actions: a further game is one line in each union."""

from __future__ import annotations

from typing import TypeAlias

from cutpurse.v1.art_robbery_pb2 import ArtRobberyAction, ArtRobberyView
from cutpurse.v1.big_max_pb2 import BigMaxAction, BigMaxView
from cutpurse.v1.shadow_thief_pb2 import ShadowThiefAction, ShadowThiefView

__all__ = ["GameAction", "GameView"]

GameView: TypeAlias = ArtRobberyView | ShadowThiefView | BigMaxView
"""What a seat may know, as the game's own message; `isinstance` tells which."""

GameAction: TypeAlias = ArtRobberyAction | ShadowThiefAction | BigMaxAction
"""An action, as the game's own message."""
