"""The trace: the form of its lines, names, and reading draws back with errors that say where and what to do."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import Draw, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import BadScript, Illegal
from cutpurse_rules.playthrough import Cause, Ended, Resolved, play_through
from cutpurse_rules.trace import choices_line, draw_line, lines_of, match_line, numbered_names, read_draws

GAME = GAMES["art_robbery"]


def first(state: Any, seat: Seat) -> Any:
    return GAME.legal(state, seat)[0]


def test_the_first_line_names_everything_that_fixes_the_match() -> None:
    config = GAME.configure(2, {"heist_turn_limit": 9, "tiles": {"5.0": 1}})

    line = match_line(GAME, config, None, ["a", "b"])

    assert line == (
        '{"bots":["a","b"],"game":"art_robbery","options":{"auto_play_forced":true,"heist_turn_limit":9,"tiles":'
        '{"0.2":0,"0.3":0,"1.1":0,"2.1":0,"3.0":0,"4.0":0,"5.0":1,"BOSS":0}},'
        '"players":2,"rules":"1","seed":null,"type":"match"}'
    )


def test_draws_and_choices_have_their_form() -> None:
    assert draw_line(Draw("sharp/1", "pick", ("SC",))) == (
        '{"kind":"pick","label":"sharp/1","outcome":"SC","type":"draw"}'
    )
    assert draw_line(Draw("deck", "shuffle", ("N1", "N0"))) == (
        '{"kind":"shuffle","label":"deck","outcome":["N1","N0"],"type":"draw"}'
    )
    chosen = {Seat(0): "gunman", Seat(2): "decline"}
    assert choices_line(7, chosen, {Seat(0): Cause.TIMEOUT, Seat(2): Cause.FORCED}) == (
        '{"cause":{"0":"TIMEOUT","2":"FORCED"},"choices":{"0":"gunman","2":"decline"},"number":7,"type":"choices"}'
    )


def test_lines_stand_in_the_pages_order() -> None:
    config = GAME.configure(2, {"deck": {"N0": 6, "GT": 5}})
    parts = play_through(GAME, config, StreamChance(key_of_seed("order")), first)

    lines = [json.loads(line) for part in parts for line in lines_of(GAME, 2, part)]

    assert [line["label"] for line in lines if line["type"] == "draw"][:2] == ["deck", "reshuffle/1"]
    assert lines[-1]["type"] == "result"
    kinds = [line["type"] for line in lines if line["type"] != "draw"][:-1]
    assert kinds == ["decision", "choices"] * (len(kinds) // 2)
    numbers = [line["number"] for line in lines if line["type"] == "decision"]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_playthrough_refuses_a_choice_that_is_not_legal() -> None:
    config = GAME.configure(2)
    parts = play_through(GAME, config, StreamChance(key_of_seed("bad")), lambda state, seat: GAME.parse("give dog"))

    with pytest.raises(Illegal, match="WRONG_STEP"):
        list(parts)


def test_a_playthrough_is_every_decision_and_then_the_end() -> None:
    *decisions, last = play_through(GAME, GAME.configure(2), StreamChance(key_of_seed("parts")), first)

    assert isinstance(last, Ended)
    for earlier, later in itertools.pairwise(decisions):
        assert isinstance(earlier, Resolved)
        assert isinstance(later, Resolved)
        assert earlier.after is later.before
        assert later.number == earlier.number + 1


@pytest.mark.parametrize(
    ("names", "numbered"),
    [
        (["random", "greedy"], ["random", "greedy"]),
        (["random", "random", "random"], ["random", "random-2", "random-3"]),
        (["random", "random-2", "random"], ["random", "random-2", "random-3"]),
        (["a", "a", "a-2", "a-2"], ["a", "a-3", "a-2", "a-2-2"]),
    ],
)
def test_a_repeated_name_is_numbered_and_every_name_is_there_once(names: list[str], numbered: list[str]) -> None:
    assert numbered_names(names) == numbered


def test_draws_are_read_back_and_other_lines_passed_over() -> None:
    lines = [
        '{"type":"match"}', "", "  ",
        '{"type":"draw","label":"deck","kind":"shuffle","outcome":["N1","N0"]}',
        '{"type":"draw","label":"sharp/1","kind":"pick","outcome":"SC","more":1}\r\n',
        "{}",
    ]  # fmt: skip

    assert read_draws(lines, "file") == (Draw("deck", "shuffle", ("N1", "N0")), Draw("sharp/1", "pick", ("SC",)))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("deck", "is not JSON; a chance file holds one JSON object per line"),
        ("[" * 100_000, "is not JSON"),
        ("[]", 'is not a JSON object; write {"type":"draw",…}'),
        ('{"type":"draw","kind":"pick","outcome":"N0"}', "has no label"),
        ('{"type":"draw","label":7,"kind":"pick","outcome":"N0"}', "has no label"),
        ('{"type":"draw","label":"a","kind":"shuffle","outcome":"N0"}', "must give 'a' an outcome that is a list"),
        ('{"type":"draw","label":"a","kind":"shuffle","outcome":[1]}', "must give 'a' an outcome that is a list"),
        ('{"type":"draw","label":"a","kind":"pick","outcome":["N0"]}', "must give 'a' an outcome that is one card"),
        ('{"type":"draw","label":"a","kind":"roll","outcome":"N0"}', "has kind 'roll'; write"),
        ('{"type":"draw","label":"deck","kind":"shuffle","outcome":[]}', "gives the draw 'deck' a second time"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_its_remedy(line: str, text: str) -> None:
    good = '{"type":"draw","label":"deck","kind":"shuffle","outcome":["N1","N0"]}'

    with pytest.raises(BadScript) as refused:
        read_draws([good, line], "my.jsonl")

    assert str(refused.value).startswith(f"my.jsonl, line 2: {text}")
    assert refused.value.line == 2
