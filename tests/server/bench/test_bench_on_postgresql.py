"""What is measured on PostgreSQL, and what is said where there is none."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server.bench import database
from cutpurse_server.cli import app


@pytest.mark.postgresql
def test_appends_and_decisions_are_measured_on_a_server_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"

    result = CliRunner().invoke(
        app, ["bench", "--only", "PostgreSQL", "--rounds", "1", "--seconds", "0.3", "--output", str(path)]
    )

    assert result.exit_code == 0, result.output
    report = json.loads(path.read_text())
    assert report["not_measured"] == {}
    assert {line["name"]: min(*line["values"], *line["floors"]) > 0 for line in report["lines"]} == {
        "decisions through the service on PostgreSQL, 64 matches": True,
        "appends to PostgreSQL in groups of 16, synchronous_commit=on": True,
    }


def test_without_postgresql_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_server", lambda: None)

    result = CliRunner().invoke(app, ["bench", "--only", "appends to PostgreSQL", "--rounds", "1", "--json"])

    assert result.exit_code == 0, result.output
    (needed,) = json.loads(result.stdout)["not_measured"].values()
    assert needed == "PostgreSQL and cutpurse-server[postgresql]"
