"""The rules compiled by mypyc: the same sources, in a folder of their own that nobody imports unless told to.

    python -m cutpurse_server.bench.compiled        compiles them into build/compiled; needs mypy and a C compiler

The interpreted form stays the reference. Compiled code is measured and tested in processes that are given the folder
as the first place to import from.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import typer

import cutpurse_rules

__all__ = ["COMPILED", "compile_rules", "compiled_decisions_per_s", "is_compiled"]

COMPILED = Path("build/compiled")
"""Below the present directory; never committed."""

_PACKAGE = Path("cutpurse_rules")
_SOURCES = Path(cutpurse_rules.__file__).parent
_INTERPRETED = (Path("playthrough.py"),)
"""Generic dataclasses with slots are beyond mypyc; the loop that people watch need not be fast."""
_TIMEOUT_S = 120.0


def compile_rules(folder: Path) -> None:
    """Copy the rules there and compile them, which takes a minute or two. Raises `CalledProcessError`."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_SOURCES, folder / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    modules = [str(_PACKAGE / source) for source in _sources() if source not in _INTERPRETED]
    # Without symbols for debuggers, which would hold paths of this machine.
    environment = {**os.environ, "MYPYC_OPT_LEVEL": "3", "MYPYC_DEBUG_LEVEL": "0"}
    subprocess.run([sys.executable, "-m", "mypyc", "--strict", *modules], cwd=folder, env=environment, check=True)


def is_compiled(folder: Path) -> bool:
    """Whether the folder holds the rules as they are now, compiled."""
    copy = folder / _PACKAGE
    return all(
        (copy / source).is_file()
        and (copy / source).read_bytes() == (_SOURCES / source).read_bytes()
        and (source in _INTERPRETED or any((copy / source).parent.glob(f"{source.stem}.*.so")))
        for source in _sources()
    )


def _sources() -> list[Path]:
    return sorted(path.relative_to(_SOURCES) for path in _SOURCES.rglob("*.py"))


def compiled_decisions_per_s(game_id: str, players: int, seconds: float) -> float | None:
    """As `playouts.rules_decisions_per_s`, of the compiled rules; None where they are not compiled as they are now."""
    if not is_compiled(COMPILED):
        return None
    places = [str(COMPILED.resolve()), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "cutpurse_server.bench.playouts", game_id, str(players), str(seconds)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
        stdout=subprocess.PIPE,
        text=True,
        timeout=_TIMEOUT_S + seconds,
        check=True,
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    assert Path(measured["rules"]).suffix == ".so", "the compiled rules were not what was measured"
    return float(measured["per_s"])


def main() -> None:
    """Compile into the usual folder, or say what is missing."""
    if shutil.which(os.environ.get("CC", "cc")) is None:
        typer.echo("not compiled: there is no C compiler; install one (`cc`), or set CC", err=True)
        raise SystemExit(1)
    try:
        compile_rules(COMPILED)
    except subprocess.CalledProcessError as failure:
        typer.echo("not compiled: mypyc failed; it comes with mypy, and needs setuptools", err=True)
        raise SystemExit(1) from failure
    typer.echo(f"compiled into {COMPILED}")


if __name__ == "__main__":
    main()
