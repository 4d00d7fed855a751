"""What a match's log says of the bots in it, one by one: their time, their faults, their points. Pure.

A bot's own log is made of this, for its owner alone, and with all bots' the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from fractions import Fraction
from statistics import fmean, median
from typing import Any, NamedTuple

from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    DecisionOpened,
    MatchEvent,
    SeatForfeited,
)
from cutpurse_server.tournaments.events import CompletedMatch
from cutpurse_server.tournaments.formats.course import placement_units

__all__ = ["BotChoice", "BotFault", "BotLog", "BotMatch", "FaultKind", "bot_matches"]


class FaultKind(IntEnum):
    """What sort of fault it is; numbers as in tournament.proto."""

    DEFAULT = 1
    REFUSED = 2
    FORFEIT = 3


class BotChoice(NamedTuple):
    """A choice of a bot's own."""

    decision: int
    """Of the match, from 1."""
    took_ms: int
    """From when it was asked until its answer was there."""
    notation: str


class BotFault(NamedTuple):
    """Something that a bot did wrong, or did not do."""

    kind: FaultKind
    decision: int
    """Of the match, from 1; 0: before the first one."""
    cause: Cause
    notation: str
    """Of a refused answer, its beginning; of a default, what was played; of a forfeit nothing."""
    strike: bool


class BotMatch(NamedTuple):
    """A match of a bot's."""

    match: str
    bot: str
    seat: int
    placement: int
    """Shared where equal; from 1."""
    points: Fraction
    """From 0 to 1."""
    forfeited: bool
    choices: tuple[BotChoice, ...]
    faults: tuple[BotFault, ...]
    """Without the defaults that follow upon a forfeit."""

    def to_json(self) -> dict[str, Any]:
        """As plain data; times as they are, and summed up."""
        times = [choice.took_ms for choice in self.choices]
        return self._asdict() | {
            "points": float(self.points),
            "took_ms_mean": fmean(times) if times else None,
            "took_ms_median": median(times) if times else None,
            "took_ms_longest": max(times, default=None),
            "choices": [choice._asdict() for choice in self.choices],
            "faults": [
                fault._asdict() | {"kind": fault.kind.name.lower(), "cause": fault.cause.name.lower()}
                for fault in self.faults
            ],
        }


class BotLog(NamedTuple):
    """A part of a bot's own log."""

    bot: str
    matches: tuple[BotMatch, ...]
    """Of completed blocks, in the order in which these ended."""
    more: bool
    """Whether further ones follow."""


def bot_matches(completed: CompletedMatch, events: Iterable[MatchEvent]) -> tuple[BotMatch, ...]:
    """By seat, what the log of a completed match says."""
    choices: list[list[BotChoice]] = [[] for _ in completed.bots]
    faults: list[list[BotFault]] = [[] for _ in completed.bots]
    asked_ms = 0
    for event in events:
        if isinstance(event, DecisionOpened):
            asked_ms = event.opened_at_ms
        elif isinstance(event, ClockCredited):
            asked_ms += event.credit_ms
        elif isinstance(event, ChoiceMade):
            # Choices that the page forces are the engine's and take no time of the bot's.
            if event.cause is Cause.CHOSEN:
                took_ms = max(0, event.received_at_ms - asked_ms)
                choices[event.seat].append(BotChoice(event.number, took_ms, event.notation))
        elif isinstance(event, ChoiceDefaulted):
            if event.cause is not Cause.FORFEITED:
                fault = BotFault(FaultKind.DEFAULT, event.number, event.cause, event.notation, event.strike)
                faults[event.seat].append(fault)
        elif isinstance(event, ChoiceRefused):
            fault = BotFault(FaultKind.REFUSED, event.number, event.cause, event.answer, strike=False)
            faults[event.seat].append(fault)
        elif isinstance(event, SeatForfeited):
            faults[event.seat].append(BotFault(FaultKind.FORFEIT, event.number, event.cause, "", strike=False))
    places, most = completed.outcome.placements, 2 * (len(completed.bots) - 1)
    return tuple(
        BotMatch(
            match=completed.match,
            bot=bot,
            seat=seat,
            placement=places[seat],
            points=Fraction(placement_units(places, seat), most),
            forfeited=seat in completed.outcome.forfeited,
            choices=tuple(choices[seat]),
            faults=tuple(faults[seat]),
        )
        for seat, bot in enumerate(completed.bots)
    )
