"""`cutpurse bench`: what the engine does, as ratios to floors measured in the same run."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cutpurse_server.bench.measures import MEASURES, Figure, measure
from cutpurse_server.loops import collect_patiently

__all__ = ["bench"]


def bench(
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is measured; medians are shown.")] = 3,
    seconds: Annotated[float, typer.Option(min=0.2, help="How long each measurement runs.")] = 2.0,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only lines that contain this text.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the JSON to a file as well.")] = None,
    check: Annotated[bool, typer.Option("--check", help="End with exit code 1 if a goal is missed.")] = False,
) -> None:
    """Measure the engine. Every line is a ratio to a floor that was measured in turn with it.

    The floors: a bare gRPC echo, bare SQLite, bare asyncpg (where PostgreSQL is installed), OpenSpiel's hearts (where
    it is installed), our own playouts, and one replica for what three of them add, which has no goal: it depends on
    the processor cores. Ratios that miss their goal are red.
    """
    measures = tuple(each for each in MEASURES if only in each.name)
    if not measures:
        raise typer.BadParameter(f"no line contains {only!r}", param_hint="--only")
    # As the service does it; for what is measured in this process and for its floors alike.
    collect_patiently()
    progress = Console(stderr=True)
    figures: dict[str, Figure] = {}
    with progress.status("measuring") as status:
        for figure, number in measure(measures, rounds, seconds):
            figures[figure.measure.name] = figure
            status.update(f"round {number} of {rounds}: {figure.measure.name}: {figure.ratio:.2f}")
    report = {
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()},
        "rounds": rounds,
        "seconds": seconds,
        "lines": [figure.to_json() for figure in figures.values()],
        "not_measured": {each.name: each.needs for each in measures if each.name not in figures},
    }
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(report, indent=2) + "\n")
    if as_json:
        typer.echo(json.dumps(report, indent=2))
    else:
        Console().print(_table(report))
    if check and any(figure.met is False for figure in figures.values()):
        raise typer.Exit(1)


def _table(report: dict[str, Any]) -> Table:
    table = Table(title=f"medians of {report['rounds']} rounds", title_justify="left")
    for heading in ("what", "measured", "floor", "its figure", "ratio", "goal"):
        table.add_column(heading, justify="left" if heading in ("what", "floor") else "right")
    for line in report["lines"]:
        unit = "µs" if line["smaller_is_better"] else "/s"
        sign = "≤" if line["smaller_is_better"] else "≥"
        colour = {True: "green", False: "red", None: "default"}[line["met"]]
        table.add_row(
            line["name"],
            f"{_median(line['values']):,.0f} {unit}",
            line["floor"],
            f"{_median(line['floors']):,.0f} {unit}",
            f"[{colour}]{line['ratio']:.2f}[/]",
            "" if line["goal"] is None else f"{sign} {line['goal']}",
        )
    for name, needs in report["not_measured"].items():
        table.add_row(name, f"not measured: install {escape(needs)}", "", "", "", "")
    return table


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
