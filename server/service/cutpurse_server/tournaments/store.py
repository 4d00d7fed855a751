"""Tournaments in the log: read, kept up to date, and appended to only by who has seen everything."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import Append, Log, LogUnavailable, StoredEvent, Version
from cutpurse_server.matches.events import MatchEvent
from cutpurse_server.tournaments.events import Manifest, TournamentCreated, TournamentEvent
from cutpurse_server.tournaments.record import TournamentRecord

__all__ = ["TournamentCodec", "TournamentStore", "tournament_stream"]

_RECORDS_MAX = 64
"""Tournaments kept in memory; others are read again when somebody asks."""


class TournamentCodec(Protocol):
    """Turns events and manifests into what the log keeps, and back."""

    def encode(self, event: TournamentEvent) -> StoredEvent:
        """The bytes of an event, with a fresh salt where it has a secret part."""
        ...

    def decode(self, stored: StoredEvent) -> TournamentEvent:
        """The event of the bytes."""
        ...

    def manifest_to_bytes(self, manifest: Manifest) -> bytes:
        """The bytes that the manifest hash covers."""
        ...

    def match_event(self, stored: StoredEvent) -> MatchEvent:
        """An event of a match's log."""
        ...

    def decision_number(self, stored: StoredEvent) -> int | None:
        """The number of a resolved decision in a match's log; None for every other event of it."""
        ...


def tournament_stream(tournament: str) -> str:
    """The name of a tournament's stream in the log."""
    return f"tournament/{tournament}"


class TournamentStore:
    """The tournaments of a log. Raises LOG_UNAVAILABLE where the log does."""

    def __init__(self, log: Log, codec: TournamentCodec) -> None:
        self.log = log
        self.codec = codec
        self._records: OrderedDict[str, TournamentRecord] = OrderedDict()

    async def names(self, *, unfinished_only: bool = False) -> Sequence[str]:
        """The ids of all tournaments, or of those to whose log something may still be added; in order."""
        try:
            streams = await self.log.streams("tournament", open_only=unfinished_only)
        except LogUnavailable as unavailable:
            raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
        return [stream.removeprefix("tournament/") for stream in streams]

    async def create(self, created: TournamentCreated) -> bool:
        """Write a new tournament; False if its id is taken."""
        tournament = created.manifest.tournament
        stored = self.codec.encode(created)
        chain = links(first_link(tournament), (stored,))
        return await self._flush(Append(tournament_stream(tournament), Version(0), (stored,), chain))

    async def read(self, tournament: str) -> TournamentRecord | None:
        """A tournament with all that its log holds by now, or None. Shared: not to be changed."""
        while True:
            record = self._records.get(tournament)
            after = record.version if record else 0
            try:
                stored = await self.log.read(tournament_stream(tournament), after)
            except LogUnavailable as unavailable:
                raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
            if self._records.get(tournament) is not record or (record and record.version != after):
                # Somebody else read on in the meantime; nothing may be applied twice.
                continue
            if not stored:
                return record
            events = [self.codec.decode(each) for each in stored]
            if record is None:
                record = self._keep(TournamentRecord.of(events, stored))
            else:
                record.read(events, stored)
            return record

    async def append(self, record: TournamentRecord, event: TournamentEvent, *, closed: bool = False) -> bool:
        """Add an event that was decided on `record`; False if its log has moved on: read, and decide again."""
        stored = self.codec.encode(event)
        version = record.version
        stream = tournament_stream(record.tournament)
        if not await self._flush(Append(stream, version, (stored,), links(record.chain, (stored,)), closed)):
            return False
        if record.version == version:
            record.read((event,), (stored,))
        return True

    async def _flush(self, append: Append) -> bool:
        try:
            (took_place,) = await self.log.flush([append])
        except LogUnavailable as unavailable:
            raise ServiceError(ErrorReason.LOG_UNAVAILABLE) from unavailable
        return took_place

    def _keep(self, record: TournamentRecord) -> TournamentRecord:
        self._records[record.tournament] = record
        if len(self._records) > _RECORDS_MAX:
            self._records.popitem(last=False)
        return record
