"""The end of a heist (page: *End of a heist*)."""

from __future__ import annotations

from cutpurse_rules.art_robbery.scoring import discard_for_alibis
from cutpurse_rules.art_robbery.state import MIDDLE, OVER, State
from cutpurse_rules.art_robbery.tiles import BOSS_TILE, HEISTS, KEEPS_THE_BOSS
from cutpurse_rules.multisets import without_one

__all__ = ["end_heist"]


def end_heist(state: State) -> None:
    """What happens when the middle is empty (R4) or the turns are used up (R9), up to the next heist's first turn."""
    remove_leftovers(state)
    remove_unguarded_boss(state)
    make_tiles_safe(state)
    if state.heist == len(HEISTS):
        end_game(state)
    else:
        begin_next_heist(state)


def remove_leftovers(state: State) -> None:
    """Tiles still in the middle are out of the game (R9)."""
    _put_out(state, state.middle)
    state.middle = b""


def remove_unguarded_boss(state: State) -> None:
    """A seat keeps the Boss tile only with a tile of value 4 or 5 of the same heist; else it is out of the game."""
    for seat, tiles in enumerate(state.front):
        if BOSS_TILE in tiles and not any(tile in tiles for tile in KEEPS_THE_BOSS):
            state.front[seat] = without_one(tiles, BOSS_TILE)
            _put_out(state, bytes((BOSS_TILE,)))


def make_tiles_safe(state: State) -> None:
    """Nobody can take the tiles of a finished heist; hands and the draw pile stay as they are."""
    state.safe = (*state.safe, tuple(state.front))
    state.front = [b""] * state.setup.players
    state.lying = 0


def begin_next_heist(state: State) -> None:
    """The seat with the dog keeps it and begins; while it is in the middle, the seat after the last turn (R5)."""
    state.heist += 1
    state.turn = 1
    state.turn_seat = state.setup.next_seat[state.turn_seat] if state.dog == MIDDLE else state.dog
    state.lay_out_tiles()


def end_game(state: State) -> None:
    """The match is over; with two players, who has fewer alibis discards tiles (R7)."""
    state.step = OVER
    if state.setup.players == 2:
        state.safe, discarded = discard_for_alibis(state.safe)
        _put_out(state, discarded)


def _put_out(state: State, tiles: bytes) -> None:
    state.out = bytes(sorted(state.out + tiles))
