"""The facts that a tournament's log holds. Wire form and secrecy of each: proto/cutpurse/v1/tournament_log.proto."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from hashlib import sha256
from typing import Any, NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.events import Clock, MatchOutcome, VoidCause

__all__ = [
    "BlockCompleted",
    "BlockVoided",
    "BotsLaunched",
    "CompletedMatch",
    "Entrant",
    "EntrantEntered",
    "EntrantLeft",
    "EntrantQuarantined",
    "EntrantReleased",
    "Format",
    "FormatSettings",
    "LeaveCause",
    "Lot",
    "Manifest",
    "Openings",
    "RoundDrawn",
    "Standing",
    "TournamentCreated",
    "TournamentCutShort",
    "TournamentEvent",
    "TournamentFinished",
    "TournamentPaused",
    "TournamentResumed",
    "TournamentStarted",
    "Verdict",
    "manifest_hash",
]


class Format(IntEnum):
    """How entrants meet; numbers as in tournament.proto."""

    ROUND_ROBIN = 1
    SWISS = 2
    SINGLE_ELIMINATION = 3
    LADDER = 4
    GAUNTLET = 5


class Openings(IntEnum):
    """When the logs of matches are opened; numbers as in tournament.proto."""

    BLOCK = 1
    TOURNAMENT = 2


class LeaveCause(IntEnum):
    """Why a bot is not in a tournament any more; numbers as in tournament.proto."""

    WITHDRAWN = 1
    DISQUALIFIED = 2


class Verdict(IntEnum):
    """What a gauntlet has shown of its challenger; numbers as in tournament.proto."""

    UNDECIDED = 1
    STRONGER = 2
    WEAKER = 3


class FormatSettings(NamedTuple):
    """What a format lets an organiser choose; what is another format's is 0 or empty."""

    tables: int = 0
    """Round robin: most tables in a round; 0: every set of n entrants meets."""
    advance: int = 0
    """Single elimination: how many of a table go on, as far as the numbers allow."""
    best_of: int = 0
    """Single elimination: blocks that a table plays at most while nothing is tied."""
    tie_blocks: int = 0
    """Single elimination: further blocks for a tie, before the lot."""
    challenger: str = ""
    """Gauntlet: the bot that meets all others."""
    error_per_mille: int = 0
    """Gauntlet: how often, in a thousand, either verdict may be wrong, at most."""


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
    """From 1; each plays one block at every table. Of a ladder, periods; of a gauntlet, most cycles; of a single
    elimination, 1, since its rounds follow from its entrants."""
    concurrency: int
    """Matches that may run at once."""
    deals_root: bytes
    """32 bytes: root of the Merkle tree over the secrets of all slots."""
    deal_slots: int
    seed: str
    """Makes the deals repeatable and the tournament unrated; empty: drawn by the service. Secret until the end, and so
    no part of the manifest's bytes."""
    settings: FormatSettings = FormatSettings()
    """The format's, with every value resolved."""
    openings: Openings = Openings.BLOCK
    """When the matches' hands and logs are opened."""


class Entrant(NamedTuple):
    """A bot in a tournament."""

    bot: str
    owner: str
    rank: int = 0
    """Its place in the organiser's seeding of a single elimination, from 1; 0: none, so that a lot decides."""


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


class EntrantLeft(NamedTuple):
    """A bot is out: before the start it is struck off; later, its blocks that have not ended are dropped."""

    bot: str
    cause: LeaveCause
    text: str
    """The organiser's reason; may be empty."""
    at_ms: int


class EntrantQuarantined(NamedTuple):
    """A bot that ends or stays away again and again is not waited for in matches that begin from now on."""

    bot: str
    text: str
    """Why."""
    at_ms: int


class EntrantReleased(NamedTuple):
    """It is waited for again."""

    bot: str
    text: str
    """The organiser's reason; may be empty."""
    at_ms: int


class BotsLaunched(NamedTuple):
    """The organiser's machine launches bots; again whenever it does so otherwise than before."""

    text: str
    """How they are isolated, and which limits are in force."""
    at_ms: int


class TournamentStarted(NamedTuple):
    """The entries are closed, except where the format takes late ones; the schedule follows from what stands before."""

    at_ms: int


class Lot(NamedTuple):
    """A tie at a table of a single elimination that more blocks did not break, and what was drawn."""

    round: int
    """The table's last round."""
    bots: tuple[str, ...]
    """Those that were tied, in the order drawn: the first go on."""


class RoundDrawn(NamedTuple):
    """The next round of a format whose rounds depend on results. It follows from what stands before it."""

    round: int
    tables: tuple[tuple[str, ...], ...]
    """Bots in the order of their seats in rotation 0."""
    byes: tuple[str, ...]
    """Bots that sit this round out, though they are in."""
    lots: tuple[Lot, ...]
    """By which the round before was decided."""
    at_ms: int


class TournamentPaused(NamedTuple):
    """No further matches are begun; those that run go on."""

    text: str
    at_ms: int


class TournamentResumed(NamedTuple):
    """Matches are begun again."""

    at_ms: int


class TournamentCutShort(NamedTuple):
    """The organiser ends the tournament: what has not ended is dropped."""

    text: str
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
    absent: tuple[Seat, ...] = ()
    """Seats that were waited for and never ready, ascending."""


class BlockCompleted(NamedTuple):
    """All matches of a block are over and count."""

    round: int
    table: int
    attempt: int
    matches: tuple[CompletedMatch, ...]
    """In order of rotation."""
    at_ms: int


class BlockVoided(NamedTuple):
    """A block does not count; it is played again as long as attempts are left, unless it was dropped."""

    round: int
    table: int
    attempt: int
    cause: VoidCause
    at_ms: int
    text: str = ""
    """The reason of an organiser who ordered it, also of a block that had counted; empty: a match of it was voided."""


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
    score: float = 0.0
    """What places follow from: formats/. For round robin and gauntlet the mean points."""
    byes: int = 0
    """Rounds that the bot sat out without its doing."""
    left: LeaveCause | None = None
    """Why the bot is out, if it is. Whoever was disqualified shares the last place."""


class TournamentFinished(NamedTuple):
    """Nothing is left to play."""

    standings: tuple[Standing, ...]
    at_ms: int
    lots: tuple[Lot, ...] = ()
    """By which the last round of a single elimination was decided."""
    verdict: Verdict | None = None
    """Of a gauntlet."""


TournamentEvent = (
    TournamentCreated
    | EntrantEntered
    | EntrantLeft
    | EntrantQuarantined
    | EntrantReleased
    | BotsLaunched
    | TournamentStarted
    | RoundDrawn
    | BlockCompleted
    | BlockVoided
    | TournamentPaused
    | TournamentResumed
    | TournamentCutShort
    | TournamentFinished
)


def manifest_hash(manifest_bytes: bytes) -> bytes:
    """What a tournament's matches name in their chains: SHA-256, 32 bytes."""
    return sha256(manifest_bytes).digest()
