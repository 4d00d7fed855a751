"""What stands in a log once its owner has ended: read from the file, folded and checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cutpurse_server.log.chain import NO_MANIFEST, first_link, links
from cutpurse_server.log.port import Log
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.events import (
    ChoiceDefaulted,
    ChoiceMade,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEvent,
    SeatForfeited,
)
from cutpurse_server.matches.record import fold
from cutpurse_server.wire import match_events

__all__ = ["MatchLog", "read_matches"]


class MatchLog:
    """One match's log."""

    def __init__(self, events: Sequence[MatchEvent]) -> None:
        begun = events[0]
        assert isinstance(begun, MatchBegun)
        self.begun = begun
        self.events = events
        self.record = fold(events)

    @property
    def made(self) -> list[ChoiceMade]:
        """All choices that were made."""
        return [event for event in self.events if isinstance(event, ChoiceMade)]

    @property
    def defaulted(self) -> list[ChoiceDefaulted]:
        """All defaults that were played for a seat, those of forfeited seats included."""
        return [event for event in self.events if isinstance(event, ChoiceDefaulted)]

    @property
    def course(self) -> str:
        """Every decision with the choices of all seats, however they came to be."""
        resolved = (event for event in self.events if isinstance(event, DecisionResolved))
        return " · ".join(f"{each.seat}:{each.notation}" for event in resolved for each in event.choices)

    def choices_of(self, bot: str) -> dict[bytes, ChoiceMade]:
        """A bot's own choices by request id; no request id may stand there twice."""
        seat = self.record.seat_of[bot]
        own = [event for event in self.made if event.seat == seat and event.request_id]
        by_request = {event.request_id: event for event in own}
        assert len(by_request) == len(own), f"a request of {bot} stands in {self.begun.match} twice"
        return by_request

    def faults_of(self, bot: str) -> list[ChoiceDefaulted | SeatForfeited]:
        """Everything that counts against a bot: strikes and forfeits."""
        seat = self.record.seat_of[bot]
        faults = (event for event in self.events if isinstance(event, ChoiceDefaulted | SeatForfeited))
        return [event for event in faults if event.seat == seat]

    def check_order(self) -> None:
        """Decisions are opened and resolved one after the other, and each asked seat chooses once in each."""
        number = 0
        chosen: list[int] = []
        for event in self.events:
            if isinstance(event, DecisionOpened):
                number += 1
                chosen = []
                assert event.number == number
            elif isinstance(event, ChoiceMade | ChoiceDefaulted):
                assert event.number == number
                assert event.seat not in chosen
                chosen.append(event.seat)
            elif isinstance(event, DecisionResolved):
                assert event.number == number
                assert [choice.seat for choice in event.choices] == sorted(chosen)


async def read_matches(kept: Path | Log) -> dict[str, MatchLog]:
    """All matches of a log by id, their chains and the order of their events checked. Nobody may own the file."""
    log = SQLiteLog(kept) if isinstance(kept, Path) else kept
    await log.open()
    try:
        matches = {}
        for stream in await log.streams("match"):
            name = stream.removeprefix("match/")
            stored, head = await log.read(stream), await log.head(stream)
            matches[name] = match = MatchLog([match_events.decode(each) for each in stored])
            match.check_order()
            assert head is not None
            assert head.version == len(stored)
            assert head.chain == links(first_link(name, match.begun.manifest_hash or NO_MANIFEST), stored)
        return matches
    finally:
        await log.close()
