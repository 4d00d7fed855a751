"""Off the loopback everything is encrypted, and a service whose certificate nobody vouches for is not talked to."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import trustme

from cutpurse.v1 import game_pb2, game_pb2_grpc
from cutpurse_rules import GAMES
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import Service, Tls, running_service

OUTSIDE = ["0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:0", "example.org:0", "dns:///0.0.0.0:0", "127.0.0.1.example.org:0"]


@pytest.mark.parametrize("address", OUTSIDE)
async def test_an_address_that_can_be_reached_from_outside_needs_a_certificate(address: str) -> None:
    with pytest.raises(ValueError, match="certificate"):
        async with running_service(MemoryLog(), [address]):
            pass


@pytest.fixture
def authority() -> trustme.CA:
    """Whoever vouches for the service."""
    return trustme.CA()


@pytest.fixture
async def service(authority: trustme.CA) -> AsyncIterator[Service]:
    """A service that can be reached from outside."""
    certificate = authority.issue_cert("localhost")
    tls = Tls(b"".join(blob.bytes() for blob in certificate.cert_chain_pems), certificate.private_key_pem.bytes())
    async with running_service(MemoryLog(), ["0.0.0.0:0"], tls) as service:
        yield service


async def list_games(service: Service, credentials: grpc.ChannelCredentials | None) -> Any:
    """Ask for the games, as a spectator."""
    token, _ = await service.registry.issue_token(Role.SPECTATOR)
    address = f"localhost:{service.addresses[0].rpartition(':')[2]}"
    if credentials is None:
        channel = grpc.aio.insecure_channel(address)
    else:
        channel = grpc.aio.secure_channel(address, credentials)
    stub: Any = game_pb2_grpc.GameServiceStub
    async with channel, asyncio.timeout(10):
        return await stub(channel).ListGames(
            game_pb2.ListGamesRequest(), metadata=(("authorization", f"Bearer {token}"),)
        )


async def test_whoever_trusts_the_authority_is_served(service: Service, authority: trustme.CA) -> None:
    trust = grpc.ssl_channel_credentials(authority.cert_pem.bytes())

    assert [game.game for game in (await list_games(service, trust)).games] == list(GAMES)


async def test_another_authority_is_not_believed(service: Service) -> None:
    trust = grpc.ssl_channel_credentials(trustme.CA().cert_pem.bytes())

    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await list_games(service, trust)

    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_plain_text_is_not_understood(service: Service) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await list_games(service, None)

    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_clients_without_a_certificate_are_refused_where_one_is_asked_for(authority: trustme.CA) -> None:
    own, known = authority.issue_cert("localhost"), authority.issue_cert("client.example.org")
    chain = b"".join(blob.bytes() for blob in own.cert_chain_pems)
    tls = Tls(chain, own.private_key_pem.bytes(), authority.cert_pem.bytes())
    async with running_service(MemoryLog(), ["127.0.0.1:0"], tls) as service:
        nobody = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        somebody = grpc.ssl_channel_credentials(
            authority.cert_pem.bytes(),
            known.private_key_pem.bytes(),
            b"".join(blob.bytes() for blob in known.cert_chain_pems),
        )
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await list_games(service, nobody)
        served = await list_games(service, somebody)

    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
    assert served.games
