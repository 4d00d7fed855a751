"""What waits to be decided, match by match, and when the desk is called to it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sized
from typing import Any, NamedTuple

import structlog

from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.events import MatchBegun
from cutpurse_server.whereabouts import failure

__all__ = ["Command", "Done", "Outcome", "Queues", "Waiting", "nobody", "waiting_for"]

Command = Callable[[Draft, int], Any]
"""Reads the draft's record, adds events, returns a reply. The number is store time in milliseconds."""

Done = Callable[[Any, Exception | None], None]
"""Called once, on the loop, after the commit: with the reply, or with the error if there is none."""

_WAITING_MAX = 4_096
"""Commands of one match that may wait; more are refused. Far above what corrections and repetitions need."""
_TOGETHER_MAX = 64
"""Commands of one match in one flush."""
_PASSES_MAX = 16
"""How often the loop may go round while more comes; each time takes about as long as reading what has come."""
_PATIENCE_MS = 2
"""How long what no clock waits for may wait for company: a flush for its sake alone would keep the others waiting."""

logger = structlog.get_logger(__name__)


class Waiting(NamedTuple):
    """A command and its sender."""

    command: Command | MatchBegun
    """What is to be decided, or a match that is to begin; the reply to that is whether it is new."""
    done: Done
    patient: bool = False
    tries: int = 0
    """How often another replica was quicker."""


class Outcome(NamedTuple):
    """What a sender is told, once what it follows from is durable."""

    done: Done
    reply: Any
    error: Exception | None


def waiting_for(command: Command | MatchBegun, *, patient: bool) -> tuple[Waiting, asyncio.Future[Any]]:
    """A command whose sender waits for the future: for the reply, or for what the command raised."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def done(reply: Any, error: Exception | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(reply)
        else:
            future.set_exception(error)

    return Waiting(command, done, patient), future


def nobody(_: Any, error: Exception | None) -> None:
    """The sender of a command of the desk's own."""
    if error is not None:
        logger.warning("a command of the desk's own failed", **failure(error))


class Queues:
    """One queue for each match that has something waiting."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Waiting]] = {}
        self._wake = asyncio.Event()
        """Set when something is to be taken: at once, or after a while if all that waits is patient."""
        self._patience: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return bool(self._queues)

    async def gathered(self, running: Sized) -> None:
        """Wait until something is to be taken, and as long as more comes: the larger a flush is, the less is written
        for each command of it, and what follows from it fits into fewer frames. More can come for `running` matches.
        """
        await self._wake.wait()
        matches = 0
        for _ in range(_PASSES_MAX):
            if len(self._queues) == matches or len(self._queues) >= len(running):
                break
            matches = len(self._queues)
            # The loop goes round: streams read what has come.
            await asyncio.sleep(0)
        self._wake.clear()

    def put(self, match: str, waiting: Waiting) -> bool:
        """Put a command behind what waits; False if that is too much already."""
        queue = self._queues.get(match)
        if queue is None:
            queue = self._queues[match] = deque()
        if len(queue) >= _WAITING_MAX:
            return False
        queue.append(waiting)
        self._call(waiting)
        return True

    def put_first(self, match: str, waiting: Waiting) -> None:
        """Put a command before what waits, however much that is."""
        self._queues.setdefault(match, deque()).appendleft(waiting)
        self._call(waiting)

    def take(self) -> dict[str, list[Waiting]]:
        """Take what waits off the queues: more may be put before or behind it from now on.

        Of one match all that comes after one another in one flush, which is nothing else after a beginning.
        """
        taken: dict[str, list[Waiting]] = {}
        left: list[tuple[str, deque[Waiting]]] = []
        for match, queue in self._queues.items():
            together = taken[match] = [queue.popleft()]
            if queue:
                if type(together[0].command) is not MatchBegun:
                    while queue and len(together) < _TOGETHER_MAX and type(queue[0].command) is not MatchBegun:
                        together.append(queue.popleft())
                if queue:
                    left.append((match, queue))
        self._queues = dict(left)
        for _, queue in left:
            self._call(queue[0])
        return taken

    def take_all(self) -> list[Waiting]:
        """Take everything."""
        queues, self._queues = self._queues, {}
        return [waiting for queue in queues.values() for waiting in queue]

    def stop(self) -> None:
        """Call for nothing any more."""
        if self._patience is not None:
            self._patience.cancel()

    def _call(self, waiting: Waiting) -> None:
        if not waiting.patient:
            self._wake.set()
        elif self._patience is None:
            self._patience = asyncio.get_running_loop().call_later(_PATIENCE_MS / 1_000, self._lose_patience)

    def _lose_patience(self) -> None:
        self._patience = None
        if self._queues:
            self._wake.set()
