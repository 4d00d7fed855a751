"""What the sample traces do not hold, altered too: forced choices, reshuffles, counters of alike thieves, laid wins.

The sound matches come from the engine; the oracle has accepted each before it is altered.
"""

from typing import Any

import pytest

from tests.rules.oracle.alterations import Alteration, Line, assert_refused, in_views
from tests.rules.oracle.big_max_matches import IDLE, RICH, played
from tests.rules.oracle.big_max_oracle import check

FORCED = played(
    ["SC SC SC SC SC T6", "T2 H2 H2 H2 H2 H2", IDLE],
    "",
    {0: ["display"] * 5 + ["challenge 1 T6"], 1: ["discard H2"] * 5 + ["challenge 0 T2"]},
    20,
)
LAID = played(
    ["SC SC SC SC SC MT", IDLE, IDLE], "H2 " * 16, {0: ["display"] * 5 + ["lay"]}, 99, master_thief_must_be_laid=True
)
GUNMAN = played(
    ["SC SC SC SC SC GM", "T2 H2 H2 H2 H2 H2", IDLE],
    "H2 " * 14 + "MT H2",
    {0: ["display"] * 5 + ["gunman"], 1: ["discard H2"] * 4 + ["challenge 0 T2"]},
    99,
)
ALIKE = played(
    ["MT MT H2 H2 H2 H2", "T2 T2 H2 H2 H2 H2", IDLE],
    "H2 " * 20,
    {0: ["discard H2"] * 2 + ["counter 0 MT"], 1: ["challenge 0 T2"] * 2},
    7,
)
SIXTH = played(
    [RICH, "SC H2 H2 H2 H2 H2", IDLE], "H2 " * 20, {0: ["display"] * 5 + ["challenge 1 T6"], 1: ["display"]}, 14
)


def line_of(lines: list[Line], **parts: Any) -> int:
    """The number, from 1, of the first line with these parts."""
    return next(number for number, line in enumerate(lines, 1) if parts.items() <= line.items())


FORCED_CHOICE = line_of(FORCED, type="choices", cause={"0": "FORCED"})
RESHUFFLE = line_of(FORCED, label="reshuffle/1")
LAST_TURN = line_of(FORCED, type="result") - 2
LAYING = line_of(LAID, type="choices", choices={"0": "lay"})
COUNTER = line_of(ALIKE, type="choices", choices={"0": "counter 0 MT"})


def uncount_skipped_turn(lines: list[Line]) -> None:
    """Make it look as if the skipped turn 19 had not been one."""
    in_views(lines[LAST_TURN - 1], "turn", 19)


def leave_out_reshuffle(lines: list[Line]) -> None:
    lines.pop(RESHUFFLE - 1)


def keep_a_table_card_among_the_shuffled(lines: list[Line]) -> None:
    lines[RESHUFFLE - 1]["outcome"].append("SC")


def let_the_hand_win(lines: list[Line]) -> None:
    lines[0]["options"]["master_thief_must_be_laid"] = False


def lay_by_discarding(lines: list[Line]) -> None:
    lines[LAYING - 1]["choices"]["0"] = "discard MT"


def end_without_the_challenge(lines: list[Line]) -> None:
    in_views(lines[-1], "challenge", None)


def name_the_second_of_two_alike(lines: list[Line]) -> None:
    lines[COUNTER - 2]["legal"]["0"].append("counter 1 MT")


def choose_the_second_of_two_alike(lines: list[Line]) -> None:
    lines[COUNTER - 1]["choices"]["0"] = "counter 1 MT"


CORRUPTIONS: list[tuple[list[Line], Alteration]] = [
    (FORCED, ("asked", FORCED_CHOICE, "FORCED", lambda t: t[FORCED_CHOICE - 1]["cause"].update({"0": "CHOSEN"}))),
    (FORCED, ("not automatic", FORCED_CHOICE, "FORCED", lambda t: t[0]["options"].update(auto_play_forced=False))),
    (FORCED, ("shuffle left out", RESHUFFLE, "draw is due", leave_out_reshuffle)),
    (FORCED, ("shuffle of more", RESHUFFLE, "wrong cards", keep_a_table_card_among_the_shuffled)),
    (FORCED, ("skip uncounted", LAST_TURN, "turn", uncount_skipped_turn)),
    (LAID, ("no laying needed", 2 + 2 * 13 + 1, "result is due", let_the_hand_win)),
    (LAID, ("lay unlisted", LAYING - 1, "legal", lambda t: t[LAYING - 2]["legal"]["0"].remove("lay"))),
    (LAID, ("laid by discarding", LAYING + 1, "decision is due", lay_by_discarding)),
    (LAID, ("laid but not discarded", LAYING + 1, "discards", lambda t: in_views(t[-1], "discards", ["H2"] * 10))),
    (GUNMAN, ("challenge cleared", len(GUNMAN), "challenge", end_without_the_challenge)),
    (ALIKE, ("second alike listed", COUNTER - 1, "legal", name_the_second_of_two_alike)),
    (ALIKE, ("second alike chosen", COUNTER, "not legal", choose_the_second_of_two_alike)),
    (SIXTH, ("sixth shown", len(SIXTH), "displays", lambda t: in_views(t[-1], "displays", [6, 0, 0]))),
]  # fmt: skip


@pytest.mark.parametrize(("sound", "corruption"), CORRUPTIONS, ids=[corruption[0] for _, corruption in CORRUPTIONS])
def test_corrupted_rare_line_is_refused_where_it_is_wrong(sound: list[Line], corruption: Alteration) -> None:
    assert_refused(check, sound, corruption)
