"""Runs named tests on the rules package that PYTHONPATH puts first, and says in one line of JSON what failed.

A process of its own for every fault, since a module that was imported cannot be exchanged reliably. Called by
``running.run_tests``: ``python -m tests.rules.planted.child FOLDER NODE…``.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import cutpurse_rules


class FirstFailure:
    """Remembers the first test that fails, and with which exception."""

    def __init__(self) -> None:
        """Begin without any."""
        self.test: str | None = None
        self.error: str | None = None

    def pytest_configure(self) -> None:
        """What a faulty copy does must not be remembered for runs on the real one."""
        # Not at the top: pytest wants to import this plugin of its own first.
        import hypothesis

        hypothesis.settings.register_profile("planted", database=None, derandomize=True, deadline=None)
        hypothesis.settings.load_profile("planted")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Look at every failure that pytest reports."""
        report = yield
        if report.failed and self.test is None:
            self.test = item.nodeid
            self.error = None if call.excinfo is None else call.excinfo.type.__name__
        return report


def main(folder: Path, nodes: list[str]) -> None:
    """Run the tests and print the outcome; the rules must come from the folder, or nothing is shown by it."""
    where = Path(cutpurse_rules.__file__).resolve()
    if not where.is_relative_to(folder.resolve()):
        sys.exit(f"the rules were imported from {where}, not from {folder}")
    failure = FirstFailure()
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *nodes]
    code = pytest.main(arguments, plugins=[failure])
    print()
    print(json.dumps({"code": int(code), "test": failure.test, "error": failure.error}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
