"""Ways to make one thing wrong in an honest match: each changes its events in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    DecisionOpened,
    DecisionResolved,
    MatchEnded,
    MatchEvent,
    MatchVoided,
    ResolvedChoice,
    SeatForfeited,
    SeatReady,
    VoidCause,
)
from cutpurse_server.matches.record import fold
from tests.server.audit.honest import CLOCK

Events = list[MatchEvent]
Plant = Callable[[Events], int]
"""Changes the events in one place; the number, from 1, of the event at which that must be found."""


def find(events: Sequence[MatchEvent], kind: type, holds: Callable[[Any], bool] = lambda event: True) -> int:
    """Where the first such event stands, from 0."""
    return next(at for at, event in enumerate(events) if isinstance(event, kind) and holds(event))


def changed(kind: type, holds: Callable[[Any], bool] = lambda event: True, **fields: Any) -> Plant:
    """Change fields of the first such event; a callable is given the event and makes the value."""

    def plant(events: Events) -> int:
        at = find(events, kind, holds)
        event: Any = events[at]
        values = {name: value(event) if callable(value) else value for name, value in fields.items()}
        assert any(getattr(event, name) != value for name, value in values.items()), "the plant changes nothing"
        events[at] = event._replace(**values)
        return at + 1

    return plant


def added(by: int) -> Callable[[str], Callable[[Any], int]]:
    """`added(1)("at_ms")` is the field's value and one more."""
    return lambda name: lambda event: getattr(event, name) + by


def chosen(event: ChoiceMade) -> bool:
    """Whether the seat chose itself."""
    return event.cause is Cause.CHOSEN


def slow(event: ChoiceMade) -> bool:
    """Whether the bank paid for it."""
    return event.bank_charged_ms > 0


def for_a_fault(event: ChoiceDefaulted) -> bool:
    """Whether it is for a fault, and so a strike."""
    return event.strike


def by_the_clock(events: Events) -> int:
    """Where a default stands that was played because the time was over."""
    return next(
        at
        for at, event in enumerate(events)
        if isinstance(event, ChoiceDefaulted) and event.strike and not isinstance(events[at - 1], ChoiceRefused)
    )


def left_out(kind: type, holds: Callable[[Any], bool] = lambda event: True) -> Plant:
    """Leave out the first such event."""

    def plant(events: Events) -> int:
        at = find(events, kind, holds)
        del events[at]
        return at + 1

    return plant


def doubled(kind: type, holds: Callable[[Any], bool] = lambda event: True) -> Plant:
    """Put the first such event in twice."""

    def plant(events: Events) -> int:
        at = find(events, kind, holds)
        events.insert(at, events[at])
        return at + 2

    return plant


def illegal_choice(events: Events) -> int:
    """Play a card that the seat does not hold, and publish it."""
    at = find(events, ChoiceMade, chosen)
    event: Any = events[at]
    record = fold(events[:at])
    held = {action.notation.split()[1] for action in record.legal_of(event.seat)}
    missing = next(card for card in ("BS", "GD") if card not in held)
    events[at] = event._replace(notation=f"play {missing}")
    return at + 1


def other_published_choice(events: Events) -> int:
    """Publish another choice than was made."""
    at = find(events, DecisionResolved)
    event: Any = events[at]
    events[at] = event._replace(choices=(ResolvedChoice(event.choices[0].seat, "give dog", Cause.CHOSEN),))
    return at + 1


def legal_answer_refused(events: Events) -> int:
    """Let the answer that was refused be a legal one."""
    at = find(events, ChoiceRefused)
    event: Any = events[at]
    legal = fold(events[:at]).legal_of(event.seat)[0].notation
    events[at] = event._replace(answer=legal)
    return at + 1


def time_out_too_early(events: Events) -> int:
    """One millisecond: at the deadline with the settling time."""
    at = by_the_clock(events)
    event: Any = events[at]
    record = fold(events[:at])
    clock = record.begun.clock
    due = record.opened_at_ms + record.credit_ms + clock.delivery_ms + clock.decision_ms + record.bank_ms[event.seat]
    events[at] = event._replace(at_ms=due + clock.settle_ms)
    return at + 1


def time_out_charges_too_little(events: Events) -> int:
    """Leave a millisecond in the bank after a time-out."""
    at = by_the_clock(events)
    event: Any = events[at]
    events[at] = event._replace(bank_charged_ms=event.bank_charged_ms - 1)
    return at + 1


def answer_too_late(events: Events) -> int:
    """One millisecond after the deadline, with the charge that would be right for that."""
    at = find(events, ChoiceMade, chosen)
    event: Any = events[at]
    record = fold(events[:at])
    clock, bank = record.begun.clock, record.bank_ms[event.seat]
    received = record.opened_at_ms + record.credit_ms + clock.delivery_ms + clock.decision_ms + bank + 1
    charged = clock.decision_ms + bank + 1
    events[at] = event._replace(received_at_ms=received, charged_ms=charged, bank_charged_ms=bank + 1)
    return at + 1


def answer_from_the_future(events: Events) -> int:
    """Stamped far later than the decision's resolution, and charged for the difference."""
    at = find(events, ChoiceMade, chosen)
    event: Any = events[at]
    record = fold(events[:at])
    received = record.opened_at_ms + record.credit_ms + CLOCK.delivery_ms + CLOCK.decision_ms + 500
    events[at] = event._replace(received_at_ms=received, charged_ms=CLOCK.decision_ms + 500, bank_charged_ms=500)
    return at + 3


def one_request_twice(events: Events) -> int:
    """Give two choices of a seat the same request."""
    first = find(events, ChoiceMade, chosen)
    event: Any = events[first]
    at = first + 1 + find(events[first + 1 :], ChoiceMade, lambda each: chosen(each) and each.seat == event.seat)
    other: Any = events[at]
    events[at] = other._replace(request_id=event.request_id)
    return at + 1


def forced_without_being_forced(events: Events) -> int:
    """Call a free choice forced."""
    at = find(events, ChoiceMade, chosen)
    event: Any = events[at]
    events[at] = event._replace(cause=Cause.FORCED, charged_ms=0, bank_charged_ms=0, request_id=b"", request_digest=b"")
    return at + 1


def forfeited_seat_chooses(events: Events) -> int:
    """Let a forfeited seat choose what its default would have been."""
    at = find(events, ChoiceDefaulted, lambda event: event.cause is Cause.FORFEITED)
    event: Any = events[at]
    events[at] = ChoiceMade(
        event.number, event.seat, event.notation, Cause.CHOSEN, event.at_ms, 0, 0, b"new", b"d" * 32, None
    )
    return at + 1


def corrections_never_end(events: Events) -> int:
    """Leave out the default after the last allowed correction, and what hangs on it."""
    at = next(
        at
        for at in range(1, len(events))
        if isinstance(events[at], ChoiceDefaulted) and isinstance(events[at - 1], ChoiceRefused)
        and CLOCK.corrections_max < sum(isinstance(each, ChoiceRefused) for each in _of_decision(events, at))
    )  # fmt: skip
    del events[at]
    return at + 1


def _of_decision(events: Events, at: int) -> list[MatchEvent]:
    """The events between the opening of the decision that is open at `at`, and `at`."""
    opened = max(place for place in range(at) if isinstance(events[place], DecisionOpened))
    return events[opened:at]


def begins_again(events: Events) -> int:
    """Put the beginning in the middle."""
    events.insert(5, events[0])
    return 6


def ends_too_soon(events: Events) -> int:
    """Leave out everything between the start of the clocks and the end."""
    del events[find(events, DecisionOpened) : -1]
    return len(events)


def cut_after(kind: type) -> Plant:
    """Let the log stop after the first such event."""

    def plant(events: Events) -> int:
        del events[find(events, kind) + 1 :]
        return len(events)

    return plant


def void_for_nobody(events: Events) -> int:
    """Claim that nobody was ready, although somebody was."""
    at = find(events, SeatReady) + 1
    begun: Any = events[0]
    events[at:] = [MatchVoided(VoidCause.NOBODY_READY, "", begun.warm_up_until_ms)]
    return at + 1


def start_without_a_seat(events: Events) -> int:
    """Start although one seat is neither ready nor forfeited."""
    at = find(events, SeatForfeited, lambda event: event.number == 0)
    del events[at]
    return at + 2


def outcome(**fields: Any) -> Plant:
    """Change the result."""
    return changed(MatchEnded, outcome=lambda event: event.outcome._replace(**fields))


def early_default(events: Events) -> int:
    """A forfeit before the warm-up was over."""
    at = find(events, SeatForfeited, lambda event: event.number == 0)
    for place in range(at, len(events)):
        event: Any = events[place]
        if isinstance(event, SeatForfeited) and event.number == 0:
            events[place] = event._replace(at_ms=event.at_ms - 1)
    return at + 1
