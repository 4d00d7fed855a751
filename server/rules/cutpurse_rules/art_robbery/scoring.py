"""The end of the game: alibis, points, placements (page: *End of the game*, R6 to R8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cutpurse_rules.art_robbery.tiles import ALIBIS, POINTS
from cutpurse_rules.contract import EndReason, Result

__all__ = ["DISCARD_WORTH", "choose_discards", "discard_for_alibis", "score"]

DISCARD_WORTH: Final = 10
"""What the tiles are worth in total that the seat with fewer alibis discards, of two players."""

_MOST_WORTH: Final = DISCARD_WORTH + max(POINTS) - 1
"""The smallest total of at least 10 is never more: without its last tile it would still be enough."""

_HEIST_STEP: Final = 16
"""A tile of a heist is one number, `heist × 16 + tile`, so that the order of numbers is R7's order of tiles."""


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


def choose_discards(tiles_by_heist: Sequence[bytes]) -> list[bytes]:
    """The tiles that R7 discards, by heist: everything if all together are worth less than 10.

    A set of tiles is kept as (alibis kept, fewness, its tiles sorted by heist, then tile), so that of two sets with the
    same total R7 prefers the greater one: less of what is negative, and at the first difference the later tile. Going
    through the tiles from the last to the first, the best set so far of every total is remembered. That the rest of a
    best set is itself a best set holds for each of R7's criteria, so nothing better is lost.
    """
    best: dict[int, tuple[int, int, bytes]] = {0: (0, 0, b"")}
    for position in reversed(_valuable(tiles_by_heist)):
        points, alibis = POINTS[position % _HEIST_STEP], ALIBIS[position % _HEIST_STEP]
        first = bytes((position,))
        # Largest totals first, so that a tile is used once.
        for total in sorted(best, reverse=True):
            reached = total + points
            if reached <= _MOST_WORTH:
                kept, fewness, rest = best[total]
                longer = (kept - alibis, fewness - 1, first + rest)
                if reached not in best or longer > best[reached]:
                    best[reached] = longer
    enough = [total for total in best if total >= DISCARD_WORTH]
    if not enough:
        return list(tiles_by_heist)
    discarded = best[min(enough)][2]
    return [
        bytes(position % _HEIST_STEP for position in discarded if position // _HEIST_STEP == heist)
        for heist in range(len(tiles_by_heist))
    ]


def _valuable(tiles_by_heist: Sequence[bytes]) -> bytes:
    """The tiles that may have to be discarded, in R7's order.

    A tile without value never brings a total nearer to 10, and costs alibis; of a kind and heist ten tiles of value 1
    are enough.
    """
    return bytes(
        heist * _HEIST_STEP + tile
        for heist, multiset in enumerate(tiles_by_heist)
        for tile in sorted(set(multiset))
        if POINTS[tile]
        for _ in range(min(multiset.count(tile), DISCARD_WORTH))
    )
