"""The command `cutpurse`. Each command is a module that parses, calls, and prints; what it does is elsewhere."""

from __future__ import annotations

import typer

from cutpurse_rules import chance
from cutpurse_server import __version__
from cutpurse_server.cli.audit import audit
from cutpurse_server.cli.bench import bench
from cutpurse_server.cli.bot import bot
from cutpurse_server.cli.games import games
from cutpurse_server.cli.identity import identity
from cutpurse_server.cli.log import log
from cutpurse_server.cli.match import match
from cutpurse_server.cli.serve import serve
from cutpurse_server.cli.tournament import tournament
from cutpurse_server.matches import record

__all__ = ["app", "main"]

app = typer.Typer(
    name="cutpurse",
    help="Cutpurse: a bot arena for card games of thieves. Honour among thieves: nobody can cheat unseen.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        is_compiled = not any(str(module.__file__).endswith(".py") for module in (chance, record))
        typer.echo(f"cutpurse {__version__}" + ", compiled" * is_compiled)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


app.command()(games)
app.command()(match)
app.command()(serve)
app.add_typer(tournament)
app.add_typer(bot)
app.add_typer(identity)
app.add_typer(log)
app.command()(audit)
app.command()(bench)


def main() -> None:
    """The entry point of the command."""
    app()
