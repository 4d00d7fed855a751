"""The actions and their notation. There are 60 of them; each exists once.

Where a tile lies is one of six *places*: 0 is the middle, seat s is place s + 1. That gives the order in which the page
lists sources. All that matters for legality is which kinds of tiles lie in which places, and that is public: it fits in
one integer with a bit for each place and kind (`LYING_BITS`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from cutpurse_rules.art_robbery import cards, tiles
from cutpurse_rules.art_robbery.cards import BOSS, CARDS, GREEDY_THIEF, GUARD_DOG, N0, N5, Card
from cutpurse_rules.art_robbery.tiles import BOSS_TILE, OF_VALUE, TILES, Tile
from cutpurse_rules.contract import Seat

__all__ = [
    "ACTIONS", "ANSWERS", "BOSS_TILE_BITS", "GIVE_DOG", "GIVE_TILE", "LYING_BITS", "MAX_SEATS", "REACH",
    "REACH_IN_MIDDLE", "ArtRobberyAction", "Give", "Play", "legal_plays",
]  # fmt: skip

MAX_SEATS: Final = 5


@dataclass(frozen=True, slots=True)
class Play:
    """A card played on one's turn, with the tile that its player chose where there is a choice (R3)."""

    card: Card
    tile: Tile | None
    """The tile taken; None where the notation names none."""
    source: Seat | None
    """The seat that the tile is taken from; None for the middle and where no tile is named."""
    notation: str
    bit: int
    """The bit of the tile in its place (`LYING_BITS`); 0 where no tile is named."""


@dataclass(frozen=True, slots=True)
class Give:
    """The dog's answer, of the seat that has it and is about to lose a tile."""

    dog: bool
    """Whether the dog is given instead of the tile."""
    notation: str


ArtRobberyAction: TypeAlias = Play | Give

GIVE_TILE: Final = Give(False, "give tile")
GIVE_DOG: Final = Give(True, "give dog")
ANSWERS: Final = (GIVE_TILE, GIVE_DOG)
"""In canonical order."""


LYING_BITS: Final = tuple(
    (0, *(1 << (place * len(TILES) + tile) for tile in range(len(TILES)))) for place in range(MAX_SEATS + 1)
)
"""By place (0: the middle, s + 1: in front of seat s) and tile, the bit that is set while such a tile lies there."""

BOSS_TILE_BITS: Final = tuple(bits[BOSS_TILE] for bits in LYING_BITS)
"""By place, the bit of the Boss tile."""


def _taking(card: Card, place: int, tile: Tile) -> Play:
    source = None if place == 0 else Seat(place - 1)
    text = f"play {cards.notation(card)} take {tiles.notation(tile)} from {'middle' if source is None else source}"
    return Play(card, tile, source, text, LYING_BITS[place][tile])


def _takings(card: Card) -> tuple[Play, ...]:
    """All ways in which the card can take a tile, by source, then tile (R3)."""
    if N0 <= card <= N5:
        return tuple(_taking(card, place, tile) for place in range(MAX_SEATS + 1) for tile in OF_VALUE[card - N0])
    if card == GREEDY_THIEF:
        return tuple(_taking(card, 0, tile) for tile in range(1, len(TILES) + 1))
    assert card in (GUARD_DOG, BOSS)
    return ()


_KINDS = range(N0, len(CARDS) + 1)
_TAKINGS: Final[Mapping[Card, tuple[Play, ...]]] = {card: _takings(card) for card in _KINDS}
# A Greedy Thief always finds a tile: a heist ends when the middle has none.
_BARE: Final[Mapping[Card, Play]] = {
    card: Play(card, None, None, f"play {cards.notation(card)}", 0) for card in _KINDS if card != GREEDY_THIEF
}

ACTIONS: Final[Mapping[str, ArtRobberyAction]] = {
    action.notation: action
    for action in (
        *(play for card in _KINDS for play in (*_TAKINGS[card], *((_BARE[card],) if card in _BARE else ()))),
        *ANSWERS,
    )
}
"""Every action of the game, by notation."""


REACH_IN_MIDDLE: Final = (0, *(sum(play.bit for play in _TAKINGS[card] if play.source is None) for card in _KINDS))
"""By card, the bits of the tiles that it takes from the middle; card 0 does not exist."""

REACH: Final = tuple(
    (0, *(sum(play.bit for play in _TAKINGS[card] if play.source != seat) for card in _KINDS))
    for seat in range(MAX_SEATS)
)
"""By seat and card, the bits of all tiles that it may ever take: the middle's and the other seats'."""


def _plays_of(card: Card, seat: Seat, lying: int) -> tuple[Play, ...]:
    """What the seat may do with the card: take from the middle, else from other seats (R3), else take nothing."""
    reach = REACH_IN_MIDDLE[card] if lying & REACH_IN_MIDDLE[card] else REACH[seat][card]
    return tuple(play for play in _TAKINGS[card] if play.bit & reach & lying) or (_BARE[card],)


class _Plays(dict[int, tuple[Play, ...]]):
    """What a seat may do with a card, by the bits that matter; worked out when it comes up.

    There are at most 1,024 values for N0, which looks at two kinds in five places, 256 for the Greedy Thief, 32 for the
    others.
    """

    def __init__(self, card: Card, seat: Seat) -> None:
        super().__init__()
        self._card = card
        self._seat = seat

    def __missing__(self, bits: int) -> tuple[Play, ...]:
        plays = self[bits] = _plays_of(self._card, self._seat, bits)
        return plays


class _Kinds(dict[bytes, tuple[tuple[int, _Plays], ...]]):
    """By hand, the kinds of cards in it, in canonical order: which bits matter, and the plays by these bits.

    There are 1,287 hands of five cards.
    """

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self._of_card = {card: (REACH[seat][card], _Plays(card, seat)) for card in _KINDS}

    def __missing__(self, hand: bytes) -> tuple[tuple[int, _Plays], ...]:
        kinds = self[hand] = tuple(self._of_card[card] for card in dict.fromkeys(hand))
        return kinds


_KINDS_OF: Final = tuple(_Kinds(Seat(seat)) for seat in range(MAX_SEATS))
"""By seat."""


def legal_plays(hand: bytes, seat: Seat, lying: int) -> list[Play]:
    """What the seat may play, in canonical order: by card, then source, then tile (G6).

    `hand` is in canonical order; `lying` says which kinds of tiles lie where.
    """
    legal: list[Play] = []
    for reach, plays in _KINDS_OF[seat][hand]:
        legal += plays[lying & reach]
    return legal
