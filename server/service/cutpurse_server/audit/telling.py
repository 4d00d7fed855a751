"""A match's log as people read it: all of it, or what one seat could know. Nothing is checked: `auditing` does that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    ClocksStarted,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEnded,
    MatchEvent,
    MatchVoided,
    SeatForfeited,
    SeatReady,
)
from cutpurse_server.matches.record import MatchRecord, apply

__all__ = ["Told", "tell"]


class Told(NamedTuple):
    """One event, for people."""

    number: int
    """Of the event in the log, from 1."""
    kind: str
    after_ms: int | None
    """Since the match began, where the event has a time."""
    lines: Sequence[str]


def tell(events: Iterable[MatchEvent], seat: Seat | None = None) -> Iterator[Told]:
    """Tell a log from its beginning; with a seat, only what that seat could know, and what it saw before it chose."""
    record: MatchRecord | None = None
    for number, event in enumerate(events, 1):
        if isinstance(event, MatchBegun):
            record = MatchRecord(event)
            record.version = 1
            lines = _begun(event)
        else:
            assert record is not None, "a match's log begins with MatchBegun"
            lines = _lines(record, event, seat)
        if lines:
            at_ms = _at_ms(event)
            begun_ms = record.begun.at_ms
            yield Told(number, type(event).__name__, None if at_ms is None else at_ms - begun_ms, lines)


def _lines(record: MatchRecord, event: MatchEvent, seat: Seat | None) -> list[str]:
    """Apply an event; what there is to say about it."""
    before, chosen = record.state, {each: choice.action for each, choice in record.chosen.items()}
    apply(record, event)
    if isinstance(event, DecisionResolved):
        happened = record.game.happenings(before, chosen, record.state)
        return [f"decision {event.number} is resolved"] + [
            f"  {each.text}" if each.seat is None else f"  {_name(record, each.seat)} {each.text}" for each in happened
        ]
    own = getattr(event, "seat", None)
    if seat is not None and own is not None and own != seat:
        return []
    lines = [_SENTENCES[type(event)](record, event)]
    if isinstance(event, DecisionOpened) and seat is not None:
        if seat not in event.asked:
            return []
        view = record.game.view(record.state, seat).to_json()
        lines += [f"  {key}: {_plain(value)}" for key, value in view.items() if key not in ("game", "seat")]
        lines += [f"  may: {' · '.join(action.notation for action in record.legal_of(seat))}"]
    return lines


def _begun(event: MatchBegun) -> list[str]:
    names = ", ".join(f"{each.bot} (seat {seat})" for seat, each in enumerate(event.seats))
    rated = "rated" if event.rated else "unrated"
    options = ", ".join(f"{name} {_plain(value)}" for name, value in event.options.items())
    lines = [f"match {event.match} begins: {event.game}, {rated}: {names}", f"  options: {options}"]
    clock = event.clock
    lines.append(
        f"  clock: {clock.decision_ms} ms for a decision, {clock.bank_ms} ms in the bank, "
        f"{clock.strikes_max} strikes, {clock.corrections_max} corrections"
    )
    if event.origin is not None:
        origin = event.origin
        lines.append(
            f"  tournament {origin.tournament}: round {origin.round}, table {origin.table}, "
            f"rotation {origin.rotation}, attempt {origin.attempt}, slot {origin.slot}"
        )
    return lines


def _name(record: MatchRecord, seat: int) -> str:
    return f"{record.begun.seats[seat].bot} (seat {seat})"


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + " ".join(_plain(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} {_plain(each)}" for name, each in value.items()) + "}"
    return "-" if value is None else str(value)


def _made(record: MatchRecord, event: ChoiceMade) -> str:
    if event.cause is Cause.FORCED:
        return f"{_name(record, event.seat)} has no other choice: {event.notation}"
    bank = f", {event.bank_charged_ms} ms of them from the bank" if event.bank_charged_ms else ""
    return f"{_name(record, event.seat)} chooses: {event.notation}   [{event.charged_ms} ms{bank}]"


def _refused(record: MatchRecord, event: ChoiceRefused) -> str:
    rule = f" ({event.rule.name})" if event.rule else ""
    return f"{_name(record, event.seat)} is refused: {event.answer!r} is {event.cause.name.lower()}{rule}"


def _defaulted(record: MatchRecord, event: ChoiceDefaulted) -> str:
    strike = ", a strike" if event.strike else ""
    return f"{_name(record, event.seat)}: the default is played: {event.notation}   [{event.cause.name}{strike}]"


def _ended(record: MatchRecord, event: MatchEnded) -> str:
    outcome = event.outcome
    rows = "; ".join(
        f"{outcome.placements[seat]}. {_name(record, seat)} with {score}"
        + (", forfeited" if seat in outcome.forfeited else "")
        for seat, score in sorted(enumerate(outcome.scores), key=lambda each: (outcome.placements[each[0]], each[0]))
    )
    return f"the match is over ({outcome.reason.name}): {rows}"


_SENTENCES: dict[type, Callable[[MatchRecord, Any], str]] = {
    SeatReady: lambda record, event: f"{_name(record, event.seat)} is ready",
    ClocksStarted: lambda record, event: "the clocks run",
    DecisionOpened: lambda record, event: (
        f"decision {event.number} is open: {', '.join(_name(record, each) for each in event.asked)}"
    ),
    ChoiceMade: _made,
    ChoiceRefused: _refused,
    ChoiceDefaulted: _defaulted,
    ClockCredited: lambda record, event: f"everybody is given {event.credit_ms} ms: {event.text}",
    SeatForfeited: lambda record, event: f"{_name(record, event.seat)} is forfeited   [{event.cause.name}]",
    MatchVoided: lambda record, event: f"the match is voided ({event.cause.name}): {event.text}",
    MatchEnded: _ended,
}


def _at_ms(event: MatchEvent) -> int | None:
    """When it happened, by store time."""
    for name in ("at_ms", "opened_at_ms", "received_at_ms"):
        at_ms = getattr(event, name, None)
        if isinstance(at_ms, int):
            return at_ms
    return None
