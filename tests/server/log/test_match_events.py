"""The bytes of a match's events: they come back, are canonical, stay as they are, and give away nothing."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from types import MappingProxyType
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutpurse.v1 import errors_pb2, log_pb2, match_pb2
from cutpurse_rules.contract import EndReason, Seat
from cutpurse_rules.errors import Reason
from cutpurse_server.log.chain import SALT_BYTES, commitment
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.matches.events import Cause, ChoiceMade, MatchBegun, MatchEvent, SeatForfeited, VoidCause
from cutpurse_server.wire import sealing
from cutpurse_server.wire.match_events import decode, encode
from tests.server.log.golden_match_events import GOLDEN
from tests.server.log.match_event_samples import EVENTS, SAMPLES

COMMITMENT = b"\xfa\x01\x20"
"""The head of field 31, 32 bytes long."""

SECRET_FIELDS = {
    field.name: {each.name for each in field.message_type.fields} for field in log_pb2.SecretEvent.DESCRIPTOR.fields
}
"""By kind: the fields that the contract calls secret."""

KINDS = [field.name for field in log_pb2.PublicEvent.DESCRIPTOR.fields if field.name != "commitment"]

any_event = st.one_of(list(EVENTS.values()))


def kind_of(stored: StoredEvent) -> str:
    """The name of the event's field in the public part."""
    kind = log_pb2.PublicEvent.FromString(stored.public).WhichOneof("event")
    assert kind is not None
    return kind


def without_commitment(public: bytes) -> bytes:
    """The public bytes up to the commitment, which is a number that nobody can tell from chance."""
    return public[: -len(COMMITMENT) - 32] if public[-35:-32] == COMMITMENT else public


def test_every_kind_has_a_sample_and_a_strategy() -> None:
    assert set(EVENTS) == set(get_args(MatchEvent)) == {type(sample) for sample in SAMPLES}
    assert [kind_of(encode(sample)) for sample in SAMPLES] == KINDS == [kind for kind, *_ in GOLDEN]


@given(any_event)
def test_every_event_comes_back(event: MatchEvent) -> None:
    again = decode(encode(event))

    assert again == event
    assert type(again) is type(event)


@pytest.mark.parametrize("sample", SAMPLES, ids=KINDS)
def test_every_value_comes_back_with_its_type(sample: MatchEvent) -> None:
    # Equality would let a bare number pass for a member of an enum.
    assert repr(decode(encode(sample))) == repr(sample)


@given(any_event)
def test_both_parts_are_what_protobuf_itself_would_write(event: MatchEvent) -> None:
    stored = encode(event)

    public, secret = log_pb2.PublicEvent.FromString(stored.public), log_pb2.SecretEvent.FromString(stored.secret)
    assert public.SerializeToString(deterministic=True) == stored.public
    assert secret.SerializeToString(deterministic=True) == stored.secret
    for part in (public, secret):
        size = part.ByteSize()
        cast("Any", part).DiscardUnknownFields()
        assert part.ByteSize() == size


@given(any_event)
def test_the_commitment_binds_the_secret_part_and_stands_only_where_there_is_one(event: MatchEvent) -> None:
    stored = encode(event)

    public = log_pb2.PublicEvent.FromString(stored.public)
    if kind_of(stored) in SECRET_FIELDS:
        assert len(stored.salt) == SALT_BYTES
        assert public.commitment == commitment(stored.salt, stored.secret)
    else:
        assert (public.commitment, stored.secret, stored.salt) == (b"", b"", b"")


@pytest.mark.parametrize("kind", EVENTS)
@given(data=st.data())
def test_no_secret_field_moves_a_public_byte(kind: type, data: st.DataObject) -> None:
    check_secrecy(data.draw(EVENTS[kind]), data.draw(EVENTS[kind]), encode)


def check_secrecy(event: MatchEvent, other: MatchEvent, encode: Callable[[MatchEvent], StoredEvent]) -> None:
    """The event with the other's secrets has the same public bytes."""
    stored = encode(event)
    secret_fields = SECRET_FIELDS.get(kind_of(stored), set())
    assert secret_fields <= set(event._fields)
    changed = event._replace(**{name: getattr(other, name) for name in secret_fields})

    changed_stored = encode(changed)

    assert without_commitment(changed_stored.public) == without_commitment(stored.public)
    assert len(changed_stored.public) == len(stored.public)
    assert (changed == event) == (changed_stored.secret == stored.secret)


def test_a_planted_leak_is_noticed() -> None:
    forfeited = SeatForfeited(7, Seat(1), Cause.TIMEOUT, 5)

    def leaky(event: MatchEvent) -> StoredEvent:
        assert isinstance(event, SeatForfeited)
        return encode(event._replace(number=event.number + event.seat))

    with pytest.raises(AssertionError):
        check_secrecy(forfeited, forfeited._replace(seat=Seat(2)), leaky)


@pytest.mark.parametrize("sample", SAMPLES, ids=KINDS)
def test_every_field_that_is_not_secret_is_in_the_public_part_alone(sample: MatchEvent) -> None:
    stored = encode(sample)
    kind = kind_of(stored)
    public_fields = {
        each.name for each in getattr(log_pb2.PublicEvent.FromString(stored.public), kind).DESCRIPTOR.fields
    }

    # Of nested public messages the event has the fields itself, or the whole under a name of its own.
    of_nested = {"configuration": {"game", "options", "clock"}, "result": {"outcome"}}
    expected = set().union(*[of_nested.get(name, {name}) for name in public_fields]) if public_fields else set()
    assert set(sample._fields) == expected | SECRET_FIELDS.get(kind, set())
    assert not expected & SECRET_FIELDS.get(kind, set())


@pytest.mark.parametrize(("sample", "golden"), list(zip(SAMPLES, GOLDEN, strict=True)), ids=KINDS)
def test_the_bytes_of_every_kind_stay_as_they_are(
    sample: MatchEvent, golden: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "_salts", [bytes(SALT_BYTES)])

    stored = encode(sample)

    assert (kind_of(stored), stored.public.hex(), stored.secret.hex()) == golden


@pytest.mark.parametrize("golden", GOLDEN, ids=KINDS)
def test_the_bytes_of_every_kind_can_be_read(golden: tuple[str, str, str]) -> None:
    kind, public, secret = golden
    salt = bytes(SALT_BYTES) if secret else b""

    assert decode(StoredEvent(bytes.fromhex(public), bytes.fromhex(secret), salt)) == SAMPLES[KINDS.index(kind)]


def test_options_travel_as_compact_json_in_one_order() -> None:
    sample = SAMPLES[0]
    assert isinstance(sample, MatchBegun)
    options = {"z": MappingProxyType({"b": 1, "a": 2}), "a": True}
    shuffled = {"a": True, "z": {"a": 2, "b": 1}}

    stored, again = (
        encode(sample._replace(options=MappingProxyType(options))),
        encode(sample._replace(options=shuffled)),
    )

    assert dict(log_pb2.PublicEvent.FromString(stored.public).match_begun.configuration.options) == {
        "a": "true",
        "z": '{"a":2,"b":1}',
    }
    assert without_commitment(again.public) == without_commitment(stored.public)


def test_salts_are_never_used_twice() -> None:
    salts = [encode(SAMPLES[1]).salt for _ in range(1_000)]

    assert len(set(salts)) == 1_000
    assert {len(salt) for salt in salts} == {SALT_BYTES}


def test_a_forked_process_has_salts_of_its_own() -> None:
    forks = (
        "import os\n"
        "from cutpurse_server.wire.sealing import seal\n"
        "seal(b'p', b's')\n"
        "child = os.fork()\n"
        "os.write(1, seal(b'p', b's').salt.hex().encode() + b'\\n')\n"
        "if child: os.waitpid(child, 0)\n"
    )

    done = subprocess.run([sys.executable, "-c", forks], capture_output=True, text=True, check=True)

    assert len(set(done.stdout.split())) == 2


# What is no event.

EMPTY = StoredEvent(b"", b"", b"")
READY, STARTED, OPENED, CHOSEN = (encode(SAMPLES[index]) for index in (1, 2, 3, 4))
UNSPECIFIED_CAUSE = log_pb2.SecretEvent(choice_made=log_pb2.ChoiceMadeSecret(seat=1)).SerializeToString()
UNKNOWN_CAUSE = log_pb2.SecretEvent.FromString(UNSPECIFIED_CAUSE)
UNKNOWN_CAUSE.choice_made.cause = match_pb2.Cause.ValueType(99)


def begun_with_option(text: str) -> StoredEvent:
    """The sample of a beginning with one more option."""
    stored = encode(SAMPLES[0])
    public = log_pb2.PublicEvent.FromString(stored.public)
    public.match_begun.configuration.options["x"] = text
    return stored._replace(public=public.SerializeToString())


NO_EVENTS = {
    "nothing": EMPTY,
    "garbage": StoredEvent(b"\xff\xff\xff", b"", b""),
    "a kind of the future": StoredEvent(b"\x92\x01\x00", b"", b""),
    "a secret part where none belongs": STARTED._replace(secret=READY.secret),
    "no secret part": CHOSEN._replace(secret=b""),
    "another kind's secret part": CHOSEN._replace(secret=READY.secret),
    "garbage as secret part": CHOSEN._replace(secret=b"\xff\xff\xff"),
    "no cause": CHOSEN._replace(secret=UNSPECIFIED_CAUSE),
    "an unknown cause": CHOSEN._replace(secret=UNKNOWN_CAUSE.SerializeToString()),
    "an option that is no JSON": begun_with_option("{"),
    "an option nested without end": begun_with_option("[" * 100_000),
}


@pytest.mark.parametrize("stored", NO_EVENTS.values(), ids=NO_EVENTS)
def test_what_is_no_event_is_refused(stored: StoredEvent) -> None:
    with pytest.raises(UnreadableEvent):
        decode(stored)


@given(any_event, st.data())
def test_damaged_bytes_are_read_or_refused_and_nothing_else(event: MatchEvent, data: st.DataObject) -> None:
    stored = encode(event)
    parts = [bytearray(stored.public), bytearray(stored.secret)]
    for part in parts:
        if part:
            part[data.draw(st.integers(0, len(part) - 1))] ^= data.draw(st.integers(1, 255))

    with suppress(UnreadableEvent):
        decode(StoredEvent(bytes(parts[0]), bytes(parts[1]), stored.salt))


# Enums of both sides.


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [(Cause, match_pb2.Cause, "CAUSE_"), (VoidCause, match_pb2.VoidCause, "VOID_CAUSE_")],
)
def test_numbers_of_enums_are_the_contracts(ours: type[IntEnum], theirs: object, prefix: str) -> None:
    numbers = {f"{prefix}{each.name}": each.value for each in ours}

    assert numbers | {f"{prefix}UNSPECIFIED": 0} == dict(theirs.items())  # type: ignore[attr-defined]


def test_names_of_enums_are_the_contracts() -> None:
    assert {f"END_REASON_{each}" for each in EndReason} | {"END_REASON_UNSPECIFIED"} == set(match_pb2.EndReason.keys())
    assert {f"RULE_REASON_{each}" for each in Reason} | {"RULE_REASON_UNSPECIFIED"} == set(errors_pb2.RuleReason.keys())


def test_values_out_of_range_are_a_fault() -> None:
    sample = SAMPLES[4]
    assert isinstance(sample, ChoiceMade)
    for broken in (sample._replace(seat=Seat(-1)), sample._replace(charged_ms=2**32)):
        with pytest.raises(ValueError, match="out of range"):
            encode(broken)
