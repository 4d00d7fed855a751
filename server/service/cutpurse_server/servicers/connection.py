"""One stream of one bot: what waits to be written to it, and its writer.

Whatever is due when the writer gets its turn goes out in one frame; only one write is ever outstanding. A write costs
as much as deciding does, so acknowledgements, which nobody has to answer, wait a moment for a frame that goes anyway.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.log.port import Log
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Accepted
from cutpurse_server.wire.decisions import accepted_to_frame, decision_to_frame
from cutpurse_server.wire.matches import ended_to_proto, offer_to_proto

__all__ = ["Connection"]

_BACKLOG_MAX = 2_048
"""Replies and news that may wait; beyond it the stream is not read any further, so that its sender has to wait."""
_FRAME_DECISIONS_MAX = 256
_FRAME_PARTS_MAX = 2_048
_ACKNOWLEDGED_MS = 20
"""How long an acknowledgement may wait for company: nobody has to answer it."""


class Connection:
    """What waits to be written to one stream."""

    def __init__(self, bot: str, hello: bot_pb2.Hello, context: Any, log: Log) -> None:
        self.bot = bot
        self.wants_resolved = hello.wants_resolved
        self._typed = hello.wants_legal_actions
        self._context = context
        self._log = log
        self._wake = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._offers: dict[str, tuple[MatchRecord, Seat]] = {}
        self._decisions: dict[str, tuple[MatchRecord, Seat]] = {}
        self._accepted: list[bytes] = []
        """As parts of a frame."""
        self._acknowledging: asyncio.TimerHandle | None = None
        self._refused: list[match_pb2.ChoiceRefused] = []
        self._news: list[bot_pb2.MatchNews] = []
        self._ended: dict[str, tuple[MatchRecord, Seat]] = {}
        self._draining = False
        self._closing = False
        self.writing_since: float | None = None
        """Monotonic seconds at which the outstanding write began, for the hub's watch over slow readers."""

    def offer(self, record: MatchRecord, seat: Seat) -> None:
        """Offer a match."""
        self._offers[record.match] = (record, seat)
        self._wake.set()

    def decide(self, record: MatchRecord, seat: Seat) -> None:
        """Ask for a decision; a newer one of the same match takes the place of one that was not written yet."""
        self._decisions[record.match] = (record, seat)
        self._wake.set()

    def accept(self, match: str, reply: Accepted) -> None:
        """Acknowledge a choice, with the next frame or soon."""
        self._accepted.append(accepted_to_frame(match, reply))
        if self._acknowledging is None:
            self._acknowledging = asyncio.get_running_loop().call_later(_ACKNOWLEDGED_MS / 1_000, self._acknowledge)

    def _acknowledge(self) -> None:
        self._acknowledging = None
        if self._accepted:
            self._wake.set()

    def refuse(self, refused: match_pb2.ChoiceRefused) -> None:
        """Refuse a choice."""
        self._refused.append(refused)
        self._wake.set()

    def tell(self, news: bot_pb2.MatchNews) -> None:
        """Tell what happened."""
        self._news.append(news)
        self._wake.set()

    def end(self, record: MatchRecord, seat: Seat) -> None:
        """Say that a match is over."""
        self._ended[record.match] = (record, seat)
        self._decisions.pop(record.match, None)
        self._wake.set()

    def drain(self) -> None:
        """Say that the service is about to stop."""
        self._draining = True
        self._wake.set()

    def close(self) -> None:
        """Write what waits, then let `write_all` return."""
        self._closing = True
        self._wake.set()

    @property
    def backlog(self) -> int:
        """How many replies and news wait."""
        return len(self._accepted) + len(self._refused) + len(self._news)

    async def room(self) -> None:
        """Wait until enough has been written that reading may go on."""
        if self.backlog > _BACKLOG_MAX:
            self._drained.clear()
            await self._drained.wait()

    async def write_all(self) -> None:
        """Write frames until closed, or until the stream breaks."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (frame := self._frame()) is not None:
                self.writing_since = monotonic()
                await self._context.write(frame)
                self.writing_since = None
                if self.backlog <= _BACKLOG_MAX:
                    self._drained.set()
            if self._closing:
                return

    @property
    def is_behind(self) -> bool:
        """Whether more news wait than a bot that asked for them may leave unread."""
        return len(self._news) > _BACKLOG_MAX

    def _frame(self) -> bytes | None:
        """All that waits, or as much as one frame holds; None if nothing does."""
        parts = self._accepted
        if len(parts) <= _FRAME_PARTS_MAX:
            self._accepted = []
        else:
            parts, self._accepted = parts[:_FRAME_PARTS_MAX], parts[_FRAME_PARTS_MAX:]
        if self._decisions:
            now_ms = self._log.now_ms()
            typed = self._typed
            due = self._decisions
            if len(due) <= _FRAME_DECISIONS_MAX:
                self._decisions = {}
            else:
                due = {match: self._decisions.pop(match) for match in list(due)[:_FRAME_DECISIONS_MAX]}
            parts += [decision_to_frame(record, seat, now_ms, typed=typed) for record, seat in due.values()]
        if self._refused or self._offers or self._news or self._ended or self._draining:
            parts.append(self._rest())
        return b"".join(parts) if parts else None

    def _rest(self) -> bytes:
        """The rarer parts of a frame."""
        frame = bot_pb2.ConnectResponse()
        now_ms = self._log.now_ms()
        offers = [self._offers.pop(match) for match in list(self._offers)[:_FRAME_DECISIONS_MAX]]
        frame.offers.extend([offer_to_proto(record, seat, now_ms) for record, seat in offers])
        frame.refused.extend(self._refused[:_FRAME_PARTS_MAX])
        del self._refused[:_FRAME_PARTS_MAX]
        frame.news.extend(self._news[:_FRAME_PARTS_MAX])
        del self._news[:_FRAME_PARTS_MAX]
        ended = [self._ended.pop(match) for match in list(self._ended)[:_FRAME_PARTS_MAX]]
        frame.ended.extend([ended_to_proto(record, seat) for record, seat in ended])
        if self._draining:
            self._draining = False
            frame.draining.SetInParent()
        return frame.SerializeToString()
