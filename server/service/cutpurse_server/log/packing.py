"""How the backends with a row for each append keep its events: one after the other, each after its lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct

from cutpurse_server.log.port import StoredEvent

__all__ = ["packed", "unpacked"]

_LENGTHS = Struct(">IIB")
"""Before each event: how many bytes its public part, its secret part and its salt have."""


def packed(events: Sequence[StoredEvent]) -> bytes:
    """The events of one append as one row holds them."""
    parts: list[bytes] = []
    for public, secret, salt in events:
        parts += (_LENGTHS.pack(len(public), len(secret), len(salt)), public, secret, salt)
    return b"".join(parts)


def unpacked(row: bytes) -> Iterator[StoredEvent]:
    """The events that `packed` joined."""
    at = 0
    while at < len(row):
        public, secret, salt = _LENGTHS.unpack_from(row, at)
        at += _LENGTHS.size
        secret_at = at + public
        salt_at = secret_at + secret
        end = salt_at + salt
        yield StoredEvent(row[at:secret_at], row[secret_at:salt_at], row[salt_at:end])
        at = end
