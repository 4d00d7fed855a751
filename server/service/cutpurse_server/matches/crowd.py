"""How much of one bot may wait in one match, so that nobody's flood takes the others' places in the queue."""

from __future__ import annotations

from collections import Counter

__all__ = ["WAITING_MAX", "Crowd"]

WAITING_MAX = 64
"""Answers of one bot to one match that may wait for their commit, over all its streams and calls.

An honest bot has one there, or a few when it repeats or corrects itself. Five seats together stay far below what the
desk lets wait in a match.
"""


class Crowd:
    """Counts what waits."""

    def __init__(self) -> None:
        self._waiting: Counter[tuple[str, str]] = Counter()

    def enter(self, bot: str, match: str) -> bool:
        """Count one more, if there is room for it."""
        key = (bot, match)
        waiting = self._waiting.get(key, 0)
        if waiting >= WAITING_MAX:
            return False
        self._waiting[key] = waiting + 1
        return True

    def leave(self, bot: str, match: str) -> None:
        """Count one less."""
        key = (bot, match)
        if self._waiting[key] > 1:
            self._waiting[key] -= 1
        else:
            del self._waiting[key]
