"""kill -9 at random moments and at named points, as often as one likes: no acknowledged move is lost or doubled, and
nobody pays for it.

Every test prints its seed. The short form runs with the others; the long one, marked `long`, goes on for many minutes:
CUTPURSE_KILL_SEEDS says how many seeds it takes, and CUTPURSE_KILL_FIRST which is the first, so that it can be run in
portions.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.dying_service import BEFORE_THE_COMMIT, BETWEEN_COMMIT_AND_REPLY
from tests.acceptance.logs import read_matches
from tests.acceptance.pace import Pace
from tests.acceptance.processes import Marked, until
from tests.acceptance.serving import (
    BOTS,
    CHOICES_MIN,
    Service,
    check_ledger,
    dial_in,
    enter,
    unheard,
    until_all_have_ended,
)

LONG_SEEDS = int(os.environ.get("CUTPURSE_KILL_SEEDS", "25"))
LONG_FIRST = int(os.environ.get("CUTPURSE_KILL_FIRST", "10"))
LONG_KILLS = 41
LONG_MATCHES = 130
"""So many give some ten thousand moves: with the seeds and kills above, 1,000 kills and far more than 100,000 moves."""
_FLUSHES_MAX = 60
"""A process that dies at a named point does so after at most as many transactions."""
_CHOICES_MAX = 20
"""Before a kill in the middle of play the bot that is ahead hears of at most as many choices."""


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


async def kill_the_service(marked: Marked, folder: Path, seed: int, matches: int, kills_max: int) -> Counter[str]:
    """Matches of client processes at a service that is killed again and again; what was counted."""
    print(f"seed {seed}")
    service = Service(marked, folder)
    ids = play_through_kills(marked, folder, service, random.Random(seed), matches, kills_max)
    logs = await read_matches(service.log)
    assert logs.keys() == set(ids)
    counted = Counter(kills=service.kills)
    counted["between commit and reply"] = unheard([folder / bot for bot in BOTS], logs, service.killed_ms)
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
    pace = Pace(folder, [folder / bot for bot in BOTS])
    clients = dial_in(marked, folder, [service.address], tokens, matches, pace)
    # A share is played until a kill, and another one until a death at a named point.
    share = matches * CHOICES_MIN // (2 * kills_max)
    while service.kills < kills_max and not _ended(clients):
        pace.grant(share)
        match chance.randrange(4):
            case 0:
                # Wherever it is, also before it serves.
                time.sleep(chance.uniform(0, 1.2))
                dies = None
            case 1:
                # A flush may hold several choices of every client.
                flushes_max = min(share // 2, _FLUSHES_MAX)
                dies = (chance.choice((BEFORE_THE_COMMIT, BETWEEN_COMMIT_AND_REPLY)), chance.randint(1, flushes_max))
            case _:
                # In the middle of play, by the moves that were acknowledged meanwhile: so often on every machine.
                left = max(pace.left - chance.randint(1, min(share, _CHOICES_MAX)), 0)
                _until(lambda left=left: pace.left <= left, clients, service)  # type: ignore[misc]
                dies = None
        service.kill(dies)
        if dies is not None:
            # Where that point does not come before the share is played, it is killed like any other.
            pace.grant(share)
            _until(lambda: pace.left <= 0, clients, service)
    if service.dies:
        service.kill()
    pace.grant_all()
    until_all_have_ended([folder / bot for bot in BOTS], list(clients.values()))
    for bot, client in clients.items():
        assert client.wait() == 0, (folder / f"{bot}.log").read_text()
    service.until_it_serves()
    service.stop()
    return ids


def _until(holds: Callable[[], bool], clients: dict[str, subprocess.Popen[bytes]], service: Service) -> None:
    until(lambda: holds() or _ended(clients) or service.has_ended(), "play goes on")


def _ended(clients: dict[str, subprocess.Popen[bytes]]) -> bool:
    return any(client.poll() is not None for client in clients.values())


async def test_a_killed_service_loses_and_doubles_no_acknowledged_move(marked: Marked, tmp_path: Path) -> None:
    counted = await kill_the_service(marked, tmp_path, 2, matches=10, kills_max=12)

    print(dict(counted))
    assert counted["kills"] >= 12
    assert counted["between commit and reply"] >= 1
    assert counted["acknowledged"] >= 300
    assert counted["repeated"] >= 10


@pytest.mark.long
@pytest.mark.timeout(14_400)
async def test_a_service_killed_very_often_loses_and_doubles_no_acknowledged_move(
    marked: Marked, tmp_path: Path
) -> None:
    counted: Counter[str] = Counter()
    for seed in range(LONG_FIRST, LONG_FIRST + LONG_SEEDS):
        folder = tmp_path / f"{seed}"
        folder.mkdir()
        counted += await kill_the_service(marked, folder, seed, LONG_MATCHES, LONG_KILLS)
        print(dict(counted))
    assert counted["kills"] >= LONG_SEEDS * LONG_KILLS
    assert counted["between commit and reply"] >= LONG_SEEDS * LONG_KILLS * 0.05
    assert counted["acknowledged"] >= LONG_SEEDS * LONG_MATCHES * 48
