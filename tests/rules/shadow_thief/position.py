"""Shadow Thief tables set up by hand, and what tests ask about them; everything in notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Reason
from cutpurse_rules.shadow_thief import ShadowThief
from cutpurse_rules.shadow_thief.cards import CARDS
from cutpurse_rules.shadow_thief.state import State

GAME = ShadowThief()
NO_CHANCE = ScriptedChance([])
"""For what must not draw anything."""


def cards(text: str) -> bytes:
    """`"R6 TX"` as a row of cards, first card first."""
    return bytes(CARDS.index(each) + 1 for each in text.split())


def heap(text: str) -> bytes:
    """`"R6 B1"` as a multiset."""
    return bytes(sorted(cards(text)))


def position(
    hands: Sequence[str],
    *,
    deck: str = "S15 " * 30,
    safes: Sequence[str] = (),
    locks: Mapping[int, str] | None = None,
    exhausted: bool = False,
    discards: str = "",
    deal: int = 1,
    round_number: int = 1,
    scores: Sequence[int] = (),
    **options: Any,
) -> State:
    """A table at the beginning of a round. The deck is given top card first, and has enough for everybody by default.

    A match has one deal unless `deals` says otherwise, so that its end can be looked at.
    """
    players = len(hands)
    options = {"deals": max(1, deal), **options}
    state = GAME.begin(GAME.configure(players, options), StreamChance(key_of_seed("position")))
    state.hands = [heap(hand) for hand in hands]
    state.deck = cards(deck)
    state.exhausted = exhausted
    state.safes = [heap(safe) for safe in safes] or [b""] * players
    locking = {} if locks is None else locks
    state.locks = tuple(heap(locking[seat])[0] if seat in locking else None for seat in range(players))
    state.active = tuple(seat for seat in state.setup.seats if seat not in locking)
    state.asked = tuple(seat for seat in state.active if state.hands[seat])
    state.discards = heap(discards)
    state.deal = deal
    state.round = round_number
    state.scores = tuple(scores) or (0,) * players
    return state


def chosen_in(state: State, texts: str) -> dict[Seat, Any]:
    """The choices of `"play R6 | play TX"`, one for each asked seat in seat order, all of them legal."""
    asked = GAME.asked(state)
    chosen = {seat: GAME.parse(text) for seat, text in zip(asked, texts.split(" | "), strict=True)}
    for seat, action in chosen.items():
        GAME.verify(state, seat, action)
    return chosen


def play(state: State, *decisions: str, chance: Chance = NO_CHANCE) -> State:
    """The state after each of the decisions was made: `"play R6 | play TX"`, one choice for each asked seat."""
    for texts in decisions:
        state = GAME.resolve(state, chosen_in(state, texts), chance)
    return state


def legal(state: State, seat: int) -> list[str]:
    """The seat's legal actions."""
    return [action.notation for action in GAME.legal(state, Seat(seat))]


def forced(state: State) -> dict[int, str]:
    """What the engine would choose itself."""
    return {seat: action.notation for seat, action in GAME.forced(state).items()}


def refusal(state: State, seat: int, text: str) -> Reason | None:
    """Why the seat may not choose the text, or None."""
    try:
        GAME.verify(state, Seat(seat), GAME.parse(text))
    except Illegal as error:
        return error.reason
    return None


def view(state: State, seat: int | None = None) -> dict[str, Any]:
    """What the seat or a spectator sees."""
    return GAME.view(state, None if seat is None else Seat(seat)).to_json()


def told(before: State, texts: str, chance: Chance = NO_CHANCE) -> list[str]:
    """What the table is told when the asked seats choose the texts."""
    chosen = chosen_in(before, texts)
    happenings = GAME.happenings(before, chosen, GAME.resolve(before, chosen, chance))
    return [
        happening.text if happening.seat is None else f"{happening.seat} {happening.text}" for happening in happenings
    ]


def shuffles(outcomes: Mapping[str, str]) -> ScriptedChance:
    """A chance with these shuffles, by label, top card first."""
    return ScriptedChance(Draw(label, "shuffle", tuple(order.split())) for label, order in outcomes.items())
