"""What everybody at the table saw between two decisions, in words. Reads nothing that is secret."""

from __future__ import annotations

from collections.abc import Iterator

from cutpurse_rules.big_max.actions import (
    BigMaxAction,
    ChallengeSeat,
    Counter,
    CounterStanding,
    Decline,
    Discard,
    Display,
    Gunman,
    Lay,
    SharpSeat,
)
from cutpurse_rules.big_max.cards import notation
from cutpurse_rules.big_max.state import OVER, Challenge, State
from cutpurse_rules.big_max.winning import SUITCASES_TO_WIN
from cutpurse_rules.contract import Happening, Seat

__all__ = ["happenings_between"]


def happenings_between(before: State, seat: Seat, action: BigMaxAction, after: State) -> Iterator[Happening]:
    """What the seat's action did, then what followed from it."""
    yield Happening(seat, _did(before, seat, action))
    if isinstance(action, Decline):
        yield from _lost(before)
    if after.reshuffles > before.reshuffles:
        yield Happening(None, "the discards are shuffled into a new pile")
    if after.winner is not None:
        yield Happening(after.winner, "wins" if isinstance(action, Lay) else "shows the Master Thief and wins")
        return
    yield from _skipped(before, after)
    if after.step is OVER:
        yield Happening(None, "the last turn is over, and nobody has won")


def _did(before: State, seat: Seat, action: BigMaxAction) -> str:
    match action:
        case Discard():
            return f"discards {notation(action.card)}"
        case Display():
            return f"displays a suitcase, number {before.displays[seat] + 1}"
        case ChallengeSeat():
            return f"challenges seat {action.seat} with {notation(action.card)}"
        case SharpSeat():
            return f"plays CS and takes a card from the hand of seat {action.seat}"
        case CounterStanding():
            thief = before.standing[seat][action.position]
            return f"counters the standing {notation(thief.card)} of seat {thief.employer} with {notation(action.card)}"
        case Lay():
            return "lays MT on the discards"
        case Counter():
            return f"counters {notation(_running(before).card)} with {notation(action.card)}"
        case Gunman():
            challenge = _running(before)
            return f"plays GM and turns {notation(challenge.card)} against seat {challenge.employer}"
        case Decline():
            return "declines"


def _lost(before: State) -> Iterator[Happening]:
    """What an undefended thief does: it stays, or carries a suitcase off, which standing thieves carry on (R5)."""
    challenge = _running(before)
    if not before.displays[challenge.target]:
        yield Happening(challenge.target, f"has {notation(challenge.card)} of seat {challenge.employer} before it now")
        return
    yield Happening(challenge.target, f"loses a suitcase to seat {challenge.employer}")
    receiver = challenge.employer
    paid = [0] * before.setup.players
    while paid[receiver] < len(before.standing[receiver]):
        thief = before.standing[receiver][paid[receiver]]
        yield Happening(receiver, f"pays it to seat {thief.employer} and is rid of {notation(thief.card)}")
        paid[receiver] += 1
        receiver = thief.employer
    # A suitcase that comes back to the seat that lost it finds room again.
    if before.displays[receiver] == SUITCASES_TO_WIN and receiver != challenge.target:
        yield Happening(receiver, "has five on display already and discards it")


def _skipped(before: State, after: State) -> Iterator[Happening]:
    """Seats whose turn was skipped because they hold no card (R10), each told once."""
    last = after.turn if after.step is OVER else after.turn - 1
    players = before.setup.players
    for passed in range(1, min(last - before.turn, players) + 1):
        yield Happening(Seat((before.turn_seat + passed) % players), "has no card and is skipped")


def _running(before: State) -> Challenge:
    assert before.challenge is not None
    return before.challenge
