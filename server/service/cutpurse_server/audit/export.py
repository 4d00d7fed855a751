"""Writing bundles from a log. Refusals are `ServiceError`s."""

from __future__ import annotations

from typing import BinaryIO

from cutpurse_server import __version__
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log
from cutpurse_server.matches.desk import stream_of
from cutpurse_server.matches.events import MatchBegun
from cutpurse_server.tournaments.events import Openings
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.tournaments.schedule import ATTEMPTS_MAX, BlockKey
from cutpurse_server.tournaments.store import TournamentStore, tournament_stream
from cutpurse_server.wire import match_events, tournament_events
from cutpurse_server.wire.bundle import BundleWriter, ExportedLog

__all__ = ["write_match_bundle", "write_tournament_bundle"]


async def write_tournament_bundle(log: Log, tournament: str, file: BinaryIO) -> None:
    """A finished tournament with all its matches, into a seekable file.

    Raises TOURNAMENT_UNKNOWN, and NOT_OPENED_YET as long as it is not finished. The log's own errors pass through.
    """
    record = await TournamentStore(log, tournament_events).read(tournament)
    if record is None:
        raise ServiceError(ErrorReason.TOURNAMENT_UNKNOWN)
    if record.finished is None or record.schedule is None:
        raise ServiceError(ErrorReason.NOT_OPENED_YET, "The tournament is not finished.")
    writer = BundleWriter(file, __version__)
    writer.tournament(ExportedLog(tournament, await log.read(tournament_stream(tournament))))
    for block in record.schedule.blocks:
        attempts = record.voided.get(block.key, 0) + (block.key in record.completed)
        assert attempts <= ATTEMPTS_MAX
        for attempt in range(1, attempts + 1):
            for scheduled in block.matches(record.created, attempt):
                events = await log.read(stream_of(scheduled.match))
                # In a voided block some matches may not have begun.
                if events:
                    writer.match(ExportedLog(scheduled.match, events))
    writer.finish()


async def write_match_bundle(log: Log, match: str, file: BinaryIO) -> None:
    """A match that is over, into a seekable file.

    Raises MATCH_UNKNOWN, and NOT_OPENED_YET as long as it runs or its block does. The log's own errors pass through.
    """
    head = await log.head(stream_of(match))
    if head is None:
        raise ServiceError(ErrorReason.MATCH_UNKNOWN)
    events = await log.read(stream_of(match))
    begun = match_events.decode(events[0])
    assert isinstance(begun, MatchBegun), "a match's log begins with MatchBegun"
    if not head.closed or not await _block_is_over(log, begun):
        raise ServiceError(ErrorReason.NOT_OPENED_YET, "The match runs, or its block does.")
    writer = BundleWriter(file, __version__)
    writer.match(ExportedLog(match, events))
    writer.finish()


async def _block_is_over(log: Log, begun: MatchBegun) -> bool:
    """Whether hands and seats may be known: at the end of the match, or of its block, or of its tournament."""
    origin = begun.origin
    if origin is None:
        return True
    record: TournamentRecord | None = await TournamentStore(log, tournament_events).read(origin.tournament)
    if record is None:
        return False
    if record.manifest.openings is Openings.TOURNAMENT:
        return record.finished is not None
    key = BlockKey(origin.round, origin.table)
    if key in record.completed:
        return True
    # A voided attempt stays closed while the next one is played: the same bots sit in the same seats.
    assert record.schedule is not None, "its matches begin after a tournament's start"
    return not record.schedule.is_open(key) and record.voided.get(key, 0) >= origin.attempt
