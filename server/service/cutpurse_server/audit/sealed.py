"""Opening an event: its secret part must be what its public part committed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.log.chain import SALT_BYTES, commitment
from cutpurse_server.log.port import StoredEvent

__all__ = ["opened"]

E = TypeVar("E")


def opened(stored: StoredEvent, decode: Callable[[StoredEvent], tuple[E, bytes]]) -> E:
    """The event, by a codec that gives its commitment too; raises `Wrong` or `UnreadableEvent`."""
    event, committed = decode(stored)
    _, secret, salt = stored
    if committed or secret or salt:
        fits = len(salt) == SALT_BYTES and commitment(salt, secret) == committed
        if not fits:
            raise Wrong("what was opened is not what was committed to")
    return event
