"""The oracle accepts the sample traces and refuses every planted mistake; its R7 agrees with trying all subsets."""

import copy
import itertools
import random
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
from tests.rules.oracle.art_robbery_end import TILES, SafeTile, alibis, position, rank, settle, worth, worth_ten
from tests.rules.oracle.art_robbery_oracle import Mismatch, check, check_file
from tests.rules.oracle.trace_lines import dump

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SAMPLES = [GOLDEN / "art_robbery-a.jsonl", GOLDEN / "art_robbery-b.jsonl"]
PROGRAM = Path(__file__).with_name("art_robbery_oracle.py")

A, B = map(objects, SAMPLES)

# Sample a, counted from 1: 3 the first decision, 4 its choice, 59 the dog's answer to a Number, 60 that answer,
# 95 a turn with an empty pile, 97 the dog's answer to a Boss, 99 reshuffle/1, 104 the result.


def show_hand_to_spectator(lines: list[Line]) -> None:
    lines[2]["views"]["spectator"]["hand"] = lines[2]["views"]["0"]["hand"]


def show_hand_to_other(lines: list[Line]) -> None:
    lines[2]["views"]["1"]["hand"] = lines[2]["views"]["0"]["hand"]


CORRUPTIONS: list[Alteration] = [
    ("another game", 1, "match.game", lambda a: a[0].update(game="big_max")),
    ("rules as a number", 1, "match.rules", lambda a: a[0].update(rules=1)),
    ("a true limit", 1, "heist_turn_limit", lambda a: a[0]["options"].update(heist_turn_limit=True)),
    ("an unresolved limit", 1, "match.options", lambda a: a[0]["options"].pop("heist_turn_limit")),
    ("an unknown option", 1, "match.options", lambda a: a[0]["options"].update(turn_limit=5)),
    ("the page's tiles spelled out", 1, "does not differ", lambda a: a[0]["options"].update(tiles=page_tiles())),
    ("two Boss tiles", 1, "BOSS", lambda a: a[0]["options"].update(tiles=page_tiles() | {"BOSS": 2})),
    ("too few cards", 1, "too few", lambda a: a[0]["options"].update(deck={"N0": 9})),
    ("a repeated bot name", 1, "match.bots", lambda a: a[0].update(bots=["random", "random"])),
    ("no seed key", 1, "seed", lambda a: a[0].pop("seed")),
    ("an exchanged card in the deck", 2, "shuffles the wrong cards", lambda a: exchange(a[1], "N0", "N1")),
    ("the deck in another order", 3, "decision.", lambda a: swap(a[1]["outcome"], 0, 1)),
    ("an order unseen until drawn", 5, "hand", lambda a: swap(a[1]["outcome"], 10, 12)),
    ("a pick", 2, "draw.kind", lambda a: a[1].update(kind="pick")),
    ("a missing reshuffle", 99, "draw", lambda a: a.pop(98)),
    ("an early reshuffle", 97, "decision is due", lambda a: a.insert(96, a.pop(98))),
    ("a second reshuffle/1", 99, "label", lambda a: a[98].update(label="reshuffle/2")),
    ("a skipped number", 3, "decision.number", lambda a: a[2].update(number=2)),
    ("another seat asked", 3, "decision.asked", lambda a: a[2].update(asked=[1])),
    ("legal actions in another order", 3, "decision.legal", lambda a: swap(a[2]["legal"]["0"], 0, 1)),
    ("a missing legal action", 3, "decision.legal", lambda a: a[2]["legal"]["0"].pop()),
    ("legal actions of an unasked seat", 3, "decision.legal", lambda a: a[2]["legal"].update({"1": []})),
    ("a missing view", 3, "lacks keys ['spectator']", lambda a: a[2]["views"].pop("spectator")),
    ("a missing key in a view", 3, "lacks keys ['taking']", lambda a: a[2]["views"]["1"].pop("taking")),
    ("a surplus key in a view", 3, "surplus keys ['choice']", lambda a: a[2]["views"]["1"].update(choice=None)),
    ("a hand shown to the spectator", 3, "spectator.hand", show_hand_to_spectator),
    ("a hand shown to another seat", 3, "views.1.hand", show_hand_to_other),
    ("a hand out of order", 3, "views.0.hand", lambda a: a[2]["views"]["0"]["hand"].reverse()),
    ("a number as a float", 3, "float", lambda a: in_views(a[2], "turn", 1.0)),
    ("a number as true", 3, "turn is true, expected 1", lambda a: in_views(a[2], "turn", True)),
    ("an illegal choice", 4, "not legal", lambda a: a[3]["choices"].update({"0": "play BS"})),
    ("another legal choice", 5, "decision.", lambda a: a[3]["choices"].update({"0": "play GD"})),
    ("a forced choice", 4, "FORCED", lambda a: a[3]["cause"].update({"0": "FORCED"})),
    ("a forfeited choice that is not the default", 4, "default", lambda a: a[3]["cause"].update({"0": "FORFEITED"})),
    ("a cause in small letters", 4, "cause", lambda a: a[3]["cause"].update({"0": "chosen"})),
    ("a choice of an unasked seat", 4, "choices.choices", lambda a: a[3]["choices"].update({"1": "play GD"})),
    ("the dog's answer denied", 59, "decision.", lambda a: a.__delitem__(slice(58, 60))),
    ("the dog's answer turned round", 61, "decision.", lambda a: a[59]["choices"].update({"0": "give tile"})),
    ("the taken tile exchanged", 59, "taking.tile", lambda a: exchange_taken_tile(a[58])),
    ("the empty pile refilled at once", 95, "pile_size", lambda a: in_views(a[94], "pile_size", 46)),
    ("a decision twice", 4, "choices is due", lambda a: a.insert(3, a[2])),
    ("the result before the end", 99, "draw is due", lambda a: a.__delitem__(slice(98, 103))),
    ("no result", 104, "ends where", lambda a: a.pop()),
    ("a line after the result", 105, "after the result", lambda a: a.append(a[-1])),
    ("scores exchanged", 104, "result.scores", lambda a: a[-1]["scores"].reverse()),
    ("placements exchanged", 104, "result.placements", lambda a: a[-1]["placements"].reverse()),
    ("a stalled match", 104, "result.reason", lambda a: a[-1].update(reason="STALLED")),
    ("a discarded tile unlisted", 104, "out", lambda a: a[-1]["views"]["0"]["out"].pop()),
    ("a last front left lying", 104, "front", lambda a: in_views(a[-1], "front", a[102 - 1]["views"]["0"]["front"])),
    ("a seat asked in the end", 104, "asked", lambda a: in_views(a[-1], "asked", [0])),
]


def page_tiles() -> dict[str, int]:
    return {tile: 2 if tile == "1.1" else 1 for tile in TILES}


def exchange(draw: Line, old: str, new: str) -> None:
    draw["outcome"][draw["outcome"].index(old)] = new


def exchange_taken_tile(decision: Line) -> None:
    for view in decision["views"].values():
        view["taking"] = view["taking"] | {"tile": "BOSS"}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample_traces_pass(path: Path) -> None:
    check_file(path)
    check(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("alteration", CORRUPTIONS, ids=lambda alteration: alteration[0])
def test_corrupted_trace_is_refused_where_it_is_wrong(alteration: Alteration) -> None:
    assert_refused(check, A, alteration)


def test_r9_another_turn_limit_is_refused() -> None:
    for limit, line in ((9, 21), (11, 23)):
        lines = copy.deepcopy(B)
        lines[0]["options"]["heist_turn_limit"] = limit
        with pytest.raises(Mismatch) as refusal:
            check(dump(entry) for entry in lines)
        assert refusal.value.line == line


@pytest.mark.parametrize(("old", "new"), FOREIGN_BYTES)
def test_foreign_bytes_are_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    content = SAMPLES[0].read_bytes()
    assert old in content
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content.replace(old, new, 1))
    with pytest.raises(Mismatch):
        check_file(path)


def test_missing_final_line_feed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(SAMPLES[0].read_bytes().removesuffix(b"\n"))
    with pytest.raises(Mismatch, match="final line feed"):
        check_file(path)


def test_program_says_by_its_exit_code_whether_the_traces_hold(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(SAMPLES[0].read_bytes().replace(b"COMPLETED", b"STALLED"))
    expected = {(): 2, tuple(SAMPLES): 0, (SAMPLES[0], broken): 1, (tmp_path / "absent.jsonl",): 2}
    for files, code in expected.items():
        run = subprocess.run([sys.executable, PROGRAM, *files], cwd=tmp_path, capture_output=True, check=False)
        assert run.returncode == code, run.stderr


def test_r7_agrees_with_trying_all_subsets() -> None:
    chance = random.Random(7)
    ten_or_more = 0
    for _ in range(300):
        tiles = sorted(
            ((chance.randint(1, 4), chance.choice(TILES)) for _ in range(chance.randint(1, 9))), key=position
        )
        found = worth_ten(tiles)
        ten_or_more += sum(worth(tile) for _, tile in tiles) >= 10
        assert found == best_of_all_subsets(tiles)
    assert 100 < ten_or_more < 300


def best_of_all_subsets(tiles: list[SafeTile]) -> list[SafeTile]:
    """R7 sentence by sentence, over the whole power set."""

    def merit(one: tuple[SafeTile, ...]) -> tuple[int, int, int, list[tuple[int, int]]]:
        names = [tile for _, tile in one]
        return -sum(map(worth, names)), -alibis(names), -len(one), [position(tile) for tile in one]

    subsets = (one for size in range(len(tiles) + 1) for one in itertools.combinations(tiles, size))
    return list(max((one for one in subsets if sum(worth(tile) for _, tile in one) >= 10), key=merit, default=tiles))


@pytest.mark.parametrize(
    ("tiles", "discarded"),
    [
        # The worked point: 5 + 3 + 2 and not 5 + 4 + 2.
        ([(1, "2.1"), (1, "3.0"), (2, "4.0"), (3, "5.0")], [(1, "2.1"), (1, "3.0"), (3, "5.0")]),
        # Nothing makes 10, so the smallest total above it.
        ([(1, "4.0"), (2, "4.0"), (3, "4.0")], [(1, "4.0"), (2, "4.0"), (3, "4.0")]),
        # 5 + 5 keeps more alibis than 5 + 3 + 2.
        ([(1, "2.1"), (1, "3.0"), (2, "5.0"), (3, "BOSS")], [(2, "5.0"), (3, "BOSS")]),
        # 5 + 5 has fewer tiles than 4 + 3 + 3, with as many alibis.
        ([(1, "3.0"), (2, "3.0"), (2, "4.0"), (3, "5.0"), (4, "5.0")], [(3, "5.0"), (4, "5.0")]),
        # Later heists first, and the Boss tile after a 5 of the same heist.
        ([(1, "5.0"), (2, "5.0"), (2, "BOSS"), (3, "BOSS")], [(2, "BOSS"), (3, "BOSS")]),
        # The first difference decides, not the last one.
        ([(1, "5.0"), (2, "BOSS"), (2, "5.0")], [(2, "5.0"), (2, "BOSS")]),
        # Less than 10 in all: everything goes, tiles of value 0 too.
        ([(1, "0.3"), (1, "4.0"), (2, "5.0")], [(1, "0.3"), (1, "4.0"), (2, "5.0")]),
    ],
)
def test_r7_worked_sets(tiles: list[SafeTile], discarded: list[SafeTile]) -> None:
    assert worth_ten(tiles) == discarded


def test_only_the_fewer_alibis_of_two_players_discard() -> None:
    poor: list[SafeTile] = [(1, "5.0"), (2, "5.0"), (3, "1.1")]
    rich: list[SafeTile] = [(1, "2.1"), (2, "2.1")]

    assert settle([poor, rich]) == ([[(3, "1.1")], rich], [(1, "5.0"), (2, "5.0")])
    assert settle([rich, poor]) == ([rich, [(3, "1.1")]], [(1, "5.0"), (2, "5.0")])
    assert settle([poor, poor]) == ([poor, poor], [])
    assert settle([poor, rich, rich]) == ([poor, rich, rich], [])


@pytest.mark.parametrize(
    ("kept", "scores", "placements"),
    [
        # The worked point: alibis 6, 4, 4, 9; between the others points decide.
        ([["0.3", "0.3"], ["0.2", "0.2", "5.0"], ["0.2", "0.2"], ["0.3"] * 3 + ["4.0"]], [0, 0, 0, 4], [2, 3, 3, 1]),
        # R6: everybody has the fewest.
        ([["5.0"], ["4.0"], ["BOSS"]], [0, 0, 0], [1, 1, 1]),
        # Equal points: the most alibis. R8: a caught seat comes after a seat with no points at all.
        ([["5.0", "0.3"], ["BOSS", "0.2"], ["5.0"], ["0.2"]], [5, 5, 0, 0], [1, 2, 4, 3]),
        # Still equal: shared, and the next place is left out.
        ([["2.1", "0.2"], ["2.1", "0.2"], ["1.1", "0.2"], []], [2, 2, 1, 0], [1, 1, 3, 4]),
        # Two players are never caught.
        ([["5.0"], ["4.0", "0.3"]], [5, 4], [1, 2]),
        ([["5.0"], ["5.0", "0.3"]], [5, 5], [2, 1]),
        ([["5.0"], ["BOSS"]], [5, 5], [1, 1]),
    ],
)
def test_r6_r8_scores_and_placements(kept: list[list[str]], scores: list[int], placements: list[int]) -> None:
    assert rank(kept) == (scores, placements)
