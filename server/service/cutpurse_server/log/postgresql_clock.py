"""Store time of a log in PostgreSQL: the database's clock, as this process knows it between two looks at it.

When the database's clock is put, store time goes on as the steady clocks of the replicas say: see `PostgreSQLLog.beat`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["JUMP_MS", "SLEW_MS", "DatabaseClock"]

SLEW_MS = 20.0
"""So much may one look put the time right: two percent, with one look a second."""
JUMP_MS = 1_000.0
"""What differs by more was no drift: one of the two clocks was put, or stood still."""

_NS_PER_MS = 1_000_000
# Where there is one, a clock that goes on while the machine sleeps.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _steady_ms() -> float:
    return time.clock_gettime_ns(_CLOCK) / _NS_PER_MS


class DatabaseClock:
    """Milliseconds since 1970 that never go back, all replicas' alike to within half a round trip."""

    def __init__(self, steady_ms: Callable[[], float] = _steady_ms) -> None:
        """A clock that has not been looked at; `look` before the first `now_ms`."""
        self._steady_ms = steady_ms
        self._offset_ms: float | None = None
        self._last_ms = 0

    def asked_ms(self) -> float:
        """The moment at which the database is asked, for `look`."""
        return self._steady_ms()

    def look(self, asked_ms: float, database_ms: float) -> float:
        """What the database's clock said; it was read at some moment since it was asked, and that is all one knows.

        By how many milliseconds it was put since it was looked at before, and 0 in most cases. What was put is not
        followed: this process' steady clock knows how much time has passed.
        """
        now_ms = self._steady_ms()
        earliest_ms, latest_ms = database_ms - now_ms, database_ms - asked_ms
        offset_ms = (earliest_ms + latest_ms) / 2
        if self._offset_ms is None:
            self._offset_ms = offset_ms
        elif abs(offset_ms - self._offset_ms) > (latest_ms - earliest_ms) / 2 + JUMP_MS:
            return offset_ms - self._offset_ms
        elif self._offset_ms < earliest_ms:
            self._offset_ms += min(SLEW_MS, earliest_ms - self._offset_ms)
        elif self._offset_ms > latest_ms:
            self._offset_ms -= min(SLEW_MS, self._offset_ms - latest_ms)
        return 0.0

    def follow(self, jump_ms: float) -> None:
        """Follow after all, since this process and not the database stood still."""
        assert self._offset_ms is not None
        self._offset_ms += jump_ms

    def not_before(self, earlier_ms: int) -> None:
        """Wait for a time that was noted before, in case the database's clock was put back since then."""
        self._last_ms = max(self._last_ms, earlier_ms)

    def now_ms(self) -> int:
        """Store time."""
        assert self._offset_ms is not None, "the clock was never looked at"
        self._last_ms = max(self._last_ms, int(self._steady_ms() + self._offset_ms))
        return self._last_ms
