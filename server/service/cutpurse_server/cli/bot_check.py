"""`cutpurse bot check`: what a bot does well, and what it has to learn before a tournament teaches it."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from cutpurse_rules import GAMES
from cutpurse_server import __version__
from cutpurse_server.arena.plan import BadPlan, Entry
from cutpurse_server.conformance import SCENARIOS, Check, Finding, Outcome, Scenario, check, with_needs
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.printable import printable
from cutpurse_server.whereabouts import configure_logs

__all__ = ["bot_check"]

_FAILED, _BAD_INPUT, _INTERRUPTED = 1, 2, 130
_WIDTH = 100
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.NOT_RUN: "yellow"}


def bot_check(
    command: Annotated[
        str | None, typer.Argument(metavar="COMMAND", help="The bot's program, as a shell would read it.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="SCENARIO", help="Run this one and what it needs; may be repeated."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="A game that the bot plays; may be repeated.", show_default="all"),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the scenarios, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Scenarios at a time.")] = 3,
    patience: Annotated[
        float, typer.Option(min=0.1, max=100.0, help="Times every time limit, for slow machines and slow starters.")
    ] = 1.0,
) -> None:
    """Launch a bot again and again, and see that it does in every situation what the protocol asks of it.

    The real service runs in test mode, in memory; it launches the bot as a tournament does, with CUTPURSE_ADDRESS and
    CUTPURSE_TOKEN. For each scenario that failed the report says what happened, why it matters, and what to do. Exit
    codes: 0 all passed, 1 some failed, 2 bad input, 130 interrupted.

    For example:  cutpurse bot check 'python my_bot.py'
    """
    scenarios = _chosen(only or [])
    if list_:
        _list(scenarios, as_json=as_json)
        return
    if command is None:
        raise typer.BadParameter("name the bot's program, or ask for --list", param_hint="COMMAND")
    games = tuple(game or sorted(GAMES))
    for name in games:
        if name not in GAMES:
            raise typer.BadParameter(f"there is no {name!r}; there are {', '.join(sorted(GAMES))}", param_hint="--game")
    try:
        words = Entry("candidate", command, "candidate").command()
    except BadPlan as problem:
        typer.secho(f"cutpurse bot check: {problem}", fg="red", err=True)
        raise typer.Exit(_BAD_INPUT) from None
    configure_logs("error")
    begun_s = time.monotonic()
    asked = Check(words, games, at_once, patience)
    findings = _run(asked, scenarios, quiet=as_json)
    if as_json:
        typer.echo(json.dumps(_report(command, findings, time.monotonic() - begun_s), indent=2))
    else:
        _print_end(findings, time.monotonic() - begun_s)
    if any(finding.outcome is Outcome.FAILED for finding in findings):
        raise typer.Exit(_FAILED)


def _chosen(only: Sequence[str]) -> Sequence[Scenario]:
    if not only:
        return SCENARIOS
    known = {scenario.name for scenario in SCENARIOS}
    for name in only:
        if name not in known:
            raise typer.BadParameter(f"there is no {name!r}; see `cutpurse bot check --list`", param_hint="--only")
    return with_needs(only)


def _run(asked: Check, scenarios: Sequence[Scenario], *, quiet: bool) -> list[Finding]:
    """Run them, and print what becomes of each; on a signal no process is left behind."""

    async def run() -> list[Finding]:
        checking = asyncio.ensure_future(check(asked, scenarios, (lambda _: None) if quiet else _print))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, checking.cancel)
        return await checking

    try:
        return run_on_fast_loop(run())
    except (asyncio.CancelledError, KeyboardInterrupt):
        typer.secho("cutpurse bot check: interrupted", fg="red", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _print(finding: Finding) -> None:
    """One scenario's line, and all that helps if it failed."""
    scenario = finding.scenario
    typer.secho(f"{finding.outcome.value:>8}", fg=_COLOURS[finding.outcome], nl=False)
    took = "" if finding.outcome is Outcome.NOT_RUN else f" ({finding.seconds:.1f} s)"
    typer.echo(f"  {scenario.name}: {scenario.shows}{took}")
    if finding.outcome is Outcome.NOT_RUN:
        _print_part("because", finding.text)
    if finding.outcome is Outcome.FAILED:
        _print_part("what", finding.text)
        _print_part("why", scenario.why)
        _print_part("remedy", scenario.remedy)
        for line in finding.output.splitlines():
            typer.echo(f"{'':10}| {printable(line.expandtabs())}")


def _print_part(label: str, text: str) -> None:
    indent = " " * 10
    first = f"{indent}{label}: "
    typer.echo(textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=indent + "  "))


def _print_end(findings: Sequence[Finding], seconds: float) -> None:
    counts = Counter(finding.outcome for finding in findings)
    counted = ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome])
    typer.echo(f"{len(findings)} scenarios in {seconds:.0f} s: {counted}")
    failed = [finding.scenario.name for finding in findings if finding.outcome is Outcome.FAILED]
    if failed:
        again = " ".join(f"--only {name}" for name in failed)
        typer.echo(f"to see to those that failed alone: cutpurse bot check {again} COMMAND")


def _list(scenarios: Sequence[Scenario], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([_described(scenario) for scenario in scenarios], indent=2))
        return
    for scenario in scenarios:
        typer.echo(f"{scenario.name:22} {scenario.shows}")


def _described(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "shows": scenario.shows,
        "why": scenario.why,
        "remedy": scenario.remedy,
        "needs": list(scenario.needs),
        "game": scenario.game,
    }


def _report(command: str, findings: Sequence[Finding], seconds: float) -> dict[str, Any]:
    counts = Counter(finding.outcome for finding in findings)
    return {
        "command": shlex.split(command),
        "service": f"cutpurse-server/{__version__}",
        "seconds": round(seconds, 1),
        "counts": {outcome.value: counts[outcome] for outcome in Outcome},
        "scenarios": [
            {
                **_described(finding.scenario),
                "outcome": finding.outcome.value,
                "text": finding.text,
                "seconds": round(finding.seconds, 2),
                "output": finding.output.splitlines(),
            }
            for finding in findings
        ],
    }
