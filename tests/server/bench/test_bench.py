"""The benchmarks measure, in turn with their floors, and judge by the ratio."""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server.bench.measures import MEASURES, Figure, Measure, measure
from cutpurse_server.bench.replays import replayed_decisions_per_s
from cutpurse_server.cli import app


def fixed(value: float, order: list[str], name: str, seconds: float) -> dict[str, float]:
    """A measurement that takes no time."""
    order.append(f"{name} {seconds}")
    return {"per_s": value}


def one(order: list[str], *, goal: float | None = 0.5, latency: bool = False) -> Measure:
    return Measure(
        "it", "floor", goal, partial(fixed, 60, order, "it"), partial(fixed, 100, order, "floor"), latency=latency
    )


def test_floor_and_measurement_take_turns_in_every_round() -> None:
    order: list[str] = []

    figures = [figure for figure, _ in measure((one(order),), rounds=2, seconds=0.5)]

    assert order == ["floor 0.5", "it 0.5", "floor 0.5", "it 0.5"]
    assert figures[-1].ratio == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("goal", "latency", "met"), [(0.5, False, True), (0.7, False, False), (0.5, True, False), (0.7, True, True)]
)
def test_more_is_better_but_for_latencies(goal: float, latency: bool, met: bool) -> None:
    figure = Figure(one([], goal=goal, latency=latency), values=[60], floors=[100])

    assert figure.met is met
    assert figure.to_json()["met"] is met


@pytest.mark.parametrize(("goal", "exit_code", "shown"), [(0.7, 1, "≥ 0.7"), (0.5, 0, "≥ 0.5"), (None, 0, "0.60")])
def test_a_check_fails_for_a_missed_goal_and_not_without_one(
    monkeypatch: pytest.MonkeyPatch, goal: float | None, exit_code: int, shown: str
) -> None:
    # The package's attribute of this name is the command, so the module is asked for by its name.
    monkeypatch.setattr(import_module("cutpurse_server.cli.bench"), "MEASURES", (one([], goal=goal),))

    result = CliRunner().invoke(app, ["bench", "--only", "it", "--rounds", "1", "--check"])

    assert result.exit_code == exit_code, result.output
    assert shown in result.stdout
    assert ("≥" in result.stdout) is (goal is not None)


def test_the_ratio_is_the_median_of_the_rounds_and_not_of_their_sums() -> None:
    figure = Figure(one([]), values=[10, 50, 900], floors=[100, 100, 1_000])

    assert figure.ratio == pytest.approx(0.5)


def test_what_cannot_be_measured_here_is_left_out() -> None:
    absent = Measure("it", "floor", 1, lambda _: {"per_s": 1}, lambda _: None)

    assert not list(measure((absent,), rounds=1, seconds=0.1))


def test_the_command_measures_and_writes_down_what_it_measured(tmp_path: Path) -> None:
    path = tmp_path / "build" / "bench.json"

    result = CliRunner().invoke(
        app, ["bench", "--only", "log appends", "--rounds", "1", "--seconds", "0.2", "--json", "--output", str(path)]
    )

    assert result.exit_code == 0, result.output
    (line,) = json.loads(path.read_text())["lines"]
    assert line["floor"] == "bare SQLite"
    assert line["values"][0] > 0
    assert line["ratio"] > 0


def test_a_line_that_does_not_exist_is_refused() -> None:
    result = CliRunner().invoke(app, ["bench", "--only", "no such line"])

    assert result.exit_code == 2


def test_a_replay_checks_whole_matches() -> None:
    assert replayed_decisions_per_s("art_robbery", 2, 0.05) > 0


@pytest.mark.slow
def test_decisions_go_through_the_service_while_it_is_measured() -> None:
    (through,) = (each for each in MEASURES if each.name == "decisions through the service, 16 matches")

    taken = through.take(0.5)

    assert taken is not None
    assert taken["per_s"] > 50
