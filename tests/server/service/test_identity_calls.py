"""IdentityService: who the caller is, new bots and tokens, and what the log keeps of a token."""

from collections.abc import Awaitable
from typing import Any

import grpc
import pytest

from cutpurse.v1 import identity_pb2
from tests.server.service.arena import Arena, Refusal, refusal_of


async def refused(call: Awaitable[Any]) -> Refusal:
    """How a call is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return refusal_of(raised.value)


def identity(arena: Arena, method: str, request: Any, who: str = "organiser") -> Any:
    """A call to the identity service."""
    return getattr(arena.stub("IdentityService"), method)(request, metadata=arena.metadata(who))


async def test_everybody_is_told_who_it_is(arena: Arena) -> None:
    request = identity_pb2.GetIdentityRequest()
    told = {who: await identity(arena, "GetIdentity", request, who) for who in ("ann", "organiser", "spectator")}

    assert (told["ann"].role, told["ann"].bot.bot, told["ann"].bot.owner) == (
        identity_pb2.ROLE_BOT, "ann", "owner-of-ann",
    )  # fmt: skip
    assert told["organiser"].role == identity_pb2.ROLE_ORGANISER
    assert not told["spectator"].HasField("bot")


async def test_a_new_bot_plays_with_its_new_token_until_it_is_revoked(arena: Arena) -> None:
    bot = identity_pb2.BotDescription(bot="dan", owner="owner-of-dan")
    await identity(arena, "RegisterBot", identity_pb2.RegisterBotRequest(bot=bot))
    issued = await identity(arena, "IssueToken", identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot="dan"))
    arena.tokens["dan"] = issued.token
    stream = await arena.dial("dan")

    for _ in range(2):
        await identity(arena, "RevokeToken", identity_pb2.RevokeTokenRequest(token_id=issued.token_id))
    end = await stream.end()
    listed = (await identity(arena, "ListBots", identity_pb2.ListBotsRequest())).bots

    assert end is not None
    assert end.reason == "TOKEN_INVALID"
    assert [each.bot for each in listed] == ["ann", "ben", "cat", "dan"]


def new_bot(bot: str, owner: str = "owner") -> identity_pb2.RegisterBotRequest:
    return identity_pb2.RegisterBotRequest(bot=identity_pb2.BotDescription(bot=bot, owner=owner))


BOT, SPECTATOR = identity_pb2.ROLE_BOT, identity_pb2.ROLE_SPECTATOR
BAD_CALLS: list[tuple[str, Any, str]] = [
    ("RegisterBot", new_bot("ann"), "NAME_TAKEN"),
    ("RegisterBot", new_bot(""), "MALFORMED"),
    ("RegisterBot", new_bot("a" * 65), "MALFORMED"),
    ("RegisterBot", new_bot("a b"), "MALFORMED"),
    ("RegisterBot", new_bot("zoë"), "MALFORMED"),
    ("RegisterBot", new_bot("organiser#1"), "MALFORMED"),
    ("RegisterBot", new_bot("a\n"), "MALFORMED"),
    ("RegisterBot", new_bot("dan", ""), "MALFORMED"),
    ("IssueToken", identity_pb2.IssueTokenRequest(), "MALFORMED"),
    ("IssueToken", identity_pb2.IssueTokenRequest.FromString(b"\x08\x63"), "MALFORMED"),
    ("IssueToken", identity_pb2.IssueTokenRequest(role=BOT, bot="zoe"), "BOT_UNKNOWN"),
    ("IssueToken", identity_pb2.IssueTokenRequest(role=BOT), "BOT_UNKNOWN"),
    ("IssueToken", identity_pb2.IssueTokenRequest(role=SPECTATOR, bot="ann"), "MALFORMED"),
    ("IssueToken", identity_pb2.IssueTokenRequest(role=SPECTATOR, valid_s=2**64 - 1), "MALFORMED"),
    ("RevokeToken", identity_pb2.RevokeTokenRequest(token_id="999"), "MALFORMED"),
    ("RevokeToken", identity_pb2.RevokeTokenRequest(), "MALFORMED"),
]


@pytest.mark.parametrize(("method", "request_", "reason"), BAD_CALLS)
async def test_bad_requests_are_refused(arena: Arena, method: str, request_: Any, reason: str) -> None:
    assert (await refused(identity(arena, method, request_))).reason == reason


async def test_the_log_keeps_no_token(arena: Arena) -> None:
    stored = await arena.service.log.read("identity")
    kept = b"".join(each.public + each.secret + each.salt for each in stored)

    assert b"ann" in kept
    for token in arena.tokens.values():
        assert token.encode() not in kept
        assert token.removeprefix("cutp_").encode() not in kept
