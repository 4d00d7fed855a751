"""The toy game through the battery, and its own rules."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from cutpurse_rules.chance import Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import Cause, Ended, Resolved, play_through
from tests.rules.battery import CHECKS, Case, cases
from tests.rules.rock_paper_scissors.game import RockPaperScissors, winner_of
from tests.rules.rock_paper_scissors.state import Show, State

GAME = RockPaperScissors()
STAKES = ScriptedChance([Draw("stakes", "shuffle", tuple("312132123"))])


def resample(state: State, viewer: Seat | None, dealer: random.Random) -> State:
    """Another order of the stakes that nobody has seen: it is all that is hidden between two decisions."""
    below = list(state.stakes[1:])
    orders = sorted(set(itertools.permutations(below)) - {tuple(below)})
    return replace(state, stakes=state.stakes[:1] + bytes(dealer.choice(orders))) if orders else state


CASES = cases(GAME, resample)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_battery(case: Case, check: Callable[[Case], None]) -> None:
    check(case)


@pytest.mark.parametrize(
    ("shown", "winner"),
    [("RS", 0), ("SP", 0), ("PR", 0), ("SR", 1), ("PS", 1), ("RP", 1), ("RR", None), ("PP", None), ("SS", None)],
)
def test_each_shape_beats_one_other(shown: str, winner: int | None) -> None:
    first, second = (GAME.parse(f"show {shape}").shape for shape in shown)

    assert winner_of((first, second)) == winner


def test_the_winner_gets_the_stake_of_the_round() -> None:
    state = GAME.begin(GAME.configure(2), STAKES)

    after = GAME.resolve(state, {Seat(1): GAME.parse("show P"), Seat(0): GAME.parse("show R")}, STAKES)

    assert after.points == (0, 3)


def test_a_seats_own_choice_stands_in_its_view_alone() -> None:
    state = GAME.begin(GAME.configure(2), STAKES)
    choice = GAME.parse("show P")

    own = GAME.view(state, Seat(0), choice).to_json()
    others = [GAME.view(state, viewer).to_json() for viewer in (Seat(1), None)]

    assert own["choice"] == "show P"
    assert [view["choice"] for view in others] == [None, None]


@pytest.mark.parametrize(("auto_play", "cause"), [(True, Cause.FORCED), (False, Cause.CHOSEN)])
def test_a_hand_of_one_kind_is_forced_within_the_same_decision(auto_play: bool, cause: Cause) -> None:
    config = GAME.configure(2, {"auto_play_forced": auto_play})
    plays = {Seat(0): iter("RRPPSS"), Seat(1): iter("RPSRPS")}
    asked: list[tuple[int, Seat]] = []

    def choose(state: State, seat: Seat) -> Show:
        asked.append((state.rounds_left, seat))
        return GAME.parse(f"show {next(plays[seat])}")

    *decisions, ended = play_through(GAME, config, STAKES, choose)

    # Seat 0 has only scissors left in the last two rounds, seat 1 one card in the last.
    fifth, sixth = decisions[4:]
    assert isinstance(fifth, Resolved)
    assert isinstance(sixth, Resolved)
    assert isinstance(ended, Ended)
    assert fifth.causes == {0: cause, 1: Cause.CHOSEN}
    assert sixth.causes == {0: cause, 1: cause}
    assert ((2, Seat(0)) in asked) is not auto_play
    assert (2, Seat(1)) in asked
    assert fifth.asked == sixth.asked == (0, 1)


def test_equal_points_share_the_first_place() -> None:
    config = GAME.configure(2)

    *_, ended = play_through(
        GAME, config, StreamChance(key_of_seed("any")), lambda state, seat: GAME.legal(state, seat)[0]
    )

    assert isinstance(ended, Ended)
    assert ended.result.scores == (0, 0)
    assert ended.result.placements == (1, 1)
