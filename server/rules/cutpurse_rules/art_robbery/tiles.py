"""The loot tiles: eight kinds, numbered from 1 in canonical order as in the protocol's enum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = [
    "ALIBIS", "BOSS_TILE", "HEISTS", "KEEPS_THE_BOSS", "OF_VALUE", "POINTS", "TILES", "TILE_COUNTS", "Tile",
    "notation",
]  # fmt: skip

Tile: TypeAlias = int
"""A kind of tile."""

TILES: Final = ("0.3", "0.2", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS")
"""The notation of each kind, in canonical order: value, then alibis."""

TILE_COUNTS: Final[Mapping[str, int]] = {
    "0.3": 1, "0.2": 1, "1.1": 2, "2.1": 1, "3.0": 1, "4.0": 1, "5.0": 1, "BOSS": 1,
}  # fmt: skip
"""The nine tiles of a heist, the same in each (assumed by the page)."""

BOSS_TILE: Final = 8
"""Not a tile of value 5, though it counts 5 in the end."""

OF_VALUE: Final[tuple[tuple[Tile, ...], ...]] = ((1, 2), (3,), (4,), (5,), (6,), (7,))
"""By value, the kinds that a Number of this value takes."""

KEEPS_THE_BOSS: Final[tuple[Tile, ...]] = (6, 7)
"""A tile of value 4 or 5 of the same heist is what a seat needs to keep the Boss tile."""

POINTS: Final = (0, 0, 0, 1, 2, 3, 4, 5, 5)
"""By kind, what a kept tile counts in the end; kind 0 does not exist."""

ALIBIS: Final = (0, 3, 2, 1, 1, 0, 0, 0, 0)
"""By kind, the alibis on a tile; kind 0 does not exist."""

HEISTS: Final = ("SKETCHES", "SCULPTURES", "ANTIQUITIES", "PAINTINGS")
"""The heists in their fixed order."""


def notation(tile: Tile) -> str:
    """The tile's short text: `2.1`, `BOSS`."""
    return TILES[tile - 1]
