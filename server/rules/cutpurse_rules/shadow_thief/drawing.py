"""Step 7: drawing from the deck while there is one (page: *The round*, 7)."""

from __future__ import annotations

from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import with_one
from cutpurse_rules.shadow_thief.cards import HAND_SIZE, SMALL_HAND_SIZE
from cutpurse_rules.shadow_thief.state import State

__all__ = ["draw_cards"]


def draw_cards(state: State) -> None:
    """All active seats draw up to four, or to three when that is what the deck has, or as far as it goes (R8)."""
    if state.exhausted:
        return
    active, hands = state.active, state.hands
    held = sum([len(hands[seat]) for seat in active])
    if len(state.deck) >= HAND_SIZE * len(active) - held:
        _draw_up_to(state, HAND_SIZE)
        state.exhausted = not state.deck
        return
    # Every seat has played one card of four, so that nobody holds more than three.
    if len(state.deck) >= SMALL_HAND_SIZE * len(active) - held:
        _draw_up_to(state, SMALL_HAND_SIZE)
        state.unseen = bytes(sorted(state.deck))
        state.deck = b""
    else:
        _deal_the_rest(state)
    state.exhausted = True


def _draw_up_to(state: State, size: int) -> None:
    """In seat order, each its whole need at once."""
    hands, deck = state.hands, state.deck
    drawn = 0
    for seat in state.active:
        hand = hands[seat]
        assert len(hand) < HAND_SIZE
        if need := size - len(hand):
            hands[seat] = bytes(sorted(hand + deck[drawn : drawn + need]))
            drawn += need
    state.deck = deck[drawn:]


def _deal_the_rest(state: State) -> None:
    """Single cards, clockwise, to active seats with fewer than three, from the seat that the round's number names (R8).

    The deck is too small to fill all of them up, so it ends before anybody has to be passed over twice in vain.
    """
    players = state.setup.players
    seat = Seat(state.round % players)
    while state.deck:
        if seat in state.active and len(state.hands[seat]) < SMALL_HAND_SIZE:
            state.hands[seat] = with_one(state.hands[seat], state.deck[0])
            state.deck = state.deck[1:]
        seat = Seat((seat + 1) % players)
