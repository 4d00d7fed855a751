"""The identity log's events as the log keeps them: `encode` and `decode`. Wire form: identity_log.proto."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from cutpurse.v1 import identity_log_pb2, identity_pb2
from cutpurse_server.identity.events import BotRegistered, IdentityEvent, Role, TokenIssued, TokenRevoked
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.wire.sealing import seal

__all__ = ["decode", "encode"]

_Public = identity_log_pb2.IdentityPublicEvent


def encode(event: IdentityEvent) -> StoredEvent:
    """The bytes of an event; none has a secret part."""
    match event:
        case BotRegistered(bot, owner, at_ms):
            description = identity_pb2.BotDescription(bot=bot, owner=owner)
            public = _Public(bot_registered=identity_log_pb2.BotRegisteredPublic(bot=description, at_ms=at_ms))
        case TokenIssued():
            public = _Public(token_issued=_token_issued_to_proto(event))
        case TokenRevoked(token_id, at_ms):
            public = _Public(token_revoked=identity_log_pb2.TokenRevokedPublic(token_id=token_id, at_ms=at_ms))
    return seal(public.SerializeToString(), b"")


def _token_issued_to_proto(event: TokenIssued) -> identity_log_pb2.TokenIssuedPublic:
    return identity_log_pb2.TokenIssuedPublic(
        token_id=event.token_id,
        token_hash=event.token_hash,
        role=identity_pb2.Role.ValueType(event.role),
        bot=event.bot,
        at_ms=event.at_ms,
        expires_at_ms=event.expires_at_ms,
    )


def decode(stored: StoredEvent) -> IdentityEvent:
    """The event of the bytes; raises `UnreadableEvent`."""
    try:
        public = _Public.FromString(stored.public)
        match public.WhichOneof("event"):
            case "bot_registered":
                registered = public.bot_registered
                return BotRegistered(registered.bot.bot, registered.bot.owner, registered.at_ms)
            case "token_issued":
                issued = public.token_issued
                return TokenIssued(
                    issued.token_id,
                    issued.token_hash,
                    Role(issued.role),
                    issued.bot,
                    issued.at_ms,
                    issued.expires_at_ms,
                )
            case "token_revoked":
                return TokenRevoked(public.token_revoked.token_id, public.token_revoked.at_ms)
            case None:
                raise UnreadableEvent("the event is of no known kind")
    except (DecodeError, ValueError) as failure:
        raise UnreadableEvent("these bytes are no event of the identity log") from failure
