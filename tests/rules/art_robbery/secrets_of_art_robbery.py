"""Dealing anew what a viewer of Art Robbery cannot know: the other hands and the order of the pile."""

from __future__ import annotations

import random

from cutpurse_rules.art_robbery.state import State
from cutpurse_rules.contract import Seat


def resample(state: State, viewer: Seat | None, dealer: random.Random) -> State:
    """A state that the viewer cannot tell from this one: unseen cards shuffled, sizes kept."""
    hidden = [seat for seat in range(state.setup.players) if seat != viewer]
    unseen = list(state.pile) + [card for seat in hidden for card in state.hands[seat]]
    dealer.shuffle(unseen)
    other = state.copy()
    for seat in hidden:
        size = len(state.hands[seat])
        other.hands[seat] = bytes(sorted(unseen[:size]))
        del unseen[:size]
    other.pile = bytes(unseen)
    return other
