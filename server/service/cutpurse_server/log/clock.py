"""Store time for backends that have no clock of their own."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["StoreClock"]

_NS_PER_MS = 1_000_000


def _wall_ms() -> int:
    return time.time_ns() // _NS_PER_MS


def _steady_ms() -> int:
    return time.monotonic_ns() // _NS_PER_MS


class StoreClock:
    """Milliseconds since 1970 that never go back.

    The wall clock is looked at once; from then on a steady clock counts. So a wall clock that is put right while
    matches run takes no time from a seat and gives it none.
    """

    def __init__(self, wall_ms: Callable[[], int] = _wall_ms, steady_ms: Callable[[], int] = _steady_ms) -> None:
        self._steady_ms = steady_ms
        self._zero_ms = wall_ms() - steady_ms()

    def now_ms(self) -> int:
        """Store time."""
        return self._zero_ms + self._steady_ms()

    def not_before(self, earlier_ms: int) -> None:
        """Go forward to a time that was noted before, in case the wall clock was put back since then."""
        self._zero_ms = max(self._zero_ms, earlier_ms - self._steady_ms())
