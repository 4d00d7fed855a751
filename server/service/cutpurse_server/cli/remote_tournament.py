"""Tournaments of a running service: create, enter, start, watch, standings, and what organisers do meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_server.arena.plan import FORMATS, ROUNDS, BadPlan, Plan
from cutpurse_server.arena.tournament_file import plan_of_file
from cutpurse_server.cli.given_options import options_of, settings_of
from cutpurse_server.cli.remote import CallFailed, Organiser
from cutpurse_server.cli.there import Json, at_a_service
from cutpurse_server.identity import Role
from cutpurse_server.matches.events import Clock

__all__ = ["COMMANDS"]

_Cup = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its name.")]
_Bot = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")]
_Why = Annotated[str, typer.Option("--reason", help="Why; stands in the log, and everybody is told.")]


def create(
    there: Organiser,
    tournament: Annotated[str | None, typer.Argument(help="Its name; with --file that of the file.")] = None,
    file: Annotated[Path | None, typer.Option(help="A TOML file that describes it.")] = None,
    tokens: Annotated[
        Path | None, typer.Option(help="With --file: enter its bots as well, and write their tokens into this folder.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game.")] = None,
    players: Annotated[int, typer.Option(help="Seats at a table.")] = 2,
    format_: Annotated[str, typer.Option("--format", help=f"How entrants meet: {', '.join(FORMATS)}.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(help="Each plays one block at every table.", show_default="by format")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Matches at once.")] = 16,
    seed: Annotated[str, typer.Option(help="Make the deals repeatable, and the tournament unrated.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A game's option; V is JSON.")] = None,
    setting: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A format's setting.")] = None,
) -> None:
    """Create a tournament at a running service; entries are open from then on."""
    try:
        if file is not None:
            plan = plan_of_file(file, launched=False)
        elif tournament is None or game is None:
            raise BadPlan("name the tournament and --game, or give --file")
        else:
            plan = Plan(
                name=tournament,
                game=game,
                players=players,
                rounds=ROUNDS.get(format_, 1) if rounds is None else rounds,
                concurrency=concurrency,
                seed=seed,
                options=options_of(option or []),
                entries=(),
                format=format_,
                clock=Clock(),
                settings=settings_of(setting or []),
            )
    except BadPlan as problem:
        raise CallFailed(str(problem)) from None
    there.create(plan.manifest())
    if tokens is not None:
        _enter_all(there, plan, tokens)
    typer.echo(f"{plan.name} is open; enter bots with `cutpurse tournament enter {plan.name} BOT`")


def _enter_all(there: Organiser, plan: Plan, folder: Path) -> None:
    """Register and enter the bots of a file; a token that is there already is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in plan.entries:
        there.register(entry.name, entry.owner)
        there.enter(plan.name, entry.name, entry.rank)
        path = folder / f"{entry.name}.token"
        if path.exists():
            continue
        # The file comes first: a token that cannot be written down is never made.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            try:
                token, _ = there.issue(Role.BOT, entry.name)
                written.write(token + "\n")
                written.flush()
            except BaseException:
                path.unlink()
                raise
        typer.echo(f"{entry.name} is entered; its token is in {path}")


def enter(
    there: Organiser,
    tournament: _Cup,
    bot: _Bot,
    owner: Annotated[str | None, typer.Option(help="Who enters it.", show_default="named like the bot")] = None,
    rank: Annotated[int, typer.Option(help="Its place in the seeding of a single elimination, from 1.")] = 0,
    as_json: Json = False,
) -> None:
    """Enter a bot, registering it if it is new, and print a token for it: with that it dials in.

    A Swiss or a ladder that has begun takes it from the next round on.
    """
    there.register(bot, owner or there.bots().get(bot, bot))
    there.enter(tournament, bot, rank)
    token, token_id = there.issue(Role.BOT, bot)
    if as_json:
        typer.echo(json.dumps({"tournament": tournament, "bot": bot, "token": token, "token_id": token_id}))
    else:
        typer.echo(f"{bot} is entered. Its token (number {token_id}), shown this once:\n{token}")


def start(there: Organiser, tournament: _Cup) -> None:
    """Close the entries and begin. Bots should have dialled in: a seat that is not ready in time is forfeited."""
    there.do("StartTournament", tournament)
    typer.echo(f"{tournament} has begun; look at it with `cutpurse tournament watch {tournament}`")


def withdraw(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why = "") -> None:
    """Take a bot out: what it has played counts, what it has not is dropped."""
    there.do("WithdrawEntrant", tournament, bot=bot, text=reason)
    typer.echo(f"{bot} is withdrawn from {tournament}")


def disqualify(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why) -> None:
    """Take a bot out for an offence: it is placed last; for the others, what it has played counts."""
    there.do("DisqualifyEntrant", tournament, bot=bot, text=reason)
    typer.echo(f"{bot} is disqualified from {tournament}")


def pause(there: Organiser, tournament: _Cup, reason: _Why = "") -> None:
    """Begin no further matches; those that run go on."""
    there.do("PauseTournament", tournament, text=reason)
    typer.echo(f"{tournament} is paused; go on with `cutpurse tournament resume {tournament}`")


def resume(there: Organiser, tournament: _Cup) -> None:
    """Begin matches again."""
    there.do("ResumeTournament", tournament)
    typer.echo(f"{tournament} goes on")


def void(
    there: Organiser,
    tournament: _Cup,
    reason: _Why,
    round_: Annotated[int, typer.Option("--round", help="The block's round, from 1.")] = 0,
    table: Annotated[int, typer.Option(help="The block's table, from 1.")] = 0,
    match: Annotated[str, typer.Option(help="Or a match of the block.")] = "",
) -> None:
    """Void a block, played or being played; it is played again, with other deals."""
    there.do("VoidBlock", tournament, round=round_, table=table, match=match, text=reason)
    typer.echo("the block is voided, and is played again")


def finish(there: Organiser, tournament: _Cup, reason: _Why) -> None:
    """End a tournament now: what has not ended is dropped, and the standings are those of what has."""
    there.do("FinishTournament", tournament, text=reason)
    typer.echo(f"{tournament} is ended")


def watch(there: Organiser, tournament: _Cup, as_json: Json = False) -> None:
    """Follow a tournament until it is finished, and what organisers do to it; any role's token will do."""
    latest: dict[str, Any] = {}
    for latest in there.watch(tournament):
        if as_json:
            typer.echo(json.dumps(latest))
            continue
        for notice in latest["notices"]:
            typer.secho(_told(notice), fg="yellow", err=True)
        progress = latest["progress"]
        done, total, running = progress["matches_done"], progress["matches_total"], progress["matches_running"]
        paused = ", paused" if progress["paused"] else ""
        typer.echo(f"{done}/{total} matches, {running} running, {progress['decisions']} decisions{paused}", err=True)
    if not as_json and latest:
        _print(latest["standings"])


def _told(notice: dict[str, Any]) -> str:
    """A notice in words."""
    kind = notice["kind"].removeprefix("TOURNAMENT_NOTICE_KIND_")
    what = {
        "ENTERED": f"{notice['bot']} was entered late",
        "WITHDRAWN": f"{notice['bot']} was withdrawn",
        "DISQUALIFIED": f"{notice['bot']} was disqualified",
        "BLOCK_VOIDED": f"round {notice['round']}, table {notice['table']} was voided",
        "PAUSED": "paused",
        "RESUMED": "it goes on",
        "CUT_SHORT": "the organiser has ended it",
    }[kind]
    return f"{what}: {notice['text']}" if notice["text"] else what


def standings(there: Organiser, tournament: _Cup, as_json: Json = False) -> None:
    """Print the standings over the blocks that count; any role's token will do."""
    rows = there.standings(tournament)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        _print(rows)


_ALL: tuple[Callable[..., None], ...] = (
    create, enter, start, watch, standings, withdraw, disqualify, pause, resume, void, finish,
)  # fmt: skip
COMMANDS = tuple(at_a_service(each) for each in _ALL)


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table()
    for heading in ("", "bot", "points", "95 % interval", "score", "matches", "byes", "firsts", "forfeits", "left"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in rows:
        interval = f"{row['points_low']:.3f} – {row['points_high']:.3f}"
        counts = (str(row["matches"]), str(row["byes"]), str(row["firsts"]), str(row["forfeits"]))
        left = row["left"].removeprefix("LEAVE_CAUSE_").lower().replace("unspecified", "")
        points = f"{row['points_mean']:.3f}"
        table.add_row(str(row["place"]), row["bot"], points, interval, f"{row['score']:.3f}", *counts, left)
    Console().print(table)
