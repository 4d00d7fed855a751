"""What is significant: tails of distributions, and corrections for many comparisons. The standard library suffices.

`holm` keeps the chance of even one false finding in the whole family at the level (Holm, 1979). `benjamini_hochberg`
keeps the expected share of false ones among the findings at the level (Benjamini and Hochberg, 1995); where nothing is
there to be found, that too is the chance of any finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, cos, erfc, pi, sin, sqrt

__all__ = ["LEVEL", "benjamini_hochberg", "holm", "normal_two_sided", "student_two_sided"]

LEVEL = 0.05
"""At which everything here is called significant."""

_DEGREES_MAX = 2_000
"""From here on Student's t is as good as normal: the tails differ by less than 1 part in 100 where they matter."""


def normal_two_sided(z: float) -> float:
    """The chance that a standard normal number is at least `abs(z)` away from 0."""
    return erfc(abs(z) / sqrt(2))


def student_two_sided(t: float, degrees: int) -> float:
    """The chance that Student's t with whole `degrees`, from 1, is at least `abs(t)` away from 0.

    By the finite series in the angle atan(t ÷ √degrees) (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    """
    assert degrees >= 1
    if degrees > _DEGREES_MAX:
        return normal_two_sided(t)
    angle = atan(abs(t) / sqrt(degrees))
    squared = cos(angle) ** 2
    odd = degrees % 2
    term = cos(angle) if odd else 1.0
    total = term if degrees > 1 or not odd else 0.0
    for step in range(3 if odd else 2, degrees - 1, 2):
        term *= squared * (step - 1) / step
        total += term
    inside = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return max(0.0, 1.0 - inside)


def holm(chances: Sequence[float], family: int | None = None) -> list[float]:
    """Adjusted chances, in the order given: significant where at most the level.

    `family` counts the comparisons, those included that were not made and so cannot be significant.
    """
    family = len(chances) if family is None else family
    assert family >= len(chances)
    adjusted = [1.0] * len(chances)
    so_far = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=lambda index: chances[index])):
        so_far = max(so_far, min(1.0, (family - rank) * chances[index]))
        adjusted[index] = so_far
    return adjusted


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Adjusted chances, in the order given: significant where at most the level."""
    adjusted = [1.0] * len(chances)
    so_far = 1.0
    ascending = sorted(range(len(chances)), key=lambda index: chances[index])
    for rank in range(len(chances), 0, -1):
        index = ascending[rank - 1]
        so_far = min(so_far, chances[index] * len(chances) / rank)
        adjusted[index] = so_far
    return adjusted
