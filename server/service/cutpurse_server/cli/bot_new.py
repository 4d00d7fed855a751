"""`cutpurse bot new`: a project that builds, tests itself and plays."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cutpurse_rules import GAMES
from cutpurse_server.bot_projects import LANGUAGES, BotProject, NoProject, written
from cutpurse_server.bot_projects.rendering import sdk_of_this_checkout
from cutpurse_server.cli.games import game_named

__all__ = ["bot_new"]


def bot_new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder for the project.")],
    language: Annotated[str, typer.Option(metavar="LANGUAGE", help=f"One of: {', '.join(LANGUAGES)}.")],
    name: Annotated[str | None, typer.Option(help="The bot's name.", show_default="the folder's")] = None,
    game: Annotated[
        str, typer.Option(help=f"The game that its strategy begins with: {', '.join(GAMES)}.")
    ] = "art_robbery",
    sdk: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="The folder of the SDK.", show_default="this checkout's, else the published version"
        ),
    ] = None,
) -> None:
    """Make the project of a bot: it builds, has a test, and plays against house bots with one command.

    For example:  cutpurse bot new --language python my-bot --game big_max
    """
    if language not in LANGUAGES:
        there_are = ", ".join(LANGUAGES)
        raise typer.BadParameter(f"there is no {language!r}; there are: {there_are}", param_hint="--language")
    chosen = LANGUAGES[language]
    played = game_named(game)
    try:
        project = BotProject(chosen, name or folder.resolve().name, played.id, sdk or sdk_of_this_checkout(chosen))
        files = written(project, folder)
    except NoProject as error:
        typer.secho(f"cutpurse bot new: {error}", fg="red", err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{folder}: the bot {project.name} in {chosen.title}, {len(files)} files; README.md explains them.")
    for tool in chosen.missing_tools():
        typer.secho(f"missing on this machine: {tool}; install it first", fg="yellow", err=True)
    typer.echo(f"\n  cd {shlex.quote(str(folder))}")
    typer.echo("  make test    # builds the bot and runs its tests")
    typer.echo(f"  make play    # a match of {played.name} against house bots")
