"""Whether the log is there, and for how long it was not: what nobody could help is given back to the seats, once.

Every replica notes in the log that it lives. A gap in these notes, whoever made them, is time in which no replica was
there; replicas that find one give it back one after the other, so that the second finds none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import structlog

from cutpurse_server.log.port import LastSign, Log, LogUnavailable
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.whereabouts import failure

__all__ = ["Pulse", "gap_before_ms"]

_BEAT_S = 1.0
_RETRY_S = 0.25
_GIVING_BACK_LOOK_S = 0.005
_GIVING_BACK_LOOKS = 1_000
_ALIVE_MS = 5_000
"""A note that is no older shows that the replicas that have the log open are alive."""

logger = structlog.get_logger(__name__)


def gap_before_ms(last: LastSign, now_ms: int) -> int:
    """How long no replica was there before one that starts now."""
    if last.at_ms is None or (not last.alone and now_ms - last.at_ms < _ALIVE_MS):
        return 0
    return now_ms - last.at_ms


class Pulse:
    """Notes that the service lives, and finds out when a log that failed is back."""

    def __init__(
        self,
        log: Log,
        read_again: Callable[[], Awaitable[None]],
        give_back: Callable[[int], None],
        is_given_back: Callable[[], bool],
        is_over: Callable[[], bool],
    ) -> None:
        """`read_again` and `give_back` (some milliseconds) are called when the log is back; `is_given_back` says when
        that is durable. Nothing is noted any more once `is_over`.
        """
        self._log = log
        self._read_again = read_again
        self._give_back = give_back
        self._is_given_back = is_given_back
        self._is_over = is_over
        self._beaten_ms = 0
        """A moment after the last note of this replica's own."""
        self.down_since_ms: int | None = None
        self._credited: dict[str, tuple[int, int]] = {}
        """By match: the decision that was open when the log failed, and its credit."""

    async def beat(self) -> None:
        """Note that the service lives; raises `LogUnavailable`."""
        await self._log.beat()
        self._beaten_ms = self._log.now_ms()

    def lost(self, now_ms: int, records: Iterable[MatchRecord]) -> None:
        """The log failed; what stands in the records is known of the time before."""
        if self.down_since_ms is None:
            self.down_since_ms = now_ms
            self._credited = {record.match: (record.number, record.credit_ms) for record in records}

    def credited_before_ms(self, record: MatchRecord) -> int:
        """What the open decision of a match had been credited with when the log failed."""
        number, credit_ms = self._credited.get(record.match, (None, 0))
        return credit_ms if number == record.number else 0

    async def go_on(self, fail: Callable[[LogUnavailable], None]) -> None:
        """Beat for ever; `fail` is told when that is what fails first."""
        while True:
            await asyncio.sleep(_BEAT_S if self.down_since_ms is None else _RETRY_S)
            if self._is_over():
                continue
            try:
                if self.down_since_ms is None:
                    await self.beat()
                else:
                    await self._take_up_again(self.down_since_ms)
            except LogUnavailable as unavailable:
                if self.down_since_ms is None:
                    fail(unavailable)
            except Exception as error:
                # One match whose log cannot be read must not keep all others from being taken up again.
                logger.error("a match could not be taken up again", **failure(error))

    async def _take_up_again(self, down_since_ms: int) -> None:
        async with self._log.taking_up() as last:
            # A note by somebody else, since then, ends the gap: what was before it, they have given back.
            since_ms = down_since_ms
            if self._log.shared and last.at_ms is not None and last.at_ms > self._beaten_ms:
                since_ms = max(since_ms, last.at_ms)
            await self._read_again()
            gap_ms = max(0, self._log.now_ms() - since_ms)
            self.down_since_ms = None
            logger.info("log available again", gap_ms=gap_ms)
            self._give_back(gap_ms)
            # Whoever comes next finds no gap, and so must find what was given back: else somebody's time is over there.
            for _ in range(_GIVING_BACK_LOOKS):
                if self._is_given_back() or self.down_since_ms is not None:
                    break
                await asyncio.sleep(_GIVING_BACK_LOOK_S)
            # Noted as alive only now: if we are killed or fail before, the next one still finds the gap.
            if self.down_since_ms is None:
                await self.beat()
