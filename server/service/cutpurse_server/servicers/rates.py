"""How many calls an owner may make, and how often a bot may dial in: buckets of tokens, filled at a steady rate."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from cutpurse_server.errors import ErrorReason, ServiceError

__all__ = ["AT_ONCE", "BURST", "CALLS_PER_S", "DIALS", "DIALS_PER_S", "Rates"]

CALLS_PER_S = 50.0
BURST = 500
"""Calls that may be made at once after a pause: enough to ask for every match after a reconnect."""
AT_ONCE = 50
"""Of these, so many are answered as fast as they come; the others can wait a moment."""
DIALS_PER_S = 2.0
DIALS = 60
"""A bot's streams that may be opened at once after a pause: an open one costs as much as ten calls, and many reconnect
at once only when a network fails again and again."""
_BUCKETS_MAX = 10_000
"""Owners and bots remembered; who is forgotten has been still the longest."""


class Rates:
    """The calls of all owners."""

    def __init__(self, now_s: Callable[[], float] = monotonic) -> None:
        self._now_s = now_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By owner, or by bot with a slash before it: calls left, and when that was."""

    def take(self, owner: str) -> bool:
        """Count one call of an owner, and say whether those before it came faster than calls may on average.

        Raises RATE_LIMITED, with the seconds to wait, if none is left.
        """
        return self._take(owner, BURST, CALLS_PER_S, "Too many calls of this owner") < BURST - AT_ONCE

    def dial(self, bot: str) -> None:
        """Count one stream of a bot that is being opened; raises as `take`."""
        self._take(f"/{bot}", DIALS, DIALS_PER_S, "This bot dials in too often")

    def _take(self, key: str, burst: float, per_s: float, what: str) -> float:
        now_s = self._now_s()
        left, at_s = self._buckets.pop(key, (burst, now_s))
        left = min(burst, left + (now_s - at_s) * per_s)
        allowed = left >= 1
        self._buckets[key] = (left - 1 if allowed else left, now_s)
        if len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)
        if not allowed:
            wait_s = math.ceil((1 - left) / per_s * 1_000) / 1_000
            raise ServiceError(ErrorReason.RATE_LIMITED, f"{what}: try again in {wait_s:.3f} seconds.")
        return left - 1
