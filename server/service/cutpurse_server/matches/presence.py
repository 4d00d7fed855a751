"""Which bots are there: what a missing answer is put down to. Never shown to anybody while a match runs."""

from __future__ import annotations

from collections import Counter

from cutpurse_server.matches.events import Cause

__all__ = ["Presence"]


class Presence:
    """The bots that have a stream open to this replica, and those of our own children that have ended."""

    def __init__(self) -> None:
        self._streams: Counter[str] = Counter()
        self._crashed: set[str] = set()

    def came(self, bot: str) -> None:
        """A stream of the bot was opened."""
        self._streams[bot] += 1
        self._crashed.discard(bot)

    def went(self, bot: str) -> None:
        """A stream of the bot was closed."""
        self._streams[bot] -= 1

    def crashed(self, bot: str) -> None:
        """A bot that we launched has ended; holds until it dials in again."""
        self._crashed.add(bot)

    def streams(self, bot: str) -> int:
        """How many streams the bot has open."""
        return self._streams[bot]

    def fault_of(self, bot: str) -> Cause:
        """What is wrong with a bot that has not answered in time."""
        if self._streams[bot] > 0:
            return Cause.TIMEOUT
        return Cause.CRASHED if bot in self._crashed else Cause.DISCONNECTED
