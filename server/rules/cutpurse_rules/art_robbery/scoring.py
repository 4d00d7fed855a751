"""The end of the game: alibis, points, placements (page: *End of the game*, R6 to R8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cutpurse_rules.art_robbery.tiles import ALIBIS, POINTS, Tile
from cutpurse_rules.contract import EndReason, Result

__all__ = ["DISCARD_WORTH", "choose_discards", "discard_for_alibis", "score"]

DISCARD_WORTH: Final = 10
"""What the tiles are worth in total that the seat with fewer alibis discards, of two players."""

_MOST_WORTH: Final = DISCARD_WORTH + max(POINTS) - 1
"""The smallest total of at least 10 is never more: without its last tile it would still be enough."""


def alibis_of(tiles: bytes) -> int:
    """All alibis on the tiles."""
    return sum(ALIBIS[tile] for tile in tiles)


def points_of(tiles: bytes) -> int:
    """The sum of the tiles' values; a Boss tile counts 5."""
    return sum(POINTS[tile] for tile in tiles)


def score(kept: Sequence[bytes]) -> Result:
    """The result by seat, from the tiles that each seat keeps in the end.

    Most points wins, a tie goes to the most alibis, still equal is shared. Of three to five players those with the
    fewest alibis are caught: they score 0 and share the place after all others (R8), or, if that is everybody, the
    first place (R6). With two players nobody is caught, and the alibis that count are those on the tiles kept (R7).
    """
    alibis = [alibis_of(tiles) for tiles in kept]
    caught = {seat for seat in range(len(kept)) if len(kept) > 2 and alibis[seat] == min(alibis)}
    # A caught seat ranks below every possible standing of a seat that got away.
    standings = [(-1, -1) if seat in caught else (points_of(kept[seat]), alibis[seat]) for seat in range(len(kept))]
    return Result(
        scores=tuple(max(points, 0) for points, _ in standings),
        placements=tuple(1 + sum(other > standing for other in standings) for standing in standings),
        reason=EndReason.COMPLETED,
    )


def discard_for_alibis(safe: tuple[tuple[bytes, ...], ...]) -> tuple[tuple[tuple[bytes, ...], ...], bytes]:
    """Two players: the seat with fewer alibis discards (R7); with equal alibis neither does.

    Takes the safe tiles by heist and seat; returns them after the discard, and the tiles discarded.
    """
    first, second = (alibis_of(b"".join(heist[seat] for heist in safe)) for seat in (0, 1))
    if first == second:
        return safe, b""
    poorer = 0 if first < second else 1
    discarded = choose_discards([heist[poorer] for heist in safe])
    kept = []
    for tiles, gone in zip(safe, discarded, strict=True):
        left = list(tiles[poorer])
        for tile in gone:
            left.remove(tile)
        kept.append((bytes(left), tiles[1]) if poorer == 0 else (tiles[0], bytes(left)))
    return tuple(kept), bytes(sorted(b"".join(discarded)))


class _Discard(NamedTuple):
    """A set of tiles that might be discarded, sorted by heist, then tile."""

    alibis: int
    tiles: tuple[tuple[int, Tile], ...]

    def is_better_than(self, other: _Discard) -> bool:
        """Of two sets of the same total: keep the most alibis, discard the fewest tiles, discard the later tile."""
        if self.alibis != other.alibis:
            return self.alibis < other.alibis
        if len(self.tiles) != len(other.tiles):
            return len(self.tiles) < len(other.tiles)
        return self.tiles > other.tiles


def choose_discards(tiles_by_heist: Sequence[bytes]) -> list[bytes]:
    """The tiles that R7 discards, by heist: everything if all together are worth less than 10.

    Goes through the tiles from the last to the first and keeps, for every total, the best set of those seen. That the
    rest of a best set is itself a best set holds for each of R7's criteria, so nothing better is lost; and tiles of a
    kind and heist beyond the tenth change nothing, because ten tiles of value 1 are enough.
    """
    tiles = [
        (heist, tile)
        for heist, multiset in enumerate(tiles_by_heist)
        for tile in sorted(set(multiset))
        for _ in range(min(multiset.count(tile), DISCARD_WORTH))
        # A tile without value never brings a total nearer to 10, and costs alibis.
        if POINTS[tile]
    ]
    best: dict[int, _Discard] = {0: _Discard(0, ())}
    for heist, tile in reversed(tiles):
        # Largest totals first, so that a tile is used once.
        for total in sorted(best, reverse=True):
            rest = best[total]
            longer = _Discard(rest.alibis + ALIBIS[tile], ((heist, tile), *rest.tiles))
            reached = total + POINTS[tile]
            if reached <= _MOST_WORTH and (reached not in best or longer.is_better_than(best[reached])):
                best[reached] = longer
    enough = [total for total in best if total >= DISCARD_WORTH]
    if not enough:
        return list(tiles_by_heist)
    chosen = best[min(enough)].tiles
    return [bytes(tile for at, tile in chosen if at == heist) for heist in range(len(tiles_by_heist))]
