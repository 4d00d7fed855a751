"""Time that the platform owes the seats: what was not there for them is given back once, whatever fails meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.deciding import Draft, credit
from cutpurse_server.matches.events import ClockCredited, MatchEvent
from cutpurse_server.matches.record import MatchRecord, Phase

__all__ = ["Credits"]

_Command = Callable[[Draft, int], Any]
_Done = Callable[[Any, Exception | None], None]


class _Owed(NamedTuple):
    """What an open decision is to be credited with altogether, in milliseconds."""

    number: int
    credit_ms: int


class Credits:
    """Credits that are not known to be durable. Nobody's time is over as long as its match is owed one."""

    def __init__(self) -> None:
        self._owed: dict[str, _Owed] = {}
        self._read: dict[str, list[ClockCredited]] = {}
        """By match: credits of its open decision that were read in the log."""

    def owed(self, match: str) -> bool:
        """Whether a match is owed a credit."""
        return match in self._owed

    def settled(self, matches: Iterable[str]) -> bool:
        """Whether none of some matches is owed one."""
        return not any(match in self._owed for match in matches)

    def read(self, record: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """Know of what stands in a match's log, which somebody else wrote."""
        found = [event for event in events if type(event) is ClockCredited]
        if not found and record.match not in self._read:
            return
        known = [each for each in (*self._read.pop(record.match, ()), *found) if each.number == record.number]
        if known and not record.over:
            self._read[record.match] = known

    def credited_until_ms(self, at_ms: int, record: MatchRecord) -> int:
        """What the open decision of a match had been credited with at a moment of store time, as far as was read.

        A replica that gave a gap back, and was killed before it noted that it lives, leaves it to the next one, which
        finds the gap to be longer by now: only what is missing is given then.
        """
        later = (each for each in self._read.get(record.match, ()) if each.number == record.number)
        return record.credit_ms - sum(each.credit_ms for each in later if each.at_ms > at_ms)

    def give_all(
        self,
        records: Iterable[MatchRecord],
        now_ms: int,
        gap_ms: int,
        text: str,
        credited_before_ms: Callable[[MatchRecord], int | None],
    ) -> Iterator[tuple[str, _Command, _Done]]:
        """For each running match what `give` says; nobody has lost more than the time since the decision was opened."""
        for record in records:
            if record.phase is Phase.RUNNING:
                lost_ms = min(gap_ms, max(0, now_ms - record.opened_at_ms))
                yield record.match, *self.give(record, lost_ms, text, credited_before_ms(record))

    def give(
        self, record: MatchRecord, gap_ms: int, text: str, credited_before_ms: int | None = None
    ) -> tuple[_Command, _Done]:
        """The command that credits a gap to the open decision of a match, and whom to tell of its outcome.

        The credit goes on top of what had been credited when the gap began; without that, of what is by now.
        """
        # What another replica has given back meanwhile is not given back again.
        credited_ms = record.credit_ms if credited_before_ms is None else credited_before_ms
        before = self._owed.get(record.match)
        if before is not None and before.number == record.number:
            # Written or not when the log failed once more: what was owed then is owed now.
            credited_ms = max(credited_ms, before.credit_ms)
        owed = self._owed[record.match] = _Owed(record.number, credited_ms + gap_ms)
        return partial(_give, owed, text), partial(self._given, record.match)

    def _given(self, match: str, _: Any, error: Exception | None) -> None:
        if not (isinstance(error, ServiceError) and error.reason is ErrorReason.LOG_UNAVAILABLE):
            self._owed.pop(match, None)


def _give(owed: _Owed, text: str, draft: Draft, now_ms: int) -> None:
    """Credit what is still missing, if the decision is the one that it is owed in."""
    if draft.record.number == owed.number:
        credit(draft, owed.credit_ms - draft.record.credit_ms, now_ms, text)
