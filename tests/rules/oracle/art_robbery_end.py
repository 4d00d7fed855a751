"""The end of a game of Art Robbery, as the oracle reads the page: who discards what, who is caught, who wins."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

__all__ = ["TILES", "SafeTile", "rank", "settle"]

TILES = ["0.3", "0.2", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS"]
"""The kinds of tile in canonical order (table Tiles); the figure after the dot is the number of alibis."""

SafeTile = tuple[int, str]
"""A tile that is safe, with the heist (from 1) in which it was taken: R7 asks for it."""


def worth(tile: str) -> int:
    """Count the points of a tile in the end."""
    return 5 if tile == "BOSS" else int(tile.split(".")[0])


def alibis(tiles: Iterable[str]) -> int:
    """Count the alibis on tiles."""
    return sum(int(tile.split(".")[1]) for tile in tiles if tile != "BOSS")


def settle(safe: list[list[SafeTile]]) -> tuple[list[list[SafeTile]], list[SafeTile]]:
    """Return what every seat keeps and what is discarded in the end: only with two players, by the fewer alibis."""
    kept = [list(tiles) for tiles in safe]
    counts = [alibis(tile for _, tile in tiles) for tiles in safe]
    if len(safe) != 2 or counts[0] == counts[1]:
        return kept, []
    loser = counts.index(min(counts))
    discarded = worth_ten(safe[loser])
    for tile in discarded:
        kept[loser].remove(tile)
    return kept, discarded


def worth_ten(tiles: list[SafeTile]) -> list[SafeTile]:
    """Choose by R7 the set to discard: every set with the smallest total that is at least 10, compared one by one."""
    if sum(worth(tile) for _, tile in tiles) < 10:
        return list(tiles)
    # A tile of value 0 is never in the set: without it the total is the same and more alibis are kept.
    counts = Counter(tile for tile in tiles if worth(tile[1]) > 0)
    kinds = sorted(counts, key=position)
    sets = next(found for total in itertools.count(10) if (found := list(sets_worth(total, kinds, counts))))
    fewest_alibis = min(alibis(tile for _, tile in one) for one in sets)
    sets = [one for one in sets if alibis(tile for _, tile in one) == fewest_alibis]
    fewest_tiles = min(len(one) for one in sets)
    sets = [one for one in sets if len(one) == fewest_tiles]
    return max(sets, key=lambda one: [position(tile) for tile in one])


def position(tile: SafeTile) -> tuple[int, int]:
    """Order tiles by heist, then canonically."""
    return tile[0], TILES.index(tile[1])


def sets_worth(total: int, kinds: list[SafeTile], counts: Counter[SafeTile]) -> Iterator[list[SafeTile]]:
    """Yield every set of tiles with exactly this total, sorted by position; same tiles of a heist count once (G4)."""
    if total == 0:
        yield []
    elif kinds:
        first = kinds[0]
        for number in range(min(counts[first], total // worth(first[1])) + 1):
            for rest in sets_worth(total - number * worth(first[1]), kinds[1:], counts):
                yield [first] * number + rest


def rank(kept: list[list[str]]) -> tuple[list[int], list[int]]:
    """Return the scores and the placements from what every seat keeps (R6, R8, G9)."""
    points = [sum(worth(tile) for tile in tiles) for tiles in kept]
    counts = [alibis(tiles) for tiles in kept]
    caught = [len(kept) > 2 and count == min(counts) for count in counts]
    scores = [0 if is_caught else point for is_caught, point in zip(caught, points, strict=True)]
    standing = [
        (0, 0, 0) if is_caught else (1, point, count)
        for is_caught, point, count in zip(caught, points, counts, strict=True)
    ]
    return scores, [1 + sum(other > own for other in standing) for own in standing]
