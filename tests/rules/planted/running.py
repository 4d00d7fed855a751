"""Plants faults into copies of the rules package and runs the tests that have to notice them.

A module that was imported cannot be exchanged reliably, so every copy gets a process of its own. It is forked from one
that has imported pytest and all that the tests need, but not the rules: that is several times faster than a new one.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import hypothesis
import pytest

from tests.rules.planted.fault import Fault

__all__ = ["Outcome", "Trial", "faults_by_game", "run_trials"]

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = "cutpurse_rules"
SECONDS_MAX = 300
BROKEN = {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError", "AttributeError"}
"""How code fails that was never tried; a fault that fails like that shows nothing about the tests."""

Trial: TypeAlias = "tuple[Fault | None, Sequence[str]]"
"""A fault, or None for the rules as they are, and the tests to run, named as in ``Fault.caught_by``."""


@dataclass(frozen=True)
class Outcome:
    """What the tests said about one copy of the rules."""

    passed: bool
    """Whether all of them passed."""
    test: str | None
    """The first that failed."""
    error: str | None
    """With which exception; of tests that could not be run at all, why not."""

    @property
    def caught(self) -> bool:
        """Whether a test failed because of what the rules did, not because they could not be run."""
        return self.test is not None and self.error not in BROKEN


def faults_by_game() -> dict[str, tuple[Fault, ...]]:
    """The tables of this folder, by game."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*_faults.py"))
    return {name.removesuffix("_faults"): import_module(f"tests.rules.planted.{name}").FAULTS for name in names}


def run_trials(trials: Iterable[Trial], jobs: int) -> Iterator[Outcome]:
    """Run trials, so many at a time; yields their outcomes in order. Raises MisfitPatch before a misfit one begins."""
    assert PACKAGE not in sys.modules, "a process that has imported the rules cannot try others"
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        running: deque[tuple[int, int]] = deque()
        for number, (fault, nodes) in enumerate(trials):
            if len(running) == jobs:
                yield finish(*running.popleft())
            running.append(start(copy_of_the_rules(Path(name, str(number)), fault), nodes))
        while running:
            yield finish(*running.popleft())


def copy_of_the_rules(folder: Path, fault: Fault | None) -> Path:
    """Copy the rules package into the folder, which must not exist yet, and plant the fault there."""
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    # Compiled modules come along and stay valid; of the one that is changed the time differs.
    shutil.copytree(Path(found.origin).parent, folder / PACKAGE)
    if fault is not None:
        fault.plant(folder / PACKAGE)
    return folder


def start(folder: Path, nodes: Sequence[str]) -> tuple[int, int]:
    """Fork a process that runs the tests on the rules of this folder; return its id and where its report is read."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    try:
        signal.alarm(SECONDS_MAX)
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        os.write(writing, json.dumps(report(folder, nodes)).encode())
    finally:
        # No more of the parent's code than that, whatever happened.
        os._exit(0)


def finish(process: int, reading: int) -> Outcome:
    """Wait for a process and read its report."""
    with open(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(process, 0)
    if not said:
        return Outcome(False, None, f"the process broke off, or did not end within {SECONDS_MAX} s")
    return Outcome(**json.loads(said))


class FirstFailure:
    """A plugin of pytest's that remembers the first test that fails, and with which exception."""

    def __init__(self) -> None:
        """Begin without any."""
        self.test: str | None = None
        self.error: str | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Look at every failure that pytest reports."""
        report = yield
        if report.failed and self.test is None:
            self.test = item.nodeid
            self.error = None if call.excinfo is None else call.excinfo.type.__name__
        return report


def report(folder: Path, nodes: Sequence[str]) -> dict[str, Any]:
    """Run the tests in this process, on the rules of this folder; return the fields of the outcome."""
    os.chdir(ROOT)
    # Before whatever an editable installation adds.
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    where = Path(str(import_module(PACKAGE).__file__)).resolve()
    if not where.is_relative_to(folder.resolve()):
        return {"passed": False, "test": None, "error": f"the rules were imported from {where}"}
    # What a faulty copy does must not be remembered for runs on the real one.
    hypothesis.settings.register_profile("planted", database=None, derandomize=True, deadline=None)
    hypothesis.settings.load_profile("planted")
    failure = FirstFailure()
    code = pytest.main(
        # Hypothesis was imported before pytest could rewrite its assertions, and need not be rewritten.
        ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        + [f"tests/rules/{node}" for node in nodes],
        plugins=[failure],
    )
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return {"passed": False, "test": None, "error": f"pytest: {pytest.ExitCode(code).name}"}
    return {"passed": code == pytest.ExitCode.OK, "test": failure.test, "error": failure.error}
