"""A deal's beginning and end, and the end of the match."""

from __future__ import annotations

from cutpurse_rules.chance import Chance
from cutpurse_rules.shadow_thief.cards import HAND_SIZE
from cutpurse_rules.shadow_thief.scoring import points_of
from cutpurse_rules.shadow_thief.state import OVER, State

__all__ = ["deal_cards", "end_match", "score_deal"]


def deal_cards(state: State, chance: Chance) -> None:
    """Shuffle all cards, deal four each, one at a time in seat order (R2), and open every safe."""
    setup = state.setup
    state.deal += 1
    state.round = 0
    order = chance.shuffle(f"deck/{state.deal}", setup.notations)
    shuffled = bytes(map(setup.cards.__getitem__, order))
    dealt = HAND_SIZE * setup.players
    state.hands = [bytes(sorted(shuffled[seat : dealt : setup.players])) for seat in setup.seats]
    state.deck = shuffled[dealt:]
    state.exhausted = False
    nothing = (b"",) * setup.players
    state.front = list(nothing)
    state.safes = list(nothing)
    state.locks = (None,) * setup.players
    state.active = setup.seats
    state.put_back = state.set_aside = nothing
    state.discards = state.unseen = b""
    state.thieves = ()


def score_deal(state: State) -> None:
    """A seat that locked its safe scores what lies in it, every other seat nothing."""
    state.scores = tuple([
        points if lock is None else points + points_of(safe)
        for points, lock, safe in zip(state.scores, state.locks, state.safes, strict=True)
    ])  # fmt: skip


def end_match(state: State) -> None:
    """Nobody is asked any more; everything lies where the last step left it."""
    state.step = OVER
    state.asked = ()
