"""Configurations, decisions, replies and results of matches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from cutpurse.v1 import bot_pb2, errors_pb2, game_pb2, match_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.errors import CATALOGUE, ErrorReason, ServiceError
from cutpurse_server.matches.clock import time_left
from cutpurse_server.matches.deciding import Answer
from cutpurse_server.matches.events import Clock, DecisionResolved, MatchOutcome, Signature
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.matches.replies import Accepted, Refused
from cutpurse_server.wire.games import GAME_WIRE, notation_from_proto

__all__ = [
    "accepted_to_proto",
    "answer_from_proto",
    "clock_from_proto",
    "configuration_to_proto",
    "ended_to_proto",
    "fill_decision",
    "fill_view",
    "match_to_proto",
    "offer_to_proto",
    "options_from_proto",
    "refused_to_proto",
    "resolved_to_proto",
    "result_to_proto",
]


def clock_from_proto(settings: match_pb2.ClockSettings) -> Clock:
    """A clock as it stands there; whoever uses it checks it."""
    return Clock(**{name: getattr(settings, name) for name in Clock._fields})


def options_from_proto(options: Mapping[str, str]) -> dict[str, Any]:
    """Options with their values read from JSON; raises CONFIGURATION_INVALID naming the option."""
    values = {}
    for name, text in options.items():
        try:
            values[name] = json.loads(text)
        except (ValueError, RecursionError):
            raise ServiceError(
                ErrorReason.CONFIGURATION_INVALID, f"The value of option {name[:64]!r} is not JSON."
            ) from None
    return values


def configuration_to_proto(game: str, options: Mapping[str, Any], clock: Clock) -> match_pb2.MatchConfiguration:
    """Game, options and clock."""
    return match_pb2.MatchConfiguration(
        game=game,
        options={name: _json(value) for name, value in options.items()},
        clock=match_pb2.ClockSettings(**clock._asdict()),
    )


def _json(value: Any) -> str:
    if type(value) is int:
        # Most options are numbers, and every seat is told all of them.
        return str(value)
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, sort_keys=True, separators=(",", ":"))


def answer_from_proto(choice: match_pb2.Choice, game: str) -> Answer:
    """What a seat answers. What cannot be read becomes an answer that is neither index nor notation."""
    kind = choice.WhichOneof("answer")
    index = choice.index if kind == "index" else None
    notation = choice.notation if kind == "notation" else None
    if kind == "action":
        notation = notation_from_proto(game, choice.action)
    signature = None
    if choice.HasField("signature"):
        given = choice.signature
        signature = Signature(given.public_key, given.signature, given.salt)
    digest = sha256(choice.SerializeToString(deterministic=True)).digest()
    return Answer(choice.decision, choice.request_id, digest, index, notation, signature)


def accepted_to_proto(match: str, reply: Accepted) -> match_pb2.ChoiceAccepted:
    """The acknowledgement of a choice."""
    return match_pb2.ChoiceAccepted(match=match, decision=reply.decision, request_id=reply.request_id)


def refused_to_proto(match: str, reply: Refused) -> match_pb2.ChoiceRefused:
    """The refusal of a choice."""
    return match_pb2.ChoiceRefused(
        match=match,
        decision=reply.decision,
        request_id=reply.request_id,
        reason=errors_pb2.ErrorReason.ValueType(reply.reason),
        rule=errors_pb2.RuleReason.Value(f"RULE_REASON_{reply.rule}" if reply.rule else "RULE_REASON_UNSPECIFIED"),
        text=CATALOGUE[reply.reason][1],
        corrections_left=reply.corrections_left,
    )


def fill_view(record: MatchRecord, seat: Seat, message: game_pb2.View) -> None:
    """Write the view of a seat into an empty message, with the seat's own choice in the open decision (G11)."""
    game = record.game
    chosen = record.chosen.get(seat)
    GAME_WIRE[game.id].fill_view(game.view(record.state, seat, chosen.action if chosen else None), message)


def fill_decision(
    record: MatchRecord, seat: Seat, now_ms: int, message: match_pb2.Decision, *, typed: bool = False
) -> None:
    """Write an open decision, as the asked seat gets it, into an empty message."""
    game = record.game
    wire = GAME_WIRE[game.id]
    legal = record.legal_of(seat)
    left = time_left(record, seat, now_ms)
    message.match = record.begun.match
    message.decision = record.decisions[seat]
    message.seat = seat
    wire.fill_view(game.view(record.state, seat), message.view)
    message.legal.extend([action.notation for action in legal])
    if typed:
        message.legal_actions.extend([wire.action_to_proto(action) for action in legal])
    message.decision_ms_left = left.decision_ms
    message.bank_ms_left = left.bank_ms
    message.last_charged_ms = record.last_charged_ms[seat]
    if not record.begun.seats[seat].player:
        used = record.refused[seat][0] if seat in record.refused else 0
        message.corrections_left = max(0, record.begun.clock.corrections_max - used)


def offer_to_proto(record: MatchRecord, seat: Seat, now_ms: int) -> bot_pb2.MatchOffered:
    """A match as one of its seats gets it offered. Seats have opaque names."""
    begun = record.begun
    left = max(0, begun.warm_up_until_ms - now_ms) if record.phase is Phase.WARM_UP else 0
    return bot_pb2.MatchOffered(
        match=begun.match,
        seat=seat,
        players=begun.players,
        configuration=configuration_to_proto(begun.game, begun.options, begun.clock),
        warm_up_ms_left=left,
        seat_names=[f"seat-{each}" for each in range(begun.players)],
        rated=begun.rated,
    )


def result_to_proto(outcome: MatchOutcome) -> match_pb2.MatchResult:
    """A result."""
    return match_pb2.MatchResult(
        scores=outcome.scores,
        placements=outcome.placements,
        reason=match_pb2.EndReason.Value(f"END_REASON_{outcome.reason.name}"),
        forfeited=outcome.forfeited,
        table_placements=outcome.table_placements,
    )


def ended_to_proto(record: MatchRecord, seat: Seat) -> bot_pb2.MatchEnded:
    """The end of a match as one of its seats gets it."""
    return bot_pb2.MatchEnded(
        match=record.begun.match,
        result=result_to_proto(record.outcome) if record.outcome else None,
        void_cause=match_pb2.VoidCause.ValueType(record.void_cause or 0),
        seat=seat,
    )


def resolved_to_proto(event: DecisionResolved, happenings: Sequence[str] = ()) -> match_pb2.ResolvedDecision:
    """A resolved decision as everybody gets it."""
    return match_pb2.ResolvedDecision(
        number=event.number,
        choices=[
            match_pb2.ResolvedChoice(
                seat=choice.seat, notation=choice.notation, cause=match_pb2.Cause.ValueType(choice.cause)
            )
            for choice in event.choices
        ],
        happenings=happenings,
    )


def match_to_proto(record: MatchRecord) -> match_pb2.GetMatchResponse:
    """What everybody may know of a match. Names are open once it is over, if its block is (decided by the caller)."""
    begun = record.begun
    response = match_pb2.GetMatchResponse(
        match=begun.match,
        configuration=configuration_to_proto(begun.game, begun.options, begun.clock),
        players=begun.players,
        phase=match_pb2.MatchPhase.ValueType(record.phase),
        result=result_to_proto(record.outcome) if record.outcome else None,
        void_cause=match_pb2.VoidCause.ValueType(record.void_cause or 0),
    )
    if record.state is not None:
        GAME_WIRE[begun.game].fill_public_view(record.game.view(record.state, None), response.view)
    return response
