"""Dealing anew what a viewer of Big Max's Inheritance cannot know.

That is the other hands, the order of the pile, and what card-sharps took that did not concern the viewer. What its own
card-sharps told it about other hands is memory: the view has it as a list, which stays as it is.
"""

from __future__ import annotations

import random

from cutpurse_rules.big_max.cards import CARDS, MASTER_THIEF, SUITCASE
from cutpurse_rules.big_max.state import Sharp, State
from cutpurse_rules.contract import Seat


def resample(state: State, viewer: Seat | None, dealer: random.Random) -> State:
    """A state that the viewer cannot tell from this one: unseen cards shuffled, sizes kept.

    While somebody has five suitcases on display, or is one short of it, Master Thieves stay where they are: with five
    on display a seat holds none, or it had won, and whether the next action wins everybody sees at once. Suitcases stay
    too then, so that a card-sharp's pick, a place in the sorted hand, finds a Master Thief exactly if it did before.
    """
    other = state.copy()
    hidden = [seat for seat in range(state.setup.players) if seat != viewer]
    fixed = (SUITCASE, MASTER_THIEF) if max(state.displays) >= 4 else ()
    heaps = [*(state.hands[seat] for seat in hidden), state.pile]
    unseen = [card for heap in heaps for card in heap if card not in fixed]
    dealer.shuffle(unseen)
    *hands, other.pile = (bytes(card if card in fixed else unseen.pop() for card in heap) for heap in heaps)
    for seat, hand in zip(hidden, hands, strict=True):
        other.hands[seat] = bytes(sorted(hand))
    resample_card_sharps(other, viewer, dealer)
    return other


def resample_card_sharps(state: State, viewer: Seat | None, dealer: random.Random) -> None:
    """Let card-sharps between other seats have taken any card."""
    record = state.sharp_record
    sharps = [Sharp(Seat(record[at]), Seat(record[at + 1]), record[at + 2]) for at in range(0, len(record), 3)]
    sharps = [
        sharp
        if viewer is not None and viewer in (sharp.from_seat, sharp.to_seat)
        else sharp._replace(card=dealer.randint(1, len(CARDS)))
        for sharp in sharps
    ]
    state.sharp_record = b"".join(map(bytes, sharps))
