"""The three events of a decision are read quickly in their one usual form, and in no other."""

from __future__ import annotations

import hmac

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_server.audit.state_hashes import StateHashes
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import (
    Cause,
    ChoiceMade,
    DecisionOpened,
    DecisionResolved,
    ResolvedChoice,
    Signature,
)
from cutpurse_server.wire.decision_events import choice_made, decision_opened, is_decision_resolved
from cutpurse_server.wire.match_events import encode
from tests.server.audit.honest import honest_match

NUMBERS = (1, 127, 128, 40_000)
OPENED = DecisionOpened(7, (Seat(0), Seat(2)), 1_700_000_000_000)
MADE = ChoiceMade(7, Seat(2), "play GD", Cause.CHOSEN, 1_700_000_000_123, 250, 3, b"request", bytes(range(32)), None)
CHOICES = (ResolvedChoice(Seat(0), "play GD", Cause.CHOSEN), ResolvedChoice(Seat(2), "play BS", Cause.TIMEOUT))
RESOLVED = DecisionResolved(7, CHOICES, bytes(range(32)))


def resealed(event: ChoiceMade | DecisionResolved, place: int) -> StoredEvent:
    """The event with one byte of the commitment, of the secret part or of the salt changed."""
    parts = [bytearray(part) for part in encode(event)]
    parts[place][-1] ^= 1
    return StoredEvent(*map(bytes, parts))


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_read_is_what_was_written(number: int) -> None:
    opened, made, resolved = (event._replace(number=number) for event in (OPENED, MADE, RESOLVED))

    assert decision_opened(encode(opened), number, OPENED.asked) == opened
    assert choice_made(encode(made), number) == made
    assert is_decision_resolved(encode(resolved), number, CHOICES, RESOLVED.state_hash)


@pytest.mark.parametrize("length", range(40, 64))
def test_a_choice_is_read_whatever_its_length(length: int) -> None:
    made = MADE._replace(request_id=b"r" * length)

    assert choice_made(encode(made), 7) == made


def test_every_decision_of_an_undisturbed_match_is_read_so() -> None:
    events = honest_match(faults=0)
    made = [event for event in events if isinstance(event, ChoiceMade) and event.cause is Cause.CHOSEN]
    opened = [event for event in events if isinstance(event, DecisionOpened)]
    resolved = [event for event in events if isinstance(event, DecisionResolved)]

    assert made
    assert [choice_made(encode(event), event.number) for event in made] == made
    assert [decision_opened(encode(event), event.number, event.asked) for event in opened] == opened
    assert all(is_decision_resolved(encode(event), event.number, event.choices, event.state_hash) for event in resolved)


@pytest.mark.parametrize(
    "event",
    [
        MADE._replace(number=8),
        MADE._replace(cause=Cause.FORCED),
        MADE._replace(signature=Signature(b"key", b"signature", b"salt")),
    ],
)
def test_another_choice_is_left_to_the_codec(event: ChoiceMade) -> None:
    assert choice_made(encode(event), 7) is None


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_not_sealed_as_it_says_is_left_to_the_codec(place: int) -> None:
    assert choice_made(resealed(MADE, place), 7) is None
    assert not is_decision_resolved(resealed(RESOLVED, place), 7, CHOICES, RESOLVED.state_hash)


@pytest.mark.parametrize("salt", [b"", b"s" * 31, b"s" * 33])
def test_a_salt_of_another_length_seals_nothing(salt: bytes) -> None:
    unsealed = StoredEvent(encode(MADE).public[:-35], encode(MADE).secret, salt)

    assert choice_made(unsealed, 7) is None


def test_bytes_behind_the_usual_form_are_left_to_the_codec() -> None:
    made, opened = encode(MADE), encode(OPENED)
    unknown_field = b"\x98\x06\x01"

    assert choice_made(made._replace(secret=made.secret + unknown_field), 7) is None
    assert choice_made(made._replace(public=made.public + unknown_field), 7) is None
    assert decision_opened(opened._replace(public=opened.public + unknown_field), 7, OPENED.asked) is None
    assert decision_opened(opened._replace(public=b""), 7, OPENED.asked) is None


@pytest.mark.parametrize("event", [OPENED._replace(number=8), OPENED._replace(asked=(Seat(0),))])
def test_another_opening_is_left_to_the_codec(event: DecisionOpened) -> None:
    assert decision_opened(encode(event), 7, OPENED.asked) is None


@pytest.mark.parametrize(
    "event",
    [
        RESOLVED._replace(number=8),
        RESOLVED._replace(choices=CHOICES[:1]),
        RESOLVED._replace(choices=CHOICES[::-1]),
        RESOLVED._replace(choices=(CHOICES[0], CHOICES[1]._replace(cause=Cause.CRASHED))),
        RESOLVED._replace(state_hash=bytes(32)),
    ],
)
def test_another_resolution_is_not_the_one_that_is_due(event: DecisionResolved) -> None:
    assert not is_decision_resolved(encode(event), 7, CHOICES, RESOLVED.state_hash)


@pytest.mark.parametrize("state", [b"", b"state", bytes(1_000)])
def test_a_state_hash_is_an_hmac(state: bytes) -> None:
    key = bytes(range(32))

    assert StateHashes(key).of(state) == hmac.digest(key, state, "sha256")
