"""Where a command's service is: the options that all commands which call one share, and the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from cutpurse_server.arena.running import ADDRESS, BOTS, BUNDLE, ORGANISER_TOKEN
from cutpurse_server.cli.remote import CallFailed, Organiser, organiser

__all__ = ["Json", "at_a_service"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_HERE = "127.0.0.1:7711"

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "address": (
        Annotated[str, typer.Option(envvar="CUTPURSE_ADDRESS", help="Where the service is: HOST:PORT or unix:PATH.")],
        _HERE,
    ),
    "token": (
        Annotated[
            str | None,
            typer.Option(
                envvar="CUTPURSE_TOKEN", help="A token: an organiser's, unless said otherwise.", show_envvar=True
            ),
        ],
        None,
    ),
    "token_file": (Annotated[Path | None, typer.Option(help="A file with it, such as LOG.organiser-token.")], None),
    "ca": (
        Annotated[
            Path | None,
            typer.Option(
                envvar="CUTPURSE_CA", help="The service's certificate authority, PEM; needed off the loopback."
            ),
        ],
        None,
    ),
    "out": (
        Annotated[
            Path | None, typer.Option(help="Instead of address and token: the folder of a `tournament run` that runs.")
        ],
        None,
    ),
}


def at_a_service(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is the organiser at a service, with the options that say where that is.

    What goes wrong is said in one line, and ends the command with 2.
    """
    own = list(signature(command, eval_str=True).parameters.values())[1:]
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _OPTIONS.items()
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        where = {name: given.pop(name) for name in _OPTIONS}
        with _at(**where) as there:
            command(there, **given)

    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
    called.__signature__ = signature(command).replace(parameters=[*keywords, *shared])  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in [*keywords, *shared]} | {"return": None}
    return called


@contextmanager
def _at(
    address: str, token: str | None, token_file: Path | None, ca: Path | None, out: Path | None
) -> Iterator[Organiser]:
    try:
        if out is not None:
            address, token_file = _running_in(out), out / ORGANISER_TOKEN
        with organiser(address, token, token_file, ca) as there:
            yield there
    except CallFailed as failure:
        typer.secho(f"cutpurse: {failure}", fg="red", err=True)
        raise typer.Exit(2) from None


def _running_in(folder: Path) -> str:
    """The address of the service of a local run; raises `CallFailed` if none runs there."""
    try:
        return (folder / ADDRESS).read_text().strip()
    except OSError:
        if (folder / BUNDLE).exists():
            faults = f"{folder / BOTS}/BOT.json has a bot's faults"
            points = f"`cutpurse tournament explain BOT --bundle {folder / BUNDLE}` tells of its points"
            raise CallFailed(f"the tournament in {folder} is over; {faults}, and {points}") from None
        start = f"start it with `cutpurse tournament run … --out {folder}`"
        raise CallFailed(f"no tournament runs in {folder}; {start}") from None
