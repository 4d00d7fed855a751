"""The committed generated code is exactly what the pinned generators make of the committed proto files."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from tests.repository.tree import ROOT


def load_generator() -> ModuleType:
    """The script that `make proto` runs, as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "proto" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generator = load_generator()

TREES = {
    "proto": "proto/gen/python",
    "tests/rules/rock_paper_scissors/proto": "tests/rules/rock_paper_scissors/gen",
}
"""Folder of proto files → folder of the code generated from them."""


def stale(source: Path, committed: Path, scratch: Path) -> list[str]:
    """Names of generated files that differ from what `source` gives now: changed, missing, or without a proto."""
    generator.generate(source, scratch)
    made = {path.relative_to(scratch): path.read_bytes() for path in generator.generated_files(scratch)}
    found = {path.relative_to(committed): path.read_bytes() for path in generator.generated_files(committed)}
    return sorted(str(name) for name in made.keys() | found.keys() if made.get(name) != found.get(name))


@pytest.mark.parametrize(("source", "committed"), TREES.items())
def test_generated_code_is_fresh(source: str, committed: str, tmp_path: Path) -> None:
    assert stale(ROOT / source, ROOT / committed, tmp_path) == []


def test_only_generated_code_lies_in_its_folder() -> None:
    folder = ROOT / "proto" / "gen" / "python"
    generated = set(generator.generated_files(folder))

    others = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]

    assert [path.name for path in others if path not in generated] == ["py.typed"]


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the proto files and of their generated code, to be spoilt."""
    source = shutil.copytree(ROOT / "proto" / "cutpurse", tmp_path / "proto" / "cutpurse").parent
    return source, Path(shutil.copytree(ROOT / "proto" / "gen" / "python", tmp_path / "committed"))


def test_a_changed_proto_is_noticed(trees: tuple[Path, Path], tmp_path: Path) -> None:
    source, committed = trees
    with (source / "cutpurse" / "v1" / "bot.proto").open("a", encoding="utf-8") as proto:
        proto.write("\nmessage Planted {}\n")

    assert "cutpurse/v1/bot_pb2.py" in stale(source, committed, tmp_path / "scratch")


def test_edited_generated_code_is_noticed(trees: tuple[Path, Path], tmp_path: Path) -> None:
    source, committed = trees
    with (committed / "cutpurse" / "v1" / "bot_pb2_grpc.pyi").open("a", encoding="utf-8") as code:
        code.write("# edited\n")

    assert stale(source, committed, tmp_path / "scratch") == ["cutpurse/v1/bot_pb2_grpc.pyi"]


def test_generated_code_without_a_proto_is_noticed(trees: tuple[Path, Path], tmp_path: Path) -> None:
    source, committed = trees
    (committed / "cutpurse" / "v1" / "gone_pb2.py").touch()

    assert stale(source, committed, tmp_path / "scratch") == ["cutpurse/v1/gone_pb2.py"]


def test_missing_generated_code_is_noticed(trees: tuple[Path, Path], tmp_path: Path) -> None:
    source, committed = trees
    (committed / "cutpurse" / "v1" / "match_pb2.pyi").unlink()

    assert stale(source, committed, tmp_path / "scratch") == ["cutpurse/v1/match_pb2.pyi"]


def test_generating_removes_what_has_no_proto(trees: tuple[Path, Path]) -> None:
    source, committed = trees
    gone = committed / "cutpurse" / "v1" / "gone_pb2.py"
    gone.touch()

    generator.generate(source, committed)

    assert not gone.exists()


@pytest.mark.parametrize("text", ["", 'syntax = "proto3"; message {'])
def test_what_the_compiler_refuses_is_refused_with_its_words(text: str, tmp_path: Path) -> None:
    if text:
        (tmp_path / "broken.proto").write_text(text, encoding="utf-8")

    with pytest.raises(generator.GenerationFailed, match=r"broken\.proto" if text else "no .proto file"):
        generator.generate(tmp_path, tmp_path / "out")
