"""Options of games, `--option NAME=VALUE` with the value as JSON, and settings of formats, `--setting NAME=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import typer

from cutpurse_server.tournaments.events import FormatSettings

__all__ = ["options_of", "settings_of"]


def options_of(given: Sequence[str]) -> dict[str, Any]:
    """The options of `--option` values; ends the command with exit code 2 where one cannot be read."""
    options: dict[str, Any] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--option")
        if name in options:
            raise typer.BadParameter(f"{name} is given twice; leave one of them out", param_hint="--option")
        try:
            options[name] = json.loads(value)
        # A text nested too deeply for the reader is as useless.
        except (ValueError, RecursionError):
            raise typer.BadParameter(
                f"the value of {name} is not JSON: {value[:60]!r}; write {name}=10, {name}=true "
                f"or '{name}={{\"N0\":6}}'",
                param_hint="--option",
            ) from None
    return options


def settings_of(given: Sequence[str]) -> FormatSettings:
    """The settings of `--setting` values; ends the command with exit code 2 where one cannot be read."""
    settings: dict[str, Any] = {}
    defaults = FormatSettings()._asdict()
    for text in given:
        name, _, value = text.partition("=")
        if name not in defaults:
            known = ", ".join(defaults)
            raise typer.BadParameter(f"{text!r} is no NAME=VALUE; the names are {known}", param_hint="--setting")
        if isinstance(defaults[name], str):
            settings[name] = value
        elif value.isdecimal():
            settings[name] = int(value)
        else:
            raise typer.BadParameter(f"{name} must be a whole number, not {value[:60]!r}", param_hint="--setting")
    return FormatSettings(**settings)
