"""Noticing that somebody's time is over: one timer for all matches of a replica."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

__all__ = ["Deadlines"]

_LOOK_AGAIN_MS = 50
"""How long after a time was due the match is looked at again, whatever became of it."""


class Deadlines:
    """When to look at which match. An entry often comes too early, and never too late."""

    def __init__(
        self, now_ms: Callable[[], int], due_ms_of: Callable[[str], int | None], notice: Callable[[str], None]
    ) -> None:
        """`due_ms_of` says when a match is due now (None: never); `notice` is called for each that is."""
        self._now_ms = now_ms
        self._due_ms_of = due_ms_of
        self._notice = notice
        self._entries: list[tuple[int, str]] = []
        self._entry_of: dict[str, int] = {}
        """By match: its earliest entry; any other of its entries is out of date."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_ms = 0

    def watch(self, match: str, due_ms: int | None) -> None:
        """See to it that a match is looked at when it is due, or before."""
        # Not every due comes after the one before: a warm-up may be long, and the next seat's bank empty.
        if due_ms is not None and due_ms < self._entry_of.get(match, due_ms + 1):
            self._enter(match, due_ms)
            self._set_timer()

    def stop(self) -> None:
        """Notice nothing any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _enter(self, match: str, due_ms: int) -> None:
        self._entry_of[match] = due_ms
        heapq.heappush(self._entries, (due_ms, match))

    def _set_timer(self) -> None:
        due_ms = self._entries[0][0]
        if self._timer is not None:
            if self._timer_due_ms <= due_ms:
                return
            self._timer.cancel()
        delay_s = max(0, due_ms - self._now_ms()) / 1_000
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._time_passed)
        self._timer_due_ms = due_ms

    def _time_passed(self) -> None:
        self._timer = None
        now_ms = self._now_ms()
        while self._entries and self._entries[0][0] <= now_ms:
            entry_ms, match = heapq.heappop(self._entries)
            if self._entry_of.get(match) != entry_ms:
                continue
            del self._entry_of[match]
            due_ms = self._due_ms_of(match)
            if due_ms is None:
                continue
            if due_ms <= now_ms:
                self._notice(match)
                due_ms = now_ms + _LOOK_AGAIN_MS
            self._enter(match, due_ms)
        if self._entries:
            self._set_timer()
