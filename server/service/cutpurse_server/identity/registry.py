"""Registering bots, issuing tokens and telling who calls: the directory kept in step with its log."""

from __future__ import annotations

import os
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import directory as decide
from cutpurse_server.identity.directory import Caller, Directory, apply, hash_token
from cutpurse_server.identity.events import IdentityEvent, Role, TokenIssued
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import Append, Log, StoredEvent, Version

__all__ = ["Bot", "Codec", "Registry"]

_STREAM = "identity"
_TOKEN_PREFIX = "cutp_"
"""Lets people and scanners of secrets see what a token is."""
_TOKEN_BYTES = 32
_TOKEN_CHARACTERS = len(_TOKEN_PREFIX) + 43
_NEWS_MS = 1_000
"""A token that another replica revoked is refused here after that time at the latest."""
_CONFLICTS_MAX = 16

_Event = TypeVar("_Event", bound=IdentityEvent | None)


class Codec(Protocol):
    """Turns events into what the log keeps, and back."""

    def encode(self, event: IdentityEvent) -> StoredEvent:
        """The bytes of an event."""
        ...

    def decode(self, stored: StoredEvent) -> IdentityEvent:
        """The event of the bytes."""
        ...


class Bot(NamedTuple):
    """A registered bot."""

    bot: str
    owner: str


class Registry:
    """Who is who. Every method may raise `LogUnavailable`; refusals are `ServiceError`s."""

    def __init__(self, log: Log, codec: Codec, draw: Callable[[int], bytes] = os.urandom) -> None:
        """A registry over an open log; `draw` makes the random bytes of tokens."""
        self._log = log
        self._codec = codec
        self._draw = draw
        self._directory = Directory()
        self._version = Version(0)
        self._chain = first_link(_STREAM)
        self._read_at_ms: int | None = None

    async def register_bot(self, bot: str, owner: str) -> None:
        """A new bot; raises MALFORMED and NAME_TAKEN."""
        await self._add(lambda now_ms: decide.register_bot(self._directory, bot, owner, now_ms))

    async def issue_token(self, role: Role, bot: str = "", valid_s: int = 0) -> tuple[str, str]:
        """A new token's text, which is not kept, and its public number; raises MALFORMED and BOT_UNKNOWN."""
        token = _TOKEN_PREFIX + urlsafe_b64encode(self._draw(_TOKEN_BYTES)).decode().rstrip("=")
        assert len(token) == _TOKEN_CHARACTERS
        kept = hash_token(token)
        issued = await self._add(lambda now_ms: decide.issue_token(self._directory, kept, role, bot, valid_s, now_ms))
        return token, issued.token_id

    async def revoke_token(self, token_id: str) -> None:
        """End a token, if it has not ended; raises MALFORMED if there never was one."""
        await self._add(lambda now_ms: decide.revoke_token(self._directory, token_id, now_ms))

    async def authenticate(self, token: str) -> Caller | None:
        """Who shows this token, or None if it is not valid."""
        if len(token) != _TOKEN_CHARACTERS or not token.startswith(_TOKEN_PREFIX):
            return None
        if self._is_old():
            await self._refresh()
        caller = self._directory.caller(token, self._log.now_ms())
        if caller is None:
            # It may have been issued by another replica a moment ago.
            await self._refresh()
            caller = self._directory.caller(token, self._log.now_ms())
        return caller

    async def is_valid(self, token_id: str) -> bool:
        """Whether a token that was valid still is."""
        if self._is_old():
            await self._refresh()
        return self._directory.is_valid(token_id, self._log.now_ms())

    async def is_player(self, bot: str) -> bool:
        """Whether a bot is played by a person: it has a valid token of the role PLAYER."""
        await self._refresh()
        return self._directory.is_player(bot, self._log.now_ms())

    async def owner_of(self, bot: str) -> str | None:
        """The owner of a bot, or None if it is not registered."""
        if bot not in self._directory.owners:
            await self._refresh()
        return self._directory.owners.get(bot)

    async def list_bots(self) -> list[Bot]:
        """All bots, by name."""
        await self._refresh()
        return [Bot(bot, owner) for bot, owner in sorted(self._directory.owners.items())]

    async def list_tokens(self, bot: str = "") -> list[TokenIssued]:
        """The valid tokens, of one bot or of all, in the order in which they were issued."""
        await self._refresh()
        return self._directory.valid_tokens(bot, self._log.now_ms())

    async def has_role(self, role: Role) -> bool:
        """Whether any valid token has the role."""
        await self._refresh()
        return self._directory.has_role(role, self._log.now_ms())

    def _is_old(self) -> bool:
        return self._read_at_ms is None or self._log.now_ms() - self._read_at_ms >= _NEWS_MS

    async def _refresh(self) -> None:
        """Read what was added to the log since the last time."""
        before, read_at_ms = self._version, self._log.now_ms()
        stored = await self._log.read(_STREAM, before)
        # While this waited, another call may have read some of it already.
        self._follow(stored[self._version - before :])
        self._read_at_ms = read_at_ms

    def _follow(self, stored: Sequence[StoredEvent]) -> None:
        if stored:
            self._directory = apply(self._directory, map(self._codec.decode, stored))
            self._chain = links(self._chain, stored)
            self._version = Version(self._version + len(stored))

    async def _add(self, decided: Callable[[int], _Event]) -> _Event:
        """Decide on the newest state and add the event, if any; anew whenever somebody else was faster."""
        for _ in range(_CONFLICTS_MAX):
            await self._refresh()
            event = decided(self._log.now_ms())
            if event is None:
                return event
            stored, version = self._codec.encode(event), self._version
            (added,) = await self._log.flush([Append(_STREAM, version, (stored,), links(self._chain, (stored,)))])
            if added:
                # Unless another call has read it by now.
                if self._version == version:
                    self._follow((stored,))
                return event
        raise ServiceError(ErrorReason.LOG_UNAVAILABLE)
