"""The guard of the protocol: what would break somebody's bot is refused, and what only adds something is let be."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

BUF = Path(sys.executable).with_name("buf")
BREAKING = {
    "a field is taken away": ("repeated Choice choices = 3;", "reserved 3;"),
    "a field has another number": ("uint32 concurrency = 4;", "uint32 concurrency = 40;"),
    "a field has another type": ("uint32 concurrency = 4;", "string concurrency = 4;"),
    "a field has another name": ("uint32 concurrency = 4;", "uint32 at_once = 4;"),
    "a call is taken away": ("rpc Connect(stream ConnectRequest) returns (stream ConnectResponse);", ""),
    "a stream becomes a single message": ("returns (stream ConnectResponse)", "returns (ConnectResponse)"),
}
ADDING = {
    "nothing": ("", ""),
    "a field": ("uint32 concurrency = 4;", "uint32 concurrency = 4;\n  bytes key = 99;"),
    "a message": ("message Draining {}", "message Draining {}\n\nmessage Warning {\n  string text = 1;\n}"),
}


def buf(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run buf in a folder."""
    return subprocess.run([BUF, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def protocol(tmp_path: Path) -> Path:
    """A copy of the proto files to be changed, with the image of what was released."""
    folder = tmp_path / "proto"
    shutil.copytree(ROOT / "proto" / "cutpurse", folder / "cutpurse")
    shutil.copy(ROOT / "proto" / "buf.yaml", folder)
    built = buf("build", "--output", "released.binpb", folder=folder)
    assert built.returncode == 0, built.stderr
    return folder


def change(protocol: Path, before: str, after: str) -> None:
    """Change the bot's stream."""
    path = protocol / "cutpurse" / "v1" / "bot.proto"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


@pytest.mark.parametrize(("before", "after"), BREAKING.values(), ids=BREAKING)
def test_what_would_break_a_bot_is_refused(before: str, after: str, protocol: Path) -> None:
    change(protocol, before, after)

    judged = buf("breaking", "--against", "released.binpb", folder=protocol)

    assert judged.returncode != 0
    assert "bot.proto" in judged.stdout


@pytest.mark.parametrize(("before", "after"), ADDING.values(), ids=ADDING)
def test_what_only_adds_is_let_be(before: str, after: str, protocol: Path) -> None:
    change(protocol, before, after)

    judged = buf("breaking", "--against", "released.binpb", folder=protocol)

    assert (judged.returncode, judged.stdout) == (0, "")


def test_the_released_protocol_is_guarded_by_make() -> None:
    """With an image of a release beside the proto files, `make proto-check` compares with it."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("proto-check:")[2].partition("\n\n")[0]

    assert "buf breaking --against released.binpb" in recipe
