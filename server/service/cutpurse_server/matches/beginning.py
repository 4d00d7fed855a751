"""How a match begins: checked configuration, registered bots, a key for its chance."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_rules.chance import KEY_BYTES, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server import __version__
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.events import Clock, MatchBegun, Origin, SeatIdentity

__all__ = ["CLOCK_RANGES", "SEED_BYTES_MAX", "begin_match", "check_clock", "match_name"]

SEED_BYTES_MAX = 256
_DAY_MS = 86_400_000
CLOCK_RANGES: Mapping[str, tuple[int, int]] = {
    "decision_ms": (1, _DAY_MS),
    "bank_ms": (0, _DAY_MS),
    "delivery_ms": (0, 60_000),
    "settle_ms": (0, 60_000),
    "warm_up_ms": (1, _DAY_MS),
    "strikes_max": (1, 1_000),
    "corrections_max": (0, 100),
}
"""Smallest and largest value of every clock setting, as match.proto says."""


def match_name(creator: str, request_id: bytes) -> str:
    """The id of a match that somebody asks for: the same for every repetition of the request."""
    return f"m-{sha256(creator.encode() + b'/' + request_id).hexdigest()[:20]}"


def check_clock(clock: Clock) -> None:
    """Raise CONFIGURATION_INVALID for a setting out of its range, naming it."""
    for name, (low, high) in CLOCK_RANGES.items():
        value = getattr(clock, name)
        if not low <= value <= high:
            raise ServiceError(
                ErrorReason.CONFIGURATION_INVALID, f"clock.{name} must be from {low:,} to {high:,}, not {value:,}."
            )


def begin_match(
    match: str,
    game: str,
    options: Mapping[str, Any],
    clock: Clock,
    seats: Sequence[SeatIdentity],
    now_ms: int,
    *,
    seed: str = "",
    key: bytes | None = None,
    rated: bool = True,
    manifest_hash: bytes = b"",
    origin: Origin | None = None,
    request_digest: bytes = b"",
    quarantined: tuple[Seat, ...] = (),
) -> MatchBegun:
    """The first event of a match. Without seed and key, the key is drawn here.

    Raises GAME_UNKNOWN, or CONFIGURATION_INVALID naming the culprit.
    """
    if game not in GAMES:
        raise ServiceError(ErrorReason.GAME_UNKNOWN)
    if len({seat.bot for seat in seats}) != len(seats):
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, "A bot can have one seat in a match only.")
    if len(seed.encode()) > SEED_BYTES_MAX:
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"A seed has at most {SEED_BYTES_MAX} bytes.")
    check_clock(clock)
    try:
        config = GAMES[game].configure(len(seats), options)
    except BadConfiguration as bad:
        raise ServiceError(ErrorReason.CONFIGURATION_INVALID, f"{bad.option}: {bad.text}") from None
    if key is None:
        key = key_of_seed(seed) if seed else secrets.token_bytes(KEY_BYTES)
    return MatchBegun(
        match=match,
        game=game,
        options=config.options,
        clock=clock,
        rules_version=GAMES[game].rules_version,
        engine_version=__version__,
        players=len(seats),
        rated=rated and not seed,
        at_ms=now_ms,
        warm_up_until_ms=now_ms + clock.warm_up_ms,
        manifest_hash=manifest_hash,
        key=key,
        seed=seed,
        seats=tuple(seats),
        origin=origin,
        request_digest=request_digest,
        quarantined=quarantined,
    )
