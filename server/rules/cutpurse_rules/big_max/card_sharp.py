"""The card-sharp: a card of another hand, at random and unseen (page: *A turn*, 4; R9, R11)."""

from __future__ import annotations

from cutpurse_rules.big_max.cards import CARD_SHARP, CARDS
from cutpurse_rules.big_max.drawing import draw_one
from cutpurse_rules.big_max.state import SHARP_BYTES, State
from cutpurse_rules.big_max.winning import look_for_win
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations, small_with_one, small_without_one

__all__ = ["play_card_sharp"]


def play_card_sharp(state: State, victim: Seat, chance: Chance) -> None:
    """Discard the card-sharp, take a card; then the victim draws exactly one, whatever the hand sizes (R11)."""
    seat = state.turn_seat
    state.lay_down(seat, CARD_SHARP)
    hand = state.hands[victim]
    number = len(state.sharp_record) // SHARP_BYTES + 1
    place = chance.pick(f"sharp/{number}", notations(hand, CARDS))
    state.hands[victim] = small_without_one(hand, hand[place])
    state.hands[seat] = small_with_one(state.hands[seat], hand[place])
    state.sharp_record += bytes((victim, seat, hand[place]))
    look_for_win(state, seat)
    if state.winner is None:
        draw_one(state, victim, chance)
