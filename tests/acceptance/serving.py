"""`cutpurse serve` as a process, matches of stubborn clients at it, and what their ledgers must say."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc

from cutpurse.v1 import identity_pb2, identity_pb2_grpc, match_pb2, match_pb2_grpc
from tests.acceptance import dying_service, stubborn_client
from tests.acceptance.logs import MatchLog
from tests.acceptance.pace import Pace
from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, free_port, until

__all__ = [
    "BOTS",
    "CHOICES_MIN",
    "CLOCK",
    "SEED",
    "Service",
    "check_ledger",
    "dial_in",
    "enter",
    "enter_with",
    "unheard",
    "until_all_have_ended",
]

BOTS = ("ann", "ben", "cat")
SEED = "this seed is secret"
CLOCK = match_pb2.ClockSettings(
    decision_ms=60_000, bank_ms=60_000, delivery_ms=200, settle_ms=200, warm_up_ms=120_000, strikes_max=1
)

CHOICES_MIN = 24
"""Each of the bots makes more choices than that in a match, on average."""
_UNDER_WAY_MS = 250
"""A reply that left before a kill comes within that time, and one of the next process does not: it starts longer."""


class Service:
    """`cutpurse serve` at one port on one log, through any number of processes."""

    def __init__(self, marked: Marked, folder: Path) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.log = folder / "log.sqlite"
        self.killed_ms: list[int] = []
        """When a process of it was killed, or found to have been."""
        self._marked = marked
        self._output = folder / "service.log"
        self.dies = False
        """Whether its process is to die at a named point, or has."""
        self.process = self._start()

    def _start(self, dies: tuple[str, int] | None = None) -> subprocess.Popen[bytes]:
        self._printed_before = len(self.printed) if self._output.exists() else 0
        self.dies = dies is not None
        command = cutpurse("serve", "--listen", self.address, "--log", f"sqlite:{self.log}")
        if dies is not None:
            command[1:3] = [dying_service.__file__, dies[0], str(dies[1])]
        return self._marked.start(command, self._output)

    @property
    def kills(self) -> int:
        """How often it was killed."""
        return len(self.killed_ms)

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

    def kill(self, then_dies: tuple[str, int] | None = None) -> None:
        """Kill -9 unless it was to die and has, and start it again; the next one dies at a point (`dying_service`)."""
        if not self.dies:
            assert not self.has_ended(), self.printed
        self.killed_ms.append(time.time_ns() // 1_000_000)
        self.process.kill()
        assert self.process.wait() == -signal.SIGKILL, self.printed
        self.process = self._start(then_dies)

    def stop(self) -> None:
        """End it in good order."""
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0, self.printed


def enter(service: Service, matches: int) -> tuple[dict[str, str], list[str]]:
    """Register the bots and create matches between them: tokens by bot, and the matches' ids."""
    return enter_with(service.address, service.log.with_name("log.sqlite.organiser-token").read_text().strip(), matches)


def enter_with(address: str, token: str, matches: int) -> tuple[dict[str, str], list[str]]:
    """The same at an address, with an organiser's token."""
    metadata = (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(address) as channel:
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
                configuration=configuration, bots=seated, seed=f"{SEED} {number}", request_id=f"{number}".encode()
            )
            ids.append(create(asked, metadata=metadata).match)
            # Asked for again, it is the same match.
            assert create(asked, metadata=metadata).match == ids[-1]
    return tokens, ids


def dial_in(
    marked: Marked,
    folder: Path,
    addresses: Sequence[str],
    tokens: dict[str, str],
    matches: int,
    pace: Pace | None = None,
) -> dict[str, Any]:
    """Start a client process for each bot that plays so many matches; each keeps a ledger FOLDER/BOT.

    The first bot begins at the first address, the next at the next. They play as fast as they can, or at a pace.
    """
    environment = {} if pace is None else pace.environment
    clients = {}
    for number, bot in enumerate(BOTS):
        first = number % len(addresses)
        where = ",".join((*addresses[first:], *addresses[:first]))
        command = [sys.executable, stubborn_client.__file__, bot, where, str(folder / bot), str(matches)]
        clients[bot] = marked.start(command, folder / f"{bot}.log", CUTPURSE_TOKEN=tokens[bot], **environment)
    return clients


def until_all_have_ended(ledgers: Sequence[Path], clients: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait for clients however long they take on a busy machine, as long as they get on."""

    def written() -> int:
        return sum(ledger.stat().st_size for ledger in ledgers if ledger.exists())

    def ended() -> int:
        return sum(client.poll() is not None for client in clients)

    while ended() < len(clients):
        before = written(), ended()
        until(lambda before=before: (written(), ended()) != before, "play goes on", PATIENCE_S * 2)  # type: ignore[misc]


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


def unheard(ledgers: Sequence[Path], logs: dict[str, MatchLog], killed_ms: Sequence[int]) -> int:
    """How many kills came between a commit and its reply: a choice that was received before was acknowledged only
    after it, and so much later that the reply must be that of a later process.
    """
    received_ms = {choice.request_id: choice.received_at_ms for log in logs.values() for choice in log.made}
    kills = set()
    for ledger in ledgers:
        heard_ms: dict[bytes, int] = {}
        for line in map(json.loads, ledger.read_text().splitlines()):
            heard_ms.setdefault(bytes.fromhex(line["request"]), line["at_ms"])
        for request, at_ms in heard_ms.items():
            kill = bisect_left(killed_ms, received_ms[request])
            if kill < len(killed_ms) and at_ms > killed_ms[kill] + _UNDER_WAY_MS:
                kills.add(kill)
    return len(kills)
