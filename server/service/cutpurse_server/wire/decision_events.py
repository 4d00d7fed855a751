"""The three events of which every decision is made, read as an auditor reads them: quickly, in their one usual form.

An auditor knows much of what comes next: which decision, which choices, which state hash. What is known is compared
byte by byte, and only the rest is read. Each function answers None, or False, for whatever is not exactly what an
honest service writes in the usual case, sealed as it should be; such an event is decoded by `match_events` and judged
field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import cast

from google.protobuf.message import DecodeError

from cutpurse.v1 import log_pb2, match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.log.chain import SALT_BYTES
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import Cause, ChoiceMade, DecisionOpened
from cutpurse_server.wire.pieces import varint

__all__ = ["choice_made", "decision_opened", "is_decision_resolved"]

_LENGTHS_OF_ONE_BYTE = 0x80
_OPENED = b"\x22"
"""Tag of a public event that is a DecisionOpened."""
_MADE = b"\x2a"
"""Tag of a public or secret event that is a ChoiceMade."""
_RESOLVED = b"\x52"
"""Tag of a public event that is a DecisionResolved."""
_COMMITMENT = b"\xfa\x01\x20"
"""What stands before a commitment, which is the last field of a public event."""
_STATE_HASH = b"\x52\x22\x0a\x20"
"""What stands before the state hash, and is all else, in the secret part of a DecisionResolved."""
_CHOSEN = int(Cause.CHOSEN)
_cause_to_proto = cast("Callable[[Cause], match_pb2.Cause.ValueType]", int)

_read_opened = log_pb2.DecisionOpenedPublic.FromString
_read_made = log_pb2.ChoiceMadeSecret.FromString


def decision_opened(stored: StoredEvent, number: int, asked: tuple[Seat, ...]) -> DecisionOpened | None:
    """The opening of this decision, in which these seats are asked."""
    public, secret, salt = stored
    inside = _only(_OPENED, public)
    if inside is None or secret or salt:
        return None
    try:
        opened = _read_opened(inside)
    except DecodeError:
        return None
    if opened.number != number or opened.asked != list(asked):
        return None
    return DecisionOpened(number, asked, opened.opened_at_ms)


def choice_made(stored: StoredEvent, number: int) -> ChoiceMade | None:
    """A choice that a seat made itself in this decision, and did not sign."""
    inside = _only(_MADE, stored.secret)
    if inside is None or not _is_sealed(stored, _choice_made_public(number)):
        return None
    try:
        made = _read_made(inside)
    except DecodeError:
        return None
    if made.cause != _CHOSEN or made.HasField("signature"):
        return None
    return ChoiceMade(
        number,
        Seat(made.seat),
        made.notation,
        Cause.CHOSEN,
        made.received_at_ms,
        made.charged_ms,
        made.bank_charged_ms,
        made.request_id,
        made.request_digest,
        None,
    )


def is_decision_resolved(
    stored: StoredEvent, number: int, choices: Sequence[tuple[int, str, Cause]], state_hash: bytes
) -> bool:
    """Whether it says that this decision was resolved by these choices, with this state hash."""
    if stored.secret != _STATE_HASH + state_hash:
        return False
    resolved = _number(number) + b"".join([_resolved_choice(*choice) for choice in choices])
    return _is_sealed(stored, _RESOLVED + varint(len(resolved)) + resolved)


def _only(tag: bytes, message: bytes) -> bytes | None:
    """What is in the one field that a message holds; None if that is another field, or not all."""
    inside = message[2 if len(message) < 2 + _LENGTHS_OF_ONE_BYTE else 3 :]
    return inside if message == tag + varint(len(inside)) + inside else None


def _is_sealed(stored: StoredEvent, open_part: bytes) -> bool:
    """Whether the public part is this one and a commitment to the secret part, and nothing else."""
    public, secret, salt = stored
    return len(salt) == SALT_BYTES and public == open_part + _COMMITMENT + sha256(b"\x04" + salt + secret).digest()


@lru_cache(maxsize=4_096)
def _number(number: int) -> bytes:
    return b"\x08" + varint(number)


@lru_cache(maxsize=4_096)
def _choice_made_public(number: int) -> bytes:
    return log_pb2.PublicEvent(choice_made=log_pb2.ChoiceMadePublic(number=number)).SerializeToString()


@lru_cache(maxsize=8_192)
def _resolved_choice(seat: int, notation: str, cause: Cause) -> bytes:
    choice = match_pb2.ResolvedChoice(seat=seat, notation=notation, cause=_cause_to_proto(cause)).SerializeToString()
    return b"\x12" + varint(len(choice)) + choice
