"""All bot streams of this replica: who has to hear of what has become durable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic

from cutpurse.v1 import bot_pb2
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import ClocksStarted, DecisionOpened, DecisionResolved, MatchBegun, MatchEvent
from cutpurse_server.matches.presence import Presence
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.servicers.connection import Connection
from cutpurse_server.wire.matches import resolved_to_proto

__all__ = ["STREAMS_PER_BOT_MAX", "Hub"]

STREAMS_PER_BOT_MAX = 4
_WRITE_S_MAX = 20.0
"""A write that the reader does not take in this time ends the stream."""
_WATCH_S = 1.0
_TOLD = frozenset((MatchBegun, ClocksStarted, DecisionResolved))
"""With which events the public story goes on; it goes on when the match is over, too."""


class Hub:
    """Observes the desk and passes on to every stream what its bot has to hear."""

    def __init__(self, desk: MatchDesk, presence: Presence) -> None:
        self._desk = desk
        self._presence = presence
        self._connections: dict[str, list[Connection]] = {}
        self._listening = 0
        """How many of them want to hear of resolved decisions."""
        self._cut: dict[Connection, Callable[[], None]] = {}
        self._watchers: dict[str, set[asyncio.Event]] = {}
        desk.observe(self)

    def open(self, connection: Connection, cut: Callable[[], None]) -> None:
        """Take up a stream: offer the bot's matches, ask its open decisions. TOO_MANY_STREAMS beyond the limit.

        `cut` is called, once at most, if the bot does not read what is written to it.
        """
        bot = connection.bot
        streams = self._connections.setdefault(bot, [])
        if len(streams) >= STREAMS_PER_BOT_MAX:
            raise ServiceError(ErrorReason.TOO_MANY_STREAMS)
        streams.append(connection)
        self._listening += connection.wants_resolved
        self._cut[connection] = cut
        self._presence.came(bot)
        for record in self._desk.running():
            seat = record.seat_of.get(bot)
            if seat is None:
                continue
            connection.offer(record, seat)
            if record.phase is Phase.RUNNING and seat in record.asked and seat not in record.chosen:
                connection.decide(record, seat)

    def close(self, connection: Connection) -> None:
        """Forget a stream."""
        streams = self._connections[connection.bot]
        streams.remove(connection)
        self._listening -= connection.wants_resolved
        del self._cut[connection]
        if not streams:
            del self._connections[connection.bot]
        self._presence.went(connection.bot)

    def drain(self) -> None:
        """Tell all streams that the service stops, and let them end."""
        for streams in self._connections.values():
            for connection in streams:
                connection.drain()
                connection.close()
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.set()

    def watch(self, match: str, watcher: asyncio.Event) -> None:
        """Set an event whenever the public story of a match goes on."""
        self._watchers.setdefault(match, set()).add(watcher)
        self._desk.follow(match)

    def unwatch(self, match: str, watcher: asyncio.Event) -> None:
        """Stop doing so."""
        self._desk.unfollow(match)
        watchers = self._watchers[match]
        watchers.discard(watcher)
        if not watchers:
            del self._watchers[match]

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """See `Observer.moved`. Nothing is passed on but at a decision's boundary."""
        kinds: set[type] = set(map(type, events))
        over = after.over
        if self._watchers and (over or not kinds.isdisjoint(_TOLD)):
            for watcher in self._watchers.get(after.match, ()):
                watcher.set()
        if self._listening and DecisionResolved in kinds:
            self._tell(after, [event for event in events if isinstance(event, DecisionResolved)])
        if over:
            for bot, seat in after.seat_of.items():
                for connection in self._connections.get(bot, ()):
                    connection.end(after, seat)
        elif DecisionOpened in kinds:
            seats = after.begun.seats
            for seat in after.asked:
                if seat not in after.chosen:
                    for connection in self._connections.get(seats[seat].bot, ()):
                        connection.decide(after, seat)
        elif before is None and MatchBegun in kinds and after.phase is Phase.WARM_UP:
            for bot, seat in after.seat_of.items():
                for connection in self._connections.get(bot, ()):
                    connection.offer(after, seat)

    async def watch_readers(self) -> None:
        """End streams whose bots do not read; runs for ever."""
        while True:
            await asyncio.sleep(_WATCH_S)
            limit = monotonic() - _WRITE_S_MAX
            for connection, cut in list(self._cut.items()):
                if connection.writing_since is not None and connection.writing_since < limit:
                    cut()

    def _tell(self, after: MatchRecord, resolved: Sequence[DecisionResolved]) -> None:
        for bot in after.seat_of:
            for connection in self._connections.get(bot, ()):
                if connection.wants_resolved:
                    decisions = [resolved_to_proto(event) for event in resolved]
                    connection.tell(bot_pb2.MatchNews(match=after.match, resolved=decisions))
                    if connection.is_behind:
                        self._cut[connection]()
