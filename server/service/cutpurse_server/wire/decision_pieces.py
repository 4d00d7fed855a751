"""The three events of a decision, joined from pieces: they are written for every decision, and nothing else is.

`match_events` puts them together with their commitments, and reads them again as it reads all others.
"""

from __future__ import annotations

from functools import lru_cache

from cutpurse.v1 import match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.matches.events import Cause, ChoiceMade, DecisionOpened, DecisionResolved
from cutpurse_server.wire.pieces import Numbers, Texts, content, moment, number, varint

__all__ = ["choice_made_secret", "decision_opened_public", "decision_resolved_public"]

_NUMBER = Numbers(b"\x08")
_SEAT, _NOTATION, _CAUSE = Numbers(b"\x08"), Texts(b"\x12"), Numbers(b"\x18")
_CHARGED_MS, _BANK_CHARGED_MS = Numbers(b"\x28"), Numbers(b"\x30")


def choice_made_secret(event: ChoiceMade) -> bytes:
    """The serialised SecretEvent of a choice."""
    _, seat, notation, cause, received_at_ms, charged_ms, bank_charged_ms, request_id, digest, signature = event
    signed = b""
    if signature is not None:
        key, signature_bytes, salt = signature
        message = match_pb2.ChoiceSignature(public_key=key, signature=signature_bytes, salt=salt)
        signed = content(b"\x42", message.SerializeToString())
    secret = b"".join(
        (
            _SEAT[seat],
            _NOTATION[notation],
            _CAUSE[cause],
            b"\x20" + moment(received_at_ms) if received_at_ms else b"",
            _CHARGED_MS[charged_ms],
            _BANK_CHARGED_MS[bank_charged_ms],
            content(b"\x3a", request_id),
            signed,
            content(b"\x4a", digest),
        )
    )
    return content(b"\x2a", secret)


def decision_resolved_public(event: DecisionResolved) -> bytes:
    """The serialised PublicEvent of a resolved decision, without its commitment."""
    resolved, choices, _ = event
    public = _NUMBER[resolved] + b"".join([_resolved_choice(*choice) for choice in choices])
    return b"\x52" + varint(len(public)) + public


@lru_cache(maxsize=8_192)
def _resolved_choice(seat: Seat, notation: str, cause: Cause) -> bytes:
    """One of the choices of a resolved decision, as a field of it."""
    choice = number(b"\x08", seat) + content(b"\x12", notation.encode()) + number(b"\x18", cause)
    return b"\x12" + varint(len(choice)) + choice


def decision_opened_public(event: DecisionOpened) -> bytes:
    """The serialised PublicEvent of an opened decision."""
    opened, asked, opened_at_ms = event
    public = _NUMBER[opened] + _asked(asked) + (b"\x18" + moment(opened_at_ms) if opened_at_ms else b"")
    return b"\x22" + varint(len(public)) + public


@lru_cache(maxsize=1_024)
def _asked(seats: tuple[Seat, ...]) -> bytes:
    return content(b"\x12", b"".join(map(varint, seats)))
