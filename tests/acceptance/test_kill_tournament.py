"""kill -9 of the tournament's command and of its bots at random moments: run again, it ends as if nothing had happened.

Every test prints its seed. The short form runs with the others; the long one, marked `long`, goes on for minutes.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.logs import read_matches
from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, house_bots, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends bots with a parent that was killed")
BOTS = ("greedy", "random", "first", "random")


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


def command(folder: Path, rounds: int) -> list[str]:
    """The command line of a repeatable tournament: 12 matches in each round."""
    plan = ("--game", "art_robbery", "--players", "3", "--rounds", str(rounds), "--seed", "kill", "--concurrency", "6")
    return cutpurse("tournament", "run", *plan, *house_bots(*BOTS), "--out", folder)


async def what_came_of_it(folder: Path) -> tuple[dict[str, list[str]], str, dict[str, str]]:
    """The schedule (who sat where in which match), the standings, and how each match went, from what lies there."""
    logs = await read_matches(folder / "log.sqlite")
    schedule = {match: [seat.bot for seat in log.begun.seats] for match, log in logs.items()}
    courses = {match: " · ".join(choice.notation for choice in log.made) for match, log in logs.items()}
    for match, log in logs.items():
        assert log.record.outcome is not None, match
        assert not log.defaulted, f"somebody was struck in {match}: {log.defaulted}"
        assert not log.record.forfeited, match
    return schedule, (folder / "standings.json").read_text(), courses


def kill_until_finished(marked: Marked, folder: Path, chance: random.Random, rounds: int, kills: int) -> Counter[str]:
    """Run the tournament to its end through kills of the command and of its bots; how many there were."""
    counted: Counter[str] = Counter()
    output = folder.with_suffix(".log")
    moments = [("starting", "playing", "playing, a bot killed before")[number % 3] for number in range(kills)]
    for moment in chance.sample(moments, kills):
        process = marked.start(command(folder, rounds), output)
        if moment == "starting":
            _sleep_unless_over(process, chance.uniform(0, 1))
        else:
            _until_bots_are_there(marked, process)
            _sleep_unless_over(process, chance.uniform(0, 0.6))
        if moment == "playing, a bot killed before" and (bots := _bots(marked)):
            os.kill(chance.choice(bots), signal.SIGKILL)
            counted["kills of a bot"] += 1
            _sleep_unless_over(process, chance.uniform(0, 0.6))
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        counted["kills"] += 1
        until(lambda: not marked.alive(), "all bots end with their parent", 5)
    finished = marked.start(command(folder, rounds), output)
    assert finished.wait(PATIENCE_S * 4) == 0, output.read_text()
    until(lambda: not marked.alive(), "all bots end", 5)
    return counted


def _until_bots_are_there(marked: Marked, process: subprocess.Popen[bytes]) -> None:
    until(lambda: len(_bots(marked)) >= len(BOTS) or process.poll() is not None, "bots are there")


def _sleep_unless_over(process: subprocess.Popen[bytes], seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < give_up_at:
        time.sleep(0.01)


def _bots(marked: Marked) -> list[int]:
    return sorted(process for process, line in marked.alive().items() if "cutpurse_bots" in line)


async def same_as_undisturbed(marked: Marked, folder: Path, seed: int, rounds: int, kills: int) -> Counter[str]:
    """Play the same plan disturbed and undisturbed, and compare what came of it."""
    print(f"seed {seed}")
    undisturbed, disturbed = folder / "undisturbed", folder / "disturbed"
    quiet = marked.run(command(undisturbed, rounds))
    assert quiet.returncode == 0, quiet.stderr
    assert not marked.alive()

    counted = kill_until_finished(marked, disturbed, random.Random(seed), rounds, kills)

    assert await what_came_of_it(disturbed) == await what_came_of_it(undisturbed)
    audit = marked.run(cutpurse("audit", disturbed / "bundle", "--json"))
    assert audit.returncode == 0, audit.stdout
    counted["matches"] = 12 * rounds
    return counted


async def test_a_killed_tournament_ends_like_an_undisturbed_one(marked: Marked, tmp_path: Path) -> None:
    counted = await same_as_undisturbed(marked, tmp_path, 4, rounds=8, kills=4)

    print(dict(counted))
    assert counted["kills"] >= 2


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 24))
async def test_a_tournament_killed_very_often_ends_like_an_undisturbed_one(
    marked: Marked, tmp_path: Path, seed: int
) -> None:
    counted = await same_as_undisturbed(marked, tmp_path, seed, rounds=50, kills=40)

    print(dict(counted))
    assert counted["kills"] >= 10
