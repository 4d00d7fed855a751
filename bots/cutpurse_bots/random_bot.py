"""Random: any legal action, each as likely as any other."""

from __future__ import annotations

import hashlib

from cutpurse.v1.match_pb2 import Decision

__all__ = ["choose"]


def choose(decision: Decision, key: bytes) -> str:
    """A legal action by lot. The lot is a function of the key, the match, the seat and the decision alone."""
    lot = f"random/{decision.match}/{decision.seat}/{decision.decision}".encode()
    number = int.from_bytes(hashlib.sha256(key + lot).digest()[:8], "big")
    # 64 bits over at most some dozens of actions: no action is likelier than another by more than 1 in 10^17.
    return decision.legal[number % len(decision.legal)]
