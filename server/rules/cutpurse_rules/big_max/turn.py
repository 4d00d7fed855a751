"""A turn: exactly one card is played, and whoever played it draws up to six (page: *A turn*).

The steps stand here in their order. They change the state that they are given, a copy made by `game.resolve`. A
challenge is part of the challenger's turn, which goes on with every reply and ends with the challenge.
"""

from __future__ import annotations

from typing import assert_never

from cutpurse_rules.big_max.actions import (
    ChallengeSeat,
    Counter,
    CounterStanding,
    Decline,
    Discard,
    Display,
    Gunman,
    Lay,
    Reply,
    SharpSeat,
    TurnAction,
)
from cutpurse_rules.big_max.card_sharp import play_card_sharp
from cutpurse_rules.big_max.cards import MASTER_THIEF, SUITCASE
from cutpurse_rules.big_max.challenge import begin_challenge, counter, decline, turn_thief_round
from cutpurse_rules.big_max.drawing import refill
from cutpurse_rules.big_max.standing_thieves import counter_standing, gain_suitcase
from cutpurse_rules.big_max.state import OVER, State
from cutpurse_rules.big_max.winning import win
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import small_without_one

__all__ = ["reply", "take_turn"]


def take_turn(state: State, action: TurnAction, chance: Chance) -> None:
    """The turn of a seat, up to the reply to its challenge or through to its end.

    The effect of the card comes first, then the refill (R1, R13); a card-sharp has its own rule (R11).
    """
    seat = state.turn_seat
    play_card(state, seat, action, chance)
    if not isinstance(action, SharpSeat):
        refill(state, seat, chance)
    finish_turn(state)


def reply(state: State, action: Reply, chance: Chance) -> None:
    """The target's reply, and if it ends the challenge the rest of the challenger's turn.

    A target that played a card draws, nobody else (R12); one that declined played none.
    """
    assert state.challenge is not None
    target = state.challenge.target
    match action:
        case Counter():
            counter(state, action.card)
            refill(state, target, chance)
        case Gunman():
            turn_thief_round(state)
            refill(state, target, chance)
        case Decline():
            decline(state)
        case _:
            assert_never(action)
    finish_turn(state)


def play_card(state: State, seat: Seat, action: TurnAction, chance: Chance) -> None:
    """Play the card of the turn and apply it."""
    match action:
        case Discard():
            state.lay_down(seat, action.card)
        case ChallengeSeat():
            begin_challenge(state, action.seat, action.card)
        case SharpSeat():
            play_card_sharp(state, action.seat, chance)
        case Display():
            display(state, seat)
        case CounterStanding():
            counter_standing(state, seat, action.position, action.card)
        case Lay():
            lay(state, seat)
        case _:
            assert_never(action)


def display(state: State, seat: Seat) -> None:
    """Put a suitcase of one's hand in front of oneself."""
    assert not state.standing[seat]
    state.hands[seat] = small_without_one(state.hands[seat], SUITCASE)
    gain_suitcase(state, seat)


def lay(state: State, seat: Seat) -> None:
    """Lay the Master Thief onto the discards and win (option `master_thief_must_be_laid`)."""
    state.lay_down(seat, MASTER_THIEF)
    win(state, seat)


def finish_turn(state: State) -> None:
    """Pass the turn on, unless a reply is due or somebody has won."""
    if state.challenge is None and state.winner is None:
        pass_turn_on(state)


def pass_turn_on(state: State) -> None:
    """Begin the turn of the next seat that holds a card; after the last turn the match is over (R8)."""
    setup = state.setup
    seat = setup.next_seat[state.turn_seat]
    if state.hands[seat] and state.turn < setup.turn_limit:
        state.turn += 1
        state.turn_seat = seat
    else:
        skip_turns(state)


def skip_turns(state: State) -> None:
    """Turns of seats without cards are skipped, and count (R10). If nobody holds a card, all that are left are."""
    players, limit = state.setup.players, state.setup.turn_limit
    turns_left = limit - state.turn
    for passed in range(1, min(players, turns_left) + 1):
        seat = Seat((state.turn_seat + passed) % players)
        if state.hands[seat]:
            state.turn += passed
            state.turn_seat = seat
            return
    state.turn = limit
    state.turn_seat = Seat((state.turn_seat + turns_left) % players)
    state.step = OVER
