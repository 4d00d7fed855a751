"""The facts that the identity log holds. Wire form: proto/cutpurse/v1/identity_log.proto."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

__all__ = ["BotRegistered", "IdentityEvent", "Role", "TokenIssued", "TokenRevoked"]


class Role(IntEnum):
    """What a token lets its holder do; numbers as in identity.proto."""

    BOT = 1
    PLAYER = 2
    ORGANISER = 3
    SPECTATOR = 4
    AUDITOR = 5


class BotRegistered(NamedTuple):
    """A bot exists, and its owner with it."""

    bot: str
    owner: str
    at_ms: int


class TokenIssued(NamedTuple):
    """A token exists."""

    token_id: str
    """Its public number."""
    token_hash: bytes
    """SHA-256 of its text, 32 bytes."""
    role: Role
    bot: str
    """Empty for roles that do not play."""
    at_ms: int
    expires_at_ms: int
    """From then on it is not valid; 0 for no end."""


class TokenRevoked(NamedTuple):
    """A token's end."""

    token_id: str
    at_ms: int


IdentityEvent = BotRegistered | TokenIssued | TokenRevoked
