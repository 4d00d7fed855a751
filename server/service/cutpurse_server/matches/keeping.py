"""From a match's record to what the log keeps, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import structlog

from cutpurse_server.errors import ServiceError
from cutpurse_server.log.chain import NO_MANIFEST, first_link, links
from cutpurse_server.log.port import Append, StoredEvent, Version
from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.events import MatchBegun, MatchEvent
from cutpurse_server.matches.record import MatchRecord, apply
from cutpurse_server.matches.waiting import Done, Outcome, Waiting
from cutpurse_server.whereabouts import failure

__all__ = ["Codec", "Decided", "beginning", "decided", "read_on", "stream_of"]

logger = structlog.get_logger(__name__)


class Codec(Protocol):
    """Turns events into what the log keeps, and back."""

    def encode(self, event: MatchEvent) -> StoredEvent:
        """The bytes of an event, with a fresh salt."""
        ...

    def decode(self, stored: StoredEvent) -> MatchEvent:
        """The event of the bytes."""
        ...


def stream_of(match: str) -> str:
    """The name of a match's stream in the log."""
    return f"match/{match}"


class Decided(NamedTuple):
    """What commands add to a match, before it is written."""

    match: str
    before: MatchRecord | None
    """None if the match begins."""
    after: MatchRecord
    events: Sequence[MatchEvent]
    outcomes: Sequence[Outcome]
    append: Append | None
    """None if nothing is added."""


def beginning(begun: MatchBegun, done: Done, codec: Codec) -> Decided:
    """A new match and the beginning of its stream; the outcome is True."""
    stored = codec.encode(begun)
    record = MatchRecord(begun)
    record.version = 1
    record.chain = links(_first_link(begun), (stored,))
    append = Append(stream_of(begun.match), Version(0), (stored,), record.chain)
    return Decided(begun.match, None, record, (begun,), [Outcome(done, True, None)], append)


def decided(before: MatchRecord, taken: Sequence[Waiting], now_ms: int, codec: Codec) -> Decided:
    """What commands about one match add to its stream, decided one after the other, each on what those before added.

    A command that raises adds nothing; that it raised is its outcome.
    """
    match = before.begun.match
    outcomes: list[Outcome] = []
    drafted: Draft | None = None
    stored: list[StoredEvent] = []
    for command, done, *_ in taken:
        draft = Draft(before if drafted is None else drafted.record)
        try:
            reply = command(draft, now_ms)  # type: ignore[operator]  # it is no beginning
            encoded = [codec.encode(event) for event in draft.events]
        except Exception as error:
            if not isinstance(error, ServiceError):
                logger.error("command failed", match=match, **failure(error))
            outcomes.append(Outcome(done, None, error))
            continue
        outcomes.append(Outcome(done, reply, None))
        if encoded:
            stored += encoded
            if drafted is not None:
                draft.events[:0] = drafted.events
            drafted = draft
    if drafted is None:
        return Decided(match, before, before, (), outcomes, None)
    after = drafted.record
    after.chain = links(before.chain, stored)
    append = Append(stream_of(match), Version(before.version), stored, after.chain, after.over)
    return Decided(match, before, after, drafted.events, outcomes, append)


def read_on(
    before: MatchRecord | None, stored: Sequence[StoredEvent], codec: Codec
) -> tuple[MatchRecord, Sequence[MatchEvent]]:
    """The record after what the log holds beyond `before`, and the events of that; there must be some."""
    events = [codec.decode(each) for each in stored]
    if before is None:
        begun = events[0]
        assert isinstance(begun, MatchBegun), "a match's log begins with MatchBegun"
        record = MatchRecord(begun)
        record.version = 1
        record.chain = _first_link(begun)
    else:
        record = before.copy()
    for event in events[0 if before else 1 :]:
        apply(record, event)
    record.chain = links(record.chain, stored)
    return record, events


def _first_link(begun: MatchBegun) -> bytes:
    return first_link(begun.match, begun.manifest_hash or NO_MANIFEST)
