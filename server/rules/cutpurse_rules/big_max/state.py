"""The whole table, hidden cards included, as it stands between two decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from cutpurse_rules.big_max.cards import GUNMAN, Card
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import small_without_one, with_one

__all__ = ["OVER", "REPLY", "SHARP_BYTES", "TURN", "Challenge", "Setup", "Sharp", "Standing", "State", "Step"]


class Step(StrEnum):
    """What is being decided."""

    TURN = "TURN"
    REPLY = "REPLY"
    """The target of a challenge has to reply."""
    OVER = "OVER"


# A member is looked up in its class at a cost that is felt when it is done several times in every decision.
TURN: Final = Step.TURN
REPLY: Final = Step.REPLY
OVER: Final = Step.OVER

_STEP_NUMBERS: Final = {TURN: 1, REPLY: 2, OVER: 3}


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is played with; the same from beginning to end."""

    players: int
    deck: bytes
    """The cards, a multiset."""
    turn_limit: int
    master_thief_must_be_laid: bool
    next_seat: tuple[Seat, ...]
    """By seat, the one clockwise of it."""
    fingerprint: bytes
    """The configuration in the state's canonical bytes."""


SHARP_BYTES: Final = 3
"""What a card-sharp takes in `State.sharp_record`."""


class Standing(NamedTuple):
    """A thief that stands in front of a seat. Equal ones are interchangeable (G4)."""

    card: Card
    employer: Seat
    """Whom it works for: never the seat that it stands in front of."""
    gunmen: int
    """How many lie under it."""


class Challenge(NamedTuple):
    """A running challenge, while a reply is due."""

    card: Card
    """The thief."""
    challenger: Seat
    """Whose turn it is: the original challenger, whatever the gunmen did."""
    employer: Seat
    """Whom the thief works for now."""
    target: Seat
    """Whom it attacks now, and who has to reply."""
    gunmen: int
    """How many lie under the thief."""


class Sharp(NamedTuple):
    """What a card-sharp took: known to the two seats concerned (R9)."""

    from_seat: Seat
    to_seat: Seat
    card: Card


class State:
    """The table. Only the steps of this folder change it, and only a copy that nobody else has seen yet.

    Hands and discards are multisets (see `cutpurse_rules.multisets`). Copied and changed by hand: this is the hot
    path. What changes in nearly every decision is a list, what seldom does a tuple that is replaced.
    """

    __slots__ = (
        "challenge", "discards", "displays", "hands", "pile", "reshuffles", "setup", "sharp_record", "standing",
        "step", "turn", "turn_seat", "winner",
    )  # fmt: skip

    setup: Setup
    turn: int
    """Turns begun, from 1; skipped ones count (R10)."""
    turn_seat: Seat
    """While a challenge runs, the original challenger."""
    step: Step
    hands: list[bytes]
    pile: bytes
    """The draw pile, top card first."""
    discards: bytes
    reshuffles: int
    """How often the discards were shuffled into a new pile."""
    displays: tuple[int, ...]
    """By seat, its suitcases on display, from 0 to 5."""
    standing: tuple[tuple[Standing, ...], ...]
    """By seat, the thieves that stand in front of it, oldest first."""
    challenge: Challenge | None
    """Set while the step is REPLY; stays on the table if the match is won while a reply is due (R6)."""
    sharp_record: bytes
    """Every card-sharp of the match in three bytes: from, to, card."""
    winner: Seat | None

    def copy(self) -> State:
        """A state of its own that is equal to this one."""
        copy = State.__new__(State)
        copy.setup = self.setup
        copy.turn = self.turn
        copy.turn_seat = self.turn_seat
        copy.step = self.step
        copy.hands = self.hands[:]
        copy.pile = self.pile
        copy.discards = self.discards
        copy.reshuffles = self.reshuffles
        copy.displays = self.displays
        copy.standing = self.standing
        copy.challenge = self.challenge
        copy.sharp_record = self.sharp_record
        copy.winner = self.winner
        return copy

    def asked_seat(self) -> Seat | None:
        """The one seat that has to choose now; None when the match is over."""
        if self.step is TURN:
            return self.turn_seat
        return self.challenge.target if self.step is REPLY and self.challenge is not None else None

    def sharps_of(self, seat: Seat) -> tuple[Sharp, ...]:
        """The card-sharps that concerned the seat, oldest first: all that it knows of them (R9)."""
        return _sharps_of(self.sharp_record, seat)

    def lay_down(self, seat: Seat, card: Card) -> None:
        """Put a card of the seat's hand onto the discards."""
        self.hands[seat] = small_without_one(self.hands[seat], card)
        self.discards = with_one(self.discards, card)

    def put_away(self, thief: Card, gunmen: int) -> None:
        """Put a thief that was on the table onto the discards, with the gunmen under it."""
        # Gunmen are the last kind of all.
        self.discards = with_one(self.discards, thief) + _GUNMAN * gunmen

    def show(self, seat: Seat, change: int) -> None:
        """Add suitcases to what the seat displays, or take them away."""
        displays = self.displays
        self.displays = (*displays[:seat], displays[seat] + change, *displays[seat + 1 :])

    def stand(self, seat: Seat, thieves: tuple[Standing, ...]) -> None:
        """Let exactly these thieves stand in front of the seat."""
        self.standing = (*self.standing[:seat], thieves, *self.standing[seat + 1 :])

    def fingerprint(self) -> bytes:
        """The whole state as canonical bytes, equal exactly for equal states.

        Numbers of fixed width, displays, the running challenge (five zeros for none, since no card is 0), the standing
        thieves of each seat after their number, the card-sharps after theirs, then every multiset and the pile, with a
        zero byte between, which no card is.
        """
        numbers = _NUMBERS.pack(
            self.turn,
            self.turn_seat,
            _STEP_NUMBERS[self.step],
            0 if self.winner is None else self.winner + 1,
            self.reshuffles,
            len(self.sharp_record),
        )
        table = [
            self.setup.fingerprint,
            numbers,
            bytes(self.displays),
            _NO_CHALLENGE if self.challenge is None else bytes(self.challenge),
            self.sharp_record,
        ]
        for thieves in self.standing:
            table.append(_COUNT.pack(len(thieves)))
            table += map(bytes, thieves)
        table.append(b"\x00".join([*self.hands, self.pile, self.discards]))
        return b"".join(table)


@lru_cache(maxsize=1_024)
def _sharps_of(record: bytes, seat: Seat) -> tuple[Sharp, ...]:
    """Asked for in every view, and changes only with a card-sharp."""
    return tuple(
        Sharp(Seat(record[at]), Seat(record[at + 1]), record[at + 2])
        for at in range(0, len(record), SHARP_BYTES)
        if seat in record[at : at + 2]
    )


_NUMBERS: Final = Struct(">IBBBII")
_COUNT: Final = Struct(">H")
_NO_CHALLENGE: Final = bytes(5)
_GUNMAN: Final = bytes((GUNMAN,))
