"""The events of a plain decision are recognised by their bytes, in the one usual form and in no other."""

from __future__ import annotations

import hmac

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_server.audit.plain import PlainReplay
from cutpurse_server.audit.state_hashes import StateHashes
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import (
    Cause,
    ChoiceMade,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEvent,
    ResolvedChoice,
    Signature,
)
from cutpurse_server.wire.decision_events import is_decision_resolved, read_decision
from cutpurse_server.wire.match_events import encode
from tests.server.audit.honest import honest_match

ASKED = (Seat(0), Seat(2))
OPENED = DecisionOpened(7, ASKED, 1_700_000_000_000)
MADE = ChoiceMade(7, Seat(2), "play GD", Cause.CHOSEN, 1_700_000_000_323, 123, 0, b"request", bytes(range(32)), None)
FORCED = ChoiceMade(7, Seat(0), "give dog", Cause.FORCED, 1_700_000_000_000, 0, 0, b"", b"", None)
CHOICES = (ResolvedChoice(Seat(0), "give dog", Cause.FORCED), ResolvedChoice(Seat(2), "play GD", Cause.CHOSEN))
RESOLVED = DecisionResolved(7, CHOICES, bytes(range(32)))
USUAL = (OPENED, FORCED, MADE, RESOLVED)


def stored(*events: MatchEvent) -> list[StoredEvent]:
    return [encode(event) for event in events]


def touched(event: MatchEvent, part: int) -> StoredEvent:
    """The event with one bit of its public part, its secret part or its salt changed."""
    parts = [bytearray(each) for each in encode(event)]
    parts[part][-1] ^= 1
    return StoredEvent(*map(bytes, parts))


@pytest.mark.parametrize("number", [1, 127, 128, 40_000])
def test_what_is_read_is_what_was_written(number: int) -> None:
    log = stored(*(event._replace(number=number) for event in USUAL))

    decision = read_decision(log, 0, number)

    assert decision is not None
    assert (decision.opened_ms, decision.asked, decision.end) == (OPENED.opened_at_ms, ASKED, 4)
    assert decision.choices == [
        (0, "give dog", True, FORCED.received_at_ms, 0, b"", b""),
        (2, "play GD", False, MADE.received_at_ms, 123, b"request", MADE.request_digest),
    ]
    assert is_decision_resolved(decision.resolution, number, CHOICES, RESOLVED.state_hash)


@pytest.mark.parametrize("length", range(36, 65))
def test_a_choice_is_read_whatever_its_length(length: int) -> None:
    request_id = b"r" * length

    decision = read_decision(stored(OPENED, FORCED, MADE._replace(request_id=request_id), RESOLVED), 0, 7)

    assert decision is not None
    assert decision.choices[1].request_id == request_id


@pytest.mark.parametrize("opened_ms", [1, 1 << 35, (1 << 42) - 1, 1 << 42])
def test_a_time_of_other_days_is_read_rightly_or_left_to_the_codec(opened_ms: int) -> None:
    decision = read_decision(stored(OPENED._replace(opened_at_ms=opened_ms), FORCED, MADE, RESOLVED), 0, 7)

    assert (decision.opened_ms if decision else None) == (opened_ms if 1 << 35 <= opened_ms < 1 << 42 else None)


@pytest.mark.parametrize(
    ("place", "other"),
    [
        (0, OPENED._replace(number=8)),
        (0, OPENED._replace(asked=())),
        (0, OPENED._replace(asked=(Seat(0), Seat(1), Seat(2)))),
        (0, MADE),
        (1, OPENED),
        (2, MADE._replace(number=8)),
        (2, MADE._replace(cause=Cause.TIMEOUT)),
        (2, MADE._replace(bank_charged_ms=1)),
        (2, MADE._replace(signature=Signature(b"key", b"signature", b"salt"))),
        (2, RESOLVED),
    ],
)
def test_another_event_is_left_to_the_codec(place: int, other: MatchEvent) -> None:
    log = stored(*USUAL)
    log[place] = encode(other)

    assert read_decision(log, 0, 7) is None


@pytest.mark.parametrize("part", [0, 1, 2])
def test_what_is_not_sealed_as_it_says_is_left_to_the_codec(part: int) -> None:
    log = [*stored(OPENED, FORCED), touched(MADE, part), *stored(RESOLVED)]

    assert read_decision(log, 0, 7) is None
    assert not is_decision_resolved(touched(RESOLVED, part), 7, CHOICES, RESOLVED.state_hash)


@pytest.mark.parametrize("salt", [b"", b"s" * 31, b"s" * 33])
def test_a_salt_of_another_length_seals_nothing(salt: bytes) -> None:
    unsealed = StoredEvent(encode(MADE).public[:-35], encode(MADE).secret, salt)

    assert read_decision([*stored(OPENED, FORCED), unsealed, *stored(RESOLVED)], 0, 7) is None


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("field", ["public", "secret", "salt"])
def test_bytes_beyond_the_usual_form_are_left_to_the_codec(place: int, field: str) -> None:
    log = stored(*USUAL)
    unknown_field = b"\x98\x06\x01"
    log[place] = log[place]._replace(**{field: getattr(log[place], field) + unknown_field})

    assert read_decision(log, 0, 7) is None


@pytest.mark.parametrize("length", range(4))
def test_a_log_that_stops_is_left_to_the_codec(length: int) -> None:
    assert read_decision(stored(*USUAL)[:length] or [StoredEvent(b"", b"", b"")], 0, 7) is None


@pytest.mark.parametrize(
    "other",
    [
        RESOLVED._replace(number=8),
        RESOLVED._replace(choices=CHOICES[:1]),
        RESOLVED._replace(choices=CHOICES[::-1]),
        RESOLVED._replace(choices=(CHOICES[0], CHOICES[1]._replace(cause=Cause.CRASHED))),
        RESOLVED._replace(state_hash=bytes(32)),
    ],
)
def test_another_resolution_is_not_the_one_that_is_due(other: DecisionResolved) -> None:
    assert not is_decision_resolved(encode(other), 7, CHOICES, RESOLVED.state_hash)


def test_an_undisturbed_match_is_replayed_in_few_steps() -> None:
    events = honest_match(faults=0)
    begun = events[0]
    assert isinstance(begun, MatchBegun)
    log, replay = stored(*events), PlainReplay(begun)

    at = steps = 0
    while at < len(log):
        at, steps = replay.read(log, at), steps + 1

    assert replay.over
    assert len(log) > 100
    # What stands before the first decision and behind the last, one by one; the decisions, a hundred at a time.
    assert steps < 10


@pytest.mark.parametrize("state", [b"", b"state", bytes(1_000)])
def test_a_state_hash_is_an_hmac(state: bytes) -> None:
    key = bytes(range(32))

    assert StateHashes(key).of(state) == hmac.digest(key, state, "sha256")
