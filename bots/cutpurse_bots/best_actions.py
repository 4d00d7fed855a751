"""The best of the legal actions, and a lot where several are equally good."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from cutpurse.v1.match_pb2 import Decision

__all__ = ["best_action"]

EQUAL = 1e-9
"""Worths that differ by less are equal: sums of fractions may differ in their last digits."""


def best_action(decision: Decision, key: bytes, worth_of: Callable[[str], float]) -> str:
    """The legal action of the greatest worth. The lot between equal ones is a function of the key and the decision."""
    worths = [worth_of(action) for action in decision.legal]
    best = max(worths)
    candidates = [action for action, worth in zip(decision.legal, worths, strict=True) if worth > best - EQUAL]
    if len(candidates) == 1:
        return candidates[0]
    lot = hashlib.sha256(key + f"greedy/{decision.match}/{decision.seat}/{decision.decision}".encode()).digest()
    return candidates[int.from_bytes(lot[:8], "big") % len(candidates)]
