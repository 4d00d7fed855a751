"""Golden playthroughs: whole traces that were written from the rule pages, replayed byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import ScriptedChance
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import play_through
from cutpurse_rules.trace import lines_of, match_line, read_draws

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.jsonl"))


def replay(lines: list[str]) -> list[str]:
    """The lines that the engine writes for a trace's configuration, draws and choices."""
    match, *rest = map(json.loads, lines)
    game = GAMES[match["game"]]
    config = game.configure(match["players"], match["options"])
    # What the engine chooses itself it must find again without being told.
    chosen = iter(
        notation
        for line in rest
        if line["type"] == "choices"
        for seat, notation in line["choices"].items()
        if line["cause"][seat] != "FORCED"
    )

    def choose(state: Any, seat: Seat) -> Any:
        return game.parse(next(chosen))

    written = [match_line(game, config, match["seed"], match["bots"])]
    for part in play_through(game, config, ScriptedChance(read_draws(lines, "trace")), choose):
        written += lines_of(game, config.players, part)
    return written


def test_there_are_golden_traces_of_every_game() -> None:
    assert {path.name.partition("-")[0] for path in GOLDEN} == set(GAMES)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_trace_replays_byte_for_byte(path: Path) -> None:
    text = path.read_text("utf-8")
    lines = text.splitlines()

    written = replay(lines)

    for number, (ours, golden) in enumerate(zip(written, lines, strict=False), start=1):
        assert ours == golden, f"line {number}"
    assert "".join(f"{line}\n" for line in written) == text
