"""Commands become events. Pure: a command reads a draft's record and adds events to the draft, each applied at once.

Nothing here writes or waits. The desk (desk.py) makes the events durable, and only then lets anybody know of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cutpurse_rules.contract import Result, Seat
from cutpurse_rules.errors import Illegal, Malformed, Reason
from cutpurse_server.errors import ErrorReason
from cutpurse_server.matches.clock import charge, deadline_ms
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    ClocksStarted,
    DecisionOpened,
    DecisionResolved,
    MatchEnded,
    MatchEvent,
    MatchOutcome,
    MatchVoided,
    ResolvedChoice,
    SeatForfeited,
    SeatReady,
    Signature,
    VoidCause,
)
from cutpurse_server.matches.record import MatchRecord, Phase, apply, state_hash
from cutpurse_server.matches.replies import Accepted, Refused, Reply

__all__ = [
    "NOTATION_BYTES_MAX",
    "REQUEST_ID_BYTES_MAX",
    "Answer",
    "Draft",
    "abort",
    "choose",
    "count_time",
    "credit",
    "get_ready",
]

NOTATION_BYTES_MAX = 1_024
REQUEST_ID_BYTES_MAX = 64
_ANSWER_KEPT_CHARACTERS = 256
_CREDIT_MS_MAX = (1 << 32) - 1
_PLAYER_REFUSALS_MAX = 1_000
"""People may correct themselves without limit, but only so many refusals of one decision are kept in the log."""
_AUTOMATIC_DECISIONS_MAX = 1_000_000
"""A bound on decisions after one another that need nobody's answer (forced, forfeited); games end long before."""


class Answer(NamedTuple):
    """What a seat answers to a decision: a position in its legal list, or a notation; neither if it cannot be read."""

    decision: int
    """As the seat counts its decisions."""
    request_id: bytes
    digest: bytes
    """SHA-256 of the whole request."""
    position: int | None
    """From 0."""
    notation: str | None
    signature: Signature | None = None


class Draft:
    """A match on which one command is being decided: its record as it will be, and the events that make it so."""

    __slots__ = ("events", "record")

    def __init__(self, record: MatchRecord) -> None:
        self.record = record.copy()
        self.events: list[MatchEvent] = []

    def add(self, event: MatchEvent, known: Any = None) -> None:
        """Add an event and apply it; `known` as `apply` takes it."""
        self.events.append(event)
        apply(self.record, event, known)


def get_ready(draft: Draft, seat: Seat, now_ms: int) -> None:
    """A seat is ready. When all are that are waited for, the clocks start.

    Being ready twice, too late, or in quarantine changes nothing.
    """
    record = draft.record
    begun = record.begun
    if record.phase is not Phase.WARM_UP or seat in record.ready or seat in begun.quarantined:
        return
    draft.add(SeatReady(seat, now_ms))
    if len(record.ready) + len(begun.quarantined) == begun.players:
        for absent in begun.quarantined:
            draft.add(SeatForfeited(0, absent, Cause.FORFEITED, now_ms))
        _start(draft, now_ms)


def choose(draft: Draft, seat: Seat, answer: Answer, received_at_ms: int, now_ms: int) -> Reply:
    """A seat answers a decision. Adds `ChoiceMade` or `ChoiceRefused` and what follows, or nothing, and replies.

    Only answers that leave a trace in the log are remembered under their request id. Those refused without one (stale,
    too early, too late) are looked at afresh when they are repeated.
    """
    record = draft.record
    known = record.replies.get(seat, answer.request_id)
    if known is not None:
        return known.reply if known.digest == answer.digest else _refusal(answer, ErrorReason.REQUEST_ID_REUSED)
    obstacle = _obstacle(record, seat, answer, received_at_ms)
    if obstacle is not None:
        return _refusal(answer, obstacle)
    try:
        action = _action(record, seat, answer)
    except Malformed:
        return _refuse(draft, seat, answer, Cause.MALFORMED, None, received_at_ms, now_ms)
    except Illegal as illegal:
        return _refuse(draft, seat, answer, Cause.ILLEGAL, illegal.reason, received_at_ms, now_ms)
    charged_ms, bank_charged_ms = charge(record, received_at_ms, seat)
    draft.add(
        ChoiceMade(
            record.number,
            seat,
            action.notation,
            Cause.CHOSEN,
            received_at_ms,
            charged_ms,
            bank_charged_ms,
            answer.request_id,
            answer.digest,
            answer.signature,
        ),
        action,
    )
    reply = Accepted(answer.decision, answer.request_id)
    _go_on(draft, now_ms)
    return reply


def count_time(
    draft: Draft, now_ms: int, fault_of: Callable[[str], Cause], patience_ms: Callable[[str], int] = lambda _: 0
) -> None:
    """Play the default for every seat whose time is over, and the settling time with it.

    `fault_of` says what is wrong with a bot that did not answer: TIMEOUT, DISCONNECTED or CRASHED. If the bot's last
    answer was refused, that fault is the cause. With `patience_ms` a bot's default is left to others for so long, who
    know better what is wrong with it. Nothing happens if nobody's time is over.
    """
    record = draft.record
    if record.phase is Phase.WARM_UP:
        if now_ms >= record.begun.warm_up_until_ms:
            _end_warm_up(draft, now_ms, fault_of)
        return
    settle = record.begun.clock.settle_ms
    for seat in record.waiting():
        bot = record.begun.seats[seat].bot
        if now_ms > deadline_ms(record, seat) + settle + patience_ms(bot):
            cause = record.refused[seat][1] if seat in record.refused else fault_of(bot)
            _play_default(draft, seat, cause, now_ms, record.bank_ms[seat])
    if draft.events:
        _go_on(draft, now_ms)


def credit(draft: Draft, gap_ms: int, now_ms: int, text: str) -> None:
    """Give everybody back the time in which the platform was not there."""
    record = draft.record
    if record.phase is not Phase.RUNNING or not record.asked:
        return
    while gap_ms > 0:
        # One event's number holds some fifty days, and a log may lie longer than that.
        part_ms = min(gap_ms, _CREDIT_MS_MAX)
        draft.add(ClockCredited(record.number, part_ms, now_ms, text))
        gap_ms -= part_ms


def abort(draft: Draft, cause: VoidCause, text: str, now_ms: int) -> None:
    """End a match without a result; nothing happens if it is over."""
    if not draft.record.over:
        draft.add(MatchVoided(cause, text, now_ms))


def _obstacle(record: MatchRecord, seat: Seat, answer: Answer, received_at_ms: int) -> ErrorReason | None:
    """Why an answer cannot be looked at, if so."""
    if not 1 <= len(answer.request_id) <= REQUEST_ID_BYTES_MAX:
        return ErrorReason.MALFORMED
    if answer.signature is not None:
        # Kept unverified it would be worth nothing, and look as if it were.
        return ErrorReason.NOT_IMPLEMENTED
    if record.over:
        return ErrorReason.MATCH_OVER
    asked_so_far = record.decisions[seat]
    if answer.decision > asked_so_far or answer.decision < 1:
        return ErrorReason.DECISION_NOT_OPEN
    if answer.decision < asked_so_far or seat not in record.asked or seat in record.chosen:
        return ErrorReason.DECISION_STALE
    if received_at_ms > deadline_ms(record, seat):
        return ErrorReason.TIME_OVER
    return None


def _action(record: MatchRecord, seat: Seat, answer: Answer) -> Any:
    """The action that an answer names; raises `Malformed` or `Illegal`."""
    if answer.notation is not None:
        if len(answer.notation.encode("utf-8", "surrogatepass")) > NOTATION_BYTES_MAX:
            raise Malformed("longer than any action")
        action = record.game.parse(answer.notation)
        record.game.verify(record.state, seat, action)
        return action
    legal = record.legal_of(seat)
    if answer.position is None or not 0 <= answer.position < len(legal):
        raise Malformed("no index of the list")
    return legal[answer.position]


def _refusal(answer: Answer, reason: ErrorReason) -> Refused:
    return Refused(answer.decision, answer.request_id, reason, "", None)


def _refuse(
    draft: Draft, seat: Seat, answer: Answer, cause: Cause, rule: Reason | None, received_at_ms: int, now_ms: int
) -> Reply:
    """Refuse an answer; when the corrections are used up, the default is played at once."""
    record = draft.record
    player = record.begun.seats[seat].player
    if player and seat in record.refused and record.refused[seat][0] >= _PLAYER_REFUSALS_MAX:
        return _refusal(answer, ErrorReason.RATE_LIMITED)
    shown = answer.notation if answer.notation is not None else f"index {answer.position}"
    kept = shown[:_ANSWER_KEPT_CHARACTERS].encode("utf-8", "replace").decode()
    draft.add(ChoiceRefused(record.number, seat, cause, kept, received_at_ms, rule, answer.request_id, answer.digest))
    known = record.replies.get(seat, answer.request_id)
    assert known is not None, "a refusal that is in the log is remembered"
    if not player and record.refused[seat][0] > record.begun.clock.corrections_max:
        cost = charge(record, received_at_ms, seat)
        _play_default(draft, seat, cause, now_ms, cost.bank_charged_ms)
        _go_on(draft, now_ms)
    return known.reply


def _play_default(draft: Draft, seat: Seat, cause: Cause, now_ms: int, bank_charged_ms: int) -> None:
    """Play the page's default for a fault: one strike, and at the last one the seat is forfeited."""
    record = draft.record
    notation = record.game.default(record.state, seat).notation
    draft.add(ChoiceDefaulted(record.number, seat, notation, cause, now_ms, bank_charged_ms, strike=True))
    if record.strikes[seat] >= record.begun.clock.strikes_max and seat not in record.forfeited:
        draft.add(SeatForfeited(record.number, seat, cause, now_ms))


def _end_warm_up(draft: Draft, now_ms: int, fault_of: Callable[[str], Cause]) -> None:
    """Whoever is not ready is forfeited; if nobody is, there is no match."""
    record = draft.record
    if not record.ready:
        draft.add(MatchVoided(VoidCause.NOBODY_READY, "no seat was ready at the end of the warm-up", now_ms))
        return
    for seat in map(Seat, range(record.begun.players)):
        if seat not in record.ready:
            quarantined = seat in record.begun.quarantined
            cause = Cause.FORFEITED if quarantined else fault_of(record.begun.seats[seat].bot)
            draft.add(SeatForfeited(0, seat, cause, now_ms))
    _start(draft, now_ms)


def _start(draft: Draft, now_ms: int) -> None:
    draft.add(ClocksStarted(now_ms))
    _open_or_end(draft, now_ms)
    _go_on(draft, now_ms)


def _go_on(draft: Draft, now_ms: int) -> None:
    """Resolve decisions as long as all asked seats have chosen."""
    record = draft.record
    for _ in range(_AUTOMATIC_DECISIONS_MAX):
        if record.phase is not Phase.RUNNING or len(record.chosen) < len(record.asked):
            return
        chosen, choices = {}, []
        for seat in record.asked:
            action, notation, cause = record.chosen[seat]
            chosen[seat] = action
            choices.append(ResolvedChoice(seat, notation, cause))
        after = record.game.resolve(record.state, chosen, record.chance)
        draft.add(DecisionResolved(record.number, tuple(choices), state_hash(record, after)), after)
        _open_or_end(draft, now_ms)
    raise AssertionError("a game in which nobody has to choose any more does not end")


def _open_or_end(draft: Draft, now_ms: int) -> None:
    """Open the next decision, with what needs nobody's answer made at once, or end the match."""
    record = draft.record
    game, state = record.game, record.state
    asked = game.asked(state)
    if not asked:
        result = game.result(state)
        assert result is not None, "nobody is asked, and the match is not over"
        outcome = _outcome(result, record.forfeited)
        draft.add(MatchEnded(outcome, now_ms, state_hash(record, state), record.bank_ms, record.strikes))
        return
    draft.add(DecisionOpened(record.number + 1, asked, now_ms))
    forced = game.forced(state) if record.config.options["auto_play_forced"] else {}
    if not forced and not record.forfeited:
        return
    for seat in asked:
        if seat in forced:
            made = ChoiceMade(record.number, seat, forced[seat].notation, Cause.FORCED, now_ms, 0, 0, b"", b"", None)
            draft.add(made)
        elif seat in record.forfeited:
            notation = game.default(state, seat).notation
            draft.add(ChoiceDefaulted(record.number, seat, notation, Cause.FORFEITED, now_ms, 0, strike=False))


def _outcome(result: Result, forfeited: frozenset[Seat]) -> MatchOutcome:
    """The result that counts: forfeited seats share the last place, whatever the table says."""
    honest = [seat for seat in range(len(result.scores)) if seat not in forfeited]
    placements = [len(honest) + 1] * len(result.scores)
    for seat in honest:
        placements[seat] = 1 + sum(result.placements[other] < result.placements[seat] for other in honest)
    return MatchOutcome(result.scores, tuple(placements), result.reason, tuple(sorted(forfeited)), result.placements)
