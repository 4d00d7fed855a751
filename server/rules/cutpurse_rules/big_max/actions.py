"""The actions and their notation. Each exists once, in a table by notation, so that parsing is looking up.

Classes are named after the verbs of the notation; where a seat is named, the verb says so (`ChallengeSeat`,
`SharpSeat`), since `Challenge` and `Sharp` are things on the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from cutpurse_rules.big_max import cards
from cutpurse_rules.big_max.cards import CARDS, COUNT_MAX, DEFENDERS, THIEVES, Card
from cutpurse_rules.contract import Seat

__all__ = [
    "ACTIONS", "CHALLENGES", "COUNTERS", "COUNTERS_OF_STANDING", "DECLINE", "DISCARDS", "DISPLAY", "GUNMAN_REPLY",
    "LAY", "MAX_SEATS", "SHARPS", "BigMaxAction", "ChallengeSeat", "Counter", "CounterStanding", "Decline", "Discard",
    "Display", "Gunman", "Lay", "Reply", "SharpSeat", "TurnAction",
]  # fmt: skip

MAX_SEATS: Final = 8

MAX_STANDING: Final = COUNT_MAX * len(THIEVES)
"""More thieves than that never stand in front of a seat: no deck has more."""


@dataclass(frozen=True, slots=True)
class Discard:
    """A turn: `discard CARD`."""

    card: Card
    notation: str


@dataclass(frozen=True, slots=True)
class Display:
    """A turn: `display`, a suitcase in front of oneself."""

    notation: str


@dataclass(frozen=True, slots=True)
class ChallengeSeat:
    """A turn: `challenge SEAT CARD`."""

    seat: Seat
    """Whom the thief attacks."""
    card: Card
    """The thief."""
    notation: str


@dataclass(frozen=True, slots=True)
class SharpSeat:
    """A turn: `sharp SEAT`, a card-sharp."""

    seat: Seat
    """From whose hand a card is taken."""
    notation: str


@dataclass(frozen=True, slots=True)
class CounterStanding:
    """A turn: `counter POSITION CARD`, against a thief that stands in front of the player."""

    position: int
    """Of the thief, 0 the oldest; of interchangeable neighbours the lowest (G4)."""
    card: Card
    """The defender."""
    notation: str


@dataclass(frozen=True, slots=True)
class Lay:
    """A turn: `lay`, the Master Thief, with the option `master_thief_must_be_laid`."""

    notation: str


@dataclass(frozen=True, slots=True)
class Counter:
    """A reply to a challenge: `counter CARD`."""

    card: Card
    """The defender."""
    notation: str


@dataclass(frozen=True, slots=True)
class Gunman:
    """A reply to a challenge: `gunman`."""

    notation: str


@dataclass(frozen=True, slots=True)
class Decline:
    """A reply to a challenge: `decline` (R2)."""

    notation: str


TurnAction: TypeAlias = Discard | Display | ChallengeSeat | SharpSeat | CounterStanding | Lay
Reply: TypeAlias = Counter | Gunman | Decline
BigMaxAction: TypeAlias = TurnAction | Reply

_SEATS = tuple(map(Seat, range(MAX_SEATS)))

DISCARDS: Final[Mapping[Card, Discard]] = {
    card: Discard(card, f"discard {name}") for card, name in enumerate(CARDS, start=1)
}
"""By card."""
DISPLAY: Final = Display("display")
CHALLENGES: Final[tuple[Mapping[Card, ChallengeSeat], ...]] = tuple(
    {card: ChallengeSeat(seat, card, f"challenge {seat} {cards.notation(card)}") for card in THIEVES} for seat in _SEATS
)
"""By challenged seat, then thief."""
SHARPS: Final = tuple(SharpSeat(seat, f"sharp {seat}") for seat in _SEATS)
"""By the seat that loses a card."""
COUNTERS_OF_STANDING: Final[tuple[Mapping[Card, CounterStanding], ...]] = tuple(
    {card: CounterStanding(position, card, f"counter {position} {cards.notation(card)}") for card in DEFENDERS}
    for position in range(MAX_STANDING)
)
"""By position, then defender."""
LAY: Final = Lay("lay")

COUNTERS: Final[Mapping[Card, Counter]] = {card: Counter(card, f"counter {cards.notation(card)}") for card in DEFENDERS}
"""By defender."""
GUNMAN_REPLY: Final = Gunman("gunman")
DECLINE: Final = Decline("decline")

_ALL: Final[tuple[BigMaxAction, ...]] = (
    *DISCARDS.values(),
    DISPLAY,
    *(action for by_card in CHALLENGES for action in by_card.values()),
    *SHARPS,
    *(action for by_card in COUNTERS_OF_STANDING for action in by_card.values()),
    LAY,
    *COUNTERS.values(),
    GUNMAN_REPLY,
    DECLINE,
)

ACTIONS: Final[Mapping[str, BigMaxAction]] = {action.notation: action for action in _ALL}
"""Every action of the game, by notation."""
