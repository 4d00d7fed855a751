"""The public story of a match: what everybody may know, one chapter per boundary, counted from 1.

A cursor counts the story's own chapters, never the log's events: between two boundaries the log may grow by choices and
refusals of which nobody else may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import ClocksStarted, DecisionResolved, MatchBegun, MatchEnded, MatchVoided
from cutpurse_server.matches.record import MatchRecord, apply

__all__ = ["Chapter", "Story"]


class Chapter(NamedTuple):
    """One boundary: a resolved decision, or (without event) the start or the end."""

    event: DecisionResolved | None
    happenings: Sequence[str]
    """What the table saw, in English."""


class Story:
    """Reads a match's log and tells what everybody may know of it."""

    def __init__(self, desk: MatchDesk, match: str) -> None:
        self._desk = desk
        self._match = match
        self._record: MatchRecord | None = None
        self.cursor = 0
        """How many chapters have been told or passed over."""

    async def go_on(self, after_cursor: int = 0) -> tuple[MatchRecord, list[Chapter]]:
        """The record as it is now, and the chapters since the last call, those up to `after_cursor` left out."""
        chapters = []
        for event in await self._desk.events_of(self._match, self._record.version if self._record else 0):
            if isinstance(event, MatchBegun):
                self._record = MatchRecord(event)
                self._record.version = 1
                continue
            record = self._record
            assert record is not None, "a match's log begins with MatchBegun"
            before, chosen = record.state, {seat: each.action for seat, each in record.chosen.items()}
            apply(record, event)
            if not isinstance(event, ClocksStarted | DecisionResolved | MatchEnded | MatchVoided):
                continue
            self.cursor += 1
            if self.cursor <= after_cursor:
                continue
            if isinstance(event, DecisionResolved):
                told = record.game.happenings(before, chosen, record.state)
                chapters.append(Chapter(event, [_sentence(each.seat, each.text) for each in told]))
            else:
                chapters.append(Chapter(None, ()))
        if self._record is None:
            raise ServiceError(ErrorReason.MATCH_UNKNOWN)
        return self._record, chapters


def _sentence(seat: int | None, text: str) -> str:
    return text if seat is None else f"seat {seat} {text}"
