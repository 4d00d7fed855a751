"""`cutpurse tournament`: whole tournaments from one command, and tournaments of a running service."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cutpurse_rules import GAMES
from cutpurse_server.arena.isolation import Isolation, Means, means_of_isolation
from cutpurse_server.arena.plan import FORMATS, LOCAL_CLOCK, ROUNDS, BadPlan, Plan, entries_of
from cutpurse_server.arena.running import BUNDLE, REPORT, run_tournament
from cutpurse_server.arena.tournament_file import plan_of_file, write_template
from cutpurse_server.cli import published, remote_tournament, reports
from cutpurse_server.cli.given_options import options_of, settings_of
from cutpurse_server.cli.progress import Progress, print_standings
from cutpurse_server.errors import ServiceError
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.matches.events import Clock
from cutpurse_server.tournaments import Overview
from cutpurse_server.whereabouts import configure_logs

__all__ = ["tournament"]

tournament = typer.Typer(name="tournament", help="Run tournaments.", no_args_is_help=True)

_WRONG, _BAD_INPUT, _INTERRUPTED = 1, 2, 130


@tournament.command()
def run(
    file: Annotated[Path | None, typer.Argument(help="A TOML file that describes the tournament.")] = None,
    game: Annotated[str | None, typer.Option(help="The game, instead of a file.")] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT", help="HOUSEBOT, NAME=HOUSEBOT or NAME=COMMAND (a program that dials in); once for each bot."
        ),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Seats at a table.", show_default="all bots, as far as the game goes")
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=f"How entrants meet: {', '.join(FORMATS)}.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(help="Each round plays one block at every table.", show_default="by format")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Matches at once.")] = 16,
    seed: Annotated[str, typer.Option(help="Make the deals repeatable, and the tournament unrated.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="K=V", help="An option of the game, as JSON.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="A setting of the format, such as best_of=3.")
    ] = None,
    clock: Annotated[
        list[str] | None,
        typer.Option(metavar="K=N", help=f"A setting of the clock: {', '.join(LOCAL_CLOCK._fields)}."),
    ] = None,
    name: Annotated[str, typer.Option(help="The tournament's name.")] = "cup",
    out: Annotated[Path, typer.Option(help="The folder for log, standings and bundle.")] = Path("tournament"),
    isolation: Annotated[
        Isolation, typer.Option(help="Whether bots are kept from files and network by bwrap; auto: where it works.")
    ] = Isolation.AUTO,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for everything that happens; the last is the verdict.")
    ] = False,
) -> None:
    """Run a whole tournament here: the service, bots as child processes, standings, bundle, verdict.

    Run the same command again after an interruption, and it goes on where it was. Exit codes: 0 finished and
    consistent, 1 the audit found something wrong, 2 bad input, 130 interrupted.

    Example:  cutpurse tournament run --game art_robbery --bot greedy --bot random --bot mine='python my_bot.py'
    """
    configure_logs("error")
    try:
        if file is not None:
            if game or bot:
                raise BadPlan("give a file, or --game and --bot, not both")
            plan = plan_of_file(file)
        else:
            entries = entries_of(bot or [])
            known_game = _known_game(game)
            plan = Plan(
                name=name,
                game=known_game,
                players=players or _seats_for(known_game, len(entries)),
                rounds=ROUNDS.get(format_, 1) if rounds is None else rounds,
                concurrency=concurrency,
                seed=seed,
                options=options_of(option or []),
                entries=entries,
                format=format_,
                clock=_clock(clock or []),
                settings=settings_of(setting or []),
            )
            plan.check_it_can_be_played()
        means = means_of_isolation(isolation)
    except BadPlan as problem:
        _fail(str(problem))
    _carry_out(plan, out, means, as_json=as_json)


def _known_game(game: str | None) -> str:
    if game is None or game not in GAMES:
        raise BadPlan(f"name a game with --game; there are {', '.join(sorted(GAMES))}")
    return game


def _seats_for(game: str, bots: int) -> int:
    """All bots at one table, as far as the game goes."""
    return max(GAMES[game].min_players, min(bots, GAMES[game].max_players))


@tournament.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="Where to write it.")] = Path("tournament.toml"),
) -> None:
    """Write a commented file that describes a tournament, to be changed and then played."""
    try:
        write_template(file)
    except BadPlan as problem:
        typer.secho(f"cutpurse tournament init: {problem}", fg="red", err=True)
        raise typer.Exit(_BAD_INPUT) from None
    typer.echo(f"{file} is written; change it, then play it with `cutpurse tournament run {file} --out FOLDER`")


def _carry_out(plan: Plan, out: Path, means: Means, *, as_json: bool) -> None:
    """Play it and say what came of it; ends the command with its exit code if something is in the way."""
    typer.echo(means.described(plan.limits), err=True)
    try:
        overview = run_on_fast_loop(_run(plan, out, means, as_json=as_json))
    except BadPlan as problem:
        _fail(str(problem))
    except OSError as problem:
        what = f"{problem.filename or out}: {problem.strerror}" if problem.strerror else str(problem)
        _fail(f"{what}; put that right, and run the same command again: it goes on where it was")
    except LogUnavailable as problem:
        _fail(f"{problem} Then run the same command again: it goes on where it was.")
    except ServiceError as refusal:
        _fail(refusal.text)
    except KeyboardInterrupt:
        typer.secho("\ninterrupted; nothing is lost: run the same command again to go on", fg="yellow", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    try:
        _conclude(overview, out, as_json=as_json)
    except KeyboardInterrupt:
        typer.secho("\ninterrupted; all is played: run the same command again for the verdict", fg="yellow", err=True)
        raise typer.Exit(_INTERRUPTED) from None


async def _run(plan: Plan, out: Path, means: Means, *, as_json: bool) -> Overview:
    """Run it so that SIGTERM and Ctrl-C end it in good order."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        with Progress(plan, out, as_json=as_json) as progress:
            return await run_tournament(plan, out, means, progress)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        # The loop would leave handlers behind that do nothing, and the audit still to come must heed Ctrl-C.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _clock(settings: list[str]) -> Clock:
    given: dict[str, int] = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name not in LOCAL_CLOCK._fields or not value.isdecimal():
            raise BadPlan(f"--clock {text}: write NAME=N; the names are {', '.join(LOCAL_CLOCK._fields)}")
        given[name] = int(value)
    return LOCAL_CLOCK._replace(**given)


def _conclude(overview: Overview, out: Path, *, as_json: bool) -> None:
    """Say what came of it; the verdict is that of a process that reads the bundle and nothing else."""
    audit = [sys.executable, "-m", "cutpurse_server", "audit", str(out / BUNDLE)]
    # In a process group of its own: Ctrl-C is for this process, which ends the audit and says how to go on.
    if as_json:
        judged = subprocess.run([*audit, "--json"], stdout=subprocess.PIPE, text=True, check=False, process_group=0)
        standings = json.loads((out / "standings.json").read_text())["standings"]
        typer.echo(json.dumps({"type": "verdict", "standings": standings, "audit": json.loads(judged.stdout)}))
        code = judged.returncode
    else:
        print_standings(overview)
        typer.echo(f"log        {out / 'log.sqlite'}\nbots       {out / 'bots'}")
        typer.echo(f"bundle     {out / BUNDLE}\nreport     {out / REPORT}")
        code = subprocess.run(audit, check=False, process_group=0).returncode
    if code != 0:
        raise typer.Exit(_WRONG)


def _fail(text: str) -> NoReturn:
    typer.secho(f"cutpurse tournament run: {text}", fg="red", err=True)
    raise typer.Exit(_BAD_INPUT) from None


# The help lists commands in this order: what a newcomer begins with comes first.
for _remote in (*remote_tournament.COMMANDS, *published.COMMANDS):
    tournament.command(_remote.__name__.rstrip("_"))(_remote)
for _report in reports.COMMANDS:
    tournament.command()(_report)
