"""State hashes as an auditor makes them."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["StateHashes"]

_BLOCK_BYTES = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class StateHashes:
    """HMAC-SHA-256 under one key (RFC 2104): the key is hashed once, not with every state."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        """A key that fits into a block of the hash, as every sub-key does."""
        assert len(key) <= _BLOCK_BYTES
        block = key.ljust(_BLOCK_BYTES, b"\x00")
        self._inner = sha256(block.translate(_INNER))
        self._outer = sha256(block.translate(_OUTER))

    def of(self, state: bytes) -> bytes:
        """The hash of a state's canonical bytes: 32 bytes."""
        inner = self._inner.copy()
        inner.update(state)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()
