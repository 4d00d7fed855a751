"""The limits that docs/architecture.md states are those of the code."""

import ast
import re
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROW = re.compile(
    r"^\| [^|]+ \| (?P<stated>[\d,]+)[^|]* \| \[[^\]]+\]\((?P<path>[^)]+)\) `(?P<name>\w+)` \|$", re.MULTILINE
)


def stated_limits(document: Path) -> list[tuple[float, Path, str]]:
    """Each limit of a document: its number, the file and the name of its constant."""
    rows = ROW.finditer(document.read_text(encoding="utf-8"))
    return [(float(row["stated"].replace(",", "")), document.parent / row["path"], row["name"]) for row in rows]


def constant(module: Path, name: str) -> object:
    """The value that a module gives a name; it must be a number, or computed from numbers."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            assert node.value is not None
            value: object = eval(compile(ast.Expression(node.value), str(module), "eval"), {"__builtins__": {}})
            return value
    raise AssertionError(f"{module} has no {name}")


def test_the_table_of_limits_was_found() -> None:
    assert len(stated_limits(ARCHITECTURE)) >= 15


@pytest.mark.parametrize(("stated", "module", "name"), stated_limits(ARCHITECTURE))
def test_a_stated_limit_is_that_of_the_code(stated: float, module: Path, name: str) -> None:
    assert constant(module, name) == stated


def test_another_number_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "limits.py").write_text("MOST = 4 * 16\n", encoding="utf-8")
    document = tmp_path / "page.md"
    document.write_text("| a thing | 65 bytes | [limits.py](limits.py) `MOST` |\n", encoding="utf-8")

    ((stated, module, name),) = stated_limits(document)

    assert (stated, constant(module, name)) == (65, 64)
