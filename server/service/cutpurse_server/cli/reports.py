"""`cutpurse tournament report` and `explain`: what a log or a bundle says of a tournament, for people."""

from __future__ import annotations

import asyncio
import json
import mmap
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.reports import (
    Explanation,
    NoReport,
    Report,
    explanation_of,
    page_of,
    report_of_bundle,
    report_of_log,
    results_json,
)
from cutpurse_server.reports.explaining import PlayedMatch
from cutpurse_server.serve import log_of

__all__ = ["COMMANDS", "explain", "report"]

_BAD_INPUT = 2
_WIDTH = 110

_Bundle = Annotated[Path | None, typer.Option("--bundle", help="A bundle file.")]
_Address = Annotated[
    str | None,
    typer.Option(
        "--log",
        envvar="CUTPURSE_LOG",
        metavar="sqlite:PATH|postgresql://…",
        help="A log, instead of a bundle; one in a file only while no service is using it.",
    ),
]
_Tournament = Annotated[str | None, typer.Option("--tournament", help="Which tournament of the log.")]


def report(
    bundle: Annotated[Path | None, typer.Argument(help="A bundle file.")] = None,
    address: _Address = None,
    tournament: _Tournament = None,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON, and write no page.")] = False,
) -> None:
    """Write one HTML page about a tournament: standings, ratings, matrix, scores, time, faults, oddities.

    The page needs no network and nothing beside it. Of a tournament that runs, only completed blocks are told.

    Example:  cutpurse tournament report cup/bundle --out report.html
    """
    found = _report(bundle, address, tournament)
    if as_json:
        typer.echo(json.dumps(results_json(found), indent=2))
        return
    try:
        out.write_text(page_of(found), encoding="utf-8")
    except OSError as problem:
        _stop(f"{out} cannot be written: {problem.strerror or problem}")
    typer.echo(f"{out}: {out.stat().st_size:,} bytes; open it in any browser")


def explain(
    bot: Annotated[str, typer.Argument(help="A bot of the tournament.")],
    bundle: _Bundle = None,
    address: _Address = None,
    tournament: _Tournament = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Say where a bot's points came from: opponents, seats, blocks, its best and worst matches, its faults.

    Example:  cutpurse tournament explain greedy --bundle cup/bundle
    """
    try:
        found = explanation_of(_report(bundle, address, tournament), bot)
    except NoReport as problem:
        _stop(str(problem))
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        _print(found)


COMMANDS = (report, explain)
"""Commands of `cutpurse tournament`."""


def _report(bundle: Path | None, address: str | None, tournament: str | None) -> Report:
    """The report; ends the command with exit code 2 if there is none."""
    if bundle is None and address is None:
        _stop("say where the tournament is: a bundle file, or --log sqlite:PATH")
    try:
        if bundle is not None:
            with bundle.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return report_of_bundle(data)
        assert address is not None
        kind, _, path = address.partition(":")
        if kind not in ("postgresql", "postgres") and not (kind == "sqlite" and Path(path).is_file()):
            _stop(f"there is no log {address!r}; write sqlite:PATH with the path of a log file that exists")
        return asyncio.run(_of_log(address, tournament))
    except (NoReport, LogUnavailable) as problem:
        _stop(str(problem))
    except (OSError, ValueError) as problem:
        _stop(f"{bundle or address} cannot be read: {problem}")


async def _of_log(address: str, tournament: str | None) -> Report:
    log = log_of(address)
    await log.open()
    try:
        if tournament is None:
            names = [stream.removeprefix("tournament/") for stream in await log.streams("tournament")]
            if len(names) != 1:
                raise NoReport(f"name one with --tournament; the log holds {', '.join(names) or 'none'}")
            tournament = names[0]
        return await report_of_log(log, tournament)
    finally:
        await log.close()


def _print(found: Explanation) -> None:
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    row, rating = found.standing, found.rating
    known = rating.low is not None and rating.high is not None
    interval = f"{rating.low:.0f} to {rating.high:.0f}" if known else "unknown"
    console.print(
        f"{row.bot}: place {row.place}, {row.points_mean:.3f} points a match over {row.matches} matches "
        f"({row.points_low:.3f} to {row.points_high:.3f}); rating {rating.rating:.0f} ({interval})",
        markup=False,
    )
    console.print(_opponents(found))
    console.print(_seats(found))
    console.print(_blocks(found))
    for title, matches in (("best matches", found.best), ("worst matches", found.worst)):
        console.print(_matches(title, matches))
    counts = ", ".join(f"{count} × {what.lower()}" for what, count in found.fault_counts.items())
    console.print(f"faults: {counts or 'none'}", markup=False)
    for odd in found.odd_pairs:
        console.print(
            f"odd, a hint and no verdict: {odd.bot} gets {odd.effect:+.2f} points a match with {odd.present} at the "
            f"table (chance {odd.chance:.3f})",
            markup=False,
        )
    for seat in found.odd_seats:
        console.print(
            f"odd, a hint and no verdict: {seat.effect:+.2f} points a match in seat {seat.seat}", markup=False
        )


def _opponents(found: Explanation) -> Table:
    table = _table("by opponent, what went worst first", "opponent", "matches", "share", "expected", "gave")
    for part in found.opponents:
        expected = "" if part.expected is None else f"{part.expected:.2f}"
        table.add_row(
            _plain(part.what),
            str(part.matches),
            f"{float(part.share):.2f}",
            expected,
            f"{float(part.contribution):.3f}",
        )
    return table


def _seats(found: Explanation) -> Table:
    table = _table("by seat", "seat", "matches", "points", "gave")
    for part in found.seats:
        table.add_row(part.what, str(part.matches), f"{float(part.share):.2f}", f"{float(part.contribution):.3f}")
    return table


def _blocks(found: Explanation) -> Table:
    table = _table("by block", "block", "points", "expected", "against")
    for block in found.blocks:
        name = f"round {block.round}, table {block.table}" + (f", attempt {block.attempt}" if block.attempt > 1 else "")
        table.add_row(name, f"{float(block.points):.2f}", f"{block.expected:.2f}", _plain(", ".join(block.opponents)))
    return table


def _matches(title: str, matches: tuple[PlayedMatch, ...]) -> Table:
    table = _table(title, "match", "seat", "place", "score", "points", "against, from the next seat on")
    for match in matches:
        place = f"{match.placement}{' (forfeited)' if match.forfeited else ''}"
        table.add_row(
            _plain(match.place_in_schedule),
            str(match.seat),
            place,
            str(match.score),
            f"{float(match.points):.2f}",
            _plain(", ".join(match.opponents)),
        )
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        words = heading in ("opponent", "seat", "block", "match") or heading.startswith("against")
        table.add_column(heading, justify="left" if words else "right")
    return table


def _plain(text: str) -> str:
    """A name as it is: square brackets in it are no markup."""
    return text.replace("[", "\\[")


def _stop(text: str) -> NoReturn:
    typer.secho(f"cutpurse tournament: {text}", fg="red", err=True)
    raise typer.Exit(_BAD_INPUT) from None
