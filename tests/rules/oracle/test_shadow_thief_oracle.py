"""The Shadow Thief's oracle accepts the sample traces and refuses every planted mistake."""

import subprocess
import sys
from pathlib import Path

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
from tests.rules.oracle.shadow_thief_oracle import CARDS, PAGE_DECK, Mismatch, check, check_file

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SAMPLES = [GOLDEN / "shadow_thief-a.jsonl", GOLDEN / "shadow_thief-b.jsonl"]
PROGRAM = Path(__file__).with_name("shadow_thief_oracle.py")
A, B = map(objects, SAMPLES)

# Sample a, counted from 1: 3 to 6 the first round, 12 two equal values, 17 the Shadow thief's choice, 39 return/1/9,
# 40 the result, by end check A.


def show_hand(lines: list[Line], viewer: str) -> None:
    lines[2]["views"][viewer]["hand"] = lines[2]["views"]["0"]["hand"]


def exchange(draw: Line, old: str, new: str) -> None:
    draw["outcome"][draw["outcome"].index(old)] = new


IN_A: list[Alteration] = [
    ("another game", 1, "match.game", lambda a: a[0].update(game="big_max")),
    ("rules as a number", 1, "match.rules", lambda a: a[0].update(rules=1)),
    ("two players", 1, "match.players", lambda a: a[0].update(players=2)),
    ("no deal", 1, "deals", lambda a: a[0]["options"].update(deals=0)),
    ("deals unresolved", 1, "match.options", lambda a: a[0]["options"].pop("deals")),
    ("an unknown option", 1, "match.options", lambda a: a[0]["options"].update(turn_limit=5)),
    ("the page's deck spelled out", 1, "does not differ", lambda a: a[0]["options"].update(deck=dict(PAGE_DECK))),
    ("a card of another game", 1, "must map", lambda a: a[0]["options"].update(deck={"SC": 40})),
    ("too few cards", 1, "too few", lambda a: a[0]["options"].update(deck={"B1": 11})),
    ("a repeated bot name", 1, "match.bots", lambda a: a[0].update(bots=["random", "random", "first"])),
    ("an exchanged card in the deck", 2, "shuffles the wrong cards", lambda a: exchange(a[1], "B1", "B2")),
    ("the deck in another order", 3, "decision.", lambda a: swap(a[1]["outcome"], 0, 1)),
    ("an order unseen until drawn", 7, "decision.", lambda a: swap(a[1]["outcome"], 12, 14)),
    ("a pick", 2, "draw.kind", lambda a: a[1].update(kind="pick")),
    ("another deal's deck", 2, "draw.label", lambda a: a[1].update(label="deck/2")),
    ("another round's return", 39, "draw.label", lambda a: a[38].update(label="return/1/8")),
    ("hands not put back", 39, "draw is due", lambda a: a.pop(38)),
    ("a card put back that was locked", 39, "wrong cards", lambda a: exchange(a[38], "S6", "S11")),
    ("a skipped number", 3, "decision.number", lambda a: a[2].update(number=2)),
    ("a seat not asked", 3, "decision.asked", lambda a: a[2].update(asked=[0, 1])),
    ("legal actions in another order", 3, "decision.legal", lambda a: swap(a[2]["legal"]["0"], 0, 1)),
    ("a missing legal action", 3, "decision.legal", lambda a: a[2]["legal"]["0"].pop()),
    ("more to add than there is", 9, "decision.legal", lambda a: a[8]["legal"]["0"].append("add C4")),
    ("the same set to add twice", 9, "decision.legal", lambda a: a[8]["legal"]["2"].insert(2, "add C6")),
    ("a missing view", 3, "lacks keys ['spectator']", lambda a: a[2]["views"].pop("spectator")),
    ("a missing key in a view", 3, "lacks keys ['choice']", lambda a: a[2]["views"]["1"].pop("choice")),
    ("a surplus key in a view", 3, "surplus keys ['deck']", lambda a: a[2]["views"]["1"].update(deck=[])),
    ("a hand shown to the spectator", 3, "spectator.hand", lambda a: show_hand(a, "spectator")),
    ("a hand shown to another seat", 3, "views.1.hand", lambda a: show_hand(a, "1")),
    ("a hand out of order", 3, "views.0.hand", lambda a: a[2]["views"]["0"]["hand"].reverse()),
    ("a number as a float", 3, "float", lambda a: in_views(a[2], "round", 1.0)),
    ("a number as true", 3, "round is true, expected 1", lambda a: in_views(a[2], "round", True)),
    ("an illegal choice", 4, "not legal", lambda a: a[3]["choices"].update({"0": "play C1"})),
    ("another legal choice", 5, "decision.", lambda a: a[3]["choices"].update({"0": "play S5"})),
    ("a missing choice", 4, "choices.choices", lambda a: a[3]["choices"].pop("2")),
    ("a hand kept at the reveal", 5, "hand_sizes", lambda a: in_views(a[4], "hand_sizes", [4, 4, 4])),
    ("a choice taken from the seat", 4, "not FORCED", lambda a: a[3]["cause"].update({"0": "FORCED"})),
    ("a default that is none", 4, "default", lambda a: a[3]["cause"].update({"0": "FORFEITED"})),
    ("a cause in small letters", 4, "cause", lambda a: a[3]["cause"].update({"0": "chosen"})),
    ("equal values left lying", 13, "front", lambda a: in_views(a[12], "front", [["B10"], ["C7"], ["C7"]])),
    ("both sevens asked to add", 13, "decision.asked", lambda a: a[12].update(asked=[0, 1, 2])),
    ("the thief gone before it stole", 17, "front", lambda a: in_views(a[16], "front", [["R8"], ["B4"], []])),
    ("the theft left out", 17, "decision.", lambda a: a.__delitem__(slice(16, 18))),
    ("something else stolen", 19, "decision.", lambda a: a[17]["choices"].update({"2": "steal B4"})),
    ("a stolen card left in front", 19, "front", lambda a: in_views(a[18], "front", [["R8"], ["B4"], []])),
    ("a decision twice", 4, "choices is due", lambda a: a.insert(3, a[2])),
    ("the result before the end", 37, "decision is due", lambda a: a.__delitem__(slice(36, 39))),
    ("no result", 40, "ends where", lambda a: a.pop()),
    ("a line after the result", 41, "after the result", lambda a: a.append(a[-1])),
    ("scores exchanged", 40, "result.scores", lambda a: a[-1]["scores"].reverse()),
    ("the last open safe counted", 40, "result.scores", lambda a: a[-1].update(scores=[59, 58, 64])),
    ("placements exchanged", 40, "result.placements", lambda a: a[-1]["placements"].reverse()),
    ("a stalled match", 40, "result.reason", lambda a: a[-1].update(reason="STALLED")),
    ("what was put back shown to another", 40, "put_back", lambda a: a[-1]["views"]["0"].update(put_back=["TC"])),
    ("what was put back hidden from the owner", 40, "put_back", lambda a: a[-1]["views"]["1"].update(put_back=[])),
    ("what was put back uncounted", 40, "put_back_count", lambda a: in_views(a[-1], "put_back_count", 0)),
    ("a card that does not lock in front", 40, "front", lambda a: in_views(a[-1], "front", [["S4"], [], []])),
    ("a seat asked in the end", 40, "asked", lambda a: in_views(a[-1], "asked", [0])),
]

# Sample b: 49 a theft with one candidate, 101 the last round with a deck, 103 the deck is exhausted, one card discarded
# unseen, 107 everybody's last card, 109 an empty hand asked to add, 111 the result, by end check C.

IN_B: list[Alteration] = [
    ("a theft without alternative asked", 50, "FORCED", lambda b: b[49]["cause"].update({"1": "CHOSEN"})),
    ("a theft without alternative timed out", 50, "FORCED", lambda b: b[49]["cause"].update({"1": "TIMEOUT"})),
    ("nothing to add, though cards are held", 52, "not FORCED", lambda b: b[51]["cause"].update({"0": "FORCED"})),
    ("an empty hand asked", 110, "FORCED", lambda b: b[109]["cause"].update({"1": "CHOSEN"})),
    ("an empty hand passed over", 109, "decision is due", lambda b: b.__delitem__(slice(108, 110))),
    ("forced choices switched off", 50, "not FORCED", lambda b: b[0]["options"].update(auto_play_forced=False)),
    ("a deck with a card left", 103, "deck_size", lambda b: in_views(b[102], "deck_size", 1)),
    ("a deck not yet exhausted", 103, "exhausted", lambda b: in_views(b[102], "exhausted", False)),
    ("the unseen card uncounted", 103, "unseen_count", lambda b: in_views(b[102], "unseen_count", 0)),
    ("the unseen card among the discards", 103, "discards", lambda b: b[102]["views"]["0"]["discards"].insert(0, "B1")),
    ("steps 5 to 7 after end check C", 111, "front", lambda b: in_views(b[-1], "front", [[], [], []])),
    ("another deal", 111, "draw is due", lambda b: b[0]["options"].update(deals=2)),
]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample_traces_pass(path: Path) -> None:
    check_file(path)
    check(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("alteration", IN_A, ids=lambda alteration: alteration[0])
def test_altered_sample_is_refused_where_it_is_wrong(alteration: Alteration) -> None:
    assert_refused(check, A, alteration)


@pytest.mark.parametrize("alteration", IN_B, ids=lambda alteration: alteration[0])
def test_altered_sample_with_an_exhausted_deck_is_refused_where_it_is_wrong(alteration: Alteration) -> None:
    assert_refused(check, B, alteration)


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
    broken.write_bytes(SAMPLES[0].read_bytes().replace(b"COMPLETED", b"STALLED"))
    expected = {(): 2, tuple(SAMPLES): 0, (SAMPLES[0], broken): 1, (tmp_path / "absent.jsonl",): 2}
    for files, code in expected.items():
        run = subprocess.run([sys.executable, PROGRAM, *files], cwd=tmp_path, capture_output=True, check=False)
        assert run.returncode == code, run.stderr


def test_the_page_has_105_cards() -> None:
    assert sum(PAGE_DECK.values()) == 105
    assert len(CARDS) == 57
    assert (CARDS[0], CARDS[-1]) == ("B1", "TX")
