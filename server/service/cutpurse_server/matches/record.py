"""Everything that is known about a match: a fold over its log.

`fold` and `apply` are the only way to a `MatchRecord`; the service, the audit and the tests all take it. A record is
changed only by `apply`, and only while its maker holds it alone: whoever shares one works on a copy.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, NamedTuple

from cutpurse_rules import GAMES
from cutpurse_rules.chance import Chance, StreamChance, sub_key
from cutpurse_rules.contract import Config, Game, Seat
from cutpurse_server.errors import ErrorReason
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    ClocksStarted,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEnded,
    MatchEvent,
    MatchOutcome,
    MatchVoided,
    SeatForfeited,
    SeatReady,
    VoidCause,
)
from cutpurse_server.matches.replies import Accepted, Answered, Refused, Replies

__all__ = ["Chosen", "MatchRecord", "Phase", "apply", "fold", "state_hash"]


class Phase(IntEnum):
    """Where a match is; numbers as in match.proto."""

    WARM_UP = 1
    RUNNING = 2
    ENDED = 3
    VOIDED = 4


_ENDED = Phase.ENDED
"""Looked up once: an enum's member takes as long as a decision's smaller steps."""


class Chosen(NamedTuple):
    """A seat's choice in the open decision."""

    action: Any
    notation: str
    cause: Cause


class MatchRecord:
    """One match. Sequences by seat are tuples, mappings are copied with the record: a copy shares nothing mutable."""

    __slots__ = (
        "asked",
        "bank_ms",
        "begun",
        "chain",
        "chance",
        "chosen",
        "config",
        "credit_ms",
        "decisions",
        "forfeited",
        "game",
        "last_charged_ms",
        "legal",
        "number",
        "opened_at_ms",
        "outcome",
        "phase",
        "ready",
        "refused",
        "replies",
        "seat_of",
        "state",
        "state_mac",
        "strikes",
        "version",
        "void_cause",
    )

    def __init__(self, begun: MatchBegun, like: MatchRecord | None = None) -> None:
        """As a match begins, or as another record of it stands."""
        if like is not None:
            self._be_like(like)
            return
        players = begun.players
        self.begun = begun
        self.game: Game[Any, Any, Any] = GAMES[begun.game]
        self.config: Config = self.game.configure(players, begun.options)
        self.chance: Chance = StreamChance(begun.key)
        self.state_mac = hmac.new(sub_key(begun.key, "state"), digestmod="sha256")
        """Keyed, and never fed: a state hash is made by a copy of it."""
        self.seat_of: dict[str, Seat] = {identity.bot: Seat(seat) for seat, identity in enumerate(begun.seats)}
        self.phase = Phase.WARM_UP
        self.ready: frozenset[Seat] = frozenset()
        self.state: Any = None
        self.number = 0
        """The decision that is open or was resolved last; 0 before the first."""
        self.asked: tuple[Seat, ...] = ()
        """Seats asked in the open decision; empty when none is open."""
        self.opened_at_ms = 0
        self.credit_ms = 0
        """Added to every deadline of the open decision."""
        self.chosen: dict[Seat, Chosen] = {}
        self.refused: dict[Seat, tuple[int, Cause]] = {}
        """In the open decision: how many answers were refused, and why the last."""
        self.bank_ms: tuple[int, ...] = (begun.clock.bank_ms,) * players
        self.strikes: tuple[int, ...] = (0,) * players
        self.forfeited: frozenset[Seat] = frozenset()
        self.decisions: tuple[int, ...] = (0,) * players
        """By seat: how many decisions have asked it."""
        self.last_charged_ms: tuple[int, ...] = (0,) * players
        self.replies = Replies()
        self.legal: dict[Seat, Any] = {}
        """Legal actions of the open decision as far as somebody asked for them: a pure function of `state`."""
        self.outcome: MatchOutcome | None = None
        self.void_cause: VoidCause | None = None
        self.version = 0
        """How many events have been applied."""
        self.chain = b""
        """The head of the hash chain; kept by whoever stores events, since only the stored bytes are hashed."""

    def _be_like(self, like: MatchRecord) -> None:
        # Written out, since it runs for every decision, and in a method since a compiled class is made by nothing else.
        self.asked = like.asked
        self.bank_ms = like.bank_ms
        self.begun = like.begun
        self.chain = like.chain
        self.chance = like.chance
        self.chosen = like.chosen.copy()
        self.config = like.config
        self.credit_ms = like.credit_ms
        self.decisions = like.decisions
        self.forfeited = like.forfeited
        self.game = like.game
        self.last_charged_ms = like.last_charged_ms
        self.legal = like.legal
        self.number = like.number
        self.opened_at_ms = like.opened_at_ms
        self.outcome = like.outcome
        self.phase = like.phase
        self.ready = like.ready
        self.refused = like.refused.copy()
        self.replies = Replies(like.replies)
        self.seat_of = like.seat_of
        self.state = like.state
        self.state_mac = like.state_mac
        self.strikes = like.strikes
        self.version = like.version
        self.void_cause = like.void_cause

    @property
    def match(self) -> str:
        """The match's identifier."""
        return self.begun.match

    @property
    def over(self) -> bool:
        """Whether nothing can happen any more."""
        return self.phase >= _ENDED

    def copy(self) -> MatchRecord:
        """A record that may be changed without this one's noticing."""
        return MatchRecord(self.begun, self)

    def legal_of(self, seat: Seat) -> Any:
        """The seat's legal actions in canonical order, computed once per decision."""
        legal = self.legal.get(seat)
        if legal is None:
            legal = self.legal[seat] = self.game.legal(self.state, seat)
        return legal

    def waiting(self) -> list[Seat]:
        """Seats that are asked and have not chosen."""
        return [seat for seat in self.asked if seat not in self.chosen]


def state_hash(record: MatchRecord, state: Any) -> bytes:
    """HMAC-SHA-256 of a state of the match: 32 bytes that only the match key's holder can make."""
    seal = record.state_mac.copy()
    seal.update(record.game.fingerprint(state))
    return seal.digest()


def fold(events: Iterable[MatchEvent]) -> MatchRecord:
    """The record of a whole log, which begins with `MatchBegun`."""
    rest = iter(events)
    begun = next(rest)
    assert isinstance(begun, MatchBegun), "a match's log begins with MatchBegun"
    record = MatchRecord(begun)
    record.version = 1
    for event in rest:
        apply(record, event)
    return record


def apply(record: MatchRecord, event: MatchEvent, known: Any = None) -> None:
    """Change the record by one event.

    `known` may hand over what follows from the event, where the caller has worked it out already: the state that a
    `DecisionResolved` leads to, or the action whose notation a `ChoiceMade` bears.
    """
    _APPLY[type(event)](record, event, known)
    record.version += 1


def _at(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _seat_ready(record: MatchRecord, event: SeatReady, _: Any) -> None:
    record.ready |= {event.seat}


def _clocks_started(record: MatchRecord, event: ClocksStarted, _: Any) -> None:
    record.phase = Phase.RUNNING
    record.state = record.game.begin(record.config, record.chance)


def _decision_opened(record: MatchRecord, event: DecisionOpened, _: Any) -> None:
    record.number, record.asked, record.opened_at_ms = event
    record.credit_ms = 0
    for seat in event.asked:
        record.decisions = _at(record.decisions, seat, record.decisions[seat] + 1)


def _choice_made(record: MatchRecord, event: ChoiceMade, action: Any) -> None:
    _, seat, notation, cause, _, charged_ms, bank_charged_ms, request_id, request_digest, _ = event
    record.chosen[seat] = Chosen(record.game.parse(notation) if action is None else action, notation, cause)
    if cause is Cause.CHOSEN:
        if charged_ms != record.last_charged_ms[seat]:
            record.last_charged_ms = _at(record.last_charged_ms, seat, charged_ms)
        if bank_charged_ms:
            record.bank_ms = _at(record.bank_ms, seat, record.bank_ms[seat] - bank_charged_ms)
        reply = Accepted(record.decisions[seat], request_id)
        record.replies.add(seat, request_id, Answered(request_digest, reply))


def _choice_refused(record: MatchRecord, event: ChoiceRefused, _: Any) -> None:
    seat = event.seat
    count = record.refused[seat][0] + 1 if seat in record.refused else 1
    record.refused[seat] = (count, event.cause)
    left = None if record.begun.seats[seat].player else record.begun.clock.corrections_max - count
    reason = ErrorReason.CHOICE_ILLEGAL if event.cause is Cause.ILLEGAL else ErrorReason.CHOICE_MALFORMED
    if left is not None and left < 0:
        left, reason = None, ErrorReason.CORRECTIONS_USED_UP
    rule = event.rule.name if event.rule else ""
    reply = Refused(record.decisions[seat], event.request_id, reason, rule, left)
    record.replies.add(seat, event.request_id, Answered(event.request_digest, reply))


def _choice_defaulted(record: MatchRecord, event: ChoiceDefaulted, _: Any) -> None:
    seat = event.seat
    record.chosen[seat] = Chosen(record.game.parse(event.notation), event.notation, event.cause)
    if event.bank_charged_ms:
        record.bank_ms = _at(record.bank_ms, seat, record.bank_ms[seat] - event.bank_charged_ms)
    if event.strike:
        record.strikes = _at(record.strikes, seat, record.strikes[seat] + 1)


def _clock_credited(record: MatchRecord, event: ClockCredited, _: Any) -> None:
    record.credit_ms += event.credit_ms


def _seat_forfeited(record: MatchRecord, event: SeatForfeited, _: Any) -> None:
    record.forfeited |= {event.seat}


def _decision_resolved(record: MatchRecord, event: DecisionResolved, resolved: Any) -> None:
    if resolved is None:
        chosen = {seat: record.chosen[seat].action for seat in record.asked}
        resolved = record.game.resolve(record.state, chosen, record.chance)
    record.state = resolved
    record.asked = ()
    record.chosen = {}
    record.refused = {}
    record.legal = {}


def _match_voided(record: MatchRecord, event: MatchVoided, _: Any) -> None:
    record.phase = Phase.VOIDED
    record.void_cause = event.cause
    record.asked = ()


def _match_ended(record: MatchRecord, event: MatchEnded, _: Any) -> None:
    record.phase = Phase.ENDED
    record.outcome = event.outcome


_APPLY: dict[type, Any] = {
    SeatReady: _seat_ready,
    ClocksStarted: _clocks_started,
    DecisionOpened: _decision_opened,
    ChoiceMade: _choice_made,
    ChoiceRefused: _choice_refused,
    ChoiceDefaulted: _choice_defaulted,
    ClockCredited: _clock_credited,
    SeatForfeited: _seat_forfeited,
    DecisionResolved: _decision_resolved,
    MatchVoided: _match_voided,
    MatchEnded: _match_ended,
}
