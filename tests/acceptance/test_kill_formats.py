"""kill -9 in every format: run again, it ends with the same schedule, results and standings as if left alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance import test_kill_tournament
from tests.acceptance.processes import Marked, cutpurse, house_bots

pytestmark = test_kill_tournament.pytestmark

FORMATS = {
    "swiss": ("--rounds", "3"),
    "single-elimination": ("--setting", "best_of=2"),
    "ladder": ("--rounds", "3"),
    "gauntlet": ("--rounds", "2", "--setting", "challenger=first"),
    "round-robin": ("--rounds", "2", "--setting", "tables=4"),
}


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
async def test_a_killed_tournament_of_every_format_ends_like_an_undisturbed_one(
    marked: Marked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bots = (*test_kill_tournament.BOTS, "greedy")
    plan: tuple[str, ...] = ("--game", "art_robbery", "--players", "3", "--seed", "kill", "--format", name)
    # On a busy machine, programs that are killed again and again take long to get ready.
    plan = (*plan, "--concurrency", "6", "--clock", "warm_up_ms=300000")

    def command(folder: Path, rounds: int) -> list[str]:
        return cutpurse("tournament", "run", *plan, *FORMATS[name], *house_bots(*bots), "--out", folder)

    monkeypatch.setattr(test_kill_tournament, "command", command)
    monkeypatch.setattr(test_kill_tournament, "BOTS", bots)
    seed = random.SystemRandom().randrange(1 << 16)

    counted = await test_kill_tournament.same_as_undisturbed(marked, tmp_path, seed, rounds=0, kills=6)

    assert counted["kills"] >= 1
