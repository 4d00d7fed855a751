"""The facts that a match's log holds. Wire form and secrecy of each field: proto/cutpurse/v1/log.proto.

Named tuples, since several are made for every decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from cutpurse_rules.contract import EndReason, Seat
from cutpurse_rules.errors import Reason

__all__ = [
    "Cause",
    "ChoiceDefaulted",
    "ChoiceMade",
    "ChoiceRefused",
    "Clock",
    "ClockCredited",
    "ClocksStarted",
    "DecisionOpened",
    "DecisionResolved",
    "MatchBegun",
    "MatchEnded",
    "MatchEvent",
    "MatchOutcome",
    "MatchVoided",
    "Origin",
    "ResolvedChoice",
    "SeatForfeited",
    "SeatIdentity",
    "SeatReady",
    "Signature",
    "VoidCause",
]


class Cause(IntEnum):
    """How a choice came to be; numbers as in match.proto."""

    CHOSEN = 1
    FORCED = 2
    TIMEOUT = 3
    ILLEGAL = 4
    MALFORMED = 5
    DISCONNECTED = 6
    CRASHED = 7
    FORFEITED = 8


class VoidCause(IntEnum):
    """Why a match was voided; numbers as in match.proto."""

    ABORTED = 1
    PLATFORM = 2
    ENTRANT_GONE = 3
    NOBODY_READY = 4


class Clock(NamedTuple):
    """The clock of each seat, in milliseconds; see ClockSettings in match.proto for ranges."""

    decision_ms: int = 5_000
    bank_ms: int = 60_000
    delivery_ms: int = 200
    settle_ms: int = 200
    warm_up_ms: int = 30_000
    strikes_max: int = 3
    corrections_max: int = 2


class SeatIdentity(NamedTuple):
    """Who sits in a seat."""

    bot: str
    owner: str
    player: bool = False
    """A person's front end: corrections without limit."""


class Origin(NamedTuple):
    """A match's place in a tournament's schedule."""

    tournament: str
    round: int
    table: int
    rotation: int
    attempt: int
    slot: int


class Signature(NamedTuple):
    """A bot's signature over its choice."""

    public_key: bytes
    signature: bytes
    salt: bytes


class MatchOutcome(NamedTuple):
    """The result that counts, by seat."""

    scores: tuple[int, ...]
    placements: tuple[int, ...]
    """Forfeited seats share the last place."""
    reason: EndReason
    forfeited: tuple[int, ...]
    table_placements: tuple[int, ...]
    """By the game's table alone."""


class MatchBegun(NamedTuple):
    """The match exists."""

    match: str
    game: str
    options: Mapping[str, Any]
    clock: Clock
    rules_version: str
    engine_version: str
    players: int
    rated: bool
    at_ms: int
    warm_up_until_ms: int
    manifest_hash: bytes
    """32 bytes, or empty for a single match."""
    key: bytes
    seed: str
    seats: tuple[SeatIdentity, ...]
    origin: Origin | None
    request_digest: bytes
    quarantined: tuple[Seat, ...] = ()
    """Seats that nobody waits for: forfeited as soon as all others are ready."""


class SeatReady(NamedTuple):
    """A seat is ready to play."""

    seat: Seat
    at_ms: int


class ClocksStarted(NamedTuple):
    """The warm-up is over."""

    at_ms: int


class DecisionOpened(NamedTuple):
    """Seats are asked."""

    number: int
    asked: tuple[Seat, ...]
    opened_at_ms: int


class ChoiceMade(NamedTuple):
    """A seat has chosen, or the engine for it where the page lets it (cause FORCED)."""

    number: int
    seat: Seat
    notation: str
    cause: Cause
    received_at_ms: int
    charged_ms: int
    bank_charged_ms: int
    request_id: bytes
    request_digest: bytes
    signature: Signature | None


class ChoiceRefused(NamedTuple):
    """A seat's answer was refused and may be corrected."""

    number: int
    seat: Seat
    cause: Cause
    answer: str
    received_at_ms: int
    rule: Reason | None
    request_id: bytes
    request_digest: bytes


class ChoiceDefaulted(NamedTuple):
    """The page's default was played for a seat."""

    number: int
    seat: Seat
    notation: str
    cause: Cause
    at_ms: int
    bank_charged_ms: int
    strike: bool


class ClockCredited(NamedTuple):
    """The open decision's deadlines moved, for a gap of the platform's."""

    number: int
    credit_ms: int
    at_ms: int
    text: str


class SeatForfeited(NamedTuple):
    """A seat was forfeited; defaults are played for it to the end."""

    number: int
    seat: Seat
    cause: Cause
    at_ms: int


class ResolvedChoice(NamedTuple):
    """A choice as everybody learns it."""

    seat: Seat
    notation: str
    cause: Cause


class DecisionResolved(NamedTuple):
    """All asked seats have chosen; choices in seat order."""

    number: int
    choices: tuple[ResolvedChoice, ...]
    state_hash: bytes


class MatchVoided(NamedTuple):
    """Over without a result."""

    cause: VoidCause
    text: str
    at_ms: int


class MatchEnded(NamedTuple):
    """Over."""

    outcome: MatchOutcome
    at_ms: int
    state_hash: bytes
    bank_ms_left: tuple[int, ...]
    strikes: tuple[int, ...]


MatchEvent = (
    MatchBegun
    | SeatReady
    | ClocksStarted
    | DecisionOpened
    | ChoiceMade
    | ChoiceRefused
    | ChoiceDefaulted
    | ClockCredited
    | SeatForfeited
    | DecisionResolved
    | MatchVoided
    | MatchEnded
)
