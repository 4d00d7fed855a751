"""The Shadow Thief's engine against the second reading of the page: random tables and styles, and stacked decks."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.rules.oracle.alterations import Alteration, assert_refused, in_views, swap
from tests.rules.oracle.shadow_thief_matches import random_trace, stacked_trace
from tests.rules.oracle.shadow_thief_oracle import check, check_and_tell

RARE = {
    "R5: one of all attempts is invalid",
    "R6: end check A after a return",
    "R6: two hands in one return",
    "R7: hands set aside",
    "R8: no card left to deal",
    "R8: single cards",
    "a specialist with several candidates",
    "a theft with one candidate",
    "a thief with nothing to take",
    "an empty hand beside others to add from",
    "cards discarded unseen",
    "cards drawn that were put back",
    "end check A",
    "end check B beside a locked safe",
    "end check C beside a locked safe",
    "exactly enough to hold 3",
    "exactly enough to hold 4",
    "three equal values",
}
"""What the random matches must reach together, so that they compare more than ordinary rounds."""


@dataclass(frozen=True)
class Stacked:
    """A match with a stacked deck, what it must reach, and the scores that the page gives it."""

    name: str
    hands: list[str]
    rest: str
    plans: list[str]
    scores: list[int]
    met: set[str]
    table: dict[str, Any] = field(default_factory=dict)

    def trace(self, auto_play_forced: bool = True) -> list[str]:
        """The engine's trace of the match."""
        return stacked_trace(self.hands, self.rest, self.plans, auto_play_forced=auto_play_forced, **self.table)


STACKED = [
    Stacked(
        "R5 one attempt of three is invalid, so the other two lock and the last open safe scores nothing",
        ["B1 S6 R9 C9", "R2 S7 W8 C3", "S4 S5 W1 W2"],
        "C5 C6 C7 C8",
        ["play B1, add, play S6", "play R2, add, play S7", "play S4, play S5"],
        [1, 2, 0],
        {"R5: one of all attempts is invalid", "R6: end check A after a return", "R6: two hands in one return"},
    ),
    Stacked(
        "R5 all three attempts are valid, so nobody locks",
        ["B1 S6 R9 C9", "R2 S7 W8 C3", "W3 S5 W1 W2"],
        "C5 C6 C7 C8",
        ["play B1, add, play S6", "play R2, add, play S7", "play W3, add, play S5"],
        [0, 0, 0],
        {"end check B"},
    ),
    Stacked(
        "R7 the deck is exhausted when a safe is locked, and an emptied hand of a locked safe ends nothing",
        ["B1 S4 R9 C9", "R2 W7 W8 W9", "W3 C4 C5 C6"],
        "",
        [
            "play B1, add, play S4",
            "play R2, add, play W7, add, play W8, add, play W9",
            "play W3, add, play C4, add, play C5, add, play C6",
        ],
        [1, 0, 0],
        {"R7: hands set aside", "end check C beside a locked safe", "an empty hand to add from"},
    ),
    Stacked(
        "R7 two hands set aside before end check A",
        ["B1 S4 R9 C9", "R2 S5 W8 W9", "W3 C4 C5 C6"],
        "",
        ["play B1, add, play S4", "play R2, add, play S5", "play W3, add, play C4, add"],
        [1, 2, 0],
        {"R7: hands set aside", "end check A"},
    ),
    Stacked(
        "R8 single cards begin at seat 1 in round 1",
        ["B1 B2 B3 C1", "R4 R5 C2 C3", "W6 W7 W8 C4"],
        "C5 C6 C7",
        ["play B1, add B2 B3", "play R4, add R5", "play W6, add W7 W8"],
        [0, 0, 0],
        {"R8: single cards", "end check C"},
    ),
    Stacked(
        "R8 a seat that holds three is passed over, and the cards go round twice",
        ["B1 B2 B3 C1", "R4 R5 C2 C3", "W6 W7 W8 W9"],
        "C5 C6 C7 C8",
        ["play B1, add B2 B3", "play R4, add", "play W6, add W7 W8 W9"],
        [0, 0, 0],
        {"R8: single cards", "R8: the first seat needs none", "R8: once round and on"},
    ),
    Stacked(
        "R8 a locked safe is passed over, and what was put back in its order is dealt",
        ["B1 B2 B3 B4", "R2 R3 R4 R6", "C3 S4 TB TR", "W4 W5 W7 W8"],
        "B5 R7 TX W9 W10",
        [
            "play B1, add, play B2, add B3 B4 B5, play TX",
            "play R2, add, play R3, add R4 R6 R7, play TB",
            "play C3, add, play S4",
            "play W4, add, play W5, add W7 W8 W9, play W10",
        ],
        [0, 0, 3, 0],
        {"R8: the first seat has locked", "R8: once round and on", "end check C beside a locked safe"},
        {"returns": {"return/1/2": "TX TB TR"}},
    ),
    Stacked(
        "R8 R9 there is nothing to deal, and a round without any card to play ends by check C",
        ["B1 B2 B3 B4", "R2 R3 R4 R5", "W3 W4 W5 W6"],
        "",
        ["play B1, add B2 B3 B4", "play R2, add R3 R4 R5", "play W3, add W4 W5 W6"],
        [0, 0, 0],
        {"R8: no card left to deal", "R9: nobody active holds a card", "end check C"},
    ),
    Stacked(
        "R9 one active seat holds a card and two do not",
        ["B1 B2 B3 B4", "R2 R3 R4 R5", "W3 W4 W5 W6"],
        "C9",
        ["play B1, add B2 B3 B4", "play R2, add R3 R4 R5, play C9", "play W3, add W4 W5 W6"],
        [0, 0, 0],
        {"R8: single cards", "R9: an active seat without a card", "end check C"},
    ),
    Stacked(
        "the deck holds exactly what all need to hold four",
        ["B1 B2 B3 B4", "R2 R3 R4 R5", "W3 W4 W5 W6"],
        "C7 C8 C9",
        ["play B1, add", "play R2, add", "play W3, add"],
        [0, 0, 0],
        {"exactly enough to hold 4"},
    ),
    Stacked(
        "the deck holds one card less than all need to hold four",
        ["B1 B2 B3 B4", "R2 R3 R4 R5", "W3 W4 W5 W6"],
        "C7 C8",
        ["play B1, add", "play R2, add", "play W3, add"],
        [0, 0, 0],
        {"cards discarded unseen"},
    ),
    Stacked(
        "the deck holds exactly what all need to hold three",
        ["B1 B2 B3 B4", "R2 R3 R4 R5", "W3 W4 W5 W6"],
        "C7 C8",
        ["play B1, add B2", "play R2, add R3", "play W3, add"],
        [0, 0, 0],
        {"exactly enough to hold 3"},
    ),
    Stacked(
        "end check C comes before a safe is locked",
        ["B1 B8 B9 S4", "R2 W7 R8 R9", "W3 C4 C5 C6"],
        "",
        [
            "play B1, add, play B8, add, play B9, add, play S4",
            "play R2, add, play W7, add, play R8, add, play R9",
            "play W3, add, play C4, add, play C5, add, play C6",
        ],
        [0, 0, 0],
        {"end check C", "an empty hand to add from"},
    ),
    Stacked(
        "R3 the Shadow thief leaves the Ring thief nothing",
        ["TR B1 B2 B3", "R6 C2 C3 C4", "B10 W1 W2 W3", "TX W4 W5 W6"],
        "",
        ["play TR", "play R6", "play B10, add", "play TX, steal R6"],
        [0, 0, 0, 0],
        {"R3: two thieves in one round", "a thief with nothing to take"},
    ),
    Stacked(
        "R3 the Shadow thief leaves the Ring thief the ring",
        ["TR B1 B2 B3", "R6 C2 C3 C4", "B10 W1 W2 W3", "TX W4 W5 W6"],
        "",
        ["play TR", "play R6", "play B10", "play TX, steal B10"],
        [0, 0, 0, 0],
        {"R3: two thieves in one round", "a theft with one candidate"},
    ),
    Stacked(
        "equal values of two types go, a Locked Safe of that value cancels nothing",
        ["R5 B1 B2 B3", "W5 C2 C3 C4", "B7 W1 W2 W3", "S5 W4 W8 W6"],
        "",
        ["play R5", "play W5", "play B7, add", "play S5"],
        [0, 0, 0, 0],
        {"a Locked Safe of a value that lies there", "an invalid attempt"},
    ),
]


@pytest.mark.parametrize("stacked", STACKED, ids=lambda stacked: stacked.name)
@pytest.mark.parametrize("auto_play_forced", [True, False], ids=["forced", "asked"])
def test_stacked_deck_agrees_line_by_line(stacked: Stacked, auto_play_forced: bool) -> None:
    lines = stacked.trace(auto_play_forced)

    met = check_and_tell(lines)

    assert stacked.met <= set(met)
    assert json.loads(lines[-1])["scores"] == stacked.scores


# Lines of these matches, from 1: 2 the deck, 7 the first play of round 2, after the single cards were dealt.

IN_STACKED: list[tuple[int, Alteration]] = [
    (4, ("R8 single cards dealt in another order", 7, "decision.", lambda r8: swap(r8[1]["outcome"], 12, 13))),
    (4, ("R8 a deck that is not exhausted", 7, "exhausted", lambda r8: in_views(r8[6], "exhausted", False))),
    (7, ("R9 a round without a card to play has no number", 7, "round", lambda r9: in_views(r9[6], "round", 1))),
    (10, ("one unseen card passed over", 7, "unseen_count", lambda deck: in_views(deck[6], "unseen_count", 1))),
]


@pytest.mark.parametrize(
    ("place", "alteration"), IN_STACKED, ids=lambda each: each[0] if isinstance(each, tuple) else ""
)
def test_altered_trace_of_a_rare_round_is_refused_where_it_is_wrong(place: int, alteration: Alteration) -> None:
    assert_refused(check, [json.loads(line) for line in STACKED[place].trace()], alteration)


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_random_matches_with_the_deck_of_the_page_agree_line_by_line(players: int) -> None:
    for number in range(2):
        check(random_trace(f"page/{players}/{number}", players, {}))


def test_random_matches_on_odd_tables_agree_and_reach_what_is_rare() -> None:
    met: Counter[str] = Counter()
    for number in range(60):
        met += check_and_tell(random_trace(f"odd/{number}", 3 + number % 5))

    assert set(met) >= RARE


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_three_hundred_matches_on_odd_tables_agree_line_by_line() -> None:
    for number in range(1_000, 1_300):
        check(random_trace(f"odd/{number}", 3 + number % 5))
