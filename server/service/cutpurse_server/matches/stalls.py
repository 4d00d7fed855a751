"""Noticing that the whole process stood still: nobody could be heard meanwhile, so nobody's clock may have run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

__all__ = ["Stalls"]

TICK_MS = 100
SLACK_MS = 250
"""A tick may be so late on a busy machine; what is later is a stall, and all of it is given back."""


class Stalls:
    """A tick ten times a second. What asks in between need not wait for the tick that comes too late."""

    def __init__(self, stood_still: Callable[[int], None], now_s: Callable[[], float] = monotonic) -> None:
        """`stood_still` is called with the milliseconds that were lost, once for each stall."""
        # The process's own steady clock: what a log calls the time may be anything, and move by jumps in tests.
        self._now_s = now_s
        self._stood_still = stood_still
        self._ticked_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to tick."""
        self._ticked_s = self._now_s()
        self._timer = asyncio.get_running_loop().call_later(TICK_MS / 1_000, self._tick)

    def stop(self) -> None:
        """Stop ticking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look(self) -> None:
        """Say at once whether there was a stall since the last tick."""
        now_s = self._now_s()
        late_ms = round((now_s - self._ticked_s) * 1_000) - TICK_MS
        if self._timer is not None and late_ms > SLACK_MS:
            self._ticked_s = now_s
            self._stood_still(late_ms)

    def _tick(self) -> None:
        self.look()
        self.start()
