"""All languages at one table: nobody is refused, late or lost, and the audit finds nothing."""

import csv
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from tests.languages.projects import Project, cutpurse
from tests.repository.tree import ROOT

pytestmark = [pytest.mark.languages, pytest.mark.timeout(900)]

FAULTS = ("refused", "timeouts", "illegal", "malformed", "disconnected", "crashed", "strikes", "forfeits")


def test_bots_of_all_languages_play_one_tournament(
    projects: Mapping[str, Project], in_cpp: Path, tmp_path: Path
) -> None:
    proto_only = ROOT / "bots/examples/python_proto_only/bot.py"
    commands = {f"{language}-bot": project.command for language, project in projects.items()}
    commands |= {"cpp": str(in_cpp), "proto-only": shlex.join([sys.executable, str(proto_only)])}
    assert len(commands) <= GAMES["big_max"].max_players, "all of them fit at one table"
    bots = [word for name, command in commands.items() for word in ("--bot", f"{name}={command}")]

    # Run where the projects lie: that folder is what bots see that are isolated. All of them start at once, which takes
    # its time on a small machine.
    folder = next(iter(projects.values())).folder.parent
    given = ["--game", "big_max", "--players", str(len(commands)), "--clock", "warm_up_ms=120000"]
    printed = cutpurse("tournament", "run", *given, *bots, "--out", str(tmp_path / "cup"), folder=folder)

    assert "consistent" in printed
    with (tmp_path / "cup" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["bot"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(commands)
    assert {row["matches"] for row in rows.values()} == {str(len(commands))}
    assert {(name, fault): row[fault] for name, row in rows.items() for fault in FAULTS if row[fault] != "0"} == {}
    assert "consistent" in cutpurse("audit", "cup/bundle", folder=tmp_path)
