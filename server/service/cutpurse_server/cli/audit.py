"""`cutpurse audit`: the verdict on a bundle."""

from __future__ import annotations

import json
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import rich.progress
import typer
from rich.console import Console

from cutpurse_server.audit import FINDINGS_MAX, Verdict
from cutpurse_server.audit import audit as judge

__all__ = ["audit"]

_WRONG, _UNREADABLE, _INTERRUPTED = 1, 2, 130


def audit(
    bundle: Annotated[Path, typer.Argument(help="A bundle file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Compute everything that a bundle claims again, without the service or a network, and name what is wrong.

    Exit codes: 0 internally consistent, 1 something is wrong, 2 the file cannot be read, 130 interrupted: no verdict.
    """
    try:
        with _mapped(bundle) as data, _bar(as_json) as bar:
            task = bar.add_task("audit", total=len(data))
            verdict = judge(data, lambda done, _: bar.update(task, completed=done))
    except OSError as error:
        typer.secho(f"cutpurse audit: {bundle} cannot be read: {error.strerror or error}", fg="red", err=True)
        raise typer.Exit(_UNREADABLE) from None
    except KeyboardInterrupt:
        # Left to itself the command would end with 1, which says that something is wrong.
        typer.secho("cutpurse audit: interrupted; there is no verdict", fg="yellow", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(_verdict_to_json(bundle, verdict), indent=2))
    else:
        _print(bundle, verdict)
    if not verdict.consistent:
        raise typer.Exit(_WRONG)


@contextmanager
def _mapped(bundle: Path) -> Iterator[bytes | mmap.mmap]:
    """The file's bytes, mapped, so that a bundle may be larger than memory; raises OSError."""
    with bundle.open("rb") as file:
        if file.seek(0, 2) == 0:
            # An empty file cannot be mapped.
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            yield mapped


def _bar(as_json: bool) -> rich.progress.Progress:
    """How far it is, on a terminal only."""
    console = Console(stderr=True)
    columns = (
        rich.progress.TextColumn("{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.DownloadColumn(),
        rich.progress.TimeRemainingColumn(),
    )
    return rich.progress.Progress(*columns, console=console, transient=True, disable=as_json or not sys.stderr.isatty())


def _verdict_to_json(bundle: Path, verdict: Verdict) -> dict[str, Any]:
    return {
        "bundle": str(bundle),
        "subject": verdict.subject,
        "engine_version": verdict.engine_version,
        "manifest_hash": verdict.manifest_hash,
        "consistent": verdict.consistent,
        "verdict": verdict.words,
        "findings": [{"stream": each.stream, "event": each.event, "what": each.what} for each in verdict.findings],
        "checked": dict(sorted(verdict.checked.items())),
        "not_checked": dict(sorted(verdict.not_checked.items())),
    }


def _print(bundle: Path, verdict: Verdict) -> None:
    manifest = f", manifest {verdict.manifest_hash}" if verdict.manifest_hash else ""
    engine = verdict.engine_version or "unknown"
    typer.echo(f"{bundle}: {verdict.subject or 'no log'}, written by engine {engine}{manifest}")
    if verdict.checked:
        typer.echo("checked: " + _counts(verdict.checked))
    if verdict.not_checked:
        typer.echo("not checked in this version: " + _counts(verdict.not_checked))
    for finding in verdict.findings:
        typer.secho(f"  {finding}", fg="red")
    if len(verdict.findings) >= FINDINGS_MAX:
        typer.echo(f"  after {FINDINGS_MAX} findings the audit stops")
    typer.secho(f"verdict: {verdict.words}", fg="green" if verdict.consistent else "red", bold=True)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
