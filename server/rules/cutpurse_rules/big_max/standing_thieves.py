"""Thieves that stand in front of a seat, and what becomes of its suitcases (page: *Standing thieves*, R3 to R5)."""

from __future__ import annotations

from cutpurse_rules.big_max.cards import SUITCASE, Card
from cutpurse_rules.big_max.state import Standing, State
from cutpurse_rules.big_max.winning import SUITCASES_TO_WIN, look_for_win
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import with_one

__all__ = ["counter_standing", "gain_suitcase", "take_up_position"]


def take_up_position(state: State, seat: Seat, thief: Standing) -> None:
    """The thief stays in front of a seat that has no suitcase, as the newest."""
    assert not state.displays[seat]
    assert thief.employer != seat
    state.stand(seat, (*state.standing[seat], thief))


def counter_standing(state: State, seat: Seat, position: int, defender: Card) -> None:
    """The defender and the thief at the position, with its gunmen, are discarded."""
    state.lay_down(seat, defender)
    send_away(state, seat, position)


def gain_suitcase(state: State, seat: Seat) -> None:
    """The seat gains a suitcase, in whatever way (R5).

    While a thief stands in front of the receiver, the oldest takes the suitcase to its employer and is discarded: a
    payment can travel on, for as many steps as thieves stand at most. The last receiver displays it, unless five are on
    display there already: then it is discarded (R3).
    """
    while state.standing[seat]:
        seat = send_away(state, seat, 0).employer
    if state.displays[seat] == SUITCASES_TO_WIN:
        state.discards = with_one(state.discards, SUITCASE)
    else:
        state.show(seat, +1)
        look_for_win(state, seat)


def send_away(state: State, seat: Seat, position: int) -> Standing:
    """Discard the thief at the position in front of the seat, with its gunmen."""
    thieves = state.standing[seat]
    thief = thieves[position]
    state.put_away(thief.card, thief.gunmen)
    state.stand(seat, thieves[:position] + thieves[position + 1 :])
    return thief
