"""The compiled form lies in a folder of its own, is measured only while it is the present one, and plays the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cutpurse_rules
import cutpurse_server
from cutpurse_server.bench import compiled
from cutpurse_server.bench.compiled import COMPILED, compiled_decisions_per_s, is_compiled
from tests.repository.tree import ROOT

SOURCES = [Path(str(package.__file__)).parent for package in (cutpurse_rules, cutpurse_server)]

PLAY = """
import hashlib, random, sys
from cutpurse_rules import GAMES, chance
from cutpurse_rules.chance import StreamChance
assert chance.__file__.endswith(sys.argv[1]), chance.__file__
digest = hashlib.sha256()
for game in GAMES.values():
    for players in range(game.min_players, game.max_players + 1):
        config = game.configure(players)
        for match in range(5):
            pick, draws = random.Random(match), StreamChance(match.to_bytes(32, "big"))
            state = game.begin(config, draws)
            while asked := game.asked(state):
                legal = {seat: game.legal(state, seat) for seat in asked}
                digest.update(repr([[action.notation for action in each] for each in legal.values()]).encode())
                digest.update(repr([game.view(state, seat).to_json() for seat in (None, *range(players))]).encode())
                chosen = {seat: pick.choice(list(each)) for seat, each in legal.items()}
                for seat, action in chosen.items():
                    game.verify(state, seat, action)
                state = game.resolve(state, chosen, draws)
                digest.update(game.fingerprint(state))
            digest.update(repr(game.result(state)).encode())
print(digest.hexdigest())
"""
"""Some random matches of every game at every table, and the digest of all that can be seen of them."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rules and service with empty files in the place of a compiled module of each, and of its library."""
    for sources, module in zip(SOURCES, ("chance", "matches/record"), strict=True):
        copy = tmp_path / sources.name
        shutil.copytree(sources, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        (copy / f"{module}.cpython-311.so").touch()
        (tmp_path / f"{sources.name}__mypyc.cpython-311.so").touch()
    return tmp_path


def played(folder: Path, suffix: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY, suffix], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip()


def test_what_is_compiled_as_it_is_now_is_measured(folder: Path) -> None:
    assert is_compiled(folder)


def test_a_source_that_has_changed_since_is_noticed(folder: Path) -> None:
    with (folder / "cutpurse_rules" / "chance.py").open("a") as source:
        source.write("# changed\n")

    assert not is_compiled(folder)


@pytest.mark.parametrize(
    "missing",
    [
        "cutpurse_rules/chance.py",
        "cutpurse_server/matches/record.cpython-311.so",
        "cutpurse_server__mypyc.cpython-311.so",
    ],
)
def test_a_module_that_is_missing_is_noticed(folder: Path, missing: str) -> None:
    (folder / missing).unlink()

    assert not is_compiled(folder)


def test_nothing_is_measured_where_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "COMPILED", tmp_path)

    assert compiled_decisions_per_s("art_robbery", 2, 0.1) is None


@pytest.mark.interpreted
def test_what_everybody_else_imports_is_the_interpreted_form() -> None:
    assert not [path for sources in SOURCES for path in sources.rglob("*.so")]


@pytest.mark.interpreted
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="there is no C compiler")
def test_the_compiled_rules_play_the_same_matches() -> None:
    subprocess.run(["make", "compiled"], cwd=ROOT, check=True)

    assert is_compiled(ROOT / COMPILED)
    assert played(ROOT / COMPILED, ".so") == played(SOURCES[0].parent, ".py")
