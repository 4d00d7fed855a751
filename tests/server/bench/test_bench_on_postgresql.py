"""What is measured on PostgreSQL, and what is said where there is none."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server.bench import database, measures
from cutpurse_server.bench.service import address_of, bots_of
from cutpurse_server.cli import app


@pytest.mark.postgresql
def test_appends_and_decisions_are_measured_on_a_server_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"

    result = CliRunner().invoke(
        app, ["bench", "--only", "PostgreSQL", "--rounds", "1", "--seconds", "0.3", "--output", str(path)]
    )

    assert result.exit_code == 0, result.output
    report = json.loads(path.read_text())
    compiled = "decisions through the service on PostgreSQL, 64 matches, compiled"
    measured = {line["name"]: min(*line["values"], *line["floors"]) > 0 for line in report["lines"]}
    # Whether it is compiled is the machine's business.
    assert measured.pop(compiled, True)
    assert report["not_measured"].keys() <= {compiled}
    assert measured == {
        "decisions through the service on PostgreSQL, 64 matches": True,
        "decisions through the service on PostgreSQL, 64 matches, three replicas": True,
        "appends to PostgreSQL in groups of 16, synchronous_commit=on": True,
    }


def test_every_match_has_bots_at_different_replicas_and_every_replica_has_bots() -> None:
    replicas = ("first", "second", "third")

    at = [{address_of(bot, replicas) for bot in bots_of(number)} for number in range(64)]

    assert min(map(len, at)) > 1
    assert set().union(*at) == set(replicas)


def test_what_three_replicas_add_is_the_ratio_to_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, str, int]] = []
    databases = iter(("postgresql:1", "postgresql:2"))

    def service(matches: int, seconds: float, log: str, replicas: int, code: Path | None) -> dict[str, float]:
        assert code is None
        taken.append((matches, log, replicas))
        return {"per_s": 100.0 + 50.0 * replicas}

    monkeypatch.setattr(measures, "_service", service)
    monkeypatch.setattr(database, "fresh_database", lambda: next(databases))
    three = tuple(each for each in measures.MEASURES if each.name.endswith("three replicas"))

    (line,) = [figure.to_json() for figure, _ in measures.measure(three, rounds=1, seconds=0.1)]

    assert taken == [(64, "postgresql:1", 1), (64, "postgresql:2", 3)]
    assert line["ratio"] == pytest.approx(250 / 150, abs=0.001)
    assert line["goal"] is None


def test_without_postgresql_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_server", lambda: None)

    result = CliRunner().invoke(app, ["bench", "--only", "PostgreSQL", "--rounds", "1", "--seconds", "0.2", "--json"])

    assert result.exit_code == 0, result.output
    decisions = "decisions through the service on PostgreSQL, 64 matches"
    needed = "PostgreSQL and cutpurse-server[postgresql]"
    assert json.loads(result.stdout)["not_measured"] == {
        decisions: needed,
        f"{decisions}, compiled": f"{needed}, and compile by `make compiled`",
        f"{decisions}, three replicas": needed,
        "appends to PostgreSQL in groups of 16, synchronous_commit=on": needed,
    }
