"""Dealing and drawing cards (page: *Cards*, *A turn*; R1, R12, R13)."""

from __future__ import annotations

from cutpurse_rules.big_max.cards import CARDS, HAND_SIZE
from cutpurse_rules.big_max.state import State
from cutpurse_rules.big_max.winning import look_for_win
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations, small_with_one

__all__ = ["deal", "draw_one", "refill"]


def deal(state: State, chance: Chance) -> None:
    """Shuffle the deck and deal six cards each, one at a time in seat order."""
    setup = state.setup
    order = chance.shuffle("deck", notations(setup.deck, CARDS))
    shuffled = bytes(map(setup.deck.__getitem__, order))
    dealt = HAND_SIZE * setup.players
    state.hands = [bytes(sorted(shuffled[seat : dealt : setup.players])) for seat in range(setup.players)]
    state.pile = shuffled[dealt:]


def refill(state: State, seat: Seat, chance: Chance) -> None:
    """The seat that played a card draws up to six, as far as there are cards (R1).

    Once somebody has won nothing is drawn any more (R6), by the card just played or by a card drawn here.
    """
    missing = HAND_SIZE - len(state.hands[seat])
    while missing and state.winner is None and draw_one(state, seat, chance):
        missing -= 1


def draw_one(state: State, seat: Seat, chance: Chance) -> bool:
    """Draw a card, which may win (R6); at that moment an empty pile is made anew from the discards.

    Returns whether there was a card to draw.
    """
    if not state.pile:
        if not state.discards:
            return False
        state.reshuffles += 1
        order = chance.shuffle(f"reshuffle/{state.reshuffles}", notations(state.discards, CARDS))
        state.pile = bytes(map(state.discards.__getitem__, order))
        state.discards = b""
    state.hands[seat] = small_with_one(state.hands[seat], state.pile[0])
    state.pile = state.pile[1:]
    look_for_win(state, seat)
    return True
