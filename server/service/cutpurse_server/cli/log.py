"""`cutpurse log`: logs as people read them, and the bundles that auditors read."""

from __future__ import annotations

import asyncio
import json
import mmap
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from cutpurse_rules.contract import Seat
from cutpurse_server.audit import write_match_bundle, write_tournament_bundle
from cutpurse_server.audit.telling import Told, tell
from cutpurse_server.errors import ServiceError
from cutpurse_server.log.port import Log, LogUnavailable, StoredEvent, UnreadableEvent
from cutpurse_server.serve import log_of
from cutpurse_server.tournaments.deals import match_name
from cutpurse_server.tournaments.events import TournamentCreated
from cutpurse_server.whole_files import whole_file
from cutpurse_server.wire import match_events, tournament_events
from cutpurse_server.wire.bundle import BadBundle, BundleReader

__all__ = ["log"]

log = typer.Typer(name="log", help="Logs as people read them, and bundles for auditors.", no_args_is_help=True)

_BAD_INPUT = 2
_NAMES_SHOWN = 3
_PLACE = re.compile(r"(?P<tournament>.+)\.r([0-9]{1,9})\.t([0-9]{1,9})\.m([0-9]{1,9})\.a([0-9]{1,9})")
"""How people name a tournament's match: by round, table, rotation and attempt. Its id does not show them."""

_Address = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="sqlite:PATH|postgresql://…",
        envvar="CUTPURSE_LOG",
        help="A log; one in a file only while no service is using it.",
    ),
]


@log.command()
def show(
    match: Annotated[
        str,
        typer.Argument(help="A match's id, or its place in a tournament: TOURNAMENT.rROUND.tTABLE.mROTATION.aATTEMPT."),
    ],
    address: _Address = None,
    bundle: Annotated[Path | None, typer.Option(help="A bundle file, instead of a log.")] = None,
    seat: Annotated[
        int | None, typer.Option(help="Only what this seat could know, with what it saw before it chose.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: one object for each event.")] = False,
) -> None:
    """Tell a match from its log: choices, times, faults, what the table saw, and the result."""
    # The address may come from the environment, for other commands; a bundle that is named goes before it.
    if address is None and bundle is None:
        _stop("say where the log is: --log sqlite:PATH, or --bundle FILE")
    stored = _from_bundle(match, bundle) if bundle is not None else _with_log(address or "", _Read(match))
    try:
        events = [match_events.decode(each) for each in stored]
        players = len(events[0].seats)  # type: ignore[union-attr]
        if seat is not None and not 0 <= seat < players:
            _stop(f"match {match} has seats 0 to {players - 1}, and no seat {seat}")
        told = list(tell(events, None if seat is None else Seat(seat)))
    except UnreadableEvent as unreadable:
        _stop(f"the log of {match} cannot be read: {unreadable}")
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in told], indent=2))
    else:
        for each in told:
            _print(each)


@log.command()
def export(
    subject: Annotated[str, typer.Argument(help="A tournament's or a match's id.")],
    address: _Address = None,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("bundle"),
) -> None:
    """Write the bundle of a tournament or a match that is over; `cutpurse audit` judges it anywhere."""
    if address is None:
        _stop("say where the log is: --log sqlite:PATH")
    _with_log(address, _Export(subject, out))
    typer.echo(f"{out}: {out.stat().st_size:,} bytes; judge it with: cutpurse audit {out}")


class _Read:
    """Reads a match's events."""

    def __init__(self, match: str) -> None:
        self._match = match

    async def __call__(self, log: Log) -> Sequence[StoredEvent]:
        stored = await log.read(f"match/{self._match}")
        if not stored and (place := _PLACE.fullmatch(self._match)):
            tournament = place["tournament"]
            match = _id_of(self._match, tournament, await log.read(f"tournament/{tournament}"))
            stored = await log.read(f"match/{match}")
        if not stored:
            names = [each.removeprefix("match/") for each in await log.streams("match")]
            _stop(f"the log holds no match {self._match!r}; {_there_are(names)}")
        return stored


class _Export:
    """Writes a bundle, whole or not at all."""

    def __init__(self, subject: str, out: Path) -> None:
        self._subject = subject
        self._out = out

    async def __call__(self, log: Log) -> None:
        is_tournament = await log.head(f"tournament/{self._subject}") is not None
        if not is_tournament and await log.head(f"match/{self._subject}") is None:
            names = [each.partition("/")[2] for kind in ("tournament", "match") for each in await log.streams(kind)]
            _stop(f"the log holds no tournament or match {self._subject!r}; {_there_are(names)}")
        write = write_tournament_bundle if is_tournament else write_match_bundle
        with whole_file(self._out) as file:
            await write(log, self._subject, file)


def _with_log(address: str, work: Any) -> Any:
    """Do something with a log that is there; ends the command with exit code 2 if that fails."""
    try:
        kind, _, path = address.partition(":")
        if kind not in ("postgresql", "postgres") and not (kind == "sqlite" and Path(path).is_file()):
            _stop(f"there is no log {address!r}; write sqlite:PATH with the path of a log file that exists")
        return asyncio.run(_opened(log_of(address), work))
    except (LogUnavailable, OSError, ValueError) as problem:
        _stop(str(problem))
    except ServiceError as refused:
        _stop(refused.text)


async def _opened(log: Log, work: Any) -> Any:
    await log.open()
    try:
        return await work(log)
    finally:
        await log.close()


def _from_bundle(match: str, bundle: Path) -> Sequence[StoredEvent]:
    """A match's events in a bundle; ends the command with exit code 2 if they are not there."""
    names = []
    wanted = {match}
    try:
        with bundle.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for _, part, is_match in BundleReader(data).parts():
                if isinstance(part, str):
                    continue
                if not is_match:
                    wanted.add(_id_of(match, part.id, part.events))
                elif part.id in wanted:
                    return part.events
                else:
                    names.append(part.id)
    except (OSError, ValueError) as problem:
        _stop(f"{bundle} cannot be read: {problem}")
    except BadBundle as bad:
        _stop(f"{bundle} is no sound bundle: {bad}")
    _stop(f"the bundle holds no match {match!r}; {_there_are(names)}")


def _id_of(match: str, tournament: str, stored: Sequence[StoredEvent]) -> str:
    """The id of a match that is named by its place in this tournament; every other name as it is.

    Ends the command with exit code 2 if the tournament's log does not begin as it should.
    """
    place = _PLACE.fullmatch(match)
    if place is None or place["tournament"] != tournament or not stored:
        return match
    try:
        created = tournament_events.decode(stored[0])
    except UnreadableEvent as unreadable:
        _stop(f"the log of {tournament} cannot be read: {unreadable}")
    if not isinstance(created, TournamentCreated):
        _stop(f"the log of {tournament} does not begin with its creation")
    _, round_number, table, rotation, attempt = place.groups()
    return match_name(created.deals_secret, tournament, (int(round_number), int(table), int(rotation), int(attempt)))


def _there_are(names: Sequence[str]) -> str:
    if not names:
        return "it holds none"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return "it holds " + ", ".join(names[:_NAMES_SHOWN]) + more


def _print(told: Told) -> None:
    when = "" if told.after_ms is None else f"{told.after_ms / 1_000:+.3f} s"
    first, *more = told.lines
    typer.echo(f"{told.number:5}  {when:>12}  {first}")
    for line in more:
        typer.echo(" " * 21 + line)


def _stop(text: str) -> NoReturn:
    typer.secho(f"cutpurse log: {text}", fg="red", err=True)
    raise typer.Exit(_BAD_INPUT) from None
