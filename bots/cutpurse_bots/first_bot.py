"""First: always the first legal action. Weak, and the easiest opponent to understand a log with."""

from __future__ import annotations

from cutpurse.v1.match_pb2 import Decision

__all__ = ["choose"]


def choose(decision: Decision, key: bytes) -> str:
    """The first legal action; the key plays no part."""
    del key
    return decision.legal[0]
