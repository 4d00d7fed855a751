"""The events of a plain decision, recognised by their bytes rather than decoded.

An auditor knows most of what an honest service writes next. What is known is compared byte by byte, and only the rest
is read. Everything here answers None or False for whatever is not exactly in the one usual form, or not sealed; such an
event is decoded by `match_events` and judged field by field. The bytes are not made by the encoders that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from typing import NamedTuple, cast

from google.protobuf.message import DecodeError

from cutpurse.v1 import log_pb2, match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.log.chain import SALT_BYTES
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import Cause
from cutpurse_server.wire.pieces import varint

__all__ = ["ReadChoice", "ReadDecision", "is_decision_resolved", "read_decision"]


class ReadChoice(NamedTuple):
    """What a choice says that costs the bank nothing and is not signed; times in milliseconds."""

    seat: Seat
    notation: str
    forced: bool
    """By the engine; else the seat's own."""
    received_ms: int
    charged_ms: int
    request_id: bytes
    request_digest: bytes


class ReadDecision(NamedTuple):
    """What the events of a decision say that was neither disturbed nor paid for by a bank."""

    opened_ms: int
    asked: tuple[Seat, ...]
    choices: list[ReadChoice]
    """In the order in which they were made, as many as there are seats asked."""
    resolution: StoredEvent
    """The event behind the choices, not looked at yet."""
    end: int
    """Where in the log the next decision begins."""


_MADE = b"\x2a"
"""Tag of a secret event that is a ChoiceMade."""
_LONGEST_MADE = 1_024
_BEFORE_MADE = {len(_MADE + varint(size)) + size: _MADE + varint(size) for size in range(_LONGEST_MADE)}
"""By length of a secret event that is a ChoiceMade, its tag and its length, as they stand before it."""
_COMMITMENT = b"\xfa\x01\x20"
"""What stands before a commitment, which is the last field of a public event."""
_FORCED = int(Cause.FORCED)
_CAUSES = (int(Cause.CHOSEN), _FORCED)
_MORE = 0x80
_TIME_BYTES = 6
"""Of a point in time from 1971 until 2109."""
_SOME_TIME_MS = 1 << 7 * _TIME_BYTES - 1
_SOME_TIME = b"\x80\x80\x80\x80\x80\x40"

# Both of them are made for every decision, so without asking whether there are as many values as names.
_new_choice: Callable[[tuple[int, str, bool, int, int, bytes, bytes]], ReadChoice] = partial(tuple.__new__, ReadChoice)
_new_decision: Callable[[tuple[int, tuple[Seat, ...], list[ReadChoice], StoredEvent, int]], ReadDecision] = partial(
    tuple.__new__, ReadDecision
)
_Choice = log_pb2.ChoiceMadeSecret


def read_decision(events: Sequence[StoredEvent], at: int, number: int) -> ReadDecision | None:
    """The decision of this number if its opening stands there, and what is behind it is of the usual form."""
    public, secret, salt = events[at]
    if secret or salt:
        return None
    asked = _asked(public[:-_TIME_BYTES], number)
    opened_ms = _time(public[-_TIME_BYTES:])
    last = at + 1 + len(asked)
    if not asked or opened_ms is None or last >= len(events):
        return None
    choices = []
    for stored in events[at + 1 : last]:
        choice = _read_choice(stored, number)
        if choice is None:
            return None
        choices.append(choice)
    return _new_decision((opened_ms, asked, choices, events[last], last + 1))


@lru_cache(maxsize=8_192)
def _asked(opening: bytes, number: int) -> tuple[Seat, ...]:
    """Who is asked by an opening of this decision that lacks its time; nobody if it is none. Recurs in every match."""
    try:
        opened = log_pb2.PublicEvent.FromString(opening + _SOME_TIME).decision_opened
    except DecodeError:
        return ()
    asked = tuple(map(Seat, opened.asked))
    usual = log_pb2.DecisionOpenedPublic(number=number, asked=asked, opened_at_ms=_SOME_TIME_MS)
    expected = log_pb2.PublicEvent(decision_opened=usual).SerializeToString()
    return asked if expected == opening + _SOME_TIME else ()


def _time(written: bytes) -> int | None:
    """A point in time, if it takes as many bytes as all do in our days."""
    since_ms = _most_of_time(written[2:])
    if since_ms is None:
        return None
    a, b, *_ = written
    return since_ms | (a & 127) | (b & 127) << 7 if a & b & _MORE else None


@lru_cache(maxsize=256)
def _most_of_time(written: bytes) -> int | None:
    """What all but the first two bytes of a point in time say, which is the same for 16 seconds."""
    if len(written) != _TIME_BYTES - 2:
        return None
    c, d, e, f = written
    if not c & d & e & _MORE or not 0 < f < _MORE:
        return None
    return (c & 127) << 14 | (d & 127) << 21 | (e & 127) << 28 | f << 35


def _read_choice(stored: StoredEvent, number: int) -> ReadChoice | None:
    secret = stored.secret
    before = _BEFORE_MADE.get(len(secret))
    if before is None or not secret.startswith(before) or not _is_sealed(stored, _choice_made(number)):
        return None
    try:
        made = _Choice.FromString(secret[len(before) :])
    except DecodeError:
        return None
    cause = made.cause
    if cause not in _CAUSES or made.bank_charged_ms or made.HasField("signature"):
        return None
    return _new_choice(
        (
            made.seat,
            made.notation,
            cause == _FORCED,
            made.received_at_ms,
            made.charged_ms,
            made.request_id,
            made.request_digest,
        )
    )


def is_decision_resolved(
    stored: StoredEvent, number: int, choices: Iterable[tuple[Seat, str, Cause]], state_hash: bytes
) -> bool:
    """Whether this decision was resolved by these choices, in seat order, and the state has this hash then."""
    if stored.secret != _STATE_HASH + state_hash:
        return False
    resolved = _number(number) + b"".join([_resolved_choice(*choice) for choice in choices])
    return _is_sealed(stored, b"\x52" + varint(len(resolved)) + resolved)


def _is_sealed(stored: StoredEvent, open_part: bytes) -> bool:
    """Whether the public part is this one and a commitment to the secret part, and nothing else."""
    public, secret, salt = stored
    return len(salt) == SALT_BYTES and public == open_part + _COMMITMENT + sha256(b"\x04" + salt + secret).digest()


@lru_cache(maxsize=4_096)
def _choice_made(number: int) -> bytes:
    return log_pb2.PublicEvent(choice_made=log_pb2.ChoiceMadePublic(number=number)).SerializeToString()


@lru_cache(maxsize=4_096)
def _number(number: int) -> bytes:
    return log_pb2.DecisionResolvedPublic(number=number).SerializeToString()


@lru_cache(maxsize=8_192)
def _resolved_choice(seat: Seat, notation: str, cause: Cause) -> bytes:
    choice = match_pb2.ResolvedChoice(seat=seat, notation=notation, cause=cast("match_pb2.Cause.ValueType", int(cause)))
    return log_pb2.DecisionResolvedPublic(choices=[choice]).SerializeToString()


_STATE_HASH = b"\x52\x22\x0a\x20"
"""What stands before the state hash in the secret part of a resolved decision, which holds nothing else."""
