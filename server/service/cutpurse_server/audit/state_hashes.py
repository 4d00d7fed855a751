"""State hashes as an auditor makes them."""

from __future__ import annotations

import hmac

__all__ = ["StateHashes"]


class StateHashes:
    """HMAC-SHA-256 under one key: the key is hashed once, not with every state."""

    __slots__ = ("_keyed",)

    def __init__(self, key: bytes) -> None:
        self._keyed = hmac.new(key, digestmod="sha256")

    def of(self, state: bytes) -> bytes:
        """The hash of a state's canonical bytes: 32 bytes."""
        keyed = self._keyed.copy()
        keyed.update(state)
        return keyed.digest()
