"""Dealing anew what a viewer of the Shadow Thief cannot know.

That is: the other hands, the order of the deck, and which cards others put back or set aside or the deck lost unseen.
"""

from __future__ import annotations

import random

from cutpurse_rules.contract import Seat
from cutpurse_rules.shadow_thief.state import State


def resample(state: State, viewer: Seat | None, dealer: random.Random) -> State:
    """A state that the viewer cannot tell from this one: unseen cards shuffled, sizes kept."""
    hidden = [seat for seat in state.setup.seats if seat != viewer]
    unseen = [
        *state.deck,
        *state.unseen,
        *(card for seat in hidden for card in state.hands[seat] + state.set_aside[seat]),
    ]
    dealer.shuffle(unseen)

    def take(size: int) -> bytes:
        taken = bytes(unseen[:size])
        del unseen[:size]
        return taken

    other = state.copy()
    for seat in hidden:
        other.hands[seat] = bytes(sorted(take(len(state.hands[seat]))))
    set_aside = list(state.set_aside)
    for seat in hidden:
        set_aside[seat] = bytes(sorted(take(len(set_aside[seat]))))
    other.set_aside = tuple(set_aside)
    other.unseen = bytes(sorted(take(len(state.unseen))))
    other.deck = take(len(state.deck))
    assert not unseen
    # What others put back may be anywhere by now, also on the table.
    anywhere = list(state.setup.cards)
    dealer.shuffle(anywhere)
    put_back = list(state.put_back)
    for seat in hidden:
        size = len(put_back[seat])
        put_back[seat] = bytes(sorted(anywhere[:size]))
        del anywhere[:size]
    other.put_back = tuple(put_back)
    return other
