"""The facts that a tournament's log holds. Wire form and secrecy of each: proto/cutpurse/v1/tournament_log.proto."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from hashlib import sha256
from typing import Any, NamedTuple

from cutpurse_server.matches.events import Clock, MatchOutcome, VoidCause

__all__ = [
    "BlockCompleted",
    "BlockVoided",
    "CompletedMatch",
    "Entrant",
    "EntrantEntered",
    "Format",
    "Manifest",
    "Standing",
    "TournamentCreated",
    "TournamentEvent",
    "TournamentFinished",
    "TournamentStarted",
    "manifest_hash",
]


class Format(IntEnum):
    """How entrants meet; numbers as in tournament.proto."""

    ROUND_ROBIN = 1
    SWISS = 2
    SINGLE_ELIMINATION = 3
    LADDER = 4
    GAUNTLET = 5


class Manifest(NamedTuple):
    """Everything that describes a tournament before anybody enters it."""

    tournament: str
    game: str
    options: Mapping[str, Any]
    """Every option with its resolved value."""
    clock: Clock
    format: Format
    players: int
    """Seats at a table."""
    rounds: int
    """From 1; each plays one block at every table."""
    concurrency: int
    """Matches that may run at once."""
    deals_root: bytes
    """32 bytes: root of the Merkle tree over the secrets of all slots."""
    deal_slots: int
    seed: str
    """Makes the deals repeatable and the tournament unrated; empty: drawn by the service. Secret until the end, and so
    no part of the manifest's bytes."""


class Entrant(NamedTuple):
    """A bot in a tournament."""

    bot: str
    owner: str


class TournamentCreated(NamedTuple):
    """The tournament exists."""

    manifest: Manifest
    manifest_bytes: bytes
    """Exactly as they stand in the log; what the manifest hash covers."""
    deals_secret: bytes
    """32 bytes, from which every slot's secret is derived."""
    at_ms: int


class EntrantEntered(NamedTuple):
    """A bot was entered."""

    entrant: Entrant
    at_ms: int


class TournamentStarted(NamedTuple):
    """Entries are closed; the schedule follows from what stands before."""

    at_ms: int


class CompletedMatch(NamedTuple):
    """A match of a completed block."""

    match: str
    head: bytes
    """The last value of its chain, 32 bytes."""
    version: int
    """Events in its log."""
    outcome: MatchOutcome
    bots: tuple[str, ...]
    """By seat."""


class BlockCompleted(NamedTuple):
    """All matches of a block are over and count."""

    round: int
    table: int
    attempt: int
    matches: tuple[CompletedMatch, ...]
    """In order of rotation."""
    at_ms: int


class BlockVoided(NamedTuple):
    """A block does not count; it is played again as long as attempts are left."""

    round: int
    table: int
    attempt: int
    cause: VoidCause
    at_ms: int


class Standing(NamedTuple):
    """A row of the standings as it is shown; how it is computed: standings.py."""

    place: int
    """Shared where equal; from 1."""
    bot: str
    matches: int
    points_mean: float
    points_low: float
    points_high: float
    firsts: int
    forfeits: int
    points_by_seat: tuple[float, ...]
    """NaN for a seat never sat in."""


class TournamentFinished(NamedTuple):
    """Every block is completed, or was voided as often as it may be."""

    standings: tuple[Standing, ...]
    at_ms: int


TournamentEvent = (
    TournamentCreated | EntrantEntered | TournamentStarted | BlockCompleted | BlockVoided | TournamentFinished
)


def manifest_hash(manifest_bytes: bytes) -> bytes:
    """What a tournament's matches name in their chains: SHA-256, 32 bytes."""
    return sha256(manifest_bytes).digest()
