"""What is compiled may be compiled: a compiled coroutine takes another task's exception for its own.

mypyc keeps the exception that a coroutine handles where every other task of the thread finds it while that coroutine
waits. With one stream cancelled, streams of other bots ended as cancelled, too, and nobody was told. So no module is
compiled in which a coroutine catches or cleans up; what `make test-compiled` runs would notice it only by luck.
"""

import ast
import importlib.util
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repository.tree import ROOT

DISTRIBUTIONS = ("server/rules", "server/service")
_CATCHING = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)


def compiled_modules(distribution: str) -> list[Path]:
    """What a distribution's compiled wheel holds in compiled form."""
    folder = ROOT / distribution
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    left_out = {path for pattern in hook["interpreted"] for path in folder.glob(pattern)}
    return sorted({path for pattern in hook["modules"] for path in folder.glob(pattern)} - left_out)


def catching_coroutines(source: str) -> Iterator[str]:
    """The coroutines in which something is caught or cleaned up, by line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AsyncFunctionDef) and any(isinstance(each, _CATCHING) for each in ast.walk(node)):
            yield f"{node.lineno}: {node.name}"


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_no_compiled_module_has_a_coroutine_that_catches_or_cleans_up(distribution: str) -> None:
    modules = compiled_modules(distribution)

    assert modules
    found = {path.name: list(catching_coroutines(path.read_text(encoding="utf-8"))) for path in modules}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "handled",
    [
        "try:\n        await x\n    finally:\n        pass",
        "try:\n        await x\n    except* ValueError:\n        pass",
        "with x:\n        await x",
        "async with x:\n        pass",
    ],
)
def test_a_coroutine_that_catches_is_noticed(handled: str) -> None:
    assert list(catching_coroutines(f"async def waits(x):\n    {handled}\n")) == ["1: waits"]
    assert not list(catching_coroutines(f"def waits(x):\n    {handled.replace('await ', '').replace('async ', '')}\n"))


def build_hook(root: Path, **config: Any) -> Any:
    """The build hook of a distribution of that folder."""
    spec = importlib.util.spec_from_file_location("compiled_wheel", ROOT / "server" / "compiled_wheel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CompiledWheel(str(root), config, None, None, str(root), "wheel")


@pytest.mark.parametrize("wanted", ["", "0"])
def test_a_wheel_is_pure_unless_it_is_asked_for(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTPURSE_COMPILED", wanted)
    build: dict[str, Any] = {"force_include": {}}

    made = build_hook(tmp_path)
    made.initialize("standard", build)
    made.finalize("standard", build, "")

    assert build == {"force_include": {}}


def test_an_install_to_work_on_the_tree_is_never_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTPURSE_COMPILED", "1")
    build: dict[str, Any] = {"force_include": {}}

    build_hook(tmp_path).initialize("editable", build)

    assert build == {"force_include": {}}


def test_without_a_c_compiler_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTPURSE_COMPILED", "1")
    monkeypatch.setenv("CC", "no-such-compiler")

    with pytest.raises(SystemExit, match="no C compiler: install one"):
        build_hook(tmp_path).initialize("standard", {"force_include": {}})


def test_a_pattern_that_names_nothing_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUTPURSE_COMPILED", "1")
    monkeypatch.setenv("CC", "true")

    with pytest.raises(SystemExit, match=r"modules names gone\.py, and there is no such file"):
        build_hook(tmp_path, modules=["gone.py"]).initialize("standard", {"force_include": {}})
