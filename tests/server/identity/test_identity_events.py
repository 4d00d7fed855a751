"""The bytes of the identity log's events: they come back, are canonical, and stay as they are."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutpurse.v1 import identity_log_pb2, identity_pb2
from cutpurse_server.identity.events import BotRegistered, IdentityEvent, Role, TokenIssued, TokenRevoked
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.wire.identity_events import decode, encode

AT_MS = 1_796_000_000_000

GOLDEN: list[tuple[IdentityEvent, str]] = [
    (BotRegistered("greedy", "ada", AT_MS), ("0a160a0d0a0667726565647912036164611080d0c4cfa234")),
    (
        TokenIssued("1", bytes(range(32)), Role.PLAYER, "greedy", AT_MS, AT_MS + 60_000),
        (
            "123d0a01311220000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f180222066772656564"
            "792880d0c4cfa23430e0a4c8cfa234"
        ),
    ),
    (
        TokenIssued("2", bytes(range(32)), Role.ORGANISER, "", AT_MS, 0),
        ("122e0a01321220000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f18032880d0c4cfa234"),
    ),
    (TokenRevoked("1", AT_MS), ("1a0a0a01311080d0c4cfa234")),
]

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=70)
_times = st.integers(0, 2**53)
any_event: st.SearchStrategy[IdentityEvent] = st.one_of(
    st.builds(BotRegistered, _texts, _texts, _times),
    st.builds(TokenIssued, _texts, st.binary(min_size=32, max_size=32), st.sampled_from(Role), _texts, _times, _times),
    st.builds(TokenRevoked, _texts, _times),
)


def test_every_kind_has_its_golden_bytes() -> None:
    assert {type(event) for event, _ in GOLDEN} == set(get_args(IdentityEvent))


@pytest.mark.parametrize(("event", "golden"), GOLDEN)
def test_the_bytes_stay_as_they_are(event: IdentityEvent, golden: str) -> None:
    assert encode(event) == StoredEvent(bytes.fromhex(golden), b"", b"")
    assert repr(decode(StoredEvent(bytes.fromhex(golden), b"", b""))) == repr(event)


@given(any_event)
def test_every_event_comes_back_and_is_canonical(event: IdentityEvent) -> None:
    stored = encode(event)

    assert decode(stored) == event
    public = identity_log_pb2.IdentityPublicEvent.FromString(stored.public)
    assert public.SerializeToString(deterministic=True) == stored.public


@pytest.mark.parametrize(
    "public",
    [
        b"",
        b"\xff\xff\xff",
        b"\x92\x01\x00",
        identity_log_pb2.IdentityPublicEvent(
            token_issued=identity_log_pb2.TokenIssuedPublic(token_id="1")
        ).SerializeToString(),
    ],
    ids=["nothing", "garbage", "a kind of the future", "a token without a role"],
)
def test_what_is_no_event_is_refused(public: bytes) -> None:
    with pytest.raises(UnreadableEvent):
        decode(StoredEvent(public, b"", b""))


def test_numbers_of_roles_are_the_contracts() -> None:
    numbers = {f"ROLE_{role.name}": role.value for role in Role}

    assert numbers | {"ROLE_UNSPECIFIED": 0} == dict(identity_pb2.Role.items())
