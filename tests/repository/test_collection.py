"""Tests are collected in one order everywhere: parallel workers refuse to begin where theirs differ."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.repository.tree import ROOT, python_files


def parametrized_by_sets(code: str) -> Iterator[int]:
    """Lines that parametrize a test by a set written there, whose order may differ from process to process."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize":
            for given in [*node.args, *(each.value for each in node.keywords)]:
                match given:
                    case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
                        yield given.lineno


def test_no_test_is_parametrized_by_a_set() -> None:
    tests = {path: path.read_text(encoding="utf-8") for path in python_files(ROOT) if "tests" in path.parts}

    assert tests
    assert [f"{path}:{line}" for path, code in tests.items() for line in parametrized_by_sets(code)] == []


@pytest.mark.parametrize("given", ["{1, 2}", "{n for n in (1, 2)}", "set((1, 2))", "frozenset((1, 2))"])
def test_sets_are_noticed(given: str) -> None:
    assert list(parametrized_by_sets(f"@pytest.mark.parametrize('n', {given})\ndef test(n): ...")) == [1]


@pytest.mark.slow
def test_every_process_collects_the_same_tests_in_the_same_order() -> None:
    collecting = [
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider"],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2)
    ]

    first, second = ([line for line in each.communicate()[0].splitlines() if "::" in line] for each in collecting)

    assert len(first) > 1000
    assert first == second
