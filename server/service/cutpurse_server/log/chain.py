"""Commitments and the hash chain, byte by byte as proto/cutpurse/v1/log.proto gives them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from operator import itemgetter

from cutpurse_server.log.port import StoredEvent

__all__ = ["NO_MANIFEST", "SALT_BYTES", "commitment", "first_link", "link", "links"]

SALT_BYTES = 32
_PUBLIC = itemgetter(0)
"""The public part of an event."""
NO_MANIFEST = bytes(32)
"""Stands in for the manifest hash of streams that belong to no tournament."""


def commitment(salt: bytes, secret: bytes) -> bytes:
    """What binds a public part to its secret part: 32 bytes."""
    assert len(salt) == SALT_BYTES
    return sha256(b"\x04" + salt + secret).digest()


def first_link(identifier: str, manifest_hash: bytes = NO_MANIFEST) -> bytes:
    """h_0 of a match's or tournament's chain: 32 bytes."""
    assert len(manifest_hash) == len(NO_MANIFEST)
    return sha256(b"\x03" + identifier.encode() + manifest_hash).digest()


def link(previous: bytes, public: bytes) -> bytes:
    """h_n from h_{n-1} and the public bytes of event n: 32 bytes."""
    return sha256(b"\x02" + previous + sha256(b"\x00" + public).digest()).digest()


def links(previous: bytes, events: Iterable[StoredEvent]) -> bytes:
    """The head after several events."""
    # As `link`, written out, since an audit does little else so often.
    for hashed in map(sha256, map(b"\x00".__add__, map(_PUBLIC, events))):
        previous = sha256(b"\x02" + previous + hashed.digest()).digest()
    return previous
