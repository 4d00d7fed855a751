"""The card-sharp: a card of another hand, at random and unseen (page: *A turn*, 4; R9, R11)."""

from __future__ import annotations

from cutpurse_rules.big_max.cards import CARD_SHARP, CARDS
from cutpurse_rules.big_max.drawing import draw_one
from cutpurse_rules.big_max.state import Sharp, State
from cutpurse_rules.big_max.winning import look_for_win
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations, with_one

__all__ = ["SHARP_BYTES", "play_card_sharp"]

SHARP_BYTES = 3
"""What a card-sharp takes in `State.sharp_record`."""


def play_card_sharp(state: State, victim: Seat, chance: Chance) -> None:
    """Discard the card-sharp, take a card; then the victim draws exactly one, whatever the hand sizes (R11)."""
    seat = state.turn_seat
    state.lay_down(seat, CARD_SHARP)
    hand = state.hands[victim]
    number = len(state.sharp_record) // SHARP_BYTES + 1
    place = chance.pick(f"sharp/{number}", notations(hand, CARDS))
    state.hands[victim] = hand[:place] + hand[place + 1 :]
    state.hands[seat] = with_one(state.hands[seat], hand[place])
    remember(state, Sharp(victim, seat, hand[place]))
    look_for_win(state, seat)
    if state.winner is None:
        draw_one(state, victim, chance)


def remember(state: State, sharp: Sharp) -> None:
    """Keep what was taken in the memory of the two seats concerned (R9)."""
    state.sharp_record += bytes(sharp)
    concerned = (sharp.from_seat, sharp.to_seat)
    state.sharps = tuple((*known, sharp) if seat in concerned else known for seat, known in enumerate(state.sharps))
