"""How an event's two parts become what the log keeps: a commitment in the public part seals the secret part."""

from __future__ import annotations

import os

from cutpurse_server.log.chain import SALT_BYTES, commitment
from cutpurse_server.log.port import StoredEvent

__all__ = ["seal"]

_COMMITMENT = b"\xfa\x01\x20"
"""Field 31 of every public event, 32 bytes long. It has the highest number, so in canonical form it stands last."""

_SALTS_AT_ONCE = 128
"""Asking the system for many salts at once costs a tenth of asking for each."""

_salts: list[bytes] = []


def seal(public: bytes, secret: bytes) -> StoredEvent:
    """Join a serialised public part that lacks its commitment and a serialised secret part, empty if there is none."""
    if not secret:
        return StoredEvent(public, b"", b"")
    salt = _salts.pop() if _salts else _more_salts()
    return StoredEvent(public + _COMMITMENT + commitment(salt, secret), secret, salt)


def _more_salts() -> bytes:
    drawn = os.urandom(SALT_BYTES * _SALTS_AT_ONCE)
    _salts.extend(drawn[at : at + SALT_BYTES] for at in range(0, len(drawn), SALT_BYTES))
    return _salts.pop()


# Two processes must never use the same salt.
os.register_at_fork(after_in_child=_salts.clear)
