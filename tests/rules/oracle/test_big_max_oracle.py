"""The oracle of Big Max's Inheritance accepts the sample traces and refuses every planted mistake at its line."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.rules.oracle.alterations import (
    FOREIGN_BYTES,
    Alteration,
    Line,
    assert_refused,
    in_views,
    objects,
    swap,
)
from tests.rules.oracle.big_max_oracle import PAGE_DECK, Mismatch, check, check_file

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SAMPLES = [GOLDEN / "big_max-a.jsonl", GOLDEN / "big_max-b.jsonl"]
PROGRAM = Path(__file__).with_name("big_max_oracle.py")

A, B = map(objects, SAMPLES)

# Sample a, counted from 1: 3 the first turn and 4 its challenge, 5 the reply, 12 the decline that leaves a standing
# thief, 41 a turn before a challenge that steals, 44 that decline, 45 the turn after it, in which the suitcase went on
# to seat 1 (R5); 73 a turn with five standing thieves and a Master Thief to counter them; 83 the only card-sharp, after
# which its victim, seat 1, draws a Master Thief and wins; 84 the result. Sample b stalls after turn 30, decision 42.


def in_challenge(line: Line, key: str, value: Any) -> None:
    for view in line["views"].values():
        view["challenge"][key] = value


def in_standing(line: Line, key: str, value: Any) -> None:
    for view in line["views"].values():
        view["standing"][0][0][key] = value


def exchange(draw: Line, old: str, new: str) -> None:
    draw["outcome"][draw["outcome"].index(old)] = new


def show_hand(line: Line, seat: str, viewer: str) -> None:
    line["views"][viewer]["hand"] = line["views"][seat]["hand"]


def choose(line: Line, seat: str, choice: str) -> None:
    line["choices"][seat] = choice


def blame(line: Line, seat: str, cause: str) -> None:
    line["cause"][seat] = cause


def turn_sharp_round(line: Line) -> None:
    for seat in ("1", "2"):
        line["views"][seat]["sharps"] = [{"card": "H2", "from": 2, "to": 1}]


def add_option(line: Line, name: str, value: Any) -> None:
    line["options"][name] = value


CORRUPTIONS: list[Alteration] = [
    ("another game", 1, "match.game", lambda a: a[0].update(game="art_robbery")),
    ("rules as a number", 1, "match.rules", lambda a: a[0].update(rules=1)),
    ("too few players", 1, "3 to 8", lambda a: a[0].update(players=2, bots=["a", "b"])),
    ("a true limit", 1, "turn_limit", lambda a: add_option(a[0], "turn_limit", True)),
    ("a limit of none", 1, "turn_limit", lambda a: add_option(a[0], "turn_limit", 0)),
    ("an unresolved limit", 1, "match.options", lambda a: a[0]["options"].pop("turn_limit")),
    ("a numeric flag", 1, "must_be_laid", lambda a: add_option(a[0], "master_thief_must_be_laid", 0)),
    ("an unknown option", 1, "match.options", lambda a: add_option(a[0], "deals", 1)),
    ("the page's deck spelled out", 1, "does not differ", lambda a: add_option(a[0], "deck", dict(PAGE_DECK))),
    ("too few cards", 1, "too few", lambda a: add_option(a[0], "deck", {"SC": 17})),
    ("a repeated bot name", 1, "match.bots", lambda a: a[0].update(bots=["random"] * 3)),
    ("an exchanged card in the deck", 2, "shuffles the wrong cards", lambda a: exchange(a[1], "CS", "GM")),
    ("hands dealt in another order", 3, "decision.", lambda a: swap(a[1]["outcome"], 0, 1)),
    ("an order unseen until drawn", 5, "hand", lambda a: swap(a[1]["outcome"], 18, 19)),
    ("a pick instead of a shuffle", 2, "draw.kind", lambda a: a[1].update(kind="pick")),
    ("a skipped number", 3, "decision.number", lambda a: a[2].update(number=2)),
    ("another seat asked", 3, "decision.asked", lambda a: a[2].update(asked=[1])),
    ("legal actions in another order", 3, "decision.legal", lambda a: swap(a[2]["legal"]["0"], 0, 1)),
    ("a missing legal action", 3, "decision.legal", lambda a: a[2]["legal"]["0"].remove("sharp 2")),
    ("a challenge to oneself", 3, "decision.legal", lambda a: a[2]["legal"]["0"].insert(5, "challenge 0 T2")),
    ("a gunman on a turn", 3, "decision.legal", lambda a: a[2]["legal"]["0"].append("gunman")),
    ("a display behind a thief", 41, "decision.legal", lambda a: a[40]["legal"]["0"].insert(5, "display")),
    ("a counter too many", 73, "decision.legal", lambda a: a[72]["legal"]["0"].append("counter 5 MT")),
    ("a counter too few", 73, "decision.legal", lambda a: a[72]["legal"]["0"].remove("counter 3 MT")),
    ("a duty to reply", 5, "decision.legal", lambda a: a[4]["legal"]["1"].remove("decline")),
    ("a counter that is too weak", 9, "decision", lambda a: a[8]["legal"]["1"].insert(0, "counter H2")),
    ("a missing view", 3, "lacks keys ['spectator']", lambda a: a[2]["views"].pop("spectator")),
    ("a surplus key in a view", 3, "surplus keys ['choice']", lambda a: a[2]["views"]["1"].update(choice=None)),
    ("a hand shown to the spectator", 3, "spectator.hand", lambda a: show_hand(a[2], "0", "spectator")),
    ("a hand shown to another seat", 3, "views.1.hand", lambda a: show_hand(a[2], "0", "1")),
    ("a hand out of order", 3, "views.0.hand", lambda a: a[2]["views"]["0"]["hand"].reverse()),
    ("a number as true", 3, "turn is true, expected 1", lambda a: in_views(a[2], "turn", True)),
    ("an illegal choice", 4, "not legal", lambda a: choose(a[3], "0", "gunman")),
    ("another legal choice", 5, "decision.", lambda a: choose(a[3], "0", "discard T5")),
    ("a choice of an unasked seat", 4, "choices.choices", lambda a: choose(a[3], "1", "discard SC")),
    ("a forced challenge", 4, "FORCED", lambda a: blame(a[3], "0", "FORCED")),
    ("a forced decline of a hand that has cards", 12, "FORCED", lambda a: blame(a[11], "0", "FORCED")),
    ("a forfeited challenge", 4, "default 'discard GM'", lambda a: blame(a[3], "0", "FORFEITED")),
    ("a gunman after the time was over", 6, "default 'decline'", lambda a: blame(a[5], "1", "TIMEOUT")),
    ("a challenge left out", 5, "challenge", lambda a: in_views(a[4], "challenge", None)),
    ("a reply in step TURN", 5, "step", lambda a: in_views(a[4], "step", "TURN")),
    ("no refill of the challenger", 5, "pile_size", lambda a: in_views(a[4], "pile_size", 70)),
    ("a thief in the discards too early", 5, "discards", lambda a: in_views(a[4], "discards", ["T5"])),
    ("roles not exchanged by a gunman", 7, "asked", lambda a: a[6].update(asked=[1])),
    ("the employer not exchanged by a gunman", 7, "employer", lambda a: in_challenge(a[6], "employer", 0)),
    ("the challenger exchanged by a gunman", 7, "challenger", lambda a: in_challenge(a[6], "challenger", 1)),
    ("a gunman uncounted", 7, "gunmen", lambda a: in_challenge(a[6], "gunmen", 0)),
    ("a gunman in the discards", 7, "discards", lambda a: in_views(a[6], "discards", ["GM"])),
    ("a standing thief of the challenger", 13, "employer", lambda a: in_standing(a[12], "employer", 2)),
    ("a standing thief without its gunmen", 13, "gunmen", lambda a: in_standing(a[12], "gunmen", 0)),
    ("the turn passing to the seat after the last target", 13, "asked", lambda a: a[12].update(asked=[2])),
    ("a stolen suitcase kept behind a thief", 45, "displays", lambda a: in_views(a[44], "displays", [1, 3, 0])),
    ("the paid thief still standing", 45, "standing", lambda a: in_views(a[44], "standing", standing_at(a, 43))),
    ("a gunman denied", 33, "decision.", lambda a: choose(a[31], "2", "decline")),
    ("no card picked", 83, "draw is due", lambda a: a.pop(82)),
    ("a card picked that is not there", 83, "picks", lambda a: a[82].update(outcome="GM")),
    ("another card picked", 84, "views", lambda a: a[82].update(outcome="SC")),
    ("a picked card in a list", 83, "picks", lambda a: a[82].update(outcome=["H2"])),
    ("another number of a pick", 83, "label", lambda a: a[82].update(label="sharp/2")),
    ("a shuffle instead of a pick", 83, "kind", lambda a: a[82].update(kind="shuffle")),
    ("a card-sharp told to everybody", 84, "views.0.sharps", lambda a: tell(a[83], "0")),
    ("a card-sharp told to the spectator", 84, "spectator.sharps", lambda a: tell(a[83], "spectator")),
    ("a card-sharp kept from its victim", 84, "views.1.sharps", lambda a: a[83]["views"]["1"].update(sharps=[])),
    ("a card-sharp turned round", 84, "sharps", lambda a: turn_sharp_round(a[83])),
    ("a decision after the win", 84, "result is due", lambda a: a.insert(83, a[80])),
    ("a decision twice", 4, "choices is due", lambda a: a.insert(3, a[2])),
    ("no result", 84, "ends where", lambda a: a.pop()),
    ("a line after the result", 85, "after the result", lambda a: a.append(a[-1])),
    ("scores without the winner's five", 84, "result.scores", lambda a: a[-1].update(scores=[0, 5, 0])),
    ("a second place too late", 84, "result.placements", lambda a: a[-1].update(placements=[3, 1, 2])),
    ("a win called stalled", 84, "result.reason", lambda a: a[-1].update(reason="STALLED")),
    ("a seat asked in the end", 84, "asked", lambda a: in_views(a[-1], "asked", [0])),
    ("the last step still a turn", 84, "step", lambda a: in_views(a[-1], "step", "TURN")),
]


def standing_at(lines: list[Line], number: int) -> list[Any]:
    standing: list[Any] = lines[number - 1]["views"]["spectator"]["standing"]
    return standing


def tell(result: Line, viewer: str) -> None:
    result["views"][viewer]["sharps"] = result["views"]["1"]["sharps"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample_traces_pass(path: Path) -> None:
    check_file(path)
    check(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=[entry[0] for entry in CORRUPTIONS])
def test_corrupted_trace_is_refused_where_it_is_wrong(corruption: Alteration) -> None:
    assert_refused(check, A, corruption)


STALLED: list[Alteration] = [
    ("a turn less", 89, "result is due", lambda b: add_option(b[0], "turn_limit", 29)),
    ("a turn more", 91, "decision is due", lambda b: add_option(b[0], "turn_limit", 31)),
    ("five points though nobody won", 91, "scores", lambda b: b[-1].update(scores=[0, 6, 1])),
    ("equal seats apart", 91, "placements", lambda b: b[-1].update(placements=[3, 1, 2])),
    ("another game's reason", 91, "reason", lambda b: b[-1].update(reason="COMPLETED")),
]


@pytest.mark.parametrize("corruption", STALLED, ids=[entry[0] for entry in STALLED])
def test_r8_corrupted_end_of_a_stalled_match_is_refused(corruption: Alteration) -> None:
    assert_refused(check, B, corruption)


def test_r6_a_master_thief_that_must_be_laid_does_not_win_in_the_hand() -> None:
    # Until the winning card was drawn nothing is different; then the match goes on with the turn of seat 0.
    must_be_laid = "master_thief_must_be_laid"
    assert_refused(check, A, ("", 84, "decision is due", lambda a: add_option(a[0], must_be_laid, True)))


@pytest.mark.parametrize(("old", "new"), FOREIGN_BYTES)
def test_foreign_bytes_are_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    content = SAMPLES[0].read_bytes()
    assert old in content
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content.replace(old, new, 1))
    with pytest.raises(Mismatch):
        check_file(path)


def test_program_says_by_its_exit_code_whether_the_traces_hold(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(SAMPLES[0].read_bytes().replace(b'"WON"', b'"STALLED"'))
    expected = {(): 2, tuple(SAMPLES): 0, (SAMPLES[0], broken): 1, (tmp_path / "absent.jsonl",): 2}

    for files, code in expected.items():
        run = subprocess.run([sys.executable, PROGRAM, *files], cwd=tmp_path, capture_output=True, check=False)
        assert run.returncode == code, run.stderr
