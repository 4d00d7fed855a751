"""A game imports itself and what all games share; what they share knows no game. Holds for games to come as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cutpurse_rules
from cutpurse_rules import GAMES

RULES = Path(cutpurse_rules.__file__).parent
SHARED = sorted(path.stem for path in RULES.glob("*.py") if path.stem not in ("__init__", "catalogue"))
FOLDERS = sorted(path.parent.name for path in RULES.glob("*/game.py"))


def imported(source: str) -> Iterator[str]:
    """The parts of cutpurse_rules that a module imports: `art_robbery`, `chance`; nothing for the whole of it."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
            if names == ["cutpurse_rules"]:
                names = [f"cutpurse_rules.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "cutpurse_rules":
                yield rest.partition(".")[0]
            elif not package:
                yield name


def test_every_game_has_a_folder_of_its_name() -> None:
    assert sorted(GAMES) == FOLDERS


@pytest.mark.parametrize("game", FOLDERS)
def test_a_game_imports_itself_and_what_is_shared(game: str) -> None:
    modules = list((RULES / game).rglob("*.py"))

    assert modules
    for module in modules:
        assert set(imported(module.read_text("utf-8"))) <= {game, *SHARED}, module.name


@pytest.mark.parametrize("module", SHARED)
def test_what_is_shared_knows_no_game(module: str) -> None:
    assert set(imported((RULES / f"{module}.py").read_text("utf-8"))) <= set(SHARED)


@pytest.mark.parametrize(
    "planted",
    ["import cutpurse_rules.big_max", "from cutpurse_rules.big_max import cards", "from cutpurse_rules import big_max"],
)
def test_a_planted_import_is_found(planted: str) -> None:
    assert list(imported(planted)) == ["big_max"]


def test_a_relative_import_is_found() -> None:
    assert list(imported("from .. import big_max")) == [".."]
