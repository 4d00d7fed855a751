"""A challenge: a thief attacks a seat, which replies at once (page: *Replying to a challenge*).

The thief and its gunmen lie on the table while the challenge runs, not among the discards: a reshuffle in the middle
does not find them.
"""

from __future__ import annotations

from cutpurse_rules.big_max.cards import GUNMAN, Card
from cutpurse_rules.big_max.standing_thieves import gain_suitcase, take_up_position
from cutpurse_rules.big_max.state import REPLY, TURN, Challenge, Standing, State
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import small_without_one

__all__ = ["begin_challenge", "counter", "decline", "turn_thief_round"]


def begin_challenge(state: State, target: Seat, thief: Card) -> None:
    """Send a thief against another seat, which has to reply; at first it works for the challenger."""
    challenger = state.turn_seat
    assert target != challenger
    state.hands[challenger] = small_without_one(state.hands[challenger], thief)
    state.challenge = Challenge(thief, challenger, challenger, target, 0)
    state.step = REPLY


def counter(state: State, defender: Card) -> None:
    """The target's defender and the thief with its gunmen are discarded: the challenge is over."""
    challenge = running(state)
    state.lay_down(challenge.target, defender)
    state.put_away(challenge.card, challenge.gunmen)
    end_challenge(state)


def turn_thief_round(state: State) -> None:
    """The target puts a gunman under the thief: it and the employer change roles, and the new target has to reply."""
    card, challenger, employer, target, gunmen = running(state)
    state.hands[target] = small_without_one(state.hands[target], GUNMAN)
    state.challenge = Challenge(card, challenger, target, employer, gunmen + 1)


def decline(state: State) -> None:
    """The target does not defend itself (R2): it loses a suitcase, or without one has the thief in front of it.

    The suitcase goes to the employer as the rulings on gains say (R3, R5).
    """
    card, _, employer, target, gunmen = running(state)
    end_challenge(state)
    if state.displays[target]:
        state.show(target, -1)
        state.put_away(card, gunmen)
        gain_suitcase(state, employer)
    else:
        take_up_position(state, target, Standing(card, employer, gunmen))


def running(state: State) -> Challenge:
    """The challenge to which a reply is due."""
    assert state.challenge is not None
    return state.challenge


def end_challenge(state: State) -> None:
    """No reply is due any more; where the thief goes is said by how the challenge ended."""
    state.challenge = None
    state.step = TURN
