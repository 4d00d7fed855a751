"""How many calls an owner may make: a bucket of tokens each, filled at a steady rate."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from cutpurse_server.errors import ErrorReason, ServiceError

__all__ = ["BURST", "CALLS_PER_S", "Rates"]

CALLS_PER_S = 50.0
BURST = 500
"""Calls that may be made at once after a pause: enough to ask for every match after a reconnect."""
_BUCKETS_MAX = 10_000
"""Owners remembered; who is forgotten has been still the longest."""


class Rates:
    """The calls of all owners."""

    def __init__(self, now_s: Callable[[], float] = monotonic) -> None:
        self._now_s = now_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By owner: calls left, and when that was."""

    def take(self, owner: str) -> None:
        """Count one call of an owner; raises RATE_LIMITED, with the seconds to wait, if none is left."""
        now_s = self._now_s()
        left, at_s = self._buckets.pop(owner, (float(BURST), now_s))
        left = min(float(BURST), left + (now_s - at_s) * CALLS_PER_S)
        allowed = left >= 1
        self._buckets[owner] = (left - 1 if allowed else left, now_s)
        if len(self._buckets) > _BUCKETS_MAX:
            self._buckets.popitem(last=False)
        if not allowed:
            wait_s = math.ceil((1 - left) / CALLS_PER_S * 1_000) / 1_000
            raise ServiceError(
                ErrorReason.RATE_LIMITED, f"Too many calls of this owner: try again in {wait_s:.3f} seconds."
            )
