"""`cutpurse log`: logs as people read them, and the bundles that auditors read."""

from __future__ import annotations

import typer

__all__ = ["log"]

log = typer.Typer(name="log", help="Logs as people read them, and bundles for auditors.", no_args_is_help=True)
