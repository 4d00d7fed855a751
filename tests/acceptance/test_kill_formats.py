"""kill -9 in every format, with honest bots and the kit of faulty ones: the standings are those of a quiet run.

Every test prints its seed, and CUTPURSE_FORMATS_SEED plays one again.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutpurse_server.faulty_bots import KINDS
from cutpurse_server.tournaments.events import Format
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import Marked, cutpurse, house_bots, program, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends bots with a parent that was killed")

FORMATS = {
    "swiss": ("--rounds", "2"),
    "single-elimination": (),
    "ladder": ("--rounds", "2"),
    "gauntlet": ("--rounds", "1", "--setting", "challenger=greedy"),
    "round-robin": ("--rounds", "2", "--setting", "tables=4"),
}
HONEST = ("greedy", "random", "first")
# At some tables nobody but the faulty sits, and whoever is silent once is out; its time is the only one that is waited
# for. On a busy machine, programs that are killed again and again take long to get ready, and longer to answer.
CLOCK = ("decision_ms=4000", "bank_ms=16000", "strikes_max=1", "warm_up_ms=300000")
PLAN = ("--game", "art_robbery", "--option", "heist_turn_limit=12", "--seed", "kill", "--concurrency", "64")
RUN_S_MAX = 900.0


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


def command(name: str, folder: Path, players: int = 3) -> list[str]:
    """The command line of a repeatable tournament with honest and faulty bots."""
    faulty = (f"{kind}={program('-m', 'cutpurse_server.faulty_bots', kind)}" for kind in KINDS)
    clock = (word for setting in CLOCK for word in ("--clock", setting))
    bots = house_bots(*HONEST, *faulty)
    seats = ("--players", str(players), "--format", name)
    return cutpurse("tournament", "run", *PLAN, *seats, *FORMATS[name], *clock, *bots, "--out", folder)


async def what_came_of_it(folder: Path) -> tuple[dict[str, list[str]], object, dict[str, str]]:
    """The schedule (who sat where in which match), standings, and how each match went. No honest bot has a fault."""
    logs = await read_matches(folder / "log.sqlite")
    schedule = {match: [seat.bot for seat in log.begun.seats] for match, log in logs.items()}
    for match, log in logs.items():
        for bot in set(HONEST) & log.record.seat_of.keys():
            assert not log.faults_of(bot), (match, bot, log.faults_of(bot))
    courses = {match: log.course for match, log in logs.items()}
    return schedule, json.loads((folder / "standings.json").read_text())["standings"], courses


def run_through_kills(marked: Marked, line: list[str], folder: Path, chance: random.Random, kills: int) -> Counter[str]:
    """Run it to its end, killed every few seconds so many times; what there was."""
    counted: Counter[str] = Counter()
    output = folder.with_suffix(".log")
    give_up_at = time.monotonic() + RUN_S_MAX
    while True:
        process = marked.start(line, output)
        patience_s = chance.uniform(2, 6) if counted["kills"] < kills else give_up_at - time.monotonic()
        try:
            code = process.wait(patience_s)
        except subprocess.TimeoutExpired:
            assert counted["kills"] < kills, f"not within {RUN_S_MAX:g} s: {output.read_text()}"
            process.kill()
            process.wait()
            counted["kills"] += 1
            until(lambda: not marked.alive(), "all bots end with their parent", 10)
            continue
        assert code == 0, output.read_text()
        until(lambda: not marked.alive(), "all bots end", 10)
        return counted


@pytest.mark.long
@pytest.mark.timeout(2 * RUN_S_MAX + 60)
@pytest.mark.parametrize("name", FORMATS)
async def test_with_faulty_bots_and_kills_every_format_comes_to_the_same_standings(
    marked: Marked, tmp_path: Path, name: str
) -> None:
    seed = int(os.environ.get("CUTPURSE_FORMATS_SEED") or random.SystemRandom().randrange(1 << 16))
    print(f"seed {seed}")
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    quiet = marked.run(command(name, undisturbed), timeout_s=RUN_S_MAX)
    assert quiet.returncode == 0, quiet.stderr

    counted = run_through_kills(marked, command(name, disturbed), disturbed, random.Random(seed), kills=8)

    print(dict(counted))
    assert counted["kills"] >= 3
    found, expected = await what_came_of_it(disturbed), await what_came_of_it(undisturbed)
    assert found[0] == expected[0]
    assert found[1] == expected[1]
    assert found[2] == expected[2]
    audit = marked.run(cutpurse("audit", disturbed / "bundle", "--json"))
    assert audit.returncode == 0, audit.stdout


def test_every_format_is_killed_and_the_kit_has_every_kind_of_fault() -> None:
    assert set(FORMATS) == {each.name.lower().replace("_", "-") for each in Format}
    assert set(KINDS) >= {"silent", "slow", "crashing", "illegal", "flooding", "forking", "lying"}
