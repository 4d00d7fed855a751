"""Pictures as inlined SVG: one strip for each bot, as wide as the page gives, with letters that do not shrink.

Every horizontal measure is a percentage and every vertical one a pixel, so a strip fits a telephone and a wall alike.
Colours come from the page's style by class. Strips hold numbers only; names stand beside them in the page's tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

__all__ = ["Scale", "axis", "bars", "interval", "linear", "logarithmic", "spread"]

_HEIGHT, _MIDDLE, _TALL = 26, 13, 40
_MARGIN = 3.0
"""Percent left free at either end, so that nothing is cut off."""


class Scale(NamedTuple):
    """Where numbers lie on a strip."""

    low: float
    high: float
    """More than `low`."""
    ticks: tuple[float, ...]
    is_logarithmic: bool

    def place(self, value: float) -> float:
        """Percent from the left; values beyond the ends lie at the ends."""
        if self.is_logarithmic:
            value = log10(max(value, 1e-9))
        share = (value - self.low) / (self.high - self.low)
        return _MARGIN + (100 - 2 * _MARGIN) * min(1.0, max(0.0, share))


def linear(values: Iterable[float], ticks: int = 6) -> Scale:
    """A scale from the least to the greatest of some values, with about so many round ticks."""
    known = sorted(values)
    low, high = (known[0], known[-1]) if known else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    raw = (high - low) / ticks
    power = 10.0 ** floor(log10(raw))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    marks = tuple(step * number for number in range(first, floor(high / step + 1e-9) + 1))
    return Scale(low, high, marks, False)


def logarithmic(longest: float) -> Scale:
    """A scale of milliseconds from 1 to the next power of ten."""
    powers = max(1, ceil(log10(max(longest, 2.0))))
    return Scale(0.0, float(powers), tuple(10.0**power for power in range(powers + 1)), True)


def axis(scale: Scale, labels: Sequence[str]) -> str:
    """The strip above the others, with the ticks' labels."""
    assert len(labels) == len(scale.ticks)
    # On a telephone every other label is hidden.
    texts = "".join(
        f'<text{" class=wide" if number % 2 else ""} x="{scale.place(tick):.2f}%" y="17" text-anchor="middle">'
        f"{label}</text>"
        for number, (tick, label) in enumerate(zip(scale.ticks, labels, strict=True))
    )
    return f'<svg class="strip axis" height="{_HEIGHT}" aria-hidden="true">{texts}</svg>'


def interval(scale: Scale, value: float, low: float | None, high: float | None, said: str) -> str:
    """A dot, and the line of its interval where there is one."""
    parts = _grid(scale)
    if low is not None and high is not None:
        left, right = scale.place(low), scale.place(high)
        parts += f'<line class="reach" x1="{left:.2f}%" x2="{right:.2f}%" y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
    parts += f'<circle class="dot" cx="{scale.place(value):.2f}%" cy="{_MIDDLE}" r="4.5"/>'
    return _strip(parts, said)


def spread(scale: Scale, middle: float, high: float, highest: float, said: str) -> str:
    """A box up to a high value from the middle one, and a line on to the highest."""
    at_middle, at_high, at_highest = scale.place(middle), scale.place(high), scale.place(highest)
    parts = _grid(scale)
    parts += f'<line class="reach thin" x1="{at_high:.2f}%" x2="{at_highest:.2f}%" y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
    width = max(0.4, at_high - at_middle)
    parts += f'<rect class="bar" x="{at_middle:.2f}%" width="{width:.2f}%" y="{_MIDDLE - 5}" height="10" rx="2"/>'
    parts += f'<circle class="dot" cx="{at_middle:.2f}%" cy="{_MIDDLE}" r="4.5"/>'
    return _strip(parts, said)


def bars(scale: Scale, values: Sequence[float], said: str, bins: int = 28) -> str:
    """How values are distributed: a bar for each bin, the highest as high as the strip, and a mark at their mean."""
    counts = [0] * bins
    for value in values:
        share = (value - scale.low) / (scale.high - scale.low)
        counts[min(bins - 1, max(0, int(share * bins)))] += 1
    width = (100 - 2 * _MARGIN) / bins
    parts = _grid(scale, _TALL)
    for number, count in enumerate(counts):
        if count:
            height = max(2.0, (_TALL - 3) * count / max(counts))
            parts += (
                f'<rect class="bar" x="{_MARGIN + number * width:.2f}%" width="{width * 0.86:.2f}%" '
                f'y="{_TALL - height:.1f}" height="{height:.1f}"/>'
            )
    if values:
        mean = scale.place(sum(values) / len(values))
        parts += f'<line class="mean" x1="{mean:.2f}%" x2="{mean:.2f}%" y1="0" y2="{_TALL}"/>'
    return _strip(parts, said, _TALL)


def _grid(scale: Scale, height: int = _HEIGHT) -> str:
    return "".join(
        f'<line class="grid" x1="{scale.place(tick):.2f}%" x2="{scale.place(tick):.2f}%" y1="0" y2="{height}"/>'
        for tick in scale.ticks
    )


def _strip(parts: str, said: str, height: int = _HEIGHT) -> str:
    """A strip, and what is read to those who do not see it: digits and words of ours only."""
    return f'<svg class="strip" height="{height}" role="img" aria-label="{said}">{parts}</svg>'
