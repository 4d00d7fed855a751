"""Step 6: locking a safe, and what becomes of the hand (page: *The round*, 6)."""

from __future__ import annotations

from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations, with_one
from cutpurse_rules.shadow_thief.cards import CARDS, VALUE
from cutpurse_rules.shadow_thief.state import State

__all__ = ["discard_invalid_attempts", "lock_safes", "put_hands_back", "valid_attempts"]


def valid_attempts(state: State) -> tuple[Seat, ...]:
    """The seats whose revealed Locked Safe is worth at least the number of cards in their safe, which is not empty.

    In front of seats nothing but Locked Safes lies in this step.
    """
    front, safes = state.front, state.safes
    if not any(front):
        return ()
    return tuple([seat for seat in state.active if front[seat] and 0 < len(safes[seat]) <= VALUE[front[seat][0]]])


def discard_invalid_attempts(state: State, valid: tuple[Seat, ...]) -> None:
    """A card that does not lock is discarded; its seat stays active (R5)."""
    for seat in state.active:
        if state.front[seat] and seat not in valid:
            state.discards = with_one(state.discards, state.front[seat][0])
            state.front[seat] = b""


def lock_safes(state: State, valid: tuple[Seat, ...]) -> None:
    """The cards go on the safes, whose seats are out of the deal."""
    locks = list(state.locks)
    for seat in valid:
        locks[seat] = state.front[seat][0]
        state.front[seat] = b""
    state.locks = tuple(locks)
    state.active = tuple([seat for seat in state.active if locks[seat] is None])


def put_hands_back(state: State, valid: tuple[Seat, ...], chance: Chance) -> None:
    """The hands go under the deck, shuffled together (R6), or aside once the deck is exhausted (R7)."""
    gone = tuple([state.hands[seat] if seat in valid else b"" for seat in state.setup.seats])
    for seat in valid:
        state.hands[seat] = b""
    if state.exhausted:
        state.set_aside = _with_hands(state.set_aside, gone)
        return
    state.put_back = _with_hands(state.put_back, gone)
    cards = bytes(sorted(b"".join(gone)))
    if cards:
        order = chance.shuffle(f"return/{state.deal}/{state.round}", notations(cards, CARDS))
        state.deck += bytes(map(cards.__getitem__, order))


def _with_hands(known: tuple[bytes, ...], gone: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """By seat; a seat's hand goes once in a deal."""
    assert not any(before and now for before, now in zip(known, gone, strict=True))
    return tuple([before or now for before, now in zip(known, gone, strict=True)])
