"""Every check of a match's replay bites: each plants one wrong that fits in every other way, and names its event."""

from __future__ import annotations

import pytest

from cutpurse_rules.chance import key_of_seed
from cutpurse_rules.contract import EndReason, Seat
from cutpurse_rules.errors import Reason
from cutpurse_server.audit import Finding, audit
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
    MatchVoided,
    SeatForfeited,
    SeatReady,
    VoidCause,
)
from cutpurse_server.wire import match_events
from cutpurse_server.wire.bundle import ExportedLog
from tests.server.audit.honest import bundle_of, honest_match, single_match
from tests.server.audit.match_plants import (
    Events,
    Plant,
    added,
    answer_from_the_future,
    answer_too_late,
    begins_again,
    changed,
    chosen,
    corrections_never_end,
    cut_after,
    doubled,
    early_default,
    ends_too_soon,
    for_a_fault,
    forced_without_being_forced,
    forfeited_seat_chooses,
    illegal_choice,
    left_out,
    legal_answer_refused,
    one_request_twice,
    other_published_choice,
    outcome,
    slow,
    start_without_a_seat,
    time_out_charges_too_little,
    time_out_too_early,
    void_for_nobody,
)

PLANTS: dict[str, tuple[Plant, str]] = {
    "no beginning": (left_out(MatchBegun), "begins with MatchBegun"),
    "a beginning in the middle": (
        begins_again,
        "not MatchBegun",
    ),
    "another match's log": (changed(MatchBegun, match="other"), "the log of 'other'"),
    "a game of no name": (changed(MatchBegun, game="chess"), "no game 'chess'"),
    "other rules": (changed(MatchBegun, rules_version="2"), "plays rules 1"),
    "an option that is not allowed": (changed(MatchBegun, options={"heist_turn_limit": 0}), "not allowed"),
    "options left to defaults": (changed(MatchBegun, options={"heist_turn_limit": 9}), "not resolved"),
    "a bot in two seats": (changed(MatchBegun, seats=lambda event: (event.seats[0],) * 4), "sits in two seats"),
    "a seat without a bot": (changed(MatchBegun, seats=lambda event: event.seats[:2]), "2 bots sit in 4 seats"),
    "a longer warm-up": (changed(MatchBegun, warm_up_until_ms=added(1)("warm_up_until_ms")), "wrong length"),
    "a key that is not the seed's": (changed(MatchBegun, key=b"k" * 32), "not that of the seed"),
    "a key of the wrong length": (changed(MatchBegun, key=b"k" * 31), "key has the wrong length"),
    "a rated match with a seed": (changed(MatchBegun, rated=True), "cannot be rated"),
    "another deal": (changed(MatchBegun, key=key_of_seed("x"), seed="x"), ""),
    "a seat ready twice": (doubled(SeatReady), "was ready before"),
    "a seat that does not exist": (changed(SeatReady, seat=Seat(7)), "no seat 7"),
    "a start without a seat": (start_without_a_seat, "neither ready nor forfeited"),
    "a forfeit before the warm-up is over": (early_default, "before the warm-up is over"),
    "a forfeit of a seat that is ready": (
        changed(SeatForfeited, lambda event: event.number == 0, seat=Seat(0)), "although it was ready",
    ),
    "a forfeit for no cause of absence": (
        changed(SeatForfeited, lambda event: event.number == 0, cause=Cause.ILLEGAL), "no cause of an absence",
    ),
    "a start left out": (left_out(ClocksStarted), "must stand here"),
    "a match voided for nobody": (void_for_nobody, "somebody was ready"),
    "time that goes back": (changed(ClocksStarted, at_ms=added(-1_000_000)("at_ms")), "goes back"),
    "a decision skipped in counting": (changed(DecisionOpened, number=added(1)("number")), "decision 1 is due"),
    "another seat asked": (
        changed(DecisionOpened, asked=lambda event: (Seat((event.asked[0] + 1) % 3),)), "the rules ask",
    ),
    "an opening left out": (left_out(DecisionOpened), "DecisionOpened must stand here"),
    "a choice of another decision": (changed(ChoiceMade, chosen, number=added(1)("number")), "is open, not"),
    "a choice of a seat that is not asked": (
        changed(ChoiceMade, chosen, seat=lambda event: Seat((event.seat + 1) % 3)), "no choice of seat",
    ),
    "an illegal choice": (illegal_choice, "is not legal for seat"),
    "a choice that cannot be read": (changed(ChoiceMade, chosen, notation="play N9"), "no action of this game"),
    "a fault as the cause of a choice": (changed(ChoiceMade, chosen, cause=Cause.TIMEOUT), "cannot have cause"),
    "a forced choice that is free": (forced_without_being_forced, "do not force"),
    "a charge one millisecond too high": (changed(ChoiceMade, slow, charged_ms=added(1)("charged_ms")), "is charged"),
    "a charge one millisecond too low": (changed(ChoiceMade, slow, charged_ms=added(-1)("charged_ms")), "is charged"),
    "a bank that pays too much": (
        changed(ChoiceMade, slow, bank_charged_ms=added(1)("bank_charged_ms")), "the bank pays",
    ),
    "an answer one millisecond too late": (answer_too_late, "1 ms too late"),
    "an answer before its decision": (
        changed(ChoiceMade, chosen, received_at_ms=added(-100_000)("received_at_ms"), charged_ms=0),
        "before its decision",
    ),
    "an answer from the future": (answer_from_the_future, "had not come"),
    "a request without an id": (changed(ChoiceMade, chosen, request_id=b""), "id has the wrong length"),
    "a request without a digest": (changed(ChoiceMade, chosen, request_digest=b""), "digest has the wrong length"),
    "one request taken twice": (one_request_twice, "taken twice"),
    "a choice made twice": (doubled(ChoiceMade, chosen), "must stand here"),
    "a choice left out": (left_out(ChoiceMade, chosen), ""),
    "a legal answer refused": (legal_answer_refused, "is legal for seat"),
    "an illegal answer called malformed": (
        changed(ChoiceRefused, lambda event: event.cause is Cause.ILLEGAL, cause=Cause.MALFORMED),
        "refused as malformed",
    ),
    "a malformed answer called illegal": (
        changed(ChoiceRefused, lambda event: event.cause is Cause.MALFORMED and len(event.answer) < 256,
                cause=Cause.ILLEGAL), "cannot be read",
    ),
    "a cut answer called illegal": (
        changed(ChoiceRefused, lambda event: len(event.answer) == 256, cause=Cause.ILLEGAL), "longer than any",
    ),
    "an answer refused for another rule": (
        changed(ChoiceRefused, lambda event: event.cause is Cause.ILLEGAL, rule=Reason.NOT_ALLOWED_NOW), "if at all",
    ),
    "a rule for an answer that cannot be read": (
        changed(ChoiceRefused, lambda event: event.cause is Cause.MALFORMED and len(event.answer) < 256,
                rule=Reason.NOT_ASKED), "no rule is broken",
    ),
    "corrections without end": (corrections_never_end, "ChoiceDefaulted must stand here"),
    "a default that is not the page's": (
        changed(ChoiceDefaulted, for_a_fault, notation="give dog"), "the page's default",
    ),
    "a default without a strike": (changed(ChoiceDefaulted, for_a_fault, strike=False), "is a strike"),
    "a time-out one millisecond too early": (time_out_too_early, "1 ms too early"),
    "a time-out that leaves the bank": (time_out_charges_too_little, "the bank pays"),
    "a default of a seat that is not forfeited": (
        changed(ChoiceDefaulted, for_a_fault, cause=Cause.FORFEITED), "was not forfeited",
    ),
    "a strike for a forfeited seat": (
        changed(ChoiceDefaulted, lambda event: event.cause is Cause.FORFEITED, strike=True), "no strikes",
    ),
    "a forfeited seat that chooses": (forfeited_seat_chooses, "come first"),
    "a last strike without a forfeit": (left_out(SeatForfeited, lambda event: event.number > 0), "SeatForfeited must"),
    "a forfeit of another seat": (
        changed(SeatForfeited, lambda event: event.number > 0, seat=lambda event: Seat((event.seat + 1) % 3)),
        "had its last strike",
    ),
    "a forfeit in another decision": (
        changed(SeatForfeited, lambda event: event.number > 0, number=added(1)("number")), "is open, not",
    ),
    "a credit of nothing": (changed(ClockCredited, credit_ms=0), "a credit of nothing"),
    "a credit of another decision": (changed(ClockCredited, number=added(1)("number")), "is open, not"),
    "another published choice": (other_published_choice, "are not those that were made"),
    "another state hash": (changed(DecisionResolved, state_hash=b"h" * 32), "the state hash"),
    "a resolution of another decision": (changed(DecisionResolved, number=added(1)("number")), "is open, not"),
    "a resolution left out": (left_out(DecisionResolved), "DecisionResolved must stand here"),
    "other scores": (outcome(scores=(1, 2, 3)), "the scores are"),
    "other places": (outcome(placements=(1, 1, 1)), "the places that count"),
    "other places by the table": (outcome(table_placements=(1, 1, 1)), "the places by the table"),
    "another reason": (outcome(reason=EndReason.WON), "it is COMPLETED"),
    "a forfeit forgotten in the result": (outcome(forfeited=()), "forfeited seats"),
    "another bank in the end": (changed(MatchEnded, bank_ms_left=(1, 2, 3)), "the banks hold"),
    "other strikes in the end": (changed(MatchEnded, strikes=(9, 9, 9)), "the strikes are"),
    "another last state hash": (changed(MatchEnded, state_hash=b"h" * 32), "the state hash"),
    "an event after the end": (doubled(MatchEnded), "nothing must stand here"),
    "a log that stops": (cut_after(DecisionResolved), "stops before the match is over"),
    "a match that ends too soon": (ends_too_soon, "DecisionOpened must stand here"),
}  # fmt: skip


def _is_rich(events: Events) -> bool:
    """Whether every plant finds what it changes."""
    for plant, _ in PLANTS.values():
        try:
            plant(list(events))
        except StopIteration:
            return False
    return True


@pytest.fixture(scope="module")
def rich() -> Events:
    """An honest match in which everything happens that a plant needs."""
    for seed in range(2_000):
        events = honest_match(seed, faults=0.35, players=4, absent=[1, 2] if seed % 2 else [])
        if _is_rich(events):
            return events
    raise AssertionError("no match is rich enough")


def judged(events: Events) -> list[Finding]:
    return audit(bundle_of([ExportedLog("single", [match_events.encode(each) for each in events])])).findings


def test_the_match_that_is_made_wrong_was_right(rich: Events) -> None:
    assert judged(rich) == []


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_wrong_is_found_where_it_stands(name: str, rich: Events) -> None:
    plant, text = PLANTS[name]
    events = list(rich)
    number = plant(events)

    findings = judged(events)

    assert findings, "nothing was found"
    assert text in findings[0].what
    assert findings[0].stream == "match/single"
    if text:
        assert findings[0].event == number


def test_nobody_ready_is_believed_only_after_the_warm_up() -> None:
    begun = single_match()
    void = MatchVoided(VoidCause.NOBODY_READY, "", begun.warm_up_until_ms)

    assert judged([begun, void]) == []
    assert "warm-up is not over" in judged([begun, void._replace(at_ms=void.at_ms - 1)])[0].what
