"""Imports point one way: what may know whom stands in pyproject.toml, and import-linter keeps it."""

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutpurse_rules.catalogue import GAMES
from tests.repository.tree import PACKAGES, ROOT

ALLOWED = {
    "cutpurse_rules": set[str](),
    "cutpurse_sdk": {"cutpurse", "google", "grpc"},
    "cutpurse_bots": {"cutpurse", "cutpurse_sdk", "google", "grpc"},
}
"""Package → what it may import besides the standard library and itself. Closed lists, where the linter's are open."""


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the packages below `root`, whatever is installed."""
    linter = Path(sys.executable).with_name("lint-imports")
    path = [str(root / folder) for folder in PACKAGES.values()]
    environment = {"PYTHONPATH": ":".join(str(Path(folder).parent) for folder in path), "PYTHONUTF8": "1"}
    return subprocess.run(
        [linter, "--no-cache"], cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def imports(package: Path) -> Iterator[tuple[str, str]]:
    """Every (file, imported top-level name) below `package`, relative imports left out."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path.name, alias.name.partition(".")[0]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
                yield path.name, node.module.partition(".")[0]


def strangers(package: str, folder: Path) -> list[tuple[str, str]]:
    """The imports of a package that its closed list does not know."""
    allowed = ALLOWED[package] | {package} | sys.stdlib_module_names
    return [(file, name) for file, name in imports(folder) if name not in allowed]


def test_imports_point_one_way() -> None:
    done = lint_imports(ROOT)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_its_closed_list_knows(package: str) -> None:
    assert strangers(package, ROOT / PACKAGES[package]) == []


def test_a_stranger_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("from numpy.random import default_rng\n", encoding="utf-8")

    assert strangers("cutpurse_rules", tmp_path) == [("planted.py", "numpy")]


RULES, SERVER = PACKAGES["cutpurse_rules"], PACKAGES["cutpurse_server"]
SDK, BOTS = PACKAGES["cutpurse_sdk"], PACKAGES["cutpurse_bots"]

PLANTED = [
    (f"{RULES}/planted.py", "import random", "The rules import no clock"),
    (f"{RULES}/planted.py", "import time", "The rules import no clock"),
    (f"{RULES}/planted.py", "import logging", "The rules import no clock"),
    (f"{RULES}/planted.py", "from google.protobuf import message", "The rules import no clock"),
    (f"{RULES}/planted.py", "import cutpurse_server", "The rules import no clock"),
    (f"{RULES}/art_robbery/planted.py", "import cutpurse_rules.big_max.planted", "Games do not know each other"),
    (f"{SDK}/planted.py", "import cutpurse_rules", "The SDK knows the protocol"),
    (f"{SDK}/planted.py", "import structlog", "The SDK knows the protocol"),
    (f"{BOTS}/planted.py", "import cutpurse_rules", "House bots know the SDK"),
    (f"{SERVER}/planted.py", "import cutpurse_bots", "The server finds bots by entry point"),
    (f"{SERVER}/planted.py", "import cutpurse_sdk", "The server finds bots by entry point"),
    (f"{SERVER}/matches/planted.py", "import cutpurse_server.servicers.planted", "Inside the server: command line"),
    (f"{SERVER}/log/planted.py", "import cutpurse_server.matches.planted", "Inside the server: command line"),
    (f"{SERVER}/matches/planted.py", "from cutpurse.v1 import match_pb2", "protobuf stops at the border"),
    (f"{SERVER}/matches/planted.py", "import grpc", "protobuf stops at the border"),
    (f"{SERVER}/matches/planted.py", "import apsw", "SQLite's driver is named"),
    (f"{SERVER}/matches/planted.py", "import asyncpg", "PostgreSQL's driver is named"),
]


def test_the_contract_between_games_names_every_game() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["name"].startswith("Games do not know"))

    assert [name.strip(" ()") for name in layers[1].split("|")] == list(GAMES)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages and their contracts, to be spoilt."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in PACKAGES.values():
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(root: Path, name: str, text: str) -> None:
    """Write a module below `root`, with the packages on its way where they are missing."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / "__init__.py").touch()
    path.write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize(("name", "line", "contract"), PLANTED)
def test_a_planted_import_is_caught(copy: Path, name: str, line: str, contract: str) -> None:
    if line.endswith(".planted"):
        plant(copy, f"{Path(name).parents[1]}/{line.split('.')[-2]}/planted.py", "")
    plant(copy, name, line)

    done = lint_imports(copy)

    assert done.returncode == 1, done.stdout + done.stderr
    broken = [text for text in done.stdout.splitlines() if "BROKEN" in text]
    assert any(contract in text for text in broken), done.stdout
