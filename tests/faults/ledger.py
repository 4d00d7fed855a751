"""What was written to a log and what was acknowledged of it, and whether a log that is opened later keeps the promise.

The chains in it are real: what is read back has to be linked from its first event to its head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import Append, Log, StoredEvent, Version

__all__ = ["KINDS", "Contents", "Flushed", "Ledger", "Stream", "append_to", "contents_of"]

KINDS = ("match", "tournament", "identity")


class Stream(NamedTuple):
    """All that a log says of one stream."""

    events: tuple[StoredEvent, ...] = ()
    closed: bool = False

    @property
    def version(self) -> Version:
        """How many events it has."""
        return Version(len(self.events))


Contents = Mapping[str, Stream]
"""By name."""


class Flushed(NamedTuple):
    """A flush, and where the disk's journal stood when it was begun and when it was acknowledged."""

    begun_at: int
    acknowledged_at: int
    appends: Sequence[Append]
    """Those that took place."""


def append_to(name: str, stream: Stream, events: Sequence[StoredEvent], *, closed: bool = False) -> Append:
    """What adds events to a stream, with the chain's head after them."""
    head = links(first_link(name), (*stream.events, *events))
    return Append(name, stream.version, events, head, closed)


class Ledger:
    """Contents of a log from the moment on at which the ledger was begun."""

    def __init__(self, before: Contents, beat_ms: int | None = None) -> None:
        self.before = before
        self.now = dict(before)
        """After everything that was acknowledged."""
        self.flushes: list[Flushed] = []
        self.beats: list[tuple[int, int]] = [] if beat_ms is None else [(0, beat_ms)]
        """Where the journal stood when a note was acknowledged, and its time at least."""

    def flushed(self, begun_at: int, acknowledged_at: int, appends: Sequence[Append]) -> None:
        """A flush was acknowledged."""
        self.flushes.append(Flushed(begun_at, acknowledged_at, appends))
        self.now = _after(self.now, appends)

    def possible_after(self, operations: int) -> list[Contents]:
        """What a log may hold if so many of the journal's operations took place: one or two contents."""
        contents = dict(self.before)
        for flush in self.flushes:
            if flush.acknowledged_at > operations:
                # One flush after the other, so this is the only one that was under way.
                if flush.begun_at < operations:
                    return [contents, _after(contents, flush.appends)]
                break
            contents = _after(contents, flush.appends)
        return [contents]

    def beat_after(self, operations: int) -> int | None:
        """The earliest time that the last note may have then."""
        acknowledged = [at_ms for at, at_ms in self.beats if at <= operations]
        return acknowledged[-1] if acknowledged else None


def _after(contents: Contents, appends: Sequence[Append]) -> dict[str, Stream]:
    after = dict(contents)
    for append in appends:
        stream = after.get(append.stream, Stream())
        after[append.stream] = Stream((*stream.events, *append.events), append.closed)
    return after


async def contents_of(log: Log) -> Contents:
    """Everything that an open log holds; fails where head, chain and events do not agree."""
    contents = {}
    for kind in KINDS:
        names = await log.streams(kind)
        still_open = await log.streams(kind, open_only=True)
        for name in names:
            head, events = await log.head(name), tuple(await log.read(name))
            assert head is not None, f"{name} has no head"
            assert head.version == len(events), f"{name} stands at {head.version} and has {len(events)} events"
            assert head.chain == links(first_link(name), events), f"the chain of {name} is broken"
            assert head.closed == (name not in still_open), f"{name} is listed wrongly"
            contents[name] = Stream(events, head.closed)
    return contents
