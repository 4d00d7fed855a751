"""`cutpurse bot simulate`: the arena's own matches, in as many processes as one likes, and everything about a loss."""

import json
import mmap
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cutpurse_sdk
from cutpurse_server.matches.events import ChoiceMade
from cutpurse_server.wire import match_events
from cutpurse_server.wire.bundle import BundleReader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BY_LOT = """
import cutpurse_sdk


def choose(decision):
    return decision.random.choice(decision.legal)


if __name__ == "__main__":
    cutpurse_sdk.run(choose)
"""
OTHERS = ["greedy", "random"]
SEEDED = ["--game", "shadow_thief", "--seed", "the same"]


@pytest.fixture
def bot(tmp_path: Path) -> str:
    """The command of a bot that draws lots."""
    (tmp_path / "by_lot.py").write_text(BY_LOT, encoding="utf-8")
    return shlex.join([sys.executable, "by_lot.py"])


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "cutpurse_server", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env=os.environ | {"COLUMNS": "120"},
    )


def simulated(folder: Path, bot: str, *more: str) -> Any:
    """What a simulation prints as JSON."""
    given = [word for other in OTHERS for word in ("--opponent", other)]
    done = run(folder, "bot", "simulate", bot, *SEEDED, *given, "--json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def choices_in(bundle: Path) -> dict[str, list[tuple[int, int, str]]]:
    """By match: its choices, as decision, seat and notation."""
    found = {}
    with bundle.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for _, part, is_match in BundleReader(data).parts():
            if is_match and not isinstance(part, str):
                events = [match_events.decode(each) for each in part.events]
                made = [
                    (event.number, int(event.seat), event.notation) for event in events if isinstance(event, ChoiceMade)
                ]
                # Those of one decision may come in any order.
                found[part.id] = sorted(made)
    return found


def outcomes(simulation: Any) -> dict[int, Any]:
    """By the match's number: what is the same whenever it is played."""
    kept = ("match", "bots", "seat", "points", "scores", "placements", "reason")
    return {each["number"]: {key: each[key] for key in kept} for each in simulation["matches"]}


def test_a_simulation_plays_the_matches_of_a_tournament_with_that_seed(bot: str, tmp_path: Path) -> None:
    bots = [word for each in [f"me={bot}", *OTHERS] for word in ("--bot", each)]
    tournament = run(tmp_path, "tournament", "run", *SEEDED, *bots, "--rounds", "2", "--out", "cup")
    assert tournament.returncode == 0, tournament.stderr

    simulation = simulated(tmp_path, bot, "--matches", "6", "--out", "kept", "--worst", "6", "--processes", "2")

    arena = choices_in(tmp_path / "cup" / "bundle")
    at_home = {match: each for file in (tmp_path / "kept").iterdir() for match, each in choices_in(file).items()}
    assert len(arena) == 6
    assert at_home == arena
    rows = json.loads((tmp_path / "cup" / "standings.json").read_text())["standings"]
    assert [(row["bot"], row["points_mean"], row["points_low"]) for row in rows] == [
        (row["bot"], row["points_mean"], row["points_low"]) for row in simulation["standings"]
    ]


def test_processes_languages_and_the_sdk_make_no_difference(bot: str, tmp_path: Path) -> None:
    whole = simulated(tmp_path, bot, "--matches", "9", "--processes", "3")
    one = simulated(tmp_path, "by_lot:choose", "--matches", "9", "--processes", "1", "--concurrency", "1")
    only = simulated(tmp_path, bot, "--only", "8", "--only", "2", "--no-clocks")
    in_python = cutpurse_sdk.simulate(
        lambda decision: decision.random.choice(decision.legal),
        game="shadow_thief",
        opponents=OTHERS,
        matches=9,
        seed="the same",
    )

    assert outcomes(one) == outcomes(whole)
    assert outcomes(only) == {number: outcomes(whole)[number] for number in (2, 8)}
    assert [match.points for match in in_python.matches] == [each["points"] for each in whole["matches"]]
    assert [match.match for match in in_python.matches] == [each["match"] for each in whole["matches"]]


def test_a_loss_can_be_played_again_and_seen_through_the_bot_s_eyes(bot: str, tmp_path: Path) -> None:
    given = ["--opponent", "greedy", "--opponent", "greedy", "--matches", "6"]
    told = run(tmp_path, "bot", "simulate", bot, *SEEDED, *given, "--out", "lost", "--worst", "2")
    assert told.returncode == 0, told.stderr
    assert "6 matches, seed the same" in told.stdout
    commands = [shlex.split(line) for line in told.stdout.splitlines() if line.startswith("  cutpurse ")]
    again, show = commands

    replayed = run(tmp_path, *again[1:], "--json")
    shown = run(tmp_path, *show[1:])

    assert len(list((tmp_path / "lost").iterdir())) == 2
    assert json.loads(replayed.stdout)["matches"][0]["match"] == show[3]
    assert shown.returncode == 0, shown.stderr
    assert "deal" in shown.stdout


def test_a_bot_that_ends_is_named_with_what_it_printed(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-c", "raise SystemExit('out of ideas')"])

    done = run(tmp_path, "bot", "simulate", command, "--matches", "2")

    assert done.returncode == 1
    assert "me ended" in done.stderr
    assert "out of ideas" in done.stderr


def test_without_a_command_the_author_runs_the_bot(bot: str, tmp_path: Path) -> None:
    arguments = ["bot", "simulate", "-", *SEEDED, "--only", "1", "--no-clocks", "--json"]
    command = [sys.executable, "-m", "cutpurse_server", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as simulation:
        assert simulation.stderr is not None
        waiting, _, given = simulation.stderr.readline().partition("run it with:  ")
        own = dict(word.split("=", 1) for word in shlex.split(given))
        assert waiting == "waiting for me; "
        with subprocess.Popen(shlex.split(bot), cwd=tmp_path, env=os.environ | own) as debugged:
            printed, _ = simulation.communicate(timeout=100)
            debugged.terminate()

    assert simulation.returncode == 0
    assert outcomes(json.loads(printed)) == outcomes(simulated(tmp_path, bot, "--only", "1"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-program", "--matches", "3"], "no-such-program"),
        (["first", "--opponent", "nobody"], "nobody"),
        (["first", "--opponent", "me=greedy"], "--name"),
        (["first", "--opponent", "greedy", "--game", "big_max"], "players"),
        (["first", "--out", "file"], "another folder"),
    ],
)
def test_what_cannot_be_played_is_said(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = run(tmp_path, "bot", "simulate", *arguments)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
