"""A match's events as the log keeps them: `encode` and `decode`. Which field is secret: proto/cutpurse/v1/log.proto.

This runs three times for every decision. So the three events of one are joined from pieces, byte by byte as protobuf
would write them, and the enums of both sides have equal numbers (tests compare).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from google.protobuf.message import DecodeError

from cutpurse.v1 import errors_pb2, log_pb2, match_pb2
from cutpurse_rules.contract import EndReason, Seat
from cutpurse_rules.errors import Reason
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    Clock,
    ClockCredited,
    ClocksStarted,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEnded,
    MatchEvent,
    MatchOutcome,
    MatchVoided,
    Origin,
    ResolvedChoice,
    SeatForfeited,
    SeatIdentity,
    SeatReady,
    Signature,
    VoidCause,
)
from cutpurse_server.wire.decision_pieces import choice_made_secret, decision_opened_public, decision_resolved_public
from cutpurse_server.wire.matches import configuration_to_proto, result_to_proto
from cutpurse_server.wire.sealing import seal

__all__ = ["decode", "decode_with_commitment", "encode"]

_Parts = tuple[bytes, bytes]
"""A serialised PublicEvent that lacks its commitment, and a serialised SecretEvent or nothing."""

_Public = log_pb2.PublicEvent
_Secret = log_pb2.SecretEvent

_cause_to_proto = cast("Callable[[Cause], match_pb2.Cause.ValueType]", int)
_void_cause_to_proto = cast("Callable[[VoidCause], match_pb2.VoidCause.ValueType]", int)
_CAUSES: dict[int, Cause] = {int(each): each for each in Cause}
_VOID_CAUSES: dict[int, VoidCause] = {int(each): each for each in VoidCause}
_END_REASONS: dict[int, EndReason] = {match_pb2.EndReason.Value(f"END_REASON_{each}"): each for each in EndReason}
_RULE_TO_PROTO: dict[Reason | None, errors_pb2.RuleReason.ValueType] = {
    None: errors_pb2.RULE_REASON_UNSPECIFIED,
    **{each: errors_pb2.RuleReason.Value(f"RULE_REASON_{each.name}") for each in Reason},
}
_RULES: dict[int, Reason | None] = {number: each for each, number in _RULE_TO_PROTO.items()}


def encode(event: MatchEvent) -> StoredEvent:
    """The bytes of an event, with a fresh salt where it has a secret part."""
    return seal(*_ENCODERS[type(event)](event))


def decode(stored: StoredEvent) -> MatchEvent:
    """The event of the bytes; raises `UnreadableEvent`. Commitments are not looked at: the audit checks them."""
    return decode_with_commitment(stored)[0]


def decode_with_commitment(stored: StoredEvent) -> tuple[MatchEvent, bytes]:
    """The event of the bytes, and the commitment in their public part, empty if it has none; as `decode`."""
    try:
        public = _Public.FromString(stored.public)
        kind = public.WhichOneof("event")
        if kind is None:
            raise UnreadableEvent("the public part is of no known kind")
        secret_part = None
        if kind in _KINDS_WITH_SECRET:
            secret = _Secret.FromString(stored.secret)
            if secret.WhichOneof("event") != kind:
                raise UnreadableEvent(f"the secret part is not of a {kind}")
            secret_part = getattr(secret, kind)
        elif stored.secret:
            raise UnreadableEvent(f"{kind} has no secret part")
        return _DECODERS[kind](getattr(public, kind), secret_part), public.commitment
    except (DecodeError, KeyError, ValueError, RecursionError) as failure:
        raise UnreadableEvent("these bytes are no event of a match") from failure


_KINDS_WITH_SECRET = frozenset(_Secret.DESCRIPTOR.fields_by_name)


# The three that make up a decision.


def _choice_made_to_proto(event: ChoiceMade) -> _Parts:
    return _choice_made_public(event.number), choice_made_secret(event)


@lru_cache(maxsize=4_096)
def _choice_made_public(number: int) -> bytes:
    return _Public(choice_made=log_pb2.ChoiceMadePublic(number=number)).SerializeToString()


def _choice_made_from_proto(public: log_pb2.ChoiceMadePublic, secret: log_pb2.ChoiceMadeSecret) -> ChoiceMade:
    return ChoiceMade(
        public.number,
        Seat(secret.seat),
        secret.notation,
        _CAUSES[secret.cause],
        secret.received_at_ms,
        secret.charged_ms,
        secret.bank_charged_ms,
        secret.request_id,
        secret.request_digest,
        _signature_from_proto(secret.signature) if secret.HasField("signature") else None,
    )


def _signature_from_proto(signature: match_pb2.ChoiceSignature) -> Signature:
    return Signature(signature.public_key, signature.signature, signature.salt)


def _decision_resolved_to_proto(event: DecisionResolved) -> _Parts:
    assert len(event.state_hash) == _STATE_HASH_BYTES
    return decision_resolved_public(event), _STATE_HASH + event.state_hash


def _decision_resolved_from_proto(
    public: log_pb2.DecisionResolvedPublic, secret: log_pb2.DecisionResolvedSecret
) -> DecisionResolved:
    choices = tuple([ResolvedChoice(Seat(each.seat), each.notation, _CAUSES[each.cause]) for each in public.choices])
    return DecisionResolved(public.number, choices, secret.state_hash)


_STATE_HASH_BYTES = 32
_STATE_HASH = _Secret(
    decision_resolved=log_pb2.DecisionResolvedSecret(state_hash=bytes(_STATE_HASH_BYTES))
).SerializeToString()[:-_STATE_HASH_BYTES]
"""What stands before the hash in the secret part of a resolved decision: it holds nothing else."""


def _decision_opened_to_proto(event: DecisionOpened) -> _Parts:
    return decision_opened_public(event), b""


def _decision_opened_from_proto(public: log_pb2.DecisionOpenedPublic, _: None) -> DecisionOpened:
    return DecisionOpened(public.number, tuple(map(Seat, public.asked)), public.opened_at_ms)


# The beginning.


def _match_begun_to_proto(event: MatchBegun) -> _Parts:
    public = log_pb2.MatchBegunPublic(
        match=event.match,
        configuration=configuration_to_proto(event.game, event.options, event.clock),
        rules_version=event.rules_version,
        engine_version=event.engine_version,
        players=event.players,
        rated=event.rated,
        at_ms=event.at_ms,
        manifest_hash=event.manifest_hash,
        warm_up_until_ms=event.warm_up_until_ms,
    )
    secret = log_pb2.MatchBegunSecret(
        key=event.key,
        seed=event.seed,
        seats=[log_pb2.SeatIdentity(**seat._asdict()) for seat in event.seats],
        origin=log_pb2.MatchOrigin(**event.origin._asdict()) if event.origin else None,
        request_digest=event.request_digest,
        quarantined=event.quarantined,
    )
    # A map has no order of its own; the deterministic form sorts it.
    return (
        _Public(match_begun=public).SerializeToString(deterministic=True),
        _Secret(match_begun=secret).SerializeToString(),
    )


def _match_begun_from_proto(public: log_pb2.MatchBegunPublic, secret: log_pb2.MatchBegunSecret) -> MatchBegun:
    configuration, origin = public.configuration, secret.origin
    return MatchBegun(
        match=public.match,
        game=configuration.game,
        options={name: json.loads(text) for name, text in sorted(configuration.options.items())},
        clock=Clock(*[getattr(configuration.clock, name) for name in Clock._fields]),
        rules_version=public.rules_version,
        engine_version=public.engine_version,
        players=public.players,
        rated=public.rated,
        at_ms=public.at_ms,
        warm_up_until_ms=public.warm_up_until_ms,
        manifest_hash=public.manifest_hash,
        key=secret.key,
        seed=secret.seed,
        seats=tuple([SeatIdentity(seat.bot, seat.owner, seat.player) for seat in secret.seats]),
        origin=Origin(*[getattr(origin, name) for name in Origin._fields]) if secret.HasField("origin") else None,
        request_digest=secret.request_digest,
        quarantined=tuple(map(Seat, secret.quarantined)),
    )


def _seat_ready_to_proto(event: SeatReady) -> _Parts:
    secret = log_pb2.SeatReadySecret(seat=event.seat, at_ms=event.at_ms)
    return _SEAT_READY, _Secret(seat_ready=secret).SerializeToString()


_SEAT_READY = _Public(seat_ready=log_pb2.SeatReadyPublic()).SerializeToString()


def _seat_ready_from_proto(_: log_pb2.SeatReadyPublic, secret: log_pb2.SeatReadySecret) -> SeatReady:
    return SeatReady(Seat(secret.seat), secret.at_ms)


def _clocks_started_to_proto(event: ClocksStarted) -> _Parts:
    return _Public(clocks_started=log_pb2.ClocksStartedPublic(at_ms=event.at_ms)).SerializeToString(), b""


def _clocks_started_from_proto(public: log_pb2.ClocksStartedPublic, _: None) -> ClocksStarted:
    return ClocksStarted(public.at_ms)


# Faults, of seats and of the platform.


def _choice_refused_to_proto(event: ChoiceRefused) -> _Parts:
    public = log_pb2.ChoiceRefusedPublic(number=event.number)
    secret = log_pb2.ChoiceRefusedSecret(
        seat=event.seat,
        cause=_cause_to_proto(event.cause),
        answer=event.answer,
        received_at_ms=event.received_at_ms,
        rule=_RULE_TO_PROTO[event.rule],
        request_id=event.request_id,
        request_digest=event.request_digest,
    )
    return _Public(choice_refused=public).SerializeToString(), _Secret(choice_refused=secret).SerializeToString()


def _choice_refused_from_proto(
    public: log_pb2.ChoiceRefusedPublic, secret: log_pb2.ChoiceRefusedSecret
) -> ChoiceRefused:
    return ChoiceRefused(
        public.number,
        Seat(secret.seat),
        _CAUSES[secret.cause],
        secret.answer,
        secret.received_at_ms,
        _RULES[secret.rule],
        secret.request_id,
        secret.request_digest,
    )


def _choice_defaulted_to_proto(event: ChoiceDefaulted) -> _Parts:
    public = log_pb2.ChoiceDefaultedPublic(number=event.number)
    secret = log_pb2.ChoiceDefaultedSecret(
        seat=event.seat,
        notation=event.notation,
        cause=_cause_to_proto(event.cause),
        at_ms=event.at_ms,
        bank_charged_ms=event.bank_charged_ms,
        strike=event.strike,
    )
    return _Public(choice_defaulted=public).SerializeToString(), _Secret(choice_defaulted=secret).SerializeToString()


def _choice_defaulted_from_proto(
    public: log_pb2.ChoiceDefaultedPublic, secret: log_pb2.ChoiceDefaultedSecret
) -> ChoiceDefaulted:
    return ChoiceDefaulted(
        public.number,
        Seat(secret.seat),
        secret.notation,
        _CAUSES[secret.cause],
        secret.at_ms,
        secret.bank_charged_ms,
        secret.strike,
    )


def _clock_credited_to_proto(event: ClockCredited) -> _Parts:
    public = log_pb2.ClockCreditedPublic(**event._asdict())
    return _Public(clock_credited=public).SerializeToString(), b""


def _clock_credited_from_proto(public: log_pb2.ClockCreditedPublic, _: None) -> ClockCredited:
    return ClockCredited(public.number, public.credit_ms, public.at_ms, public.text)


def _seat_forfeited_to_proto(event: SeatForfeited) -> _Parts:
    public = log_pb2.SeatForfeitedPublic(number=event.number)
    secret = log_pb2.SeatForfeitedSecret(seat=event.seat, cause=_cause_to_proto(event.cause), at_ms=event.at_ms)
    return _Public(seat_forfeited=public).SerializeToString(), _Secret(seat_forfeited=secret).SerializeToString()


def _seat_forfeited_from_proto(
    public: log_pb2.SeatForfeitedPublic, secret: log_pb2.SeatForfeitedSecret
) -> SeatForfeited:
    return SeatForfeited(public.number, Seat(secret.seat), _CAUSES[secret.cause], secret.at_ms)


# The end.


def _match_voided_to_proto(event: MatchVoided) -> _Parts:
    public = log_pb2.MatchVoidedPublic(cause=_void_cause_to_proto(event.cause), text=event.text, at_ms=event.at_ms)
    return _Public(match_voided=public).SerializeToString(), b""


def _match_voided_from_proto(public: log_pb2.MatchVoidedPublic, _: None) -> MatchVoided:
    return MatchVoided(_VOID_CAUSES[public.cause], public.text, public.at_ms)


def _match_ended_to_proto(event: MatchEnded) -> _Parts:
    public = log_pb2.MatchEndedPublic(result=result_to_proto(event.outcome), at_ms=event.at_ms)
    secret = log_pb2.MatchEndedSecret(
        state_hash=event.state_hash, bank_ms_left=event.bank_ms_left, strikes=event.strikes
    )
    return _Public(match_ended=public).SerializeToString(), _Secret(match_ended=secret).SerializeToString()


def _match_ended_from_proto(public: log_pb2.MatchEndedPublic, secret: log_pb2.MatchEndedSecret) -> MatchEnded:
    result = public.result
    outcome = MatchOutcome(
        tuple(result.scores),
        tuple(result.placements),
        _END_REASONS[result.reason],
        tuple(result.forfeited),
        tuple(result.table_placements),
    )
    return MatchEnded(outcome, public.at_ms, secret.state_hash, tuple(secret.bank_ms_left), tuple(secret.strikes))


_ENCODERS: dict[type[Any], Callable[[Any], _Parts]] = {
    MatchBegun: _match_begun_to_proto,
    SeatReady: _seat_ready_to_proto,
    ClocksStarted: _clocks_started_to_proto,
    DecisionOpened: _decision_opened_to_proto,
    ChoiceMade: _choice_made_to_proto,
    ChoiceRefused: _choice_refused_to_proto,
    ChoiceDefaulted: _choice_defaulted_to_proto,
    ClockCredited: _clock_credited_to_proto,
    SeatForfeited: _seat_forfeited_to_proto,
    DecisionResolved: _decision_resolved_to_proto,
    MatchVoided: _match_voided_to_proto,
    MatchEnded: _match_ended_to_proto,
}

_DECODERS: dict[str, Callable[[Any, Any], MatchEvent]] = {
    "match_begun": _match_begun_from_proto,
    "seat_ready": _seat_ready_from_proto,
    "clocks_started": _clocks_started_from_proto,
    "decision_opened": _decision_opened_from_proto,
    "choice_made": _choice_made_from_proto,
    "choice_refused": _choice_refused_from_proto,
    "choice_defaulted": _choice_defaulted_from_proto,
    "clock_credited": _clock_credited_from_proto,
    "seat_forfeited": _seat_forfeited_from_proto,
    "decision_resolved": _decision_resolved_from_proto,
    "match_voided": _match_voided_from_proto,
    "match_ended": _match_ended_from_proto,
}
"""By the field's name in the public event."""
