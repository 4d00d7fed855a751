"""kill -9 at random moments, as often as one likes: no acknowledged move is lost or doubled, and nobody pays for it.

Every test prints its seed. The short forms run with the others; the long ones, marked `long`, go on for minutes.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import identity_pb2, identity_pb2_grpc, match_pb2, match_pb2_grpc
from tests.acceptance import stubborn_client
from tests.acceptance.logs import MatchLog, read_matches
from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, free_port, until

BOTS = ("ann", "ben", "cat")
_LINE_BYTES = 250
"""About the length of a line in a ledger."""

CLOCK = match_pb2.ClockSettings(
    decision_ms=60_000, bank_ms=60_000, delivery_ms=200, settle_ms=200, warm_up_ms=120_000, strikes_max=1
)


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


class Service:
    """`cutpurse serve` at one port on one log, through any number of processes."""

    def __init__(self, marked: Marked, folder: Path) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.log = folder / "log.sqlite"
        self.kills = 0
        self._marked = marked
        self._output = folder / "service.log"
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        self._printed_before = len(self.printed) if self._output.exists() else 0
        command = cutpurse("serve", "--listen", self.address, "--log", f"sqlite:{self.log}")
        return self._marked.start(command, self._output)

    @property
    def printed(self) -> str:
        """What all its processes printed."""
        return self._output.read_text()

    def until_it_serves(self) -> None:
        """Wait until it has said that it serves."""
        until(lambda: "cutpurse serves on" in self.printed[self._printed_before :] or self.has_ended(), "serving")
        assert not self.has_ended(), self.printed

    def has_ended(self) -> bool:
        """Whether its process has ended, which nobody told it to."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """Kill -9, and start it again."""
        assert not self.has_ended(), self.printed
        self.process.kill()
        self.process.wait()
        self.kills += 1
        self.process = self._start()

    def stop(self) -> None:
        """End it in good order."""
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0, self.printed


def enter(service: Service, matches: int) -> tuple[dict[str, str], list[str]]:
    """Register the bots and create matches between them: tokens by bot, and the matches' ids."""
    token = service.log.with_name("log.sqlite.organiser-token").read_text().strip()
    metadata = (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(service.address) as channel:
        identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        create: Any = match_pb2_grpc.MatchServiceStub(channel).CreateMatch
        tokens = {}
        for bot in BOTS:
            described = identity_pb2.BotDescription(bot=bot, owner=f"owner-of-{bot}")
            identity.RegisterBot(identity_pb2.RegisterBotRequest(bot=described), metadata=metadata)
            request = identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot=bot)
            tokens[bot] = identity.IssueToken(request, metadata=metadata).token
        configuration = match_pb2.MatchConfiguration(game="art_robbery", clock=CLOCK)
        ids = []
        for number in range(matches):
            seated = [BOTS[(seat + number) % len(BOTS)] for seat in range(len(BOTS))]
            asked = match_pb2.CreateMatchRequest(
                configuration=configuration, bots=seated, seed=f"kill {number}", request_id=f"{number}".encode()
            )
            ids.append(create(asked, metadata=metadata).match)
            # Asked for again, it is the same match.
            assert create(asked, metadata=metadata).match == ids[-1]
    return tokens, ids


async def kill_the_service(marked: Marked, folder: Path, seed: int, matches: int, kills_max: int) -> Counter[str]:
    """Matches of client processes at a service that is killed again and again; what was counted."""
    print(f"seed {seed}")
    service = Service(marked, folder)
    ids = play_through_kills(marked, folder, service, random.Random(seed), matches, kills_max)
    logs = await read_matches(service.log)
    assert logs.keys() == set(ids)
    counted = Counter(kills=service.kills)
    for bot in BOTS:
        counted.update(check_ledger(bot, folder / bot, logs))
    for log in logs.values():
        assert log.record.outcome is not None
        assert not log.defaulted
        assert log.record.strikes == (0,) * len(BOTS)
    return counted


def play_through_kills(
    marked: Marked, folder: Path, service: Service, chance: random.Random, matches: int, kills_max: int
) -> list[str]:
    """Let clients play matches to their end while the service is killed at random moments; the matches' ids."""
    service.until_it_serves()
    tokens, ids = enter(service, matches)
    clients = {}
    for bot in BOTS:
        command = [sys.executable, stubborn_client.__file__, bot, service.address, str(folder / bot), str(matches)]
        clients[bot] = marked.start(command, folder / f"{bot}.log", CUTPURSE_TOKEN=tokens[bot])
    while service.kills < kills_max and not _ended(clients):
        if chance.random() < 0.25:
            # Wherever it is, also before it serves.
            time.sleep(chance.uniform(0, 1.2))
        else:
            # In the middle of play, by the moves that were acknowledged meanwhile: so often on every machine.
            enough = _written(folder) + chance.randint(1, 60) * _LINE_BYTES
            _until_written(folder, enough, clients, service)
        service.kill()
    for bot, client in clients.items():
        assert client.wait(PATIENCE_S * 4) == 0, (folder / f"{bot}.log").read_text()
    service.until_it_serves()
    service.stop()
    return ids


def _until_written(folder: Path, enough: int, clients: dict[str, subprocess.Popen[bytes]], service: Service) -> None:
    until(lambda: _written(folder) > enough or _ended(clients) or service.has_ended(), "play goes on")


def _written(folder: Path) -> int:
    """Bytes in the ledgers."""
    return sum((folder / bot).stat().st_size for bot in BOTS if (folder / bot).exists())


def _ended(clients: dict[str, subprocess.Popen[bytes]]) -> bool:
    return any(client.poll() is not None for client in clients.values())


def check_ledger(bot: str, ledger: Path, logs: dict[str, MatchLog]) -> Counter[str]:
    """Hold what a client was told against what stands in the log; how much there was."""
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    made = {match: log.choices_of(bot) for match, log in logs.items()}
    replies: dict[str, str] = {}
    for line in lines:
        assert line["kind"] == "accepted", line
        stands = made[line["match"]][bytes.fromhex(line["request"])]
        assert stands.notation == line["notation"], line
        # The same request gets the same reply, byte for byte, from whichever process.
        assert replies.setdefault(line["request"], line["reply"]) == line["reply"]
    # When all is over every choice in the log was acknowledged at last, and no other stands there.
    assert {bytes.fromhex(request) for request in replies} == {request for each in made.values() for request in each}
    return Counter(acknowledged=len(replies), repeated=len(lines) - len(replies))


async def test_a_killed_service_loses_and_doubles_no_acknowledged_move(marked: Marked, tmp_path: Path) -> None:
    counted = await kill_the_service(marked, tmp_path, 2, matches=8, kills_max=12)

    print(dict(counted))
    assert counted["kills"] >= 8
    assert counted["acknowledged"] >= 300
    assert counted["repeated"] >= 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 16))
async def test_a_service_killed_very_often_loses_and_doubles_no_acknowledged_move(
    marked: Marked, tmp_path: Path, seed: int
) -> None:
    counted = await kill_the_service(marked, tmp_path, seed, matches=12, kills_max=60)

    print(dict(counted))
    assert counted["kills"] >= 20
