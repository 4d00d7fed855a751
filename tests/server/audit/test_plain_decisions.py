"""Decisions that are replayed together are judged as they are judged one by one, whatever is wrong with them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from cutpurse_server.audit.plain import PlainReplay
from cutpurse_server.audit.replay import MatchReplay
from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import (
    Cause,
    ChoiceMade,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEvent,
    Signature,
)
from cutpurse_server.wire.match_events import encode
from tests.server.audit.honest import honest_match

CHANGES = 120


def judged(replay: type[MatchReplay], events: Sequence[MatchEvent]) -> tuple[int, str, Any]:
    """How many events are right, what is wrong with the next one, and what was counted where none is."""
    begun = events[0]
    assert isinstance(begun, MatchBegun)
    log = [encode(begun), *map(_stored, events[1:])]
    judge, at = replay(begun), 0
    try:
        while at < len(log):
            at = judge.read(log, at)
    except Wrong as wrong:
        return at, str(wrong), None
    return at, "", (judge.over, judge.counts, judge.signatures)


@cache
def _stored(event: MatchEvent) -> StoredEvent:
    """Most events of a changed match are the same as before."""
    return encode(event)


def other_number(chance: random.Random, value: int) -> int:
    return max(0, value + chance.choice([-100_000, -1_500, -1, 1, 300, 1_500, 100_000]))


def other_seat(chance: random.Random, seat: int) -> int:
    return (seat + 1) % 3


def shuffled(chance: random.Random, value: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(chance.choice([value[::-1], value[1:], (*value, *value[:1])]))


FIELDS: dict[type, dict[str, Callable[[random.Random, Any], Any]]] = {
    DecisionOpened: {
        "number": other_number,
        "opened_at_ms": other_number,
        "asked": lambda chance, asked: chance.choice([(), tuple((seat + 1) % 3 for seat in asked), (*asked, 2)]),
    },
    ChoiceMade: {
        "number": other_number,
        "seat": other_seat,
        "notation": lambda chance, _: chance.choice(["give dog", "give tile", "play GD", "play N9", ""]),
        "cause": lambda chance, _: chance.choice(list(Cause)),
        "received_at_ms": other_number,
        "charged_ms": other_number,
        "bank_charged_ms": other_number,
        "request_id": lambda chance, _: chance.choice([b"", b"r" * 64, b"r" * 65]),
        "request_digest": lambda chance, _: chance.choice([b"", b"d" * 31, b"d" * 33]),
        "signature": lambda chance, _: Signature(b"key", b"signature", b"salt"),
    },
    DecisionResolved: {
        "number": other_number,
        "choices": shuffled,
        "state_hash": lambda chance, state_hash: state_hash[::-1],
    },
}


def changed(chance: random.Random, events: Sequence[MatchEvent]) -> list[MatchEvent]:
    """The events with one or two things changed in one of those that make up decisions, left out, or repeated."""
    changed = list(events)
    at = chance.choice([at for at, event in enumerate(events) if type(event) in FIELDS])
    event: Any = events[at]
    deed = chance.random()
    if deed < 0.05:
        del changed[at]
    elif deed < 0.1:
        changed.insert(at, event)
    elif deed < 0.15:
        earlier = [each for each in events[:at] if type(each) is type(event)]
        changed[at] = chance.choice(earlier or [event])
    elif deed < 0.25 and isinstance(event, ChoiceMade):
        earlier_ids = [each.request_id for each in events[:at] if isinstance(each, ChoiceMade)]
        changed[at] = event._replace(request_id=chance.choice(earlier_ids or [b""]))
    elif deed < 0.4 and isinstance(event, ChoiceMade):
        # A time and a charge that may fit each other.
        later_ms = chance.choice([-1_100, 150, 1_000, 2_000])
        charged_ms = chance.choice([0, max(0, event.charged_ms + later_ms)])
        changed[at] = event._replace(received_at_ms=event.received_at_ms + later_ms, charged_ms=charged_ms)
    else:
        for name in chance.sample(sorted(FIELDS[type(event)]), chance.choice([1, 1, 2])):
            event = event._replace(**{name: FIELDS[type(event)][name](chance, getattr(event, name))})
        changed[at] = event
    return changed


@pytest.mark.parametrize("faults", [0, 0.05])
def test_both_ways_of_judging_agree(faults: float) -> None:
    chance = random.Random(20_261_130)
    honest = honest_match(seed=5, faults=faults)
    wrong = 0

    for _ in range(CHANGES):
        events = changed(chance, honest)
        together = judged(PlainReplay, events)

        assert together == judged(MatchReplay, events)
        wrong += bool(together[1])

    assert judged(PlainReplay, honest) == judged(MatchReplay, honest)
    assert CHANGES // 2 < wrong < CHANGES
