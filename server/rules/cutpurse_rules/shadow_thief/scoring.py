"""Points and placements (page: *Scoring a deal*, R1)."""

from __future__ import annotations

from cutpurse_rules.contract import EndReason, Result
from cutpurse_rules.shadow_thief.cards import VALUE

__all__ = ["points_of", "score"]


def points_of(safe: bytes) -> int:
    """The sum of the values of the Jewelry in a safe; the card that locks it does not count."""
    return sum([VALUE[card] for card in safe])


def score(points: tuple[int, ...]) -> Result:
    """The result by seat: most points of all deals together wins, equal points share the place (R1)."""
    return Result(
        scores=points,
        placements=tuple(1 + sum(other > own for other in points) for own in points),
        reason=EndReason.COMPLETED,
    )
