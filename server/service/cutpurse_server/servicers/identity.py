"""IdentityService: owners, bots, tokens."""

from __future__ import annotations

from typing import Any

from cutpurse.v1 import identity_pb2, identity_pb2_grpc
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Registry, Role
from cutpurse_server.servicers.gate import current_caller

__all__ = ["IdentityServicer"]


class IdentityServicer(identity_pb2_grpc.IdentityServiceServicer):
    """Passes on to the registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def GetIdentity(
        self, request: identity_pb2.GetIdentityRequest, context: Any
    ) -> identity_pb2.GetIdentityResponse:
        """Who the caller is."""
        caller = current_caller()
        bot = identity_pb2.BotDescription(bot=caller.bot, owner=caller.owner) if caller.bot else None
        return identity_pb2.GetIdentityResponse(role=identity_pb2.Role.ValueType(caller.role), bot=bot)

    async def RegisterBot(
        self, request: identity_pb2.RegisterBotRequest, context: Any
    ) -> identity_pb2.RegisterBotResponse:
        """A new bot."""
        await self._registry.register_bot(request.bot.bot, request.bot.owner)
        return identity_pb2.RegisterBotResponse()

    async def IssueToken(
        self, request: identity_pb2.IssueTokenRequest, context: Any
    ) -> identity_pb2.IssueTokenResponse:
        """A new token."""
        try:
            role = Role(request.role)
        except ValueError:
            raise ServiceError(ErrorReason.MALFORMED, "Name the role that the token is for.") from None
        token, token_id = await self._registry.issue_token(role, request.bot, request.valid_s)
        return identity_pb2.IssueTokenResponse(token=token, token_id=token_id)

    async def RevokeToken(
        self, request: identity_pb2.RevokeTokenRequest, context: Any
    ) -> identity_pb2.RevokeTokenResponse:
        """The end of a token."""
        await self._registry.revoke_token(request.token_id)
        return identity_pb2.RevokeTokenResponse()

    async def ListBots(self, request: identity_pb2.ListBotsRequest, context: Any) -> identity_pb2.ListBotsResponse:
        """All bots."""
        bots = await self._registry.list_bots()
        return identity_pb2.ListBotsResponse(
            bots=[identity_pb2.BotDescription(bot=each.bot, owner=each.owner) for each in bots]
        )

    async def ListTokens(
        self, request: identity_pb2.ListTokensRequest, context: Any
    ) -> identity_pb2.ListTokensResponse:
        """All valid tokens."""
        tokens = await self._registry.list_tokens(request.bot)
        return identity_pb2.ListTokensResponse(
            tokens=[
                identity_pb2.TokenDescription(
                    token_id=each.token_id,
                    role=identity_pb2.Role.ValueType(each.role),
                    bot=each.bot,
                    issued_at_ms=each.at_ms,
                    expires_at_ms=each.expires_at_ms,
                )
                for each in tokens
            ]
        )
