"""`cutpurse games`: what can be played, and what can be configured about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_rules import GAMES
from cutpurse_rules.contract import LANGUAGES, Game, Names, Option, OptionKind

__all__ = ["game_named", "games"]


def games(
    game: Annotated[str | None, typer.Argument(help="One game in full.", show_default="all, a line each")] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help=f"Name games and components in this language: {', '.join(LANGUAGES)}.",
            show_default="English, and no names of components",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the names in all languages.")] = False,
) -> None:
    """Show the games, their options, components and player counts."""
    if language is not None and language not in LANGUAGES:
        there_are = ", ".join(LANGUAGES)
        raise typer.BadParameter(f"there are no names in {language!r}; there are: {there_are}", param_hint="--language")
    if game is None:
        if as_json:
            _print_json([_description(each) for each in GAMES.values()])
        else:
            _print_list(language or LANGUAGES[0])
        return
    chosen = game_named(game)
    if as_json:
        _print_json(_description(chosen))
    else:
        _print_game(chosen, language)


def game_named(name: str) -> Game[Any, Any, Any]:
    """The game of a name that somebody typed; ends the command with exit code 2 if there is none."""
    if name not in GAMES:
        raise typer.BadParameter(f"there is no game {name!r}; there are: {', '.join(GAMES)}", param_hint="GAME")
    return GAMES[name]


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False))


def _description(game: Game[Any, Any, Any]) -> dict[str, Any]:
    return {
        "game": game.id,
        "name": game.name,
        "rules": game.rules_version,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "options": [_option(option) for option in game.options],
        "components": {kind: list(notations) for kind, notations in game.components.items()},
        "names": {language: _names(names) for language, names in game.names.items()},
    }


def _names(names: Names) -> dict[str, Any]:
    return {
        "game": names.game,
        "kinds": dict(names.kinds),
        "components": {kind: list(each) for kind, each in names.components.items()},
    }


def _option(option: Option) -> dict[str, Any]:
    bounded = option.kind is not OptionKind.BOOLEAN
    return {
        "name": option.name,
        "kind": option.kind.value,
        "meaning": option.meaning,
        "default": dict(option.default) if isinstance(option.default, Mapping) else option.default,
        "per_player": option.per_player,
        "minimum": option.minimum if bounded else None,
        "maximum": option.maximum if bounded else None,
    }


def _print_list(language: str) -> None:
    table = Table("game", "name", "players", "options", box=None)
    for game in GAMES.values():
        options = ", ".join(option.name for option in game.options)
        table.add_row(game.id, game.names[language].game, f"{game.min_players}-{game.max_players}", options)
    Console().print(table)


def _print_game(game: Game[Any, Any, Any], language: str | None) -> None:
    names = game.names[language or LANGUAGES[0]]
    typer.echo(
        f"{names.game} ({game.id}), {game.min_players} to {game.max_players} players, rules {game.rules_version}"
    )
    for kind, notations in game.components.items():
        if language is None:
            typer.echo(f"\n{kind}: {' '.join(notations)}")
        else:
            typer.echo(f"\n{kind} ({names.kinds[kind]}):")
            width = max(map(len, notations))
            for notation, name in zip(notations, names.components[kind], strict=True):
                typer.echo(f"  {notation:{width}}  {name}")
    typer.echo("\noptions (--option NAME=VALUE, the value as JSON):")
    for option in game.options:
        typer.echo(f"  {option.name}: {option.meaning}")
        typer.echo(f"      default {_default(option)}{_allowed(option)}")


def _default(option: Option) -> str:
    if isinstance(option.default, Mapping):
        return json.dumps(dict(option.default), separators=(",", ":"))
    return json.dumps(option.default) + (" for each player" if option.per_player else "")


def _allowed(option: Option) -> str:
    if option.kind is OptionKind.BOOLEAN:
        return ""
    each = " of each" if option.kind is OptionKind.COUNTS else ""
    return f"; from {option.minimum} to {option.maximum}{each}"
