"""Who sees every commit of a simulated store at the moment at which it happens, and what must never be seen there."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from cutpurse_server.log.port import Append
from cutpurse_server.matches.events import (
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    DecisionOpened,
    MatchBegun,
    MatchEnded,
    MatchEvent,
    MatchVoided,
    SeatForfeited,
)
from cutpurse_server.wire import match_events

__all__ = ["Witness"]

_SLACK_MS = 500
"""Gaps of several replicas may overlap by as long as it takes to note that one is alive."""


class _Open(NamedTuple):
    """An open decision."""

    number: int
    opened_at_ms: int


class _Given(NamedTuple):
    """A gap that was given back."""

    begin_ms: int
    end_ms: int
    credit_ms: int


class Witness:
    """`wrong` collects what was seen and must not be."""

    def __init__(self, honest: frozenset[str]) -> None:
        """`honest` are the bots that nobody may be charged for."""
        self.wrong: list[str] = []
        self.counted: Counter[str] = Counter()
        self.begun: dict[str, MatchBegun] = {}
        self.ended: dict[str, MatchEnded] = {}
        self.traces: dict[tuple[str, bytes], str] = {}
        """By match and request id: the notation of the choice that was made, or empty if it was refused."""
        self._honest = honest
        self._open: dict[str, _Open] = {}
        self._settled: set[tuple[str, int, int]] = set()
        """Match, decision and seat of what was chosen, by whomever."""
        self._given: dict[tuple[str, int], list[_Given]] = {}
        """By match and decision."""
        self._noted_ms: int | None = None

    def committed(self, append: Append, noted_ms: int | None) -> None:
        """See what was committed, when the last note that the service lives was of `noted_ms`."""
        self._noted_ms = noted_ms
        if append.stream.startswith("match/"):
            match = append.stream.removeprefix("match/")
            for stored in append.events:
                self._see(match, match_events.decode(stored))

    def _see(self, match: str, event: MatchEvent) -> None:
        self.counted[type(event).__name__] += 1
        if isinstance(event, MatchBegun):
            self.begun[match] = event
        elif isinstance(event, DecisionOpened):
            self._open[match] = _Open(event.number, event.opened_at_ms)
        elif isinstance(event, ChoiceMade):
            self._settle(match, event.number, event.seat)
            if event.request_id:
                self._trace(match, event.request_id, event.notation)
        elif isinstance(event, ChoiceRefused):
            self._trace(match, event.request_id, "")
            self._charge(match, event.seat, "an answer was refused")
        elif isinstance(event, ChoiceDefaulted):
            self._settle(match, event.number, event.seat)
            self._charge(match, event.seat, f"the default was played ({event.cause.name})")
        elif isinstance(event, SeatForfeited):
            self._charge(match, event.seat, "the seat was forfeited")
        elif isinstance(event, ClockCredited):
            self._credit(match, event)
        elif isinstance(event, MatchVoided):
            self.wrong.append(f"{match} was voided: {event.cause.name}, {event.text}")
        elif isinstance(event, MatchEnded):
            self.ended[match] = event

    def _settle(self, match: str, number: int, seat: int) -> None:
        key = match, number, seat
        if key in self._settled:
            self.wrong.append(f"{match}: decision {number} of seat {seat} was made twice")
        self._settled.add(key)

    def _trace(self, match: str, request_id: bytes, notation: str) -> None:
        if (match, request_id) in self.traces:
            self.wrong.append(f"{match}: request {request_id!r} left two traces")
        self.traces[match, request_id] = notation

    def _charge(self, match: str, seat: int, what: str) -> None:
        bot = self.begun[match].seats[seat].bot
        if bot in self._honest:
            self.wrong.append(f"{match}: {what} for {bot}, who is honest")

    def _credit(self, match: str, event: ClockCredited) -> None:
        """No moment is given back twice, whichever replica's gap it was in, and none before the decision was opened."""
        opened_ms = self._open[match].opened_at_ms - _SLACK_MS
        begin_ms = event.at_ms - event.credit_ms
        if self._noted_ms is not None:
            # A gap begins after the last note that somebody lives. What is given for it may be less than its length:
            # others gave a part of it, who did not come to note that they live.
            begin_ms = min(begin_ms, self._noted_ms)
        given = self._given.setdefault((match, event.number), [])
        given.append(_Given(max(opened_ms, begin_ms), event.at_ms, event.credit_ms))
        too_much_ms = sum(each.credit_ms for each in given) - _together_ms(given)
        if too_much_ms > _SLACK_MS:
            self.wrong.append(f"{match}: {too_much_ms} ms were given back twice, or for no gap")


def _together_ms(gaps: list[_Given]) -> int:
    """How long gaps are that may overlap."""
    until_ms, together_ms = 0, 0
    for begin_ms, end_ms in sorted((gap.begin_ms, gap.end_ms) for gap in gaps):
        together_ms += max(0, end_ms - max(begin_ms, until_ms))
        until_ms = max(until_ms, end_ms)
    return together_ms
