"""Bots of all languages at a service with a certificate, as it is on another machine."""

import asyncio
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from cutpurse.v1 import match_pb2, match_pb2_grpc
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import Tls, running_service
from tests.languages.projects import Project

pytestmark = [pytest.mark.languages, pytest.mark.timeout(900)]

OVER = (match_pb2.MATCH_PHASE_ENDED, match_pb2.MATCH_PHASE_VOIDED)


@contextmanager
def launched(projects: Mapping[str, Project], environments: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """The bot of each project, told where and who it is as its author tells it."""
    processes = [
        subprocess.Popen(
            shlex.split(project.command), env=os.environ | environments[language], stdin=subprocess.DEVNULL
        )
        for language, project in projects.items()
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def what_came_of_it(projects: Mapping[str, Project], vouching: trustme.CA, ca: Path, warm_up_ms: int) -> Any:
    """One match between the bots of all languages, which read `ca`, at a service that somebody vouches for."""
    certificate = vouching.issue_cert("localhost")
    tls = Tls(certificate.cert_chain_pems[0].bytes(), certificate.private_key_pem.bytes())
    async with running_service(MemoryLog(), ["localhost:0"], tls) as service:
        address = service.addresses[0]
        environments = {}
        for bot in projects:
            await service.registry.register_bot(bot, f"owner-of-{bot}")
            token, _ = await service.registry.issue_token(Role.BOT, bot)
            environments[bot] = {"CUTPURSE_ADDRESS": address, "CUTPURSE_TOKEN": token, "CUTPURSE_CA": str(ca)}
        organiser, _ = await service.registry.issue_token(Role.ORGANISER)
        metadata = (("authorization", f"Bearer {organiser}"),)
        clock = match_pb2.ClockSettings(
            decision_ms=60_000, bank_ms=0, delivery_ms=200, settle_ms=200, warm_up_ms=warm_up_ms, strikes_max=1
        )
        configuration = match_pb2.MatchConfiguration(game="big_max", clock=clock)
        request = match_pb2.CreateMatchRequest(configuration=configuration, bots=list(projects), request_id=b"one")
        trust = grpc.ssl_channel_credentials(vouching.cert_pem.bytes())
        async with grpc.aio.secure_channel(address, trust) as channel:
            matches: Any = match_pb2_grpc.MatchServiceStub(channel)
            match = (await matches.CreateMatch(request, metadata=metadata)).match
            with launched(projects, environments):
                while True:
                    found = await matches.GetMatch(match_pb2.GetMatchRequest(match=match), metadata=metadata)
                    if found.phase in OVER:
                        return found
                    await asyncio.sleep(0.2)


async def test_bots_play_where_they_know_who_vouches_for_the_service(
    projects: Mapping[str, Project], tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")

    found = await what_came_of_it(projects, authority, tmp_path / "ca.pem", warm_up_ms=120_000)

    assert found.phase == match_pb2.MATCH_PHASE_ENDED
    assert list(found.result.forfeited) == []


async def test_no_bot_shows_its_token_to_a_service_that_somebody_else_vouches_for(
    projects: Mapping[str, Project], tmp_path: Path
) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "ca.pem")

    found = await what_came_of_it(projects, trustme.CA(), tmp_path / "ca.pem", warm_up_ms=15_000)

    assert found.phase == match_pb2.MATCH_PHASE_VOIDED, "nobody was ready"
