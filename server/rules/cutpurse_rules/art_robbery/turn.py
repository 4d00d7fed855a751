"""A turn: play one card, apply it, draw back to five (page: *Play*).

The steps stand here in their order. They change the state that they are given, a copy made by `game.resolve`.
"""

from __future__ import annotations

from cutpurse_rules.art_robbery.actions import BOSS_TILE_BITS, LYING_BITS, Give, Play
from cutpurse_rules.art_robbery.cards import BOSS, CARDS, GUARD_DOG, HAND_SIZE
from cutpurse_rules.art_robbery.heist import end_heist
from cutpurse_rules.art_robbery.state import ANSWER, MIDDLE, TURN, State, Taking
from cutpurse_rules.art_robbery.tiles import BOSS_TILE, Tile
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import notations, small_with_one, small_without_one, with_one

__all__ = ["answer", "deal", "take_turn"]


def take_turn(state: State, play: Play, chance: Chance) -> None:
    """The turn of a seat, up to the dog's answer or through to its end."""
    lay_card(state, play)
    if play.card == GUARD_DOG:
        state.dog = state.turn_seat
    elif (tile := tile_to_take(state, play)) is not None:
        if dog_protects(state, tile[1]):
            await_answer(state, play, *tile)
            return
        take_tile(state, *tile)
    finish_turn(state, chance)


def answer(state: State, give: Give, chance: Chance) -> None:
    """The dog's answer, and the rest of the taker's turn: the taker draws after the answer."""
    taking = state.taking
    assert taking is not None
    state.taking = None
    state.step = TURN
    if give.dog:
        state.dog = taking.seat
    else:
        take_tile(state, taking.tile, taking.from_seat)
    finish_turn(state, chance)


def finish_turn(state: State, chance: Chance) -> None:
    """The end of every turn: draw, then the end of the heist (R4, R9) or the next seat's turn."""
    draw_back(state, chance)
    if not state.middle or state.turn >= state.setup.heist_turn_limit:
        end_heist(state)
    else:
        state.turn += 1
        state.turn_seat = state.setup.next_seat[state.turn_seat]


def lay_card(state: State, play: Play) -> None:
    """Lay the card on the discard pile, where a reshuffle finds it (R2)."""
    seat = state.turn_seat
    state.hands[seat] = small_without_one(state.hands[seat], play.card)
    state.discards = with_one(state.discards, play.card)


def tile_to_take(state: State, play: Play) -> tuple[Tile, Seat] | None:
    """The tile that the card takes and the seat (or MIDDLE) that it lies with; None when nothing happens."""
    if play.tile is not None:
        return play.tile, MIDDLE if play.source is None else play.source
    if play.card != BOSS:
        return None
    for place, bit in enumerate(BOSS_TILE_BITS):
        if state.lying & bit:
            holder = Seat(place - 1)
            return None if holder == state.turn_seat else (BOSS_TILE, holder)
    return None


def dog_protects(state: State, holder: Seat) -> bool:
    """Whether the tile's holder has the dog and may give it instead; the middle has no say."""
    return holder != MIDDLE and holder == state.dog


def await_answer(state: State, play: Play, tile: Tile, holder: Seat) -> None:
    """Ask the seat that has the dog, at once: the tile or the dog."""
    state.step = ANSWER
    state.taking = Taking(play.card, state.turn_seat, holder, tile)


def take_tile(state: State, tile: Tile, holder: Seat) -> None:
    """Move the tile from the middle or its holder to the seat whose turn it is."""
    if holder == MIDDLE:
        left = state.middle = small_without_one(state.middle, tile)
    else:
        left = state.front[holder] = small_without_one(state.front[holder], tile)
    if tile not in left:
        state.lying ^= LYING_BITS[holder + 1][tile]
    taker = state.turn_seat
    state.front[taker] = small_with_one(state.front[taker], tile)
    state.lying |= LYING_BITS[taker + 1][tile]


def draw_back(state: State, chance: Chance) -> None:
    """Draw one card for the one played; at that moment an empty pile is made anew from the discards (R2)."""
    if not state.pile:
        state.reshuffles += 1
        order = chance.shuffle(f"reshuffle/{state.reshuffles}", notations(state.discards, CARDS))
        state.pile = bytes(map(state.discards.__getitem__, order))
        state.discards = b""
    seat = state.turn_seat
    state.hands[seat] = small_with_one(state.hands[seat], state.pile[0])
    state.pile = state.pile[1:]
    assert len(state.hands[seat]) == HAND_SIZE


def deal(state: State, chance: Chance) -> None:
    """Shuffle the deck and deal five cards each, one at a time in seat order."""
    setup = state.setup
    order = chance.shuffle("deck", notations(setup.deck, CARDS))
    shuffled = bytes(map(setup.deck.__getitem__, order))
    dealt = HAND_SIZE * setup.players
    state.hands = [bytes(sorted(shuffled[seat : dealt : setup.players])) for seat in range(setup.players)]
    state.pile = shuffled[dealt:]
