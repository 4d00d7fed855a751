"""From a match's record to what the log keeps, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from cutpurse_server.log.chain import NO_MANIFEST, first_link, links
from cutpurse_server.log.port import Append, StoredEvent, Version
from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.events import MatchBegun, MatchEvent
from cutpurse_server.matches.record import MatchRecord, apply

__all__ = ["Codec", "Decided", "beginning", "decided", "read_on", "stream_of"]


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
    """What a command adds to a match, before it is written."""

    match: str
    before: MatchRecord | None
    """None if the match begins."""
    after: MatchRecord
    events: Sequence[MatchEvent]
    reply: Any
    append: Append


def beginning(begun: MatchBegun, codec: Codec) -> Decided:
    """A new match, the beginning of its stream, and True for a reply."""
    stored = codec.encode(begun)
    record = MatchRecord(begun)
    record.version = 1
    record.chain = links(_first_link(begun), (stored,))
    append = Append(stream_of(begun.match), Version(0), (stored,), record.chain)
    return Decided(begun.match, None, record, (begun,), True, append)


def decided(before: MatchRecord, draft: Draft, reply: Any, codec: Codec) -> Decided:
    """What a draft, which must have events, adds to the stream of a match."""
    encode = codec.encode
    after, match = draft.record, before.begun.match
    events = [encode(event) for event in draft.events]
    after.chain = links(before.chain, events)
    append = Append(stream_of(match), Version(before.version), events, after.chain, after.over)
    return Decided(match, before, after, draft.events, reply, append)


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
