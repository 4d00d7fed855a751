"""Tournaments of a running service: create, enter, start, watch, standings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_server.cli.given_options import options_of
from cutpurse_server.cli.remote import CallFailed, Organiser, organiser

__all__ = ["COMMANDS"]

_Address = Annotated[str, typer.Option(envvar="CUTPURSE_ADDRESS", help="Where the service is: HOST:PORT or unix:PATH.")]
_Token = Annotated[str | None, typer.Option(envvar="CUTPURSE_TOKEN", help="An organiser's token.", show_envvar=True)]
_TokenFile = Annotated[Path | None, typer.Option(help="A file that holds it, such as LOG.organiser-token.")]
_Authority = Annotated[
    Path | None,
    typer.Option(envvar="CUTPURSE_CA", help="The service's certificate authority, PEM; needed off the loopback."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_HERE = "127.0.0.1:7711"


def create(
    tournament: Annotated[str, typer.Argument(help="Its name.")],
    game: Annotated[str, typer.Option(help="The game.")],
    players: Annotated[int, typer.Option(help="Seats at a table.")],
    rounds: Annotated[int, typer.Option(help="Each plays one block at every table.")] = 1,
    concurrency: Annotated[int, typer.Option(help="Matches at once.")] = 16,
    seed: Annotated[str, typer.Option(help="Make the deals repeatable, and the tournament unrated.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A game's option; V is JSON.")] = None,
    address: _Address = _HERE,
    token: _Token = None,
    token_file: _TokenFile = None,
    ca: _Authority = None,
) -> None:
    """Create a tournament at a running service; entries are open from then on."""
    with _at(address, token, token_file, ca) as there:
        there.create(tournament, game, players, rounds, concurrency, seed, options_of(option or []))
    typer.echo(f"{tournament} is open; enter bots with `cutpurse tournament enter {tournament} BOT`")


def enter(
    tournament: Annotated[str, typer.Argument(help="The tournament.")],
    bot: Annotated[str, typer.Argument(help="The bot's name.")],
    owner: Annotated[str | None, typer.Option(help="Who enters it.", show_default="named like the bot")] = None,
    address: _Address = _HERE,
    token: _Token = None,
    token_file: _TokenFile = None,
    ca: _Authority = None,
    as_json: _Json = False,
) -> None:
    """Enter a bot, registering it if it is new, and print a token for it: with that it dials in."""
    with _at(address, token, token_file, ca) as there:
        bots_token = there.register(bot, owner or bot)
        there.enter(tournament, bot)
    if as_json:
        typer.echo(json.dumps({"tournament": tournament, "bot": bot, "token": bots_token}))
    else:
        typer.echo(f"{bot} is entered. Its token, shown this once:\n{bots_token}")


def start(
    tournament: Annotated[str, typer.Argument(help="The tournament.")],
    address: _Address = _HERE,
    token: _Token = None,
    token_file: _TokenFile = None,
    ca: _Authority = None,
) -> None:
    """Close the entries and begin. Bots should have dialled in: a seat that is not ready in time is forfeited."""
    with _at(address, token, token_file, ca) as there:
        there.start(tournament)
    typer.echo(f"{tournament} has begun; look at it with `cutpurse tournament watch {tournament}`")


def watch(
    tournament: Annotated[str, typer.Argument(help="The tournament.")],
    address: _Address = _HERE,
    token: _Token = None,
    token_file: _TokenFile = None,
    ca: _Authority = None,
    as_json: _Json = False,
) -> None:
    """Follow a tournament until it is finished; any role's token will do."""
    latest: dict[str, Any] = {}
    with _at(address, token, token_file, ca) as there:
        for latest in there.watch(tournament):
            if as_json:
                typer.echo(json.dumps(latest))
                continue
            progress = latest["progress"]
            done, total, running = progress["matches_done"], progress["matches_total"], progress["matches_running"]
            typer.echo(f"{done}/{total} matches, {running} running, {progress['decisions']} decisions", err=True)
    if not as_json and latest:
        _print(latest["standings"])


def standings(
    tournament: Annotated[str, typer.Argument(help="The tournament.")],
    address: _Address = _HERE,
    token: _Token = None,
    token_file: _TokenFile = None,
    ca: _Authority = None,
    as_json: _Json = False,
) -> None:
    """Print the standings over the completed blocks; any role's token will do."""
    with _at(address, token, token_file, ca) as there:
        rows = there.standings(tournament)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        _print(rows)


COMMANDS: tuple[Callable[..., None], ...] = (create, enter, start, watch, standings)


@contextmanager
def _at(address: str, token: str | None, token_file: Path | None, ca: Path | None) -> Iterator[Organiser]:
    """An organiser at a service; what goes wrong is said in one line, and ends the command with 2."""
    try:
        with organiser(address, token, token_file, ca) as there:
            yield there
    except CallFailed as failure:
        typer.secho(f"cutpurse tournament: {failure}", fg="red", err=True)
        raise typer.Exit(2) from None


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table()
    for heading in ("", "bot", "points", "95 % interval", "matches", "firsts", "forfeits"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in rows:
        interval = f"{row['points_low']:.3f} – {row['points_high']:.3f}"
        counts = (str(row["matches"]), str(row["firsts"]), str(row["forfeits"]))
        table.add_row(str(row["place"]), row["bot"], f"{row['points_mean']:.3f}", interval, *counts)
    Console().print(table)
