"""What commands decide: answers, refusals, clocks, strikes, forfeits, the end."""

from __future__ import annotations

import pytest

from cutpurse_rules.contract import EndReason, Result, Seat
from cutpurse_server.errors import ErrorReason
from cutpurse_server.matches.clock import deadline_ms, next_due_ms, time_left
from cutpurse_server.matches.deciding import Answer, Draft, abort, choose, credit, get_ready
from cutpurse_server.matches.deciding import _outcome as outcome_of
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
    MatchVoided,
    SeatForfeited,
    SeatReady,
    VoidCause,
)
from cutpurse_server.matches.record import Phase, fold
from cutpurse_server.matches.replies import Accepted, Refused
from tests.server.matches.table import BEGUN_MS, CLOCK, Table


def kinds(events: object) -> list[type]:
    return [type(event) for event in events]  # type: ignore[attr-defined]


def test_the_clocks_start_when_the_last_seat_is_ready() -> None:
    table = Table()
    table.start()
    assert kinds(table.events[1:]) == [SeatReady, SeatReady, SeatReady, ClocksStarted, DecisionOpened]
    assert table.record.phase is Phase.RUNNING
    assert table.record.asked == (0,)


def test_an_accepted_answer_resolves_the_decision_and_opens_the_next() -> None:
    table = Table().start()
    reply, events = table.answer(index=0, at_ms=BEGUN_MS + 150)
    assert reply == Accepted(1, (1).to_bytes(4, "big"))
    assert kinds(events) == [ChoiceMade, DecisionResolved, DecisionOpened]
    made = events[0]
    assert isinstance(made, ChoiceMade)
    assert (made.charged_ms, made.bank_charged_ms) == (50, 0)
    assert made.notation == Table().start().record.legal_of(Seat(0))[0].notation


def test_an_answer_by_notation_is_the_same_as_by_index() -> None:
    by_index, by_notation = Table().start(), Table().start()
    by_index.answer(index=1)
    by_notation.answer(by_notation.record.legal_of(Seat(0))[1].notation)
    assert by_index.record.game.fingerprint(by_index.record.state) == by_notation.record.game.fingerprint(
        by_notation.record.state
    )


def test_time_beyond_the_decision_comes_out_of_the_bank() -> None:
    table = Table().start()
    _, events = table.answer(index=0, at_ms=BEGUN_MS + 100 + 1_000 + 700)
    made = events[0]
    assert isinstance(made, ChoiceMade)
    assert (made.charged_ms, made.bank_charged_ms) == (1_700, 700)
    assert table.record.bank_ms == (1_300, 2_000, 2_000)
    assert table.record.last_charged_ms[0] == 1_700


def test_the_last_millisecond_is_in_time_and_the_next_is_not() -> None:
    table = Table().start()
    last = deadline_ms(table.record, Seat(0))
    assert last == BEGUN_MS + 100 + 1_000 + 2_000
    late, events = table.answer(index=0, at_ms=last + 1)
    assert isinstance(late, Refused)
    assert late.reason is ErrorReason.TIME_OVER
    assert not events
    in_time, _ = table.answer(index=0, at_ms=last)
    assert isinstance(in_time, Accepted)
    assert table.record.bank_ms[0] == 0


def test_time_left_counts_down_the_decision_first_and_then_the_bank() -> None:
    record = Table().start().record
    assert time_left(record, Seat(0), BEGUN_MS) == (1_000, 2_000)
    assert time_left(record, Seat(0), BEGUN_MS + 100) == (1_000, 2_000)
    assert time_left(record, Seat(0), BEGUN_MS + 600) == (500, 2_000)
    assert time_left(record, Seat(0), BEGUN_MS + 2_100) == (0, 1_000)
    assert time_left(record, Seat(0), BEGUN_MS + 99_000) == (0, 0)


def test_a_time_out_is_written_only_after_the_settling_time() -> None:
    table = Table().start()
    last = deadline_ms(table.record, Seat(0))
    assert table.time_passes(last + CLOCK.settle_ms) == []
    assert next_due_ms(table.record) == last + CLOCK.settle_ms + 1
    events = table.time_passes(last + CLOCK.settle_ms + 1)
    assert kinds(events) == [ChoiceDefaulted, DecisionResolved, DecisionOpened]
    defaulted = events[0]
    assert isinstance(defaulted, ChoiceDefaulted)
    assert (defaulted.cause, defaulted.strike, defaulted.bank_charged_ms) == (Cause.TIMEOUT, True, 2_000)
    assert table.record.strikes == (1, 0, 0)


def test_an_answer_received_in_time_wins_until_the_time_out_is_written() -> None:
    table = Table().start()
    last = deadline_ms(table.record, Seat(0))
    table.now_ms = last + CLOCK.settle_ms
    reply, _ = table.answer(index=0, at_ms=last)
    assert isinstance(reply, Accepted)
    assert table.time_passes(last + CLOCK.settle_ms + 1) == []


def test_a_time_out_fires_once() -> None:
    table = Table().start()
    moment = deadline_ms(table.record, Seat(0)) + CLOCK.settle_ms + 1
    assert table.time_passes(moment)
    assert table.time_passes(moment) == []


@pytest.mark.parametrize(
    ("notation", "reason", "cause"),
    [
        ("play N9", ErrorReason.CHOICE_MALFORMED, Cause.MALFORMED),
        ("", ErrorReason.CHOICE_MALFORMED, Cause.MALFORMED),
        ("give dog", ErrorReason.CHOICE_ILLEGAL, Cause.ILLEGAL),
        ("x" * 5_000, ErrorReason.CHOICE_MALFORMED, Cause.MALFORMED),
        ("\ud800", ErrorReason.CHOICE_MALFORMED, Cause.MALFORMED),
    ],
)
def test_a_bad_answer_is_refused_with_its_reason_and_changes_nothing(
    notation: str, reason: ErrorReason, cause: Cause
) -> None:
    table = Table().start()
    before = table.record.game.fingerprint(table.record.state)
    reply, events = table.answer(notation)
    assert isinstance(reply, Refused)
    assert (reply.reason, reply.corrections_left) == (reason, 1)
    (refused,) = events
    assert isinstance(refused, ChoiceRefused)
    assert refused.cause is cause
    assert len(refused.answer) <= 256
    assert table.record.game.fingerprint(table.record.state) == before


def test_an_index_outside_the_list_is_malformed() -> None:
    table = Table().start()
    reply, _ = table.answer(index=99)
    assert isinstance(reply, Refused)
    assert reply.reason is ErrorReason.CHOICE_MALFORMED


def test_corrections_are_used_up_after_two_and_the_default_is_played_with_the_last_fault() -> None:
    table = Table().start()
    default = table.record.game.default(table.record.state, Seat(0)).notation
    assert table.answer("nonsense")[0].corrections_left == 1  # type: ignore[union-attr]
    assert table.answer("nonsense")[0].corrections_left == 0  # type: ignore[union-attr]
    reply, events = table.answer("give dog")
    assert isinstance(reply, Refused)
    assert (reply.reason, reply.corrections_left) == (ErrorReason.CORRECTIONS_USED_UP, None)
    assert kinds(events) == [ChoiceRefused, ChoiceDefaulted, DecisionResolved, DecisionOpened]
    defaulted = events[1]
    assert isinstance(defaulted, ChoiceDefaulted)
    assert (defaulted.notation, defaulted.cause) == (default, Cause.ILLEGAL)
    assert table.record.strikes == (1, 0, 0)


def test_a_refused_answer_may_be_corrected() -> None:
    table = Table().start()
    table.answer("nonsense")
    reply, _ = table.answer(index=0)
    assert isinstance(reply, Accepted)
    assert table.record.strikes == (0, 0, 0)


def test_a_time_out_after_a_refusal_has_the_refused_answer_as_its_cause() -> None:
    table = Table().start()
    table.answer("give dog")
    events = table.time_passes(deadline_ms(table.record, Seat(0)) + CLOCK.settle_ms + 1)
    assert isinstance(events[0], ChoiceDefaulted)
    assert events[0].cause is Cause.ILLEGAL


def test_a_person_may_correct_without_limit() -> None:
    table = Table(player=True).start()
    for _ in range(20):
        reply, _ = table.answer("nonsense")
        assert isinstance(reply, Refused)
        assert reply.corrections_left is None
    assert isinstance(table.answer(index=0)[0], Accepted)


def test_strikes_forfeit_a_seat_whose_defaults_are_played_to_the_end_and_which_is_placed_last() -> None:
    table = Table().start()
    while Seat(0) not in table.record.forfeited:
        if table.record.waiting() == [0]:
            events = table.time_passes(deadline_ms(table.record, Seat(0)) + CLOCK.settle_ms + 1, Cause.DISCONNECTED)
        else:
            table.answer(index=0, at_ms=table.record.opened_at_ms)
    assert isinstance(events[1], SeatForfeited)
    assert events[1].cause is Cause.DISCONNECTED
    assert table.record.strikes[0] == 3
    while not table.record.over:
        assert table.record.waiting() != [0], "a forfeited seat is never waited for"
        table.answer(index=0, at_ms=table.record.opened_at_ms)
    outcome = table.record.outcome
    assert outcome is not None
    assert outcome.placements[0] == 3
    assert outcome.forfeited == (0,)
    later = [each for each in table.events if isinstance(each, ChoiceDefaulted) and each.cause is Cause.FORFEITED]
    assert later
    assert not any(each.strike for each in later)


def test_forfeited_seats_share_the_last_place_whatever_the_table_says() -> None:
    result = Result((9, 5, 7, 7), (1, 4, 2, 2), EndReason.COMPLETED)
    outcome = outcome_of(result, frozenset({Seat(0), Seat(3)}))
    assert outcome.placements == (3, 2, 1, 3)
    assert outcome.table_placements == (1, 4, 2, 2)


def test_who_is_not_ready_at_the_end_of_the_warm_up_is_forfeited() -> None:
    table = Table()
    table.decide(lambda draft: get_ready(draft, Seat(1), BEGUN_MS))
    assert table.time_passes(BEGUN_MS + CLOCK.warm_up_ms - 1) == []
    events = table.time_passes(BEGUN_MS + CLOCK.warm_up_ms)
    assert kinds(events)[:3] == [SeatForfeited, SeatForfeited, ClocksStarted]
    assert table.record.forfeited == {0, 2}
    assert table.record.waiting() == [1]


def test_a_match_for_which_nobody_is_ready_is_voided() -> None:
    table = Table()
    (voided,) = table.time_passes(BEGUN_MS + CLOCK.warm_up_ms)
    assert isinstance(voided, MatchVoided)
    assert voided.cause is VoidCause.NOBODY_READY


def test_a_repeated_request_gets_the_same_reply_and_has_no_further_effect() -> None:
    table = Table().start()
    first, _ = table.answer(index=0, request=b"once")
    again, events = table.answer(index=0, request=b"once", seat=Seat(0), decision=1)
    assert again == first
    assert not events


def test_a_repeated_refused_request_gets_the_same_reply_and_costs_no_second_correction() -> None:
    table = Table().start()
    first, _ = table.answer("nonsense", request=b"once")
    again, events = table.answer("nonsense", request=b"once")
    assert again == first
    assert not events
    assert table.record.refused[Seat(0)][0] == 1


def test_a_request_id_with_other_content_is_refused() -> None:
    table = Table().start()
    table.answer(index=0, request=b"once")
    reply, events = table.answer(index=1, request=b"once", seat=Seat(0), decision=1, digest=b"e" * 32)
    assert isinstance(reply, Refused)
    assert reply.reason is ErrorReason.REQUEST_ID_REUSED
    assert not events


@pytest.mark.parametrize("length", [0, 65])
def test_a_request_id_has_1_to_64_bytes(length: int) -> None:
    table = Table().start()
    # An empty id is passed as such: `request or …` of the table would replace it.
    draft = Draft(table.record)
    answer = Answer(1, b"x" * length, b"d" * 32, 0, None)
    reply = choose(draft, Seat(0), answer, BEGUN_MS, BEGUN_MS)
    assert isinstance(reply, Refused)
    assert reply.reason is ErrorReason.MALFORMED
    assert not draft.events


@pytest.mark.parametrize(
    ("seat", "decision", "reason"),
    [
        (0, 1, ErrorReason.DECISION_STALE),
        (0, 2, ErrorReason.DECISION_NOT_OPEN),
        (0, 0, ErrorReason.DECISION_NOT_OPEN),
        (2, 1, ErrorReason.DECISION_NOT_OPEN),
    ],
)
def test_an_answer_to_another_decision_than_the_open_one_is_stale_or_not_open(
    seat: int, decision: int, reason: ErrorReason
) -> None:
    table = Table().start()
    table.answer(index=0)
    reply, events = table.answer(index=0, seat=Seat(seat), decision=decision)
    assert isinstance(reply, Refused)
    assert reply.reason is reason
    assert not events


def test_a_credit_moves_the_deadline_and_is_not_charged() -> None:
    table = Table().start()
    before = deadline_ms(table.record, Seat(0))
    (credited,) = table.decide(lambda draft: credit(draft, 4_000, BEGUN_MS + 4_000, "no replica was running"))
    assert isinstance(credited, ClockCredited)
    assert deadline_ms(table.record, Seat(0)) == before + 4_000
    _, events = table.answer(index=0, at_ms=BEGUN_MS + 4_000 + 130)
    assert isinstance(events[0], ChoiceMade)
    assert events[0].charged_ms == 30


def test_an_aborted_match_is_over_and_takes_nothing_any_more() -> None:
    table = Table().start()
    table.decide(lambda draft: abort(draft, VoidCause.ABORTED, "rain", BEGUN_MS))
    reply, events = table.answer(index=0, seat=Seat(0), decision=1)
    assert isinstance(reply, Refused)
    assert reply.reason is ErrorReason.MATCH_OVER
    assert not events
    assert table.decide(lambda draft: abort(draft, VoidCause.ABORTED, "snow", BEGUN_MS)) == []


def test_the_record_of_the_whole_log_is_the_record_that_decided_it() -> None:
    table = Table(players=4)
    table.start()
    table.answer("nonsense")
    table.time_passes(deadline_ms(table.record, table.record.waiting()[0]) + CLOCK.settle_ms + 1)
    table.play_out()
    again = fold(table.events)
    assert isinstance(table.events[-1], MatchEnded)
    for name in ("phase", "number", "bank_ms", "strikes", "forfeited", "decisions", "outcome", "version", "replies"):
        assert getattr(again, name) == getattr(table.record, name), name
    assert again.game.fingerprint(again.state) == table.record.game.fingerprint(table.record.state)


def test_a_draft_that_is_thrown_away_leaves_no_trace_on_the_record() -> None:
    table = Table().start()
    before = {
        name: getattr(table.record, name) for name in ("number", "version", "chosen", "replies", "refused", "bank_ms")
    }
    kept = {name: (value.copy() if isinstance(value, dict) else value) for name, value in before.items()}
    draft = Draft(table.record)
    choose(draft, Seat(0), Answer(1, b"r", b"d" * 32, None, "nonsense"), BEGUN_MS, BEGUN_MS)
    choose(draft, Seat(0), Answer(1, b"s", b"d" * 32, 0, None), BEGUN_MS, BEGUN_MS)
    assert draft.record.number == 2
    assert {name: getattr(table.record, name) for name in kept} == kept
