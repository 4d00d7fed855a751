"""Art Robbery tables set up by hand, and what tests ask about them; everything in notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutpurse_rules.art_robbery import ArtRobbery
from cutpurse_rules.art_robbery.actions import LYING_BITS
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.state import MIDDLE, State
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Reason

GAME = ArtRobbery()
NO_CHANCE = ScriptedChance([])
"""For what must not draw anything."""


def heap(text: str, canonical: Sequence[str]) -> bytes:
    """`"N3 GD"` as a multiset."""
    return bytes(sorted(canonical.index(each) + 1 for each in text.split()))


def position(
    hands: Sequence[str],
    *,
    middle: str = "5.0",
    front: Sequence[str] = (),
    safe: Sequence[Sequence[str]] = (),
    dog: int | None = None,
    pile: str = "N0 N0 N0 N0 N0 N0",
    discards: str = "",
    turn_seat: int = 0,
    turn: int = 1,
    **options: Any,
) -> State:
    """A table in a turn. `safe` holds finished heists, each with the tiles of every seat; their number tells the heist.

    The pile is given top card first.
    """
    players = len(hands)
    state = GAME.begin(GAME.configure(players, options), StreamChance(key_of_seed("position")))
    state.hands = [heap(hand, CARDS) for hand in hands]
    state.pile = bytes(CARDS.index(card) + 1 for card in pile.split())
    state.discards = heap(discards, CARDS)
    state.middle = heap(middle, TILES)
    state.front = [heap(tiles, TILES) for tiles in front] or [b""] * players
    state.lying = 0
    for place, tiles in enumerate([state.middle, *state.front]):
        for tile in tiles:
            state.lying |= LYING_BITS[place][tile]
    state.safe = tuple(tuple(heap(tiles, TILES) for tiles in heist) for heist in safe)
    state.heist = len(safe) + 1
    state.dog = MIDDLE if dog is None else Seat(dog)
    state.turn_seat = Seat(turn_seat)
    state.turn = turn
    return state


def legal(state: State, seat: int) -> list[str]:
    """The seat's legal actions."""
    return [action.notation for action in GAME.legal(state, Seat(seat))]


def play(state: State, *texts: str, chance: Chance = NO_CHANCE) -> State:
    """The state after each of the texts was chosen by the seat that was asked."""
    for text in texts:
        (seat,) = GAME.asked(state)
        action = GAME.parse(text)
        GAME.verify(state, seat, action)
        state = GAME.resolve(state, {seat: action}, chance)
    return state


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


def told(before: State, text: str, chance: Chance = NO_CHANCE) -> list[str]:
    """What the table is told when the asked seat chooses the text."""
    (seat,) = GAME.asked(before)
    chosen = {seat: GAME.parse(text)}
    happenings = GAME.happenings(before, chosen, GAME.resolve(before, chosen, chance))
    return [
        happening.text if happening.seat is None else f"{happening.seat} {happening.text}" for happening in happenings
    ]


def shuffles(outcomes: Mapping[str, str]) -> ScriptedChance:
    """A chance with these shuffles, by label, top card first."""
    return ScriptedChance(Draw(label, "shuffle", tuple(cards.split())) for label, cards in outcomes.items())
