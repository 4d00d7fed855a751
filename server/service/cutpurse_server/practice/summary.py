"""What a practice has shown: standings as a tournament's, the worst matches, how long the author's bot thought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cutpurse_server.practice.parts import PlayedMatch, Practice
from cutpurse_server.tournaments.events import BlockCompleted, Standing
from cutpurse_server.tournaments.standings import points_units, standings_of

__all__ = ["Summary", "Times", "points_of", "summed_up", "worst_first"]


class Times(NamedTuple):
    """How long the author's bot took for its decisions, in milliseconds."""

    decisions: int
    p50_ms: int
    p90_ms: int
    p99_ms: int
    slowest_ms: int
    slowest_match: int
    """The number of the match with the slowest decision."""
    slowest_decision: int
    """As the bot counts its decisions in that match, from 1."""


class Summary(NamedTuple):
    """All of it."""

    standings: tuple[Standing, ...]
    """Over the whole blocks that were played; empty where there was none."""
    places: Mapping[int, int]
    """By place of the author's bot: how often."""
    worst: tuple[PlayedMatch, ...]
    """All matches in which it did not come first, the worst first."""
    times: Times | None
    """None where it decided nothing."""
    faults: Mapping[str, int]
    """By cause: refused answers and defaults of the author's bot."""
    faulty: tuple[int, ...]
    """The numbers of the matches with such a fault."""


def summed_up(practice: Practice, played: Sequence[PlayedMatch]) -> Summary:
    """Sum up matches, given in the order of the schedule."""
    size = len(practice.entries)
    by_block: dict[int, list[PlayedMatch]] = {}
    for each in played:
        by_block.setdefault((each.number - 1) // size, []).append(each)
    blocks = [
        BlockCompleted(number + 1, 1, 1, tuple(each.completed for each in block), 0)
        for number, block in by_block.items()
        if len(block) == size
    ]
    names = [entry.name for entry in practice.entries]
    return Summary(
        standings_of(size, names, blocks).rows() if blocks else (),
        Counter(each.completed.outcome.placements[each.seat] for each in played),
        tuple(each for each in worst_first(played) if each.completed.outcome.placements[each.seat] > 1),
        _times(played),
        Counter(fault for each in played for fault in each.faults),
        tuple(each.number for each in played if each.faults),
    )


def points_of(played: PlayedMatch) -> float:
    """The points of the author's bot in a match, from 0 to 1."""
    outcome = played.completed.outcome
    return points_units(outcome, played.seat) / (2 * (len(outcome.placements) - 1))


def worst_first(played: Sequence[PlayedMatch]) -> list[PlayedMatch]:
    """Fewest points first; among equals the one that was lost by most; then in the order of the schedule."""

    def rank(each: PlayedMatch) -> tuple[float, int, int]:
        scores = each.completed.outcome.scores
        return points_of(each), scores[each.seat] - max(scores), each.number

    return sorted(played, key=rank)


def _times(played: Sequence[PlayedMatch]) -> Times | None:
    all_ms = sorted(ms for each in played for ms in each.took_ms)
    if not all_ms:
        return None
    p50, p90, p99 = (all_ms[min(len(all_ms) - 1, int(part * len(all_ms)))] for part in (0.5, 0.9, 0.99))
    slowest = max((each for each in played if each.took_ms), key=lambda each: max(each.took_ms))
    longest = max(slowest.took_ms)
    return Times(len(all_ms), p50, p90, p99, longest, slowest.number, slowest.took_ms.index(longest) + 1)
