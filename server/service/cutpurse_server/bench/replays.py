"""Replay of stored matches with full checking: file, chain, commitments, legality, clocks, state hashes, results.

The matches are played as the service plays them, by commands at a draft, with seats that answer at random; the floor is
a random playout of the same number of players on the rules alone. Time is that of the processor.
"""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable
from functools import cache

from cutpurse_rules.contract import Seat
from cutpurse_server import __version__
from cutpurse_server.audit import audit
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.events import Clock, DecisionResolved, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.wire import match_events
from cutpurse_server.wire.bundle import BundleWriter, ExportedLog

__all__ = ["replayed_decisions_per_s"]

_MATCHES = 40
_BEGUN_MS = 1_700_000_000_000


def replayed_decisions_per_s(game: str, players: int, seconds: float) -> float:
    """Decisions per second that an audit of single-match bundles checks."""
    bundles, decisions = _bundles(game, players)
    checked = 0
    begun = time.process_time()
    while (wall := time.process_time() - begun) < seconds:
        for bundle in bundles:
            verdict = audit(bundle)
            assert verdict.consistent, verdict.findings
        checked += decisions
    return checked / wall


@cache
def _bundles(game: str, players: int) -> tuple[tuple[bytes, ...], int]:
    """Bundles of some matches, and the decisions in all of them."""
    below = random.Random(1).random
    bundles, decisions = [], 0
    for number in range(_MATCHES):
        record, events = _played(game, players, number, below)
        # Counted as playouts count them: a simultaneous decision once for every seat that is asked.
        decisions += sum([len(event.choices) for event in events if isinstance(event, DecisionResolved)])
        file = io.BytesIO()
        writer = BundleWriter(file, __version__)
        writer.match(ExportedLog(record.match, [match_events.encode(event) for event in events]))
        writer.finish()
        bundles.append(file.getvalue())
    return tuple(bundles), decisions


def _played(game: str, players: int, number: int, below: Callable[[], float]) -> tuple[MatchRecord, list[MatchEvent]]:
    """A whole match, one millisecond to a command."""
    seats = [SeatIdentity(f"bot-{seat}", "bench") for seat in range(players)]
    begun = begin_match(f"replay-{number}", game, {}, Clock(), seats, _BEGUN_MS, seed=str(number))
    record, now_ms = MatchRecord(begun), _BEGUN_MS
    events: list[MatchEvent] = [begun]
    record.version = 1
    for seat in range(players):
        draft = Draft(record)
        get_ready(draft, Seat(seat), now_ms)
        record, events = draft.record, [*events, *draft.events]
    while not record.over:
        now_ms += 1
        seat = record.waiting()[0]
        position = int(below() * len(record.legal_of(seat)))
        request = record.version.to_bytes(8, "big")
        draft = Draft(record)
        choose(draft, seat, Answer(record.decisions[seat], request, bytes(32), position, None), now_ms, now_ms)
        record = draft.record
        events += draft.events
    return record, events
