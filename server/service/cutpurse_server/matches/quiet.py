"""Replies whose time says nothing: what took longer because another seat answered elsewhere is not told by its delay.

Two answers to one decision that come to two replicas at the same moment meet in the log, and one of them is decided
again. So where replicas share a log, whoever answers a decision of several seats is told a fixed while after the answer
came, or when the decision is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.waiting import Waiting

__all__ = ["HELD_BACK_S", "Quiet"]

HELD_BACK_S = 0.04
"""Longer than most answers take that have to be decided twice."""


class _Reply(NamedTuple):
    """One that is held back."""

    match: str
    number: int
    """The decision in which it was asked for."""
    tell: Callable[[], None]


class Quiet:
    """Replies that are held back."""

    def __init__(self, record_of: Callable[[str], MatchRecord | None]) -> None:
        """`record_of` gives the newest record of a running match."""
        self._record_of = record_of
        self._replies: dict[str, dict[_Reply, asyncio.TimerHandle]] = {}
        """By match, with the timer that sends each."""

    def keep(self, match: str, waiting: Waiting) -> Waiting:
        """A command whose reply is held back, if it is sent while a decision of several seats is open."""
        record = self._record_of(match)
        if record is None or len(record.asked) < 2:
            return waiting
        loop = asyncio.get_running_loop()
        number, due_s = record.number, loop.time() + HELD_BACK_S

        def done(reply: Any, error: Exception | None) -> None:
            if error is not None or loop.time() >= due_s or not self._is_open(match, number):
                waiting.done(reply, error)
                return
            reply_held = _Reply(match, number, partial(waiting.done, reply, None))
            self._replies.setdefault(match, {})[reply_held] = loop.call_at(due_s, self._tell, reply_held)

        return waiting._replace(done=done)

    def moved(self, match: str) -> None:
        """There is a newer record: what was asked for in decisions that are over is told before anything else."""
        for reply in list(self._replies.get(match, ())):
            if not self._is_open(match, reply.number):
                self._tell(reply)

    def stop(self) -> None:
        """Hold nothing back any more."""
        for replies in list(self._replies.values()):
            for reply in list(replies):
                self._tell(reply)

    def _tell(self, reply: _Reply) -> None:
        replies = self._replies[reply.match]
        replies.pop(reply).cancel()
        if not replies:
            del self._replies[reply.match]
        reply.tell()

    def _is_open(self, match: str, number: int) -> bool:
        record = self._record_of(match)
        return record is not None and record.number == number and len(record.asked) > 0
