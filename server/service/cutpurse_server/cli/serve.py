"""`cutpurse serve`: one replica of the service."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cutpurse_server.addresses import without_secrets
from cutpurse_server.cli.backups import backups_on_request
from cutpurse_server.identity import Registry, Role
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.metrics import Figures
from cutpurse_server.serve import Tls, log_of, running_service
from cutpurse_server.whereabouts import configure_logs

__all__ = ["serve"]

_DEFAULT_LISTEN = "127.0.0.1:7711"


def serve(
    listen: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT|unix:PATH",
            help="Where to listen; may be repeated. Off the loopback TLS is required.",
            show_default=_DEFAULT_LISTEN,
        ),
    ] = None,
    log: Annotated[
        str,
        typer.Option(
            metavar="sqlite:PATH|postgresql://…|memory:",
            envvar="CUTPURSE_LOG",
            help="Where the log is kept: in a file of one service, in a database that several share, or nowhere.",
        ),
    ] = "sqlite:cutpurse.sqlite",
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="Where the first organiser's token is written, readable for you alone.",
            show_default="beside the log, PATH.organiser-token; for a database ./cutpurse.organiser-token",
        ),
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Make another organiser's token, in case the first was lost.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(help="The service's certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key, PEM.")] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(help="Demand client certificates that this authority signed, PEM.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Answer GET /metrics for Prometheus there. Off the loopback it takes --tls-cert and --tls-client-ca.",
        ),
    ] = None,
    backup: Annotated[
        Path | None,
        typer.Option(help="Copy a log in a file there whenever SIGUSR1 comes, in the place of the copy before."),
    ] = None,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Run the service until it gets SIGTERM or Ctrl-C, then let what was begun be finished.

    At the first start on a log, a token for an organiser is made and written to a file. Show it to the commands that
    need one:  cutpurse tournament create CUP --game GAME --players N --token-file PATH.organiser-token
    """
    if (tls_cert is None) != (tls_key is None):
        raise typer.BadParameter("give both or neither", param_hint="--tls-cert, --tls-key")
    if log_level not in ("debug", "info", "warning", "error"):
        raise typer.BadParameter("write debug, info, warning or error", param_hint="--log-level")
    configure_logs(log_level)
    try:
        tls = None
        if tls_cert is not None and tls_key is not None:
            authority = tls_client_ca.read_bytes() if tls_client_ca else None
            tls = Tls(tls_cert.read_bytes(), tls_key.read_bytes(), authority)
        with _metrics(metrics, tls_cert, tls_key, tls_client_ca) as figures:
            addresses = listen or [_DEFAULT_LISTEN]
            run_on_fast_loop(_serve(log, addresses, tls, token_file, figures, backup, new_token=new_token))
    except (ValueError, OSError, LogUnavailable) as problem:
        typer.secho(f"cutpurse serve: {problem}", fg="red", err=True)
        raise typer.Exit(2) from None


@contextmanager
def _metrics(
    address: str | None, certificate: Path | None, key: Path | None, authority: Path | None
) -> Iterator[Figures | None]:
    """The figures, answered for at an address until the block is left; without an address there are none."""
    if address is None:
        yield None
        return
    tls = (certificate, key, authority) if certificate and key and authority else None
    figures = Figures()
    with figures.served(address, tls) as served:
        typer.echo(f"cutpurse answers for metrics on {served}", err=True)
        yield figures


async def _serve(
    log: str,
    listen: list[str],
    tls: Tls | None,
    token_file: Path | None,
    figures: Figures | None,
    backup: Path | None,
    *,
    new_token: bool,
) -> None:
    kept = log_of(log)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with backups_on_request(kept, backup), running_service(kept, listen, tls, figures) as service:
        if token_file is None:
            token_file = _token_file(log)
        note = (
            ""
            if await service.registry.has_role(Role.ORGANISER) and not new_token
            else await _token(service.registry, token_file)
        )
        typer.echo(f"cutpurse serves on {', '.join(service.addresses)}; log {without_secrets(log)}{note}", err=True)
        await stop.wait()
        typer.echo("cutpurse stops: finishing what was begun", err=True)


def _token_file(log: str) -> Path | None:
    """Where the first organiser's token goes if nobody says; None if what it opens is gone with this process."""
    if log.startswith("sqlite:"):
        return Path(log.removeprefix("sqlite:") + ".organiser-token")
    return None if log == "memory:" else Path("cutpurse.organiser-token")


async def _token(registry: Registry, file: Path | None) -> str:
    """Make an organiser's token and write it down; what to tell about it.

    Raises OSError if the file cannot be written: then there is no new token, and the next start tries again.
    """
    if file is None:
        token, _ = await registry.issue_token(Role.ORGANISER)
        return f"; organiser's token {token}"
    # Opened before the token is made, and the token ended if it cannot be written: nobody must be locked out by one
    # that nobody has seen.
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        # A file that was there already keeps its mode, and may be everybody's to read.
        os.fchmod(opened.fileno(), 0o600)
        token, token_id = await registry.issue_token(Role.ORGANISER)
        try:
            opened.write(token + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        except OSError:
            await registry.revoke_token(token_id)
            raise
    return f"; organiser's token in {file}"
