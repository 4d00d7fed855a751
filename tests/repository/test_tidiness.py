"""The tree stays tidy: short functions and files, speaking names, docstrings, nothing left open or of one machine."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.repository.tree import PACKAGES, ROOT, python_files, sources, text_files

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400

LONGER_FOR_A_REASON: dict[str, str] = {}
"""Path, or path::function, of what may be longer → why. Empty is best."""

VAGUE = frozenset({"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"})
"""Names that say nothing about what is inside."""

# Whole words are put together here and below, so that this file does not find itself.
UNFINISHED = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
FOLDERS = ["work", "root", r"home/\w+", r"tmp/bash\w*"]
REGISTRIES = ["py" + "pi", "python" + "hosted", "npm" + "js", "crates", "maven", r"proxy\.golang"]

LEFT_OPEN = re.compile(rf"\b({'|'.join(UNFINISHED)})\b")
OF_A_MACHINE = re.compile(rf"(?<![\w./-])/({'|'.join(FOLDERS)})(/|\b)")
REGISTRY = re.compile(rf"\b({'|'.join(REGISTRIES)})\.(org|com|io|dev)\b")


def too_long(root: Path) -> Iterator[str]:
    """Files of any language, and functions of Python's, over their limits that have no exception."""
    for path in sources(root):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > FILE_LINES_MAX and name not in LONGER_FOR_A_REASON:
            yield f"{name}: {lines} lines, at most {FILE_LINES_MAX}"
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                lines = node.end_lineno - node.lineno + 1
                if lines > FUNCTION_LINES_MAX and f"{name}::{node.name}" not in LONGER_FOR_A_REASON:
                    yield f"{name}:{node.lineno}: {node.name} has {lines} lines, at most {FUNCTION_LINES_MAX}"


def vaguely_named(root: Path) -> Iterator[str]:
    """Python files and folders whose name names no concept."""
    for path in python_files(root):
        name = path.relative_to(root)
        if VAGUE & {part.lower() for part in name.with_suffix("").parts}:
            yield f"{name}: name the concept"


def left_open(root: Path) -> Iterator[str]:
    """Lines that say that something is still to be done."""
    return matching(root, LEFT_OPEN)


def of_a_machine(root: Path) -> Iterator[str]:
    """Lines with a path that exists on one machine only."""
    return matching(root, OF_A_MACHINE)


def of_a_registry(root: Path) -> Iterator[str]:
    """Lines that name a package registry's host, and addresses in our lock file."""
    yield from matching(root, REGISTRY)
    for path in sorted(root.glob("requirements/*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "://" in line:
                yield f"{path.relative_to(root)}:{number}: an address in a lock file"


def matching(root: Path, pattern: re.Pattern[str]) -> Iterator[str]:
    """Lines of our text files in which `pattern` occurs."""
    for path in text_files(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := pattern.search(line):
                yield f"{path.relative_to(root)}:{number}: {found.group()}"


def undocumented(root: Path) -> Iterator[str]:
    """Public modules, classes and functions without a docstring; of test modules only the module itself."""
    for path in python_files(root):
        name = path.relative_to(root)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if ast.get_docstring(tree) is None:
            yield f"{name}: the module has no docstring"
        if not path.name.startswith(("test_", "conftest")):
            yield from (
                f"{name}:{node.lineno}: {node.name} has no docstring" for node in public(tree) if not documented(node)
            )


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public(node: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """The public classes and functions of a module, and the public methods of its public classes."""
    for child in node.body:
        if isinstance(child, Definition) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public(child)


def documented(node: Definition) -> bool:
    """Whether a definition has a docstring, or is an overload of one that has."""
    overload = any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)
    return overload or ast.get_docstring(node) is not None


Check = Callable[[Path], Iterator[str]]
CHECKS: list[Check] = [too_long, vaguely_named, left_open, of_a_machine, of_a_registry, undocumented]


@pytest.mark.parametrize("check", CHECKS)
def test_the_tree_is_tidy(check: Check) -> None:
    assert list(check(ROOT)) == []


def test_the_tree_that_is_judged_is_the_whole_tree() -> None:
    judged = {path.relative_to(ROOT).as_posix() for path in python_files(ROOT)}

    assert all(f"{folder}/__init__.py" in judged for folder in PACKAGES.values())
    assert not any(name.startswith(("proto/gen/", ".venv/")) for name in judged)
    assert {"Makefile", ".ci/run", "pyproject.toml"} <= {p.relative_to(ROOT).as_posix() for p in text_files(ROOT)}


@pytest.mark.parametrize("name", ["uv.lock", "sdk/rust/Cargo.lock"])
def test_lock_files_full_of_addresses_are_ignored_by_git(name: str) -> None:
    assert subprocess.run(["git", "check-ignore", "--quiet", name], cwd=ROOT, check=False).returncode == 0


def test_every_exception_is_still_needed() -> None:
    without_lines = {name.partition("::")[0] for name in LONGER_FOR_A_REASON}

    assert all((ROOT / name).is_file() for name in without_lines)
    assert all(LONGER_FOR_A_REASON.values())


def function_of(lines: int) -> str:
    return '"""A module."""\n\n\ndef long():\n    """Be long."""\n' + "    pass\n" * (lines - 2)


PLANTED: list[tuple[Check, str, str]] = [
    (too_long, "a.py", function_of(FUNCTION_LINES_MAX + 1)),
    (too_long, "a.py", "# line\n" * (FILE_LINES_MAX + 1)),
    (too_long, "sdk/go/a.go", "// line\n" * (FILE_LINES_MAX + 1)),
    (too_long, "a.ts.template", "// line\n" * (FILE_LINES_MAX + 1)),
    (vaguely_named, "server/utils.py", ""),
    (vaguely_named, "server/helpers/a.py", ""),
    (left_open, "a.py", f"# {UNFINISHED[0]}: later\n"),
    (left_open, "docs/a.md", f"{UNFINISHED[1]}\n"),
    (left_open, "sdk/rust/a.rs", f"// {UNFINISHED[0]}\n"),
    (of_a_machine, "sdk/java/pom.xml", f"<path>/{FOLDERS[0]}/main</path>\n"),
    (of_a_registry, "sdk/go/go.mod.template", f"// https://{REGISTRIES[-1][:5]}.golang.org\n"),
    (of_a_machine, "Makefile", f"all:\n\tcd /{FOLDERS[0]}/main\n"),
    (of_a_machine, "a.py", f'path = "/{FOLDERS[1]}/.cache"\n'),
    (of_a_machine, "docs/a.md", "see `/{}/me/a`\n".format("home")),
    (of_a_registry, "requirements/dev.txt", "--index-url https://mirror.example/simple\n"),
    (of_a_registry, "requirements/dev.txt", f"a @ https://files.{REGISTRIES[1]}.org/a.whl\n"),
    (of_a_registry, "sdk/node/package-lock.json", f'"resolved": "https://registry.{REGISTRIES[2]}.org/a"\n'),
    (undocumented, "a.py", "x = 1\n"),
    (undocumented, "a.py", '"""A module."""\n\n\ndef shown():\n    pass\n'),
    (
        undocumented,
        "a.py",
        '"""A module."""\n\n\nclass Shown:\n    """A class."""\n\n    def method(self):\n        pass\n',
    ),
    (undocumented, "test_a.py", "def test_something(): ...\n"),
]


@pytest.mark.parametrize(("check", "name", "text"), PLANTED)
def test_a_planted_fault_is_found(check: Check, name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

    found = list(check(tmp_path))

    assert found
    assert all(name in each for each in found)


def test_what_is_within_the_limits_is_let_be(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(function_of(FUNCTION_LINES_MAX), encoding="utf-8")

    assert [fault for check in CHECKS for fault in check(tmp_path)] == []
