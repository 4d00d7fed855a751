"""What holds at every Shadow Thief table that legal play reaches, said once for all property tests."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations

from cutpurse_rules.contract import Seat
from cutpurse_rules.shadow_thief.cards import CARDS
from cutpurse_rules.shadow_thief.state import State
from tests.rules.shadow_thief.position import GAME, view


def check_table(state: State) -> None:
    """Every card lies in one place, and what the page says of each step holds."""
    check_cards_are_conserved(state)
    check_sizes(state)
    check_front(state)
    for seat in state.setup.seats:
        assert [action.notation for action in GAME.legal(state, seat)] == expected(state, seat)


def check_cards_are_conserved(state: State) -> None:
    """Each card of the deal is in exactly one place; heaps are in canonical order."""
    locks = bytes(lock for lock in state.locks if lock is not None)
    heaps = [*state.hands, *state.front, *state.safes, state.discards, *state.set_aside, state.unseen]
    assert Counter(b"".join([*heaps, state.deck, locks])) == Counter(state.setup.cards)
    for heap in [*heaps, *state.put_back]:
        assert bytes(sorted(heap)) == heap
    # A card may be put back by one seat, drawn by another and put back again.
    for cards in state.put_back:
        assert Counter(cards) <= Counter(state.setup.cards)


def check_sizes(state: State) -> None:
    """Hands, the deck, rounds, and who is in the deal."""
    assert state.active == tuple(seat for seat in state.setup.seats if state.locks[seat] is None)
    assert len(state.active) >= 2 or state.step == "OVER"
    assert not (state.exhausted and state.deck)
    assert not state.unseen or state.exhausted
    assert 1 <= state.round <= len(state.setup.cards) // 2
    assert 1 <= state.deal <= state.setup.deals
    for seat in state.setup.seats:
        assert len(state.hands[seat]) <= (4 if seat in state.active else 0)
        if state.step == "PLAY" and seat in state.active and not state.exhausted:
            assert len(state.hands[seat]) == 4
        if seat in state.active:
            assert not state.put_back[seat]
            assert not state.set_aside[seat]


def check_front(state: State) -> None:
    """What may lie in front of seats in each step; values differ once the stalemate is over."""
    front = view(state)["front"]
    lying = [card for heap in front for card in heap]
    if state.step == "PLAY":
        assert lying == []
    if state.step in ("STEAL", "ADD"):
        assert all(len(heap) <= 1 for heap in front)
        values = [card[1:] for card in lying if card[0] in "BRWC"]
        assert len(set(values)) == len(values)
    if state.step != "STEAL":
        assert not any(card[0] == "T" for card in lying)
        assert not state.thieves


def expected(state: State, seat: Seat) -> list[str]:
    """The seat's legal actions, found out anew from nothing but its view."""
    table = view(state, seat)
    hand, front = table["hand"], table["front"]
    if seat not in table["asked"]:
        return []
    if table["step"] == "PLAY":
        return [f"play {card}" for card in CARDS if card in hand]
    if table["step"] == "STEAL":
        thief = front[seat][0]
        lying = [card for heap in front for card in heap]
        return [
            f"steal {card}" for card in CARDS if card in lying and card[0] in ("BRWC" if thief == "TX" else thief[1])
        ]
    same = [card for card in hand if card[0] == front[seat][0][0]]
    ways = chain.from_iterable(combinations(same, size) for size in range(len(same) + 1))
    return [" ".join(["add", *way]) for way in dict.fromkeys(ways)]
