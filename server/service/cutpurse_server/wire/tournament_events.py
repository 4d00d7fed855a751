"""A tournament's events as the log keeps them: `encode` and `decode`. Which field is secret: tournament_log.proto."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import DecodeError

from cutpurse.v1 import log_pb2, match_pb2, tournament_log_pb2, tournament_pb2
from cutpurse_rules.contract import EndReason, Seat
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.matches.events import MatchEvent, MatchOutcome, VoidCause
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    BotsLaunched,
    CompletedMatch,
    Entrant,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    LeaveCause,
    Lot,
    RoundDrawn,
    Standing,
    TournamentCreated,
    TournamentCutShort,
    TournamentEvent,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
    Verdict,
)
from cutpurse_server.wire import match_events
from cutpurse_server.wire.manifests import (
    manifest_from_bytes,
    manifest_from_proto,
    manifest_from_request,
    manifest_to_bytes,
    manifest_to_proto,
)
from cutpurse_server.wire.matches import result_to_proto
from cutpurse_server.wire.sealing import seal

__all__ = [
    "decision_number",
    "decode",
    "decode_with_commitment",
    "encode",
    "entrant_to_proto",
    "manifest_from_bytes",
    "manifest_from_proto",
    "manifest_from_request",
    "manifest_to_bytes",
    "manifest_to_proto",
    "match_event",
    "standing_to_proto",
]

_Public = tournament_log_pb2.TournamentPublicEvent
_Secret = tournament_log_pb2.TournamentSecretEvent

_SEALED = frozenset(field.name for field in _Secret.DESCRIPTOR.fields)
"""The kinds of events that have a secret part."""


def standing_to_proto(standing: Standing) -> tournament_pb2.Standing:
    """A row of the standings."""
    return tournament_pb2.Standing(**standing._asdict() | {"left": _left_to_proto(standing.left)})


def _left_to_proto(left: LeaveCause | None) -> tournament_pb2.LeaveCause.ValueType:
    return tournament_pb2.LeaveCause.ValueType(left or 0)


def entrant_to_proto(
    entrant: Entrant, left: LeaveCause | None = None, *, quarantined: bool = False
) -> tournament_pb2.Entrant:
    """An entrant, why it is out, and whether it is in quarantine."""
    return tournament_pb2.Entrant(**entrant._asdict(), left=_left_to_proto(left), quarantined=quarantined)


def _standing_from_proto(standing: tournament_pb2.Standing) -> Standing:
    values = {name: getattr(standing, name) for name in Standing._fields}
    left = LeaveCause(standing.left) if standing.left else None
    return Standing(**values | {"points_by_seat": tuple(standing.points_by_seat), "left": left})


def decision_number(stored: StoredEvent) -> int | None:
    """The number that a resolved decision in a match's log bears; None for every other event of it."""
    public = log_pb2.PublicEvent.FromString(stored.public)
    return public.decision_resolved.number if public.HasField("decision_resolved") else None


def match_event(stored: StoredEvent) -> MatchEvent:
    """An event of a match's log; raises `UnreadableEvent`."""
    return match_events.decode(stored)


def encode(event: TournamentEvent) -> StoredEvent:
    """The bytes of an event, with a fresh salt where it has a secret part."""
    return seal(*_ENCODERS[type(event)](event))


def decode(stored: StoredEvent) -> TournamentEvent:
    """The event of the bytes; raises `UnreadableEvent`. Commitments are not looked at: the audit checks them."""
    return decode_with_commitment(stored)[0]


def decode_with_commitment(stored: StoredEvent) -> tuple[TournamentEvent, bytes]:
    """The event of the bytes, and the commitment in their public part, empty if it has none; as `decode`."""
    try:
        public = _Public.FromString(stored.public)
        kind = public.WhichOneof("event")
        if kind is None:
            raise UnreadableEvent("the public part is of no known kind")
        secret = _Secret.FromString(stored.secret)
        if secret.WhichOneof("event") != (kind if kind in _SEALED else None):
            raise UnreadableEvent(f"the secret part is not of a {kind}")
        return _DECODERS[kind](getattr(public, kind), secret), public.commitment
    except (DecodeError, KeyError, ValueError, RecursionError) as failure:
        raise UnreadableEvent("these bytes are no event of a tournament") from failure


def _created_to_proto(event: TournamentCreated) -> tuple[bytes, bytes]:
    public = tournament_log_pb2.TournamentCreatedPublic(manifest=event.manifest_bytes, at_ms=event.at_ms)
    secret = tournament_log_pb2.TournamentCreatedSecret(deals_secret=event.deals_secret, seed=event.manifest.seed)
    return _Public(created=public).SerializeToString(), _Secret(created=secret).SerializeToString()


def _created_from_proto(
    public: tournament_log_pb2.TournamentCreatedPublic, secret: tournament_log_pb2.TournamentSecretEvent
) -> TournamentCreated:
    manifest = manifest_from_bytes(public.manifest)._replace(seed=secret.created.seed)
    return TournamentCreated(manifest, public.manifest, secret.created.deals_secret, public.at_ms)


def _entered_to_proto(event: EntrantEntered) -> tuple[bytes, bytes]:
    entered = tournament_log_pb2.EntrantEnteredPublic(entrant=entrant_to_proto(event.entrant), at_ms=event.at_ms)
    return _Public(entrant_entered=entered).SerializeToString(), b""


def _entered_from_proto(public: tournament_log_pb2.EntrantEnteredPublic, _: object) -> EntrantEntered:
    return EntrantEntered(Entrant(public.entrant.bot, public.entrant.owner, public.entrant.rank), public.at_ms)


def _left_event_to_proto(event: EntrantLeft) -> tuple[bytes, bytes]:
    left = tournament_log_pb2.EntrantLeftPublic(**event._asdict() | {"cause": _left_to_proto(event.cause)})
    return _Public(entrant_left=left).SerializeToString(), b""


def _left_event_from_proto(public: tournament_log_pb2.EntrantLeftPublic, _: object) -> EntrantLeft:
    return EntrantLeft(public.bot, LeaveCause(public.cause), public.text, public.at_ms)


def _quarantined_to_proto(event: EntrantQuarantined) -> tuple[bytes, bytes]:
    quarantined = tournament_log_pb2.EntrantQuarantinedPublic(**event._asdict())
    return _Public(entrant_quarantined=quarantined).SerializeToString(), b""


def _quarantined_from_proto(public: tournament_log_pb2.EntrantQuarantinedPublic, _: object) -> EntrantQuarantined:
    return EntrantQuarantined(public.bot, public.text, public.at_ms)


def _released_to_proto(event: EntrantReleased) -> tuple[bytes, bytes]:
    released = tournament_log_pb2.EntrantReleasedPublic(**event._asdict())
    return _Public(entrant_released=released).SerializeToString(), b""


def _released_from_proto(public: tournament_log_pb2.EntrantReleasedPublic, _: object) -> EntrantReleased:
    return EntrantReleased(public.bot, public.text, public.at_ms)


def _launched_to_proto(event: BotsLaunched) -> tuple[bytes, bytes]:
    launched = tournament_log_pb2.BotsLaunchedPublic(**event._asdict())
    return _Public(bots_launched=launched).SerializeToString(), b""


def _launched_from_proto(public: tournament_log_pb2.BotsLaunchedPublic, _: object) -> BotsLaunched:
    return BotsLaunched(public.text, public.at_ms)


def _lots_to_proto(lots: Iterable[Lot]) -> list[tournament_log_pb2.TieLot]:
    return [tournament_log_pb2.TieLot(round=lot.round, bots=lot.bots) for lot in lots]


def _lots_from_proto(lots: Iterable[tournament_log_pb2.TieLot]) -> tuple[Lot, ...]:
    return tuple(Lot(lot.round, tuple(lot.bots)) for lot in lots)


def _round_drawn_to_proto(event: RoundDrawn) -> tuple[bytes, bytes]:
    public = tournament_log_pb2.RoundDrawnPublic(round=event.round, at_ms=event.at_ms)
    secret = tournament_log_pb2.RoundDrawnSecret(
        tables=[tournament_log_pb2.DrawnTable(bots=bots) for bots in event.tables],
        byes=event.byes,
        lots=_lots_to_proto(event.lots),
    )
    return _Public(round_drawn=public).SerializeToString(), _Secret(round_drawn=secret).SerializeToString()


def _round_drawn_from_proto(
    public: tournament_log_pb2.RoundDrawnPublic, secret: tournament_log_pb2.TournamentSecretEvent
) -> RoundDrawn:
    drawn = secret.round_drawn
    tables = tuple(tuple(table.bots) for table in drawn.tables)
    return RoundDrawn(public.round, tables, tuple(drawn.byes), _lots_from_proto(drawn.lots), public.at_ms)


def _paused_to_proto(event: TournamentPaused) -> tuple[bytes, bytes]:
    paused = tournament_log_pb2.TournamentPausedPublic(text=event.text, at_ms=event.at_ms)
    return _Public(paused=paused).SerializeToString(), b""


def _paused_from_proto(public: tournament_log_pb2.TournamentPausedPublic, _: object) -> TournamentPaused:
    return TournamentPaused(public.text, public.at_ms)


def _resumed_to_proto(event: TournamentResumed) -> tuple[bytes, bytes]:
    resumed = tournament_log_pb2.TournamentResumedPublic(at_ms=event.at_ms)
    return _Public(resumed=resumed).SerializeToString(), b""


def _resumed_from_proto(public: tournament_log_pb2.TournamentResumedPublic, _: object) -> TournamentResumed:
    return TournamentResumed(public.at_ms)


def _cut_short_to_proto(event: TournamentCutShort) -> tuple[bytes, bytes]:
    cut = tournament_log_pb2.TournamentCutShortPublic(text=event.text, at_ms=event.at_ms)
    return _Public(cut_short=cut).SerializeToString(), b""


def _cut_short_from_proto(public: tournament_log_pb2.TournamentCutShortPublic, _: object) -> TournamentCutShort:
    return TournamentCutShort(public.text, public.at_ms)


def _started_to_proto(event: TournamentStarted) -> tuple[bytes, bytes]:
    started = tournament_log_pb2.TournamentStartedPublic(at_ms=event.at_ms)
    return _Public(started=started).SerializeToString(), b""


def _started_from_proto(public: tournament_log_pb2.TournamentStartedPublic, _: object) -> TournamentStarted:
    return TournamentStarted(public.at_ms)


def _block_completed_to_proto(event: BlockCompleted) -> tuple[bytes, bytes]:
    completed = tournament_log_pb2.BlockCompletedPublic(
        round=event.round,
        table=event.table,
        attempt=event.attempt,
        matches=[
            tournament_log_pb2.CompletedMatch(
                match=match.match,
                head=match.head,
                version=match.version,
                result=result_to_proto(match.outcome),
                bots=match.bots,
                absent=match.absent,
            )
            for match in event.matches
        ],
        at_ms=event.at_ms,
    )
    return _Public(block_completed=completed).SerializeToString(), b""


def _block_completed_from_proto(public: tournament_log_pb2.BlockCompletedPublic, _: object) -> BlockCompleted:
    matches = [
        CompletedMatch(
            match.match,
            match.head,
            match.version,
            _outcome(match.result),
            tuple(match.bots),
            tuple(map(Seat, match.absent)),
        )
        for match in public.matches
    ]
    return BlockCompleted(public.round, public.table, public.attempt, tuple(matches), public.at_ms)


def _outcome(result: match_pb2.MatchResult) -> MatchOutcome:
    return MatchOutcome(
        tuple(result.scores),
        tuple(result.placements),
        EndReason[match_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_")],
        tuple(result.forfeited),
        tuple(result.table_placements),
    )


def _block_voided_to_proto(event: BlockVoided) -> tuple[bytes, bytes]:
    voided = tournament_log_pb2.BlockVoidedPublic(
        round=event.round,
        table=event.table,
        attempt=event.attempt,
        cause=match_pb2.VoidCause.ValueType(event.cause),
        at_ms=event.at_ms,
        text=event.text,
    )
    return _Public(block_voided=voided).SerializeToString(), b""


def _block_voided_from_proto(public: tournament_log_pb2.BlockVoidedPublic, _: object) -> BlockVoided:
    cause = VoidCause(public.cause)
    return BlockVoided(public.round, public.table, public.attempt, cause, public.at_ms, public.text)


def _finished_to_proto(event: TournamentFinished) -> tuple[bytes, bytes]:
    finished = tournament_log_pb2.TournamentFinishedPublic(
        standings=[standing_to_proto(standing) for standing in event.standings],
        at_ms=event.at_ms,
        lots=_lots_to_proto(event.lots),
        verdict=tournament_pb2.GauntletVerdict.ValueType(event.verdict or 0),
    )
    return _Public(finished=finished).SerializeToString(), b""


def _finished_from_proto(public: tournament_log_pb2.TournamentFinishedPublic, _: object) -> TournamentFinished:
    standings = tuple(map(_standing_from_proto, public.standings))
    verdict = Verdict(public.verdict) if public.verdict else None
    return TournamentFinished(standings, public.at_ms, _lots_from_proto(public.lots), verdict)


_ENCODERS: dict[type[Any], Callable[[Any], tuple[bytes, bytes]]] = {
    TournamentCreated: _created_to_proto,
    EntrantEntered: _entered_to_proto,
    TournamentStarted: _started_to_proto,
    BlockCompleted: _block_completed_to_proto,
    BlockVoided: _block_voided_to_proto,
    TournamentFinished: _finished_to_proto,
    EntrantLeft: _left_event_to_proto,
    EntrantQuarantined: _quarantined_to_proto,
    EntrantReleased: _released_to_proto,
    BotsLaunched: _launched_to_proto,
    RoundDrawn: _round_drawn_to_proto,
    TournamentPaused: _paused_to_proto,
    TournamentResumed: _resumed_to_proto,
    TournamentCutShort: _cut_short_to_proto,
}

_DECODERS: dict[str, Callable[[Any, Any], TournamentEvent]] = {
    "created": _created_from_proto,
    "entrant_entered": _entered_from_proto,
    "started": _started_from_proto,
    "block_completed": _block_completed_from_proto,
    "block_voided": _block_voided_from_proto,
    "finished": _finished_from_proto,
    "entrant_left": _left_event_from_proto,
    "entrant_quarantined": _quarantined_from_proto,
    "entrant_released": _released_from_proto,
    "bots_launched": _launched_from_proto,
    "round_drawn": _round_drawn_from_proto,
    "paused": _paused_from_proto,
    "resumed": _resumed_from_proto,
    "cut_short": _cut_short_from_proto,
}
"""By the field's name in the public event."""
