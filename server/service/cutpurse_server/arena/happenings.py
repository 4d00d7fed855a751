"""What happens in a tournament that is run here, as it happens: ends of matches, bots' faults, bots that end.

For the organiser alone: bots must not learn of each other's faults, nor who they play, before they may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from cutpurse_server.matches.events import Cause, ChoiceDefaulted, ChoiceRefused, MatchEvent, SeatForfeited
from cutpurse_server.matches.record import MatchRecord

__all__ = ["Happening", "Happenings"]


class Happening(NamedTuple):
    """Something that has happened."""

    kind: str
    """`fault`; `match`, the end of one; or `bot`: a bot that is launched here has ended, or was held back."""
    fields: dict[str, Any]
    """Plain data."""


class Happenings:
    """Tells of the matches of tournaments (`Observer`)."""

    def __init__(self, hear: Callable[[Happening], None]) -> None:
        self._hear = hear

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """A match has moved."""
        if after.begun.origin is None:
            return
        for happening in _faults(after, events):
            self._hear(happening)
        if after.over:
            self._hear(_end(after))


def _faults(match: MatchRecord, events: Sequence[MatchEvent]) -> Iterator[Happening]:
    for event in events:
        if isinstance(event, ChoiceDefaulted):
            if event.cause is not Cause.FORFEITED:
                yield _fault(match, "default", event, strike=event.strike)
        elif isinstance(event, ChoiceRefused):
            yield _fault(match, "refused", event, strike=False)
        elif isinstance(event, SeatForfeited):
            yield _fault(match, "forfeit", event, strike=False)


def _fault(
    match: MatchRecord, what: str, event: ChoiceDefaulted | ChoiceRefused | SeatForfeited, *, strike: bool
) -> Happening:
    cause = event.cause.name.lower()
    fields = {"match": match.match, "bot": match.begun.seats[event.seat].bot, "seat": int(event.seat)}
    return Happening("fault", fields | {"decision": event.number, "what": what, "cause": cause, "strike": strike})


def _end(match: MatchRecord) -> Happening:
    origin, outcome = match.begun.origin, match.outcome
    assert origin is not None
    place = {"round": origin.round, "table": origin.table, "rotation": origin.rotation, "attempt": origin.attempt}
    fields: dict[str, Any] = {"match": match.match, **place, "bots": [seat.bot for seat in match.begun.seats]}
    if outcome is None:
        assert match.void_cause is not None
        return Happening("match", fields | {"voided": match.void_cause.name.lower()})
    result = {
        "placements": list(outcome.placements),
        "scores": list(outcome.scores),
        "forfeited": list(outcome.forfeited),
        "decisions": match.number,
    }
    return Happening("match", fields | result)
