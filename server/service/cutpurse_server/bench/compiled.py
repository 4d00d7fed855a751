"""The compiled form of rules and service, as its wheels hold it, in a folder that nobody imports from unless told to.

`make compiled` builds the wheels and unpacks them there. What is measured runs in processes that are given the folder
as the first place to import from, and only while the sources in it are those that are measured beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cutpurse_rules
import cutpurse_server

__all__ = ["COMPILED", "compiled_decisions_per_s", "is_compiled"]

COMPILED = Path("build/compiled")
"""Below the present directory; never committed."""

_PACKAGES = (cutpurse_rules, cutpurse_server)
_TIMEOUT_S = 120.0


def is_compiled(folder: Path) -> bool:
    """Whether the folder holds rules and service as they are now, compiled."""
    # One library for each package holds what is compiled; a module's own file only leads there.
    whole = len(list(folder.glob("*__mypyc.*"))) == len(_PACKAGES)
    return whole and all(_is_compiled(package, folder / package.__name__) for package in _PACKAGES)


def _is_compiled(package: ModuleType, copy: Path) -> bool:
    assert package.__file__ is not None
    sources = Path(package.__file__).parent
    modules = [path.relative_to(sources) for path in sources.rglob("*.py")]
    return any(copy.rglob("*.so")) and all(
        (copy / module).is_file() and (copy / module).read_bytes() == (sources / module).read_bytes()
        for module in modules
    )


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
