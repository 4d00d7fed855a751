"""What each distribution needs, exactly, and that the floors are those of the generator that made the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.repository.tree import DISTRIBUTIONS, ROOT

GENERATED = ROOT / "proto" / "gen" / "python" / "cutpurse" / "v1"


def project(folder: str) -> dict[str, Any]:
    """The whole pyproject.toml of a distribution."""
    with (ROOT / folder / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def needs(folder: str) -> set[str]:
    """What a distribution needs to be installed, without its extras."""
    return set(project(folder)["project"]["dependencies"])


def unfounded_floors(floors: set[str], messages: str, stubs: str) -> set[str]:
    """Floors that are not the versions which the generated code (its text given) itself asks for, and the reverse."""
    protobuf = re.search(r"^# Protobuf Python Version: (\S+)$", messages, re.MULTILINE)
    grpcio = re.search(r"^GRPC_GENERATED_VERSION = '(\S+)'$", stubs, re.MULTILINE)
    assert protobuf is not None
    assert grpcio is not None
    return floors ^ {f"protobuf>={protobuf.group(1)}", f"grpcio>={grpcio.group(1)}"}


def test_the_sdk_needs_the_protocol_and_nothing_more() -> None:
    assert needs("sdk/python") == {"cutpurse-proto"}


def test_the_protocol_needs_grpcio_and_protobuf_and_nothing_more() -> None:
    assert needs("proto") == {"grpcio>=1.74.0", "protobuf>=6.31.1"}


def test_the_rules_need_nothing() -> None:
    assert needs("server/rules") == set()


def test_house_bots_need_the_sdk_and_nothing_more() -> None:
    assert needs("bots") == {"cutpurse-sdk"}


def test_the_floors_are_those_of_the_generator() -> None:
    messages = (GENERATED / "match_pb2.py").read_text(encoding="utf-8")
    stubs = (GENERATED / "match_pb2_grpc.py").read_text(encoding="utf-8")

    assert unfounded_floors(needs("proto"), messages, stubs) == set()


@pytest.mark.parametrize("floors", [{"grpcio>=1.74.0"}, {"grpcio>=1.74.0", "protobuf>=6.33.0"}])
def test_a_wrong_floor_is_noticed(floors: set[str]) -> None:
    messages = "# Protobuf Python Version: 6.31.1\n"
    stubs = "GRPC_GENERATED_VERSION = '1.74.0'\n"

    assert "protobuf>=6.31.1" in unfounded_floors(floors, messages, stubs)


def test_the_generator_is_pinned_in_both_places() -> None:
    pins = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").splitlines()

    assert "grpcio-tools==1.74.0" in needs(".")
    assert "grpcio-tools==1.74.0" in pins


def test_every_pin_is_exact() -> None:
    pins = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").splitlines()

    assert [pin for pin in pins if re.fullmatch(r"[a-z0-9-]+==[^ ;]+( ; .+)?", pin) is None] == []


def test_all_distributions_share_one_version_and_one_python() -> None:
    projects = [project(folder)["project"] for folder in (".", *DISTRIBUTIONS)]

    assert len({each["version"] for each in projects}) == 1
    assert {each["requires-python"] for each in projects} == {">=3.11"}


@pytest.mark.parametrize("folder", [".", *DISTRIBUTIONS])
def test_uv_takes_our_own_distributions_from_this_tree(folder: str) -> None:
    whole = project(folder)
    extras = whole["project"].get("optional-dependencies", {}).values()
    named = {
        need.partition("[")[0]
        for need in (*needs(folder), *(need for extra in extras for need in extra))
        if "cutpurse" in need
    }

    assert whole.get("tool", {}).get("uv", {}).get("sources", {}) == {name: {"workspace": True} for name in named}


def test_uv_and_the_makefile_know_every_distribution() -> None:
    assert project(".")["tool"]["uv"]["workspace"]["members"] == list(DISTRIBUTIONS)
    assert f"DISTRIBUTIONS := {' '.join(DISTRIBUTIONS)}\n" in Path(ROOT, "Makefile").read_text(encoding="utf-8")
    assert {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("[!.]*/**/pyproject.toml")} == set(
        DISTRIBUTIONS
    )


@pytest.mark.parametrize("folder", DISTRIBUTIONS)
def test_every_distribution_carries_the_licence(folder: str) -> None:
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
