"""Winning, and the result of a match (page: *Winning*, *Stall limit*; R6 to R8)."""

from __future__ import annotations

from typing import Final

from cutpurse_rules.big_max.cards import MASTER_THIEF
from cutpurse_rules.big_max.state import OVER, State
from cutpurse_rules.contract import EndReason, Result, Seat

__all__ = ["SUITCASES_TO_WIN", "look_for_win", "result_of", "win"]

SUITCASES_TO_WIN: Final = 5
"""What a winner has on display; nobody ever displays more."""

_POINTS_OF_THE_WINNER: Final = 5


def look_for_win(state: State, seat: Seat) -> None:
    """The seat's display or hand has grown: with five suitcases and a Master Thief it has won (R6).

    Where the Master Thief must be laid, holding it is not enough.
    """
    if (
        state.displays[seat] == SUITCASES_TO_WIN
        and MASTER_THIEF in state.hands[seat]
        and not state.setup.master_thief_must_be_laid
    ):
        win(state, seat)


def win(state: State, seat: Seat) -> None:
    """The match is over at once; cards of a running challenge stay on the table."""
    assert state.winner is None
    assert state.displays[seat] == SUITCASES_TO_WIN
    state.winner = seat
    state.step = OVER


def result_of(state: State) -> Result:
    """The result of a match that is over: the winner first, the others by suitcases on display (R7, R8)."""
    assert state.step is OVER
    standings = [(seat == state.winner, suitcases) for seat, suitcases in enumerate(state.displays)]
    return Result(
        scores=tuple(suitcases + _POINTS_OF_THE_WINNER * won for won, suitcases in standings),
        placements=tuple(1 + sum(other > standing for other in standings) for standing in standings),
        reason=EndReason.STALLED if state.winner is None else EndReason.WON,
    )
