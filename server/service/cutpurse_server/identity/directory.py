"""Who is registered and which tokens are valid: a fold over the identity log, and what may be added to it.

Nothing here knows a log, a clock or chance: commands take the time and the token's hash and return the event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import NamedTuple

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity.events import BotRegistered, IdentityEvent, Role, TokenIssued, TokenRevoked
from cutpurse_server.names import is_name

__all__ = ["Caller", "Directory", "apply", "hash_token", "issue_token", "register_bot", "revoke_token"]

VALID_S_MAX = 315_360_000
"""Ten years."""

PLAYING = frozenset({Role.BOT, Role.PLAYER})
"""Roles whose tokens belong to a bot."""

_MS_PER_S = 1_000


class Caller(NamedTuple):
    """Whoever shows a valid token."""

    role: Role
    bot: str
    """Empty for roles that do not play."""
    owner: str
    """The bot's owner; empty with `bot`."""
    token_id: str

    @property
    def name(self) -> str:
        """Tells callers apart: the bot's name, or role and number of the token, which no bot can be called."""
        return self.bot or f"{self.role.name.lower()}#{self.token_id}"


@dataclass(frozen=True, slots=True)
class Directory:
    """All bots and tokens as of some version of the log."""

    owners: dict[str, str] = field(default_factory=dict)
    """Owner by bot."""
    tokens: dict[str, TokenIssued] = field(default_factory=dict)
    """All tokens by public number, in the order in which they were issued."""
    valid: dict[bytes, TokenIssued] = field(default_factory=dict)
    """Tokens that are not revoked, by hash."""

    def caller(self, token: str, now_ms: int) -> Caller | None:
        """Who shows this token; None if it is unknown, revoked or expired.

        The text is hashed before it is looked up, so how long that takes says nothing about any token.
        """
        shown = hash_token(token)
        issued = self.valid.get(shown)
        if issued is None or not compare_digest(issued.token_hash, shown) or _expired(issued, now_ms):
            return None
        return Caller(issued.role, issued.bot, self.owners.get(issued.bot, ""), issued.token_id)

    def is_valid(self, token_id: str, now_ms: int) -> bool:
        """Whether the token is neither revoked nor expired."""
        issued = self.tokens.get(token_id)
        return issued is not None and issued.token_hash in self.valid and not _expired(issued, now_ms)

    def valid_tokens(self, bot: str, now_ms: int) -> list[TokenIssued]:
        """Tokens that are neither revoked nor expired, of one bot, or of everybody with an empty name."""
        return [
            issued
            for issued in self.tokens.values()
            if issued.token_hash in self.valid and not _expired(issued, now_ms) and bot in ("", issued.bot)
        ]

    def is_player(self, bot: str, now_ms: int) -> bool:
        """Whether the bot has a valid token of the role PLAYER."""
        return any(
            issued.bot == bot and issued.role is Role.PLAYER and not _expired(issued, now_ms)
            for issued in self.valid.values()
        )

    def has_role(self, role: Role, now_ms: int) -> bool:
        """Whether any valid token has the role."""
        return any(issued.role is role and not _expired(issued, now_ms) for issued in self.valid.values())


def _expired(issued: TokenIssued, now_ms: int) -> bool:
    return issued.expires_at_ms != 0 and now_ms >= issued.expires_at_ms


def hash_token(token: str) -> bytes:
    """What the log keeps of a token. Texts that are no ASCII are hashed too, and are nobody's."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def apply(directory: Directory, events: Iterable[IdentityEvent]) -> Directory:
    """The directory after some more events."""
    owners, tokens, valid = dict(directory.owners), dict(directory.tokens), dict(directory.valid)
    for event in events:
        match event:
            case BotRegistered():
                assert event.bot not in owners
                owners[event.bot] = event.owner
            case TokenIssued():
                assert event.token_id not in tokens
                tokens[event.token_id] = valid[event.token_hash] = event
            case TokenRevoked():
                valid.pop(tokens[event.token_id].token_hash, None)
    return Directory(owners, tokens, valid)


def register_bot(directory: Directory, bot: str, owner: str, at_ms: int) -> BotRegistered:
    """A new bot; raises MALFORMED and NAME_TAKEN."""
    for what, name in (("bot", bot), ("owner", owner)):
        if not is_name(name):
            raise ServiceError(
                ErrorReason.MALFORMED,
                f"The {what}'s name must be 1 to 64 of A-Z, a-z, 0-9, hyphen, underscore and dot.",
            )
    if bot in directory.owners:
        raise ServiceError(ErrorReason.NAME_TAKEN, f"There is a bot {bot} already.")
    return BotRegistered(bot, owner, at_ms)


def issue_token(directory: Directory, token_hash: bytes, role: Role, bot: str, valid_s: int, at_ms: int) -> TokenIssued:
    """A new token, for `valid_s` seconds or, with 0, for ever; raises MALFORMED and BOT_UNKNOWN."""
    if not 0 <= valid_s <= VALID_S_MAX:
        raise ServiceError(ErrorReason.MALFORMED, f"valid_s must be 0 to {VALID_S_MAX}.")
    if role in PLAYING and bot not in directory.owners:
        raise ServiceError(ErrorReason.BOT_UNKNOWN)
    if role not in PLAYING and bot:
        raise ServiceError(ErrorReason.MALFORMED, "Only tokens of the roles BOT and PLAYER belong to a bot.")
    expires_at_ms = at_ms + valid_s * _MS_PER_S if valid_s else 0
    return TokenIssued(str(len(directory.tokens) + 1), token_hash, role, bot, at_ms, expires_at_ms)


def revoke_token(directory: Directory, token_id: str, at_ms: int) -> TokenRevoked | None:
    """The end of a token, or None if it was ended before; raises MALFORMED if there never was such a token."""
    issued = directory.tokens.get(token_id)
    if issued is None:
        raise ServiceError(ErrorReason.MALFORMED, "There is no token of that number.")
    return TokenRevoked(token_id, at_ms) if issued.token_hash in directory.valid else None
