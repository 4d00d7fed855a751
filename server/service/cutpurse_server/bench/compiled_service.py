"""The busy part of the service compiled by mypyc, beside the compiled rules: what runs for every decision.

    python -m cutpurse_server.bench.compiled_service        compiles it into build/compiled, after the rules

As with the rules, the interpreted form stays the reference, and nobody imports the compiled one unless the folder is
the first place to import from. It is the whole package, since a package is imported from one place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import typer

import cutpurse_server
from cutpurse_server.bench.compiled import COMPILED, is_compiled

__all__ = ["COMPILED_MODULES", "compile_service", "service_is_compiled"]

COMPILED_MODULES = tuple(
    Path(f"{module}.py")
    for module in (
        "log/chain",
        "log/clock",
        "log/packing",
        "log/sqlite",
        "matches/clock",
        "matches/crowd",
        "matches/deadlines",
        "matches/deciding",
        "matches/desk",
        "matches/keeping",
        "matches/record",
        "matches/replies",
        "matches/waiting",
        "servicers/bots",
        "servicers/connection",
        "servicers/hub",
        "wire/art_robbery",
        "wire/decision_pieces",
        "wire/decisions",
        "wire/games",
        "wire/match_events",
        "wire/matches",
        "wire/pieces",
        "wire/sealing",
    )
)
"""What most of a decision's time is spent in. The rest is the driver's, gRPC's, or runs seldom."""

_PACKAGE = Path("cutpurse_server")
_SOURCES = Path(cutpurse_server.__file__).parent


def compile_service(folder: Path) -> None:
    """Copy the service there and compile its busy part, about a minute. Raises `CalledProcessError`."""
    shutil.rmtree(folder / _PACKAGE, ignore_errors=True)
    shutil.copytree(_SOURCES, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    # More optimisation takes many times as long and buys nothing; no symbols, which would hold paths of this machine.
    environment = {**os.environ, "MYPYC_OPT_LEVEL": "1", "MYPYC_DEBUG_LEVEL": "0"}
    modules = [str(_PACKAGE / module) for module in COMPILED_MODULES]
    subprocess.run([sys.executable, "-m", "mypyc", "--strict", *modules], cwd=folder, env=environment, check=True)


def service_is_compiled(folder: Path) -> bool:
    """Whether the folder holds the rules and the service's busy part as they are now, compiled."""
    copy = folder / _PACKAGE
    return is_compiled(folder) and all(
        (copy / module).is_file()
        and (copy / module).read_bytes() == (_SOURCES / module).read_bytes()
        and any((copy / module).parent.glob(f"{module.stem}.*.so"))
        for module in COMPILED_MODULES
    )


def main() -> None:
    """Compile into the usual folder, or say what is missing."""
    try:
        compile_service(COMPILED)
    except subprocess.CalledProcessError as failure:
        typer.echo("not compiled: mypyc failed; it comes with mypy, and needs setuptools and a C compiler", err=True)
        raise SystemExit(1) from failure
    typer.echo(f"compiled the service into {COMPILED}")


if __name__ == "__main__":
    main()
