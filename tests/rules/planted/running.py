"""Plants faults into copies of the rules package and runs the tests that have to notice them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import cutpurse_rules
from tests.rules.planted.fault import Fault

__all__ = ["Outcome", "faults_by_game", "run_tests", "try_fault"]

ROOT = Path(__file__).resolve().parents[3]
SECONDS_MAX = 60
BROKEN = {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError", "AttributeError"}
"""How code fails that was never tried; a fault that fails like that shows nothing about the tests."""


@dataclass(frozen=True)
class Outcome:
    """What the tests said about one copy of the rules."""

    passed: bool
    """Whether all of them passed."""
    test: str | None
    """The first that failed."""
    error: str | None
    """With which exception; of tests that could not be run at all, the end of what pytest printed."""

    @property
    def caught(self) -> bool:
        """Whether a test failed because of what the rules did, not because they could not be run."""
        return self.test is not None and self.error not in BROKEN


def faults_by_game() -> dict[str, tuple[Fault, ...]]:
    """The tables of this folder, by game."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*_faults.py"))
    return {name.removesuffix("_faults"): import_module(f"tests.rules.planted.{name}").FAULTS for name in names}


def try_fault(fault: Fault) -> Outcome:
    """Plant the fault into a copy and run its test there."""
    return run_tests([fault.caught_by], fault)


def run_tests(nodes: Iterable[str], fault: Fault | None = None) -> Outcome:
    """Run tests, named as in ``Fault.caught_by``, on a copy of the rules package, with a fault or without any."""
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        folder = Path(name)
        package = folder / "cutpurse_rules"
        # Compiled modules come along and stay valid; of the one that is changed time and size differ.
        shutil.copytree(Path(cutpurse_rules.__file__).parent, package)
        if fault is not None:
            fault.plant(package)
        command = [sys.executable, "-m", "tests.rules.planted.child", name, *(f"tests/rules/{node}" for node in nodes)]
        # The folder comes before whatever an editable installation adds.
        environment = {**os.environ, "PYTHONPATH": name, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )
    if run.returncode != 0:
        return Outcome(False, None, run.stderr.strip()[-400:])
    said = json.loads(run.stdout.splitlines()[-1])
    if said["code"] not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return Outcome(False, None, run.stdout.strip()[-400:])
    return Outcome(said["code"] == pytest.ExitCode.OK, said["test"], said["error"])
