"""The whole table, hidden cards included, as it stands between two decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from struct import Struct
from typing import Final

from cutpurse_rules.contract import Seat
from cutpurse_rules.shadow_thief.cards import Card

__all__ = ["ADD", "OVER", "PLAY", "STEAL", "Setup", "State", "Step"]


class Step(StrEnum):
    """What is being decided."""

    PLAY = "PLAY"
    STEAL = "STEAL"
    """A thief takes one of several pieces of Jewelry, or the only one."""
    ADD = "ADD"
    """Seats may lay further Jewelry beside their own."""
    OVER = "OVER"


# A member is looked up in its class at a cost that is felt when it is done three times in every decision.
PLAY: Final = Step.PLAY
STEAL: Final = Step.STEAL
ADD: Final = Step.ADD
OVER: Final = Step.OVER

_STEP_NUMBERS: Final = {PLAY: 1, STEAL: 2, ADD: 3, OVER: 4}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is played with; the same from beginning to end."""

    players: int
    seats: tuple[Seat, ...]
    cards: bytes
    """All cards of a deal, a multiset."""
    notations: tuple[str, ...]
    """The notation of each of them, as shuffles want it."""
    deals: int
    fingerprint: bytes
    """The configuration in the state's canonical bytes."""


class State:
    """The table. Only the steps of this folder change it, and only a copy that nobody else has seen yet.

    Hands and heaps of cards are multisets (see `cutpurse_rules.multisets`). Copied and changed by hand: this is the
    hot path, and an immutable form costs half of the speed.
    """

    __slots__ = (
        "active", "asked", "deal", "deck", "discards", "exhausted", "front", "hands", "locks", "put_back", "round",
        "safes", "scores", "set_aside", "setup", "step", "thieves", "unseen",
    )  # fmt: skip

    setup: Setup
    deal: int
    """From 1 to the number of deals."""
    round: int
    """From 1 in each deal."""
    step: Step
    asked: tuple[Seat, ...]
    """Who has to choose now, ascending; follows from the rest."""
    scores: tuple[int, ...]
    """By seat, its points of all finished deals."""
    hands: list[bytes]
    deck: bytes
    """The draw deck, top card first."""
    exhausted: bool
    """Whether the deck is used up for the rest of the deal."""
    front: list[bytes]
    """By seat, what lies revealed in front of it."""
    thieves: tuple[Seat, ...]
    """Whose thief has not had its turn yet, in their order; the first is asked. Empty in all steps but STEAL."""
    safes: list[bytes]
    locks: tuple[Card | None, ...]
    """By seat, the card on its safe; None while the safe is open."""
    active: tuple[Seat, ...]
    """The seats whose safe is open, ascending; follows from the locks."""
    discards: bytes
    """The discarded cards of this deal that had been revealed."""
    put_back: tuple[bytes, ...]
    """By seat, what it put under the deck in this deal, wherever that is now (R6)."""
    set_aside: tuple[bytes, ...]
    """By seat, what it set aside in this deal, since the deck was exhausted (R7)."""
    unseen: bytes
    """The rest of the deck that was discarded unseen in this deal, a multiset."""

    def copy(self) -> State:
        """A state of its own that is equal to this one."""
        copy = State.__new__(State)
        copy.setup = self.setup
        copy.deal = self.deal
        copy.round = self.round
        copy.step = self.step
        copy.asked = self.asked
        copy.scores = self.scores
        copy.hands = self.hands[:]
        copy.deck = self.deck
        copy.exhausted = self.exhausted
        copy.front = self.front[:]
        copy.thieves = self.thieves
        copy.safes = self.safes[:]
        copy.locks = self.locks
        copy.active = self.active
        copy.discards = self.discards
        copy.put_back = self.put_back
        copy.set_aside = self.set_aside
        copy.unseen = self.unseen
        return copy

    def fingerprint(self) -> bytes:
        """The whole state as canonical bytes, equal exactly for equal states.

        Numbers of fixed width, then every multiset and the deck, with a zero byte between, which no component is.
        """
        numbers = _NUMBERS.pack(self.deal, self.round, _STEP_NUMBERS[self.step], self.exhausted)
        points = b"".join(map(_POINTS.pack, self.scores))
        locks = bytes(lock or 0 for lock in self.locks)
        thieves = bytes(seat + 1 for seat in self.thieves)
        heaps = (
            thieves, *self.hands, self.deck, *self.front, *self.safes, self.discards, *self.put_back, *self.set_aside,
            self.unseen,
        )  # fmt: skip
        return b"".join((self.setup.fingerprint, numbers, points, locks, b"\x00".join(heaps)))


_NUMBERS: Final = Struct(">HHB?")
_POINTS: Final = Struct(">I")
