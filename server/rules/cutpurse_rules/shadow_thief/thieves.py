"""Step 3: the thieves, the Shadow thief before the specialists (page: *The round*, 3)."""

from __future__ import annotations

from typing import Final

from cutpurse_rules.multisets import alone, with_one
from cutpurse_rules.shadow_thief.cards import FIRST_THIEF, LAST_JEWELRY, SHADOW_THIEF, TYPE, Card
from cutpurse_rules.shadow_thief.state import STEAL, State

__all__ = ["ask_next_thief", "discard_thieves", "line_up_thieves", "loot_for", "take_card"]


_FIRST_THIEF_ALONE: Final = alone(FIRST_THIEF)
"""What lies in front of a seat is less, unless it is a thief, which belongs to the last kinds and lies alone."""


def loot_for(thief: Card, front: list[bytes]) -> list[Card]:
    """What the thief may take of the Jewelry that lies in front of seats, in canonical order."""
    lying = [cards[0] for cards in front if cards and cards[0] <= LAST_JEWELRY]
    if thief != SHADOW_THIEF:
        lying = [card for card in lying if TYPE[card] == TYPE[thief]]
    lying.sort()
    return lying


def line_up_thieves(state: State) -> None:
    """The Shadow thief's owner comes first, then the specialists in seat order (R3)."""
    front = state.front
    if max(front) < _FIRST_THIEF_ALONE:
        state.thieves = ()
        return
    owners = [seat for seat in state.active if front[seat] and front[seat][0] >= FIRST_THIEF]
    if len(owners) > 1:
        # A stable sort: among specialists the seats stay in their order.
        owners.sort(key=lambda seat: front[seat][0] != SHADOW_THIEF)
    state.thieves = tuple(owners)


def ask_next_thief(state: State) -> bool:
    """Ask the owner of the next thief that can take something, which it must; the others get nothing."""
    while state.thieves:
        owner = state.thieves[0]
        if loot_for(state.front[owner][0], state.front):
            state.step = STEAL
            state.asked = (owner,)
            return True
        state.thieves = state.thieves[1:]
    return False


def take_card(state: State, card: Card) -> None:
    """Move the card into the safe of the thief's owner; the thief lies where it was until the last one is done."""
    owner, *others = state.thieves
    holder = state.front.index(alone(card))
    state.front[holder] = b""
    state.safes[owner] = with_one(state.safes[owner], card)
    state.thieves = tuple(others)


def discard_thieves(state: State) -> None:
    """Every thief played is discarded, successful or not."""
    if max(state.front) < _FIRST_THIEF_ALONE:
        return
    for seat in state.active:
        cards = state.front[seat]
        if cards and cards[0] >= FIRST_THIEF:
            state.discards = with_one(state.discards, cards[0])
            state.front[seat] = b""
