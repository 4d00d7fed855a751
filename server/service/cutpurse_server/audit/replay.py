"""A match's log replayed on the rules: every event must be one that an honest service would have written there.

This is a second reading of log.proto and of the rules of the clock, on purpose not shared with the code that decides
commands: what decides must not be what judges. Times are store times in milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance, sub_key
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Malformed
from cutpurse_server.audit.beginning import check_beginning
from cutpurse_server.audit.clocks import SeatClocks
from cutpurse_server.audit.refusals import check_refusal
from cutpurse_server.audit.sealed import opened
from cutpurse_server.audit.state_hashes import StateHashes
from cutpurse_server.audit.verdict import Wrong, check
from cutpurse_server.log.port import StoredEvent
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
    MatchVoided,
    SeatForfeited,
    SeatReady,
    VoidCause,
)
from cutpurse_server.wire import match_events

__all__ = ["DIGEST_BYTES", "OPENING", "REQUEST_ID_BYTES_MAX", "MatchReplay"]

REQUEST_ID_BYTES_MAX = 64
DIGEST_BYTES = 32
_ANSWERS = (ChoiceMade, ChoiceRefused, ChoiceDefaulted, ClockCredited, MatchVoided)
"""What may stand in a log while a decision waits for somebody."""
_FORFEIT = (SeatForfeited,)
_RESOLUTION = (DecisionResolved,)
OPENING = (DecisionOpened,)
"""What has to stand where a decision is due."""
_END = (MatchEnded,)
_FAULTS_OF_ABSENCE = frozenset({Cause.TIMEOUT, Cause.DISCONNECTED, Cause.CRASHED})
_IN_QUARANTINE = frozenset({Cause.FORFEITED})


class MatchReplay:
    """One match. `read` takes its events in order, and raises `Wrong` or `UnreadableEvent` at the first wrong one."""

    def __init__(self, begun: MatchBegun) -> None:
        """Check what can be said of the first event without knowing whether it belongs to a tournament."""
        check_beginning(begun)
        self.begun = begun
        self.game: Any = GAMES[begun.game]
        self.config = self.game.configure(begun.players, begun.options)
        self._auto_play: bool = self.config.options["auto_play_forced"]
        self._chance = StreamChance(begun.key)
        self._hashes = StateHashes(sub_key(begun.key, "state"))
        self._state: Any = None
        self._clocks = SeatClocks(begun)
        self._expected: tuple[type, ...] = (MatchBegun,)
        """What may come next."""
        self._ready: set[int] = set()
        self._warm_up_until_ms = begun.warm_up_until_ms
        self._forfeited: set[int] = set()
        self._strikes = [0] * begun.players
        self._request_ids: set[tuple[int, bytes]] = set()
        self._number = 0
        self._asked: tuple[Seat, ...] = ()
        self._automatic: dict[int, str] = {}
        """Notations that the engine has to play itself in the open decision and has not yet: forced ones, and defaults
        of forfeited seats."""
        self._forced: dict[Any, Any] = {}
        self._actions: dict[int, Any] = {}
        self._published: dict[int, tuple[int, str, Cause]] = {}
        """What has to be published of each choice that was made in the open decision."""
        self._refused: dict[int, tuple[int, Cause, int]] = {}
        """In the open decision, by seat: refusals, the last one's cause, and when it was received."""
        self._default_due: tuple[int, Cause] | None = None
        self._forfeit_due: tuple[int, Cause] | None = None
        self.ended: MatchEnded | None = None
        self.voided: MatchVoided | None = None
        self._choices = 0
        self._rarer: Counter[str] = Counter()
        self.signatures = 0

    @property
    def over(self) -> bool:
        """Whether nothing may follow."""
        return self.ended is not None or self.voided is not None

    @property
    def absent(self) -> tuple[int, ...]:
        """Seats that were waited for and never ready."""
        here = self._ready.union(self.begun.quarantined)
        return tuple(seat for seat in range(self.begun.players) if seat not in here)

    @property
    def counts(self) -> Counter[str]:
        """What was found right, of a match that is over."""
        decisions = self._number if self.ended is not None else max(0, self._number - 1)
        hashes = decisions + (self.ended is not None)
        return self._rarer + Counter({"choices": self._choices, "decisions": decisions, "state hashes": hashes})

    def read(self, events: Sequence[StoredEvent], at: int) -> int:
        """Replay the event there, and perhaps some after it that are right as well; returns where the rest begins."""
        self._step(opened(events[at], match_events.decode_with_commitment))
        return at + 1

    def _step(self, event: MatchEvent) -> None:
        kind = type(event)
        if kind not in self._expected:
            names = " or ".join(each.__name__ for each in self._expected) or "nothing"
            raise Wrong(f"{names} must stand here, not {kind.__name__}")
        _STEPS[kind](self, event)

    # Before the clocks run.

    def _match_begun(self, event: MatchBegun) -> None:
        assert event == self.begun, "the event that this replay was made of"
        self._expected = (SeatReady, SeatForfeited, MatchVoided)

    def _seat_ready(self, event: SeatReady) -> None:
        check(event.seat < self.begun.players, f"there is no seat {event.seat}")
        check(event.seat not in self._ready, f"seat {event.seat} was ready before")
        quarantined = self.begun.quarantined
        check(event.seat not in quarantined, f"seat {event.seat} is ready although it is in quarantine")
        self._clocks.pass_to(event.at_ms)
        self._ready.add(event.seat)
        if len(self._ready) + len(quarantined) == self.begun.players:
            # Nobody else is waited for.
            self._warm_up_until_ms = event.at_ms
            self._expected = _FORFEIT if quarantined else (ClocksStarted,)
        else:
            self._expected = (SeatReady, SeatForfeited, MatchVoided)

    def _clocks_started(self, event: ClocksStarted) -> None:
        self._clocks.pass_to(event.at_ms)
        here = self._ready | self._forfeited
        check(len(here) == self.begun.players, "the clocks start although a seat is neither ready nor forfeited")
        check(bool(self._ready), "the clocks start although nobody is ready")
        self._state = self.game.begin(self.config, self._chance)
        self._expect_next_decision()

    def _seat_forfeited(self, event: SeatForfeited) -> None:
        seat = event.seat
        check(seat < self.begun.players, f"there is no seat {seat}")
        self._clocks.pass_to(event.at_ms)
        if self._forfeit_due is None:
            check(self._state is None and event.number == 0, "a seat is forfeited without its last strike")
            check(seat not in self._ready | self._forfeited, f"seat {seat} is forfeited although it was ready")
            check(event.at_ms >= self._warm_up_until_ms, f"seat {seat} is forfeited before the warm-up is over")
            causes = _IN_QUARANTINE if seat in self.begun.quarantined else _FAULTS_OF_ABSENCE
            check(event.cause in causes, f"{event.cause.name} is no cause of an absence")
            # All absent seats are forfeited together; whoever is here begins at once.
            self._expected = (SeatForfeited, ClocksStarted)
        else:
            check((seat, event.cause) == self._forfeit_due, f"seat {self._forfeit_due[0]} had its last strike")
            check(event.number == self._number, f"decision {self._number} is open, not {event.number}")
            self._forfeit_due = None
            self._expect_answers()
        self._forfeited.add(seat)

    # A decision.

    def _decision_opened(self, event: DecisionOpened) -> None:
        self._clocks.open(event.opened_at_ms)
        if event.number != self._number + 1:
            raise Wrong(f"decision {self._number + 1} is due, not {event.number}")
        asked = self._asked
        if event.asked != asked:
            raise Wrong(f"the rules ask seats {list(asked)}, not {list(event.asked)}")
        self._number = event.number
        self._actions = {}
        self._published = {}
        if self._refused:
            self._refused = {}
        self._forced = self.game.forced(self._state) if self._auto_play else {}
        if self._forced or self._forfeited:
            self._automatic = {seat: action.notation for seat, action in self._forced.items()}
            for seat in self._forfeited.intersection(asked).difference(self._forced):
                self._automatic[seat] = self.game.default(self._state, Seat(seat)).notation
        self._expected = _ANSWERS

    def _choice_made(self, event: ChoiceMade) -> None:
        seat = event.seat
        self._check_waiting(event.number, seat)
        if event.cause is Cause.FORCED:
            if seat not in self._forced or seat not in self._automatic:
                raise Wrong(f"the rules do not force seat {seat}")
            due = self._automatic.pop(seat)
            if event.notation != due:
                raise Wrong(f"the rules force {due!r}, not {event.notation!r}")
            free = (event.charged_ms, event.bank_charged_ms, event.request_id, event.request_digest, event.signature)
            if free != (0, 0, b"", b"", None):
                raise Wrong("a forced choice has no request and costs nothing")
            if event.received_at_ms != self._clocks.opened_ms:
                raise Wrong("a forced choice is made when its decision is opened")
            self._choose(seat, self._forced[seat], event.notation, Cause.FORCED)
            self._rarer["forced choices"] += 1
            return
        if event.cause is not Cause.CHOSEN:
            raise Wrong(f"a choice that was made cannot have cause {event.cause.name}")
        if self._automatic:
            raise Wrong("choices that the engine makes itself come first")
        try:
            action = self.game.parse(event.notation)
            self.game.verify(self._state, seat, action)
        except Malformed:
            raise Wrong(f"{event.notation!r} is no action of this game") from None
        except Illegal as illegal:
            raise Wrong(f"{event.notation!r} is not legal for seat {seat}: {illegal.reason.name}") from None
        if action.notation != event.notation:
            raise Wrong(f"{event.notation!r} is not in canonical notation")
        charged, from_bank = self._clocks.charge(seat, event.received_at_ms)
        if event.charged_ms != charged:
            raise Wrong(f"seat {seat} is charged {event.charged_ms} ms instead of {charged}")
        if event.bank_charged_ms != from_bank:
            raise Wrong(f"the bank pays {event.bank_charged_ms} ms instead of {from_bank}")
        self._take_request(seat, event.request_id, event.request_digest)
        if event.signature is not None:
            self.signatures += 1
        if from_bank:
            self._clocks.bank_ms[seat] -= from_bank
        self._choose(seat, action, event.notation, Cause.CHOSEN)
        self._choices += 1

    def _choice_refused(self, event: ChoiceRefused) -> None:
        seat = event.seat
        self._check_waiting(event.number, seat)
        check(not self._automatic, "choices that the engine makes itself come first")
        check_refusal(self.game, self._state, event)
        self._clocks.charge(seat, event.received_at_ms)
        self._take_request(seat, event.request_id, event.request_digest)
        count = self._refused[seat][0] + 1 if seat in self._refused else 1
        self._refused[seat] = (count, event.cause, event.received_at_ms)
        self._rarer["refusals"] += 1
        if not self.begun.seats[seat].player and count > self.begun.clock.corrections_max:
            self._default_due = (seat, event.cause)
            self._expected = (ChoiceDefaulted,)

    def _choice_defaulted(self, event: ChoiceDefaulted) -> None:
        seat = event.seat
        self._check_waiting(event.number, seat)
        self._clocks.pass_to(event.at_ms)
        action = self.game.default(self._state, seat)
        check(event.notation == action.notation, f"the page's default is {action.notation!r}, not {event.notation!r}")
        if event.cause is Cause.FORFEITED:
            check(seat in self._forfeited, f"seat {seat} was not forfeited before")
            check(self._automatic.pop(seat, None) is not None, f"seat {seat}'s choice is forced")
            check(not event.strike and event.bank_charged_ms == 0, "a forfeited seat gets no strikes and pays nothing")
            self._rarer["defaults of forfeited seats"] += 1
        else:
            check(not self._automatic, "choices that the engine makes itself come first")
            check(event.strike, "a default for a fault is a strike")
            self._check_fault(event)
            self._clocks.bank_ms[seat] -= event.bank_charged_ms
            self._strikes[seat] += 1
            self._rarer["defaults"] += 1
            if self._strikes[seat] >= self.begun.clock.strikes_max:
                self._forfeit_due = (seat, event.cause)
        self._choose(seat, action, event.notation, event.cause)

    def _check_fault(self, event: ChoiceDefaulted) -> None:
        """A default is played when the corrections are used up, or when the time and the settling time are over."""
        seat = event.seat
        if self._default_due is not None:
            check((seat, event.cause) == self._default_due, f"seat {self._default_due[0]}'s corrections are used up")
            due = self._clocks.charge(seat, self._refused[seat][2])[1]
            self._default_due = None
        else:
            self._clocks.time_out(seat, event.at_ms)
            if seat in self._refused:
                check(event.cause is self._refused[seat][1], "the cause is not that of the last refused answer")
            else:
                check(event.cause in _FAULTS_OF_ABSENCE, f"{event.cause.name} is no cause of an absence")
            due = self._clocks.bank_ms[seat]
        check(event.bank_charged_ms == due, f"the bank pays {event.bank_charged_ms} ms instead of {due}")

    def _clock_credited(self, event: ClockCredited) -> None:
        self._clocks.pass_to(event.at_ms)
        check(event.number == self._number, f"decision {self._number} is open, not {event.number}")
        check(event.credit_ms > 0, "a credit of nothing")
        self._clocks.credit(event.credit_ms)
        self._rarer["credits"] += 1

    def _decision_resolved(self, event: DecisionResolved) -> None:
        if event.number != self._number:
            raise Wrong(f"decision {self._number} is open, not {event.number}")
        published = self._published
        if event.choices != tuple([published[seat] for seat in self._asked]):
            raise Wrong("the published choices are not those that were made")
        self._state = self.game.resolve(self._state, self._actions, self._chance)
        self._check_state_hash(event.state_hash)
        self._expect_next_decision()

    # The end.

    def _match_ended(self, event: MatchEnded) -> None:
        self._clocks.pass_to(event.at_ms)
        result = self.game.result(self._state)
        check(result is not None, "the rules say that the match is not over")
        outcome = event.outcome
        check(outcome.scores == result.scores, f"the scores are {list(result.scores)}")
        check(outcome.table_placements == result.placements, f"the places by the table are {list(result.placements)}")
        check(outcome.reason is result.reason, f"the match ended because it is {result.reason.name}")
        check(outcome.forfeited == tuple(sorted(self._forfeited)), f"forfeited seats: {sorted(self._forfeited)}")
        here = [seat for seat in range(self.begun.players) if seat not in self._forfeited]
        places = tuple(
            1 + sum(result.placements[other] < place for other in here) if seat in here else 1 + len(here)
            for seat, place in enumerate(result.placements)
        )
        check(outcome.placements == places, f"the places that count are {list(places)}")
        check(event.bank_ms_left == tuple(self._clocks.bank_ms), f"the banks hold {self._clocks.bank_ms} ms")
        check(event.strikes == tuple(self._strikes), f"the strikes are {self._strikes}")
        self._check_state_hash(event.state_hash)
        self.ended = event
        self._expected = ()

    def _match_voided(self, event: MatchVoided) -> None:
        self._clocks.pass_to(event.at_ms)
        if event.cause is VoidCause.NOBODY_READY:
            check(self._state is None and not self._ready, "somebody was ready")
            check(event.at_ms >= self.begun.warm_up_until_ms, "the warm-up is not over")
        self.voided = event
        self._expected = ()

    # What the steps share.

    def _check_waiting(self, number: int, seat: int) -> None:
        if number != self._number:
            raise Wrong(f"decision {self._number} is open, not {number}")
        if seat not in self._asked or seat in self._actions:
            raise Wrong(f"no choice of seat {seat} is awaited")

    def _choose(self, seat: int, action: Any, notation: str, cause: Cause) -> None:
        self._actions[seat] = action
        self._published[seat] = (seat, notation, cause)
        self._expect_answers()

    def _expect_answers(self) -> None:
        if self._forfeit_due is not None:
            self._expected = _FORFEIT
        else:
            self._expected = _ANSWERS if len(self._actions) < len(self._asked) else _RESOLUTION

    def _expect_next_decision(self) -> None:
        self._asked = self.game.asked(self._state)
        self._expected = OPENING if self._asked else _END

    def _take_request(self, seat: int, request_id: bytes, request_digest: bytes) -> None:
        if not 1 <= len(request_id) <= REQUEST_ID_BYTES_MAX:
            raise Wrong("the request's id has the wrong length")
        if len(request_digest) != DIGEST_BYTES:
            raise Wrong("the request's digest has the wrong length")
        if (seat, request_id) in self._request_ids:
            raise Wrong("a request was taken twice")
        self._request_ids.add((seat, request_id))

    def _check_state_hash(self, state_hash: bytes) -> None:
        if state_hash != self._hashes.of(self.game.fingerprint(self._state)):
            raise Wrong("the state hash is not that of the state")


_STEPS: dict[type, Callable[[MatchReplay, Any], None]] = {
    MatchBegun: MatchReplay._match_begun,
    SeatReady: MatchReplay._seat_ready,
    ClocksStarted: MatchReplay._clocks_started,
    SeatForfeited: MatchReplay._seat_forfeited,
    DecisionOpened: MatchReplay._decision_opened,
    ChoiceMade: MatchReplay._choice_made,
    ChoiceRefused: MatchReplay._choice_refused,
    ChoiceDefaulted: MatchReplay._choice_defaulted,
    ClockCredited: MatchReplay._clock_credited,
    DecisionResolved: MatchReplay._decision_resolved,
    MatchEnded: MatchReplay._match_ended,
    MatchVoided: MatchReplay._match_voided,
}
