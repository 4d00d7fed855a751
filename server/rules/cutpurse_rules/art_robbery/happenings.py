"""What everybody at the table saw between two decisions, in words. Reads nothing that is secret."""

from __future__ import annotations

from collections.abc import Iterator

from cutpurse_rules.art_robbery import cards, tiles
from cutpurse_rules.art_robbery.actions import ArtRobberyAction, Give, Play
from cutpurse_rules.art_robbery.cards import BOSS, GUARD_DOG
from cutpurse_rules.art_robbery.state import MIDDLE, OVER, State
from cutpurse_rules.art_robbery.tiles import BOSS_TILE, HEISTS
from cutpurse_rules.art_robbery.turn import tile_to_take
from cutpurse_rules.contract import Happening, Seat

__all__ = ["happenings_between"]


def happenings_between(before: State, seat: Seat, action: ArtRobberyAction, after: State) -> Iterator[Happening]:
    """What the seat's action did, then what followed from it."""
    if isinstance(action, Give):
        yield Happening(seat, _answered(before, action))
    else:
        yield Happening(seat, _played(before, action, after))
    if after.reshuffles > before.reshuffles:
        yield Happening(None, "the discards are shuffled into a new pile")
    if len(after.safe) > len(before.safe):
        yield from _heist_ended(before, after)


def _source(source: Seat) -> str:
    return "the middle" if source == MIDDLE else f"seat {source}"


def _played(before: State, play: Play, after: State) -> str:
    card = cards.notation(play.card)
    if after.taking is not None:
        taking = after.taking
        return f"plays {card} to take {tiles.notation(taking.tile)} from seat {taking.from_seat}, which has the dog"
    if play.card == GUARD_DOG:
        if before.dog == before.turn_seat:
            return f"plays {card} and has the dog already"
        return f"plays {card} and takes the dog from {_source(before.dog)}"
    taken = tile_to_take(before, play)
    if taken is not None:
        tile, holder = taken
        return f"plays {card} and takes {tiles.notation(tile)} from {_source(holder)}"
    has_it = play.card == BOSS and BOSS_TILE in before.front[before.turn_seat]
    return f"plays {card} and has the Boss tile already" if has_it else f"plays {card} and finds nothing to take"


def _answered(before: State, give: Give) -> str:
    taking = before.taking
    assert taking is not None
    tile = tiles.notation(taking.tile)
    if give.dog:
        return f"gives the dog to seat {taking.seat} and keeps {tile}"
    return f"gives {tile} to seat {taking.seat} and keeps the dog"


def _heist_ended(before: State, after: State) -> Iterator[Happening]:
    """The end of a heist (R4, R9), of the game where it was the last (R7), or the next heist's beginning (R5)."""
    yield Happening(None, f"the heist of the {HEISTS[before.heist - 1].lower()} is over")
    out = list(after.out)
    for tile in before.out:
        out.remove(tile)
    if out:
        yield Happening(None, f"out of the game: {', '.join(map(tiles.notation, out))}")
    if after.step is OVER:
        yield Happening(None, "the game is over")
    else:
        yield Happening(after.turn_seat, f"begins the heist of the {HEISTS[after.heist - 1].lower()}")
