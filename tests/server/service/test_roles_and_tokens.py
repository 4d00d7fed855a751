"""Who may call what: every method for every role, and tokens that are wrong in every way."""

import asyncio
import importlib
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.servicers import gate
from cutpurse_server.servicers.gate import ALLOWED
from tests.server.service.arena import PATIENCE_S, Arena, Refusal, open_arena, refusal_of

FILES = [
    importlib.import_module(f"cutpurse.v1.{name}_pb2")
    for name in ("audit", "bot", "game", "identity", "match", "tournament")
]


def methods() -> Iterator[MethodDescriptor]:
    """Every method of the contract."""
    for file in FILES:
        services: dict[str, ServiceDescriptor] = file.DESCRIPTOR.services_by_name
        for service in services.values():
            yield from service.methods


PATHS = {f"/{method.containing_service.full_name}/{method.name}": method for method in methods()}


async def call(arena: Arena, path: str, token: str | None, request: bytes = b"") -> Refusal | None:
    """Call a method with an empty request; how it is refused, or None."""
    method = PATHS[path]
    metadata = () if token is None else (("authorization", f"Bearer {token}"),)
    kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
    stub: Any = getattr(arena.channel, kind)(path, bytes, GetMessageClass(method.output_type).FromString)
    try:
        async with asyncio.timeout(PATIENCE_S):
            if method.client_streaming:
                stream = stub(metadata=metadata)
                await stream.write(request)
                await stream.done_writing()
                while await stream.read() is not grpc.aio.EOF:
                    pass
                await stream
            elif method.server_streaming:
                async for _ in stub(request, metadata=metadata):
                    return None
            else:
                await stub(request, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)
    return None


def test_every_method_of_the_contract_has_its_line_and_no_other_has() -> None:
    assert set(ALLOWED) == set(PATHS)


# What the contract's comments say, written down a second time: services and methods → roles besides organisers.
PLAYING = {"BOT", "PLAYER"}
EVERYBODY = {role.name for role in Role}
WATCHING = PLAYING | {"ORGANISER", "SPECTATOR"}
CONTRACT = {
    "ListGames": EVERYBODY, "GetGame": EVERYBODY, "GetIdentity": EVERYBODY, "GetTournament": EVERYBODY,
    "WatchTournament": EVERYBODY, "GetStandings": EVERYBODY, "GetMatch": WATCHING, "WatchMatch": WATCHING,
    "GetView": PLAYING, "ListLegalActions": PLAYING, "SubmitChoice": PLAYING, "Connect": PLAYING,
    "ExportBundle": {"ORGANISER", "AUDITOR"}, "ListTournaments": {"ORGANISER", "AUDITOR"},
    "GetBotLog": PLAYING | {"ORGANISER"},
}  # fmt: skip


async def test_each_role_may_call_what_the_contract_says_and_nothing_else(arena: Arena) -> None:
    await arena.service.registry.register_bot("pat", "owner-of-pat")
    tokens = {Role.BOT: arena.tokens["ann"], Role.PLAYER: ""}
    tokens[Role.PLAYER], _ = await arena.service.registry.issue_token(Role.PLAYER, "pat")
    tokens |= {role: arena.tokens[role.name.lower()] for role in (Role.ORGANISER, Role.SPECTATOR, Role.AUDITOR)}
    forbidden = {}

    for path in PATHS:
        for role, token in tokens.items():
            refusal = await call(arena, path, token)
            forbidden[path, role.name] = refusal is not None and refusal.reason == "ROLE_FORBIDDEN"
            if forbidden[path, role.name]:
                assert refusal is not None
                assert refusal.code is grpc.StatusCode.PERMISSION_DENIED

    expected = {
        (path, role.name): role.name not in CONTRACT.get(path.rpartition("/")[2], {"ORGANISER"})
        for path in PATHS
        for role in Role
    }
    assert forbidden == expected


async def test_a_method_without_a_line_is_refused(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/cutpurse.v1.GameService/ListGames"
    monkeypatch.setattr(gate, "ALLOWED", {each: roles for each, roles in ALLOWED.items() if each != path})

    refusal = await call(arena, path, arena.tokens["organiser"])

    assert refusal is not None
    assert refusal.reason == "ROLE_FORBIDDEN"


BAD_TOKENS = {
    "absent": None,
    "empty": "",
    "too short": "cutp_abc",
    "made up": "cutp_" + "A" * 43,
    "not ASCII's letters": "cutp_" + "~" * 43,
    "of 4,000 characters": "cutp_" + "A" * 4_000,
}


@pytest.mark.parametrize("token", BAD_TOKENS.values(), ids=BAD_TOKENS)
async def test_no_method_is_answered_without_a_valid_token(arena: Arena, token: str | None) -> None:
    for path in PATHS:
        refusal = await call(arena, path, token)

        assert refusal is not None, path
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID"), path


async def test_another_scheme_is_no_token(arena: Arena) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await arena.stub("MatchService").GetMatch(
            match_pb2.GetMatchRequest(match="m"), metadata=(("authorization", f"Basic {arena.tokens['ann']}"),)
        )

    assert refusal_of(raised.value).reason == "TOKEN_INVALID"


async def test_an_expired_token_is_refused_and_ends_its_stream() -> None:
    now_ms = [1_000_000]
    async with open_arena(MemoryLog(lambda: now_ms[0])) as arena:
        arena.tokens["ann"], _ = await arena.service.registry.issue_token(Role.BOT, "ann", 5)
        ann = await arena.dial("ann")

        now_ms[0] += 5_000
        refusal = await call(arena, "/cutpurse.v1.GameService/ListGames", arena.tokens["ann"])
        end = await ann.end()

    assert refusal is not None
    assert end is not None
    assert (refusal.reason, end.reason) == ("TOKEN_INVALID", "TOKEN_INVALID")


async def read_out(call: Any) -> None:
    """Read a stream to its end."""
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_revoked_token_is_refused_and_ends_its_streams_within_a_second_or_so(arena: Arena) -> None:
    match = await arena.create(["ann", "ben"])
    for bot in ("ann", "ben"):
        stream = await arena.dial(bot)
        await stream.get_ready(match)
    arena.tokens["watcher"], number = await arena.service.registry.issue_token(Role.SPECTATOR)
    watching = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("watcher")
    )
    assert await watching.read()

    await arena.service.registry.revoke_token(number)
    refusal = await call(arena, "/cutpurse.v1.GameService/ListGames", arena.tokens["watcher"])
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await asyncio.wait_for(read_out(watching), 5)

    assert refusal is not None
    assert (refusal.reason, refusal_of(raised.value).reason) == ("TOKEN_INVALID", "TOKEN_INVALID")


async def test_no_request_field_says_who_the_caller_is(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    decision = await streams["ann"].next("decisions", match)
    stolen = streams["ann"].choice(decision, request_id=b"stolen")

    refusal = await arena.refused("ben", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=stolen))

    assert refusal.reason == "DECISION_NOT_OPEN"
    await streams["ann"].answer(decision)


async def test_the_open_services_say_nothing_of_matches(arena: Arena) -> None:
    connect: Any = reflection_pb2_grpc.ServerReflectionStub
    stream = connect(arena.channel).ServerReflectionInfo()
    await stream.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    answer = await stream.read()
    stream.cancel()

    names = {each.name for each in answer.list_services_response.service}
    assert {method.containing_service.full_name for method in methods()} < names


def test_a_hello_names_no_seat() -> None:
    assert {field.name for field in bot_pb2.Hello.DESCRIPTOR.fields} == {
        "protocol_version", "bot", "sdk", "concurrency", "wants_legal_actions", "wants_resolved", "wants_receipts",
    }  # fmt: skip
