"""Traces as `cutpurse match` writes them: hundreds of them before the oracle, and equal bytes in every environment."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from cutpurse_server.cli.match import match
from tests.acceptance.processes import Marked, cutpurse, house_bots
from tests.rules.oracle.art_robbery_oracle import CARDS, Mismatch, check

APP = typer.Typer()
APP.command()(match)
DECK = dict.fromkeys(CARDS, 6) | {"GT": 7}
OPTIONS: dict[str, dict[str, Any]] = {
    "page": {},
    "nothing forced": {"auto_play_forced": False},
    "one turn in a heist": {"heist_turn_limit": 1},
    "short heists": {"heist_turn_limit": 7},
    "few tiles": {"tiles": {"0.3": 1, "1.1": 2, "3.0": 1, "BOSS": 1}},
    "no Boss tile": {"tiles": {"0.2": 1, "1.1": 2, "3.0": 2, "4.0": 1, "5.0": 1}, "heist_turn_limit": 20},
    "thefts and answers": {"deck": {"N4": 8, "N5": 8, "GD": 6, "GT": 4, "BS": 8}, "heist_turn_limit": 25},
    "a deck of hands only": {"deck": {"GT": 13, "N5": 12}, "tiles": {"1.1": 3, "5.0": 2, "BOSS": 1}},
}
BOTS = ("greedy", "random", "first", "random", "greedy")


def trace(folder: Path, players: int, options: Mapping[str, Any], seed: str, deck: Sequence[str] = ()) -> list[str]:
    """Play a match with the command and return its trace; with a deck, that is the order of the first shuffle."""
    file = folder / "trace.jsonl"
    words = ["art_robbery", *house_bots(*BOTS[:players]), "--seed", seed, "--trace", str(file), "--json"]
    for name, value in options.items():
        words += ["--option", f"{name}={json.dumps(value)}"]
    if deck:
        draw = {"type": "draw", "label": "deck", "kind": "shuffle", "outcome": list(deck)}
        (folder / "chance.jsonl").write_text(json.dumps(draw) + "\n")
        words += ["--chance", str(folder / "chance.jsonl")]
    outcome = CliRunner().invoke(APP, words)
    assert outcome.exit_code == 0, outcome.output
    lines = file.read_text(encoding="utf-8").splitlines()
    result = json.loads(lines[-1])
    told = json.loads(outcome.stdout)
    assert (told["scores"], told["placements"]) == (result["scores"], result["placements"])
    return lines


def decks(cards: Sequence[str], number: int) -> Iterator[list[str]]:
    """Orders of the deck that a shuffle would hardly give."""
    yield list(cards)
    yield list(reversed(cards))
    # Bosses and dogs come at once and again and again, so that tiles are fought for from the beginning.
    fought = [card for card in cards if card in ("BS", "GD")]
    yield fought + [card for card in cards if card not in fought]
    yield sorted(cards, key=lambda card: (card[1:], card))
    yield random.Random(number).sample(list(cards), len(cards))


def rarities(lines: Sequence[str]) -> Counter[str]:
    """What happened in a match that does not happen in every one."""
    seen: Counter[str] = Counter()
    for line in map(json.loads, lines):
        if line["type"] == "draw" and line["label"].startswith("reshuffle/"):
            seen["R2 reshuffles"] += 1
        elif line["type"] == "decision":
            view = line["views"]["spectator"]
            seen["answers of the dog"] += view["step"] == "ANSWER"
            seen["R3 choices of whom to rob"] += any(
                len({action.partition(" from ")[2] for action in legal if action.startswith(f"play N{value} take")}) > 1
                for legal in line["legal"].values()
                for value in range(6)
            )
        elif line["type"] == "result":
            out = line["views"]["spectator"]["out"]
            seen["tiles out of the game"] += bool(out)
            seen["Boss tiles lost"] += out.count("BOSS")
            seen["R6 everybody caught"] += len(line["scores"]) > 2 and set(line["placements"]) == {1}
            seen["shared places"] += len(set(line["placements"])) < len(line["placements"])
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_traces_hold_before_the_oracle(players: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for kind, options in OPTIONS.items():
        for number in range(6):
            lines = trace(tmp_path, players, options, f"{kind}/{players}/{number}")
            check(lines)
            seen.update(rarities(lines) + Counter(traces=1))
        counts = options.get("deck", DECK)
        cards = [card for card in CARDS for _ in range(counts.get(card, 0))]
        for number, deck in enumerate(decks(cards, players)):
            lines = trace(tmp_path, players, options, f"{kind}/{players}/deck {number}", deck)
            check(lines)
            assert json.loads(lines[1])["outcome"] == deck
            seen.update(rarities(lines) + Counter({"traces": 1, "scripted decks": 1}))

    print(players, dict(seen))
    rare = {"R2 reshuffles", "answers of the dog", "tiles out of the game", "Boss tiles lost", "shared places"}
    rare |= {"R3 choices of whom to rob", "R6 everybody caught"} if players > 2 else set()
    assert rare <= seen.keys()


def test_a_trace_of_the_command_is_judged_by_the_oracle(tmp_path: Path) -> None:
    lines = trace(tmp_path, 3, {}, "judged")
    check(lines)
    changed = [line.replace('"scores":[', '"scores":[9', 1) for line in lines]

    with pytest.raises(Mismatch):
        check(changed)


ENVIRONMENTS: dict[str, dict[str, str]] = {
    "hashes 0": {"PYTHONHASHSEED": "0"},
    "hashes 1": {"PYTHONHASHSEED": "1", "LANG": "C", "LC_ALL": "C", "TZ": "UTC"},
    "Turkish in Kolkata": {"PYTHONHASHSEED": "2", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kolkata"},
    "no UTF-8 in Apia": {
        "PYTHONHASHSEED": "3", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "POSIX", "TZ": "Pacific/Apia",
    },
    "optimised": {"PYTHONHASHSEED": "4", "PYTHONOPTIMIZE": "1", "COLUMNS": "40"},
}  # fmt: skip


@pytest.mark.slow
def test_traces_are_equal_in_every_environment(tmp_path: Path) -> None:
    written: dict[str, bytes] = {}
    for name, environment in ENVIRONMENTS.items():
        file = tmp_path / "trace.jsonl"
        marked = Marked()
        marked.environment |= environment
        words = ("match", "art_robbery", *house_bots(*BOTS), "--seed", "environment", "--trace", file)
        ran = marked.run(cutpurse(*words))
        assert ran.returncode == 0, (name, ran.stderr)
        written[name] = file.read_bytes()
        file.unlink()

    assert len(set(written.values())) == 1, {name: hash(each) for name, each in written.items()}
    check(next(iter(written.values())).decode().splitlines())
