"""Sixteen hostile bots beside forty-eight honest ones: nobody times out, and turns take at most twice as long.

CUTPURSE_HOSTILE_ROUNDS and CUTPURSE_HOSTILE_S say how often and how long the long form plays.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import identity_pb2, identity_pb2_grpc, match_pb2, match_pb2_grpc
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import Marked
from tests.acceptance.serving import Service
from tests.faults import hostile_players

ROUNDS = int(os.environ.get("CUTPURSE_HOSTILE_ROUNDS", "3"))
SECONDS = float(os.environ.get("CUTPURSE_HOSTILE_S", "12"))
HEAD_START_S = 3.0
HONEST, HOSTILE = 48, 16
HOSTILE_KINDS = ("spamming", "unreading", "storming")
CLOCK = match_pb2.ClockSettings(decision_ms=10_000, bank_ms=0, warm_up_ms=60_000, strikes_max=1)

LAST_IN_LINE = ("nice", "-n", "19", "sh", "-c", '{ echo 19 > /proc/self/autogroup; } 2> /dev/null; exec "$@"', "sh")
"""Attackers have machines of their own, and do not take the service's away.

Where the kernel shares processors among sessions, a process is nice to those of its own session only.
"""


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


def enter(service: Service, bots: int) -> dict[str, str]:
    """Register bots; their tokens."""
    organiser = service.log.with_name("log.sqlite.organiser-token").read_text().strip()
    metadata = (("authorization", f"Bearer {organiser}"),)
    tokens = {}
    with grpc.insecure_channel(service.address) as channel:
        identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        for number in range(bots):
            bot = f"bot-{number}"
            described = identity_pb2.BotDescription(bot=bot, owner=f"owner-of-{bot}")
            identity.RegisterBot(identity_pb2.RegisterBotRequest(bot=described), metadata=metadata)
            request = identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot=bot)
            tokens[bot] = identity.IssueToken(request, metadata=metadata).token
    return tokens


def seat(service: Service, bots: list[str], name: str) -> list[str]:
    """Some matches for each three of the bots."""
    organiser = service.log.with_name("log.sqlite.organiser-token").read_text().strip()
    metadata = (("authorization", f"Bearer {organiser}"),)
    configuration = match_pb2.MatchConfiguration(game="art_robbery", clock=CLOCK)
    with grpc.insecure_channel(service.address) as channel:
        create: Any = match_pb2_grpc.MatchServiceStub(channel).CreateMatch
        return [
            create(
                match_pb2.CreateMatchRequest(
                    configuration=configuration,
                    bots=bots[first : first + 3],
                    request_id=f"{name}/{first}/{number}".encode(),
                ),
                metadata=metadata,
            ).match
            for first in range(0, len(bots), 3)
            for number in range(4)
        ]


def abort(service: Service, matches: list[str]) -> None:
    """End a round's matches, so that the next one has no more of them."""
    organiser = service.log.with_name("log.sqlite.organiser-token").read_text().strip()
    with grpc.insecure_channel(service.address) as channel:
        stub: Any = match_pb2_grpc.MatchServiceStub(channel)
        for match in matches:
            stub.AbortMatch(
                match_pb2.AbortMatchRequest(match=match), metadata=(("authorization", f"Bearer {organiser}"),)
            )


async def round_of_turns(
    marked: Marked, service: Service, tokens: dict[str, str], name: str, *, hostile: bool, seconds: float
) -> list[float]:
    """What the honest bots' turns took, in milliseconds, with the hostile ones or without."""
    honest = list(tokens)[:HONEST]
    matches = seat(service, honest, name)
    others = list(tokens)[HONEST:]
    bots_of = {"honest": honest}
    if hostile:
        bots_of |= {kind: others[place :: len(HOSTILE_KINDS)] for place, kind in enumerate(HOSTILE_KINDS)}
    played = await asyncio.gather(
        *(_play(marked, service, kind, [tokens[bot] for bot in bots], seconds) for kind, bots in bots_of.items())
    )
    abort(service, matches)
    assert not any(bot["dropped"] for bot in played[0]), "an honest bot lost its stream"
    return [turn_ms for bot in played[0] for turn_ms in bot["turns_ms"]]


async def _play(marked: Marked, service: Service, kind: str, tokens: list[str], seconds: float) -> Any:
    command = [sys.executable, hostile_players.__file__, kind, service.address, str(seconds)]
    if kind == "honest":
        # The others are at it when they come.
        await asyncio.sleep(HEAD_START_S)
    else:
        command = [*LAST_IN_LINE, *command[:-1], str(seconds + HEAD_START_S + 1)]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=marked.environment,
        start_new_session=kind != "honest",
    )
    said, _ = await process.communicate("".join(f"{kind} {token}\n" for token in tokens).encode())
    assert process.returncode == 0, kind
    return json.loads(said)


async def play_beside_each_other(marked: Marked, folder: Path, rounds: int, seconds: float) -> float:
    """By turns without the hostile bots and with them; how many times longer a turn takes with them, by medians."""
    service = Service(marked, folder)
    service.until_it_serves()
    tokens = enter(service, HONEST + HOSTILE)
    ratios = []
    for number in range(rounds):
        alone, beside = [
            await round_of_turns(marked, service, tokens, f"{number}/{hostile}", hostile=hostile, seconds=seconds)
            for hostile in (False, True)
        ]
        assert min(len(alone), len(beside)) > HONEST * 4, "too few turns to judge by"
        ratios.append(statistics.median(beside) / statistics.median(alone))
        for turns_ms in (alone, beside):
            print(f"{len(turns_ms)} turns of {statistics.median(turns_ms):.1f} ms, at most {max(turns_ms):.0f} ms")
    service.stop()
    for log in (await read_matches(service.log)).values():
        assert not log.defaulted, "somebody's time was over"
    return statistics.median(ratios)


@pytest.mark.slow
async def test_hostile_bots_cost_no_honest_one_a_timeout(marked: Marked, tmp_path: Path) -> None:
    print(f"turns took {await play_beside_each_other(marked, tmp_path, 1, 5):.2f} times as long")


@pytest.mark.long
async def test_hostile_bots_do_not_double_a_turn(marked: Marked, tmp_path: Path) -> None:
    ratio = await play_beside_each_other(marked, tmp_path, ROUNDS, SECONDS)

    print(f"turns took {ratio:.2f} times as long")
    assert ratio <= 2
