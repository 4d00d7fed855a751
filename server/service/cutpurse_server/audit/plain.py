"""Most decisions are plain: every seat that is asked chooses in time, the bank pays nothing, and no answer is refused.

Plain decisions are replayed many at a time: first they are all read, then their times looked at, then they are played,
then their hashes compared, since it costs less to do one thing often than many things in turn. All that is asked is
whether they are right. Where something is not, or is not plain, nothing has been changed, and the events are judged one
by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Malformed
from cutpurse_server.audit.replay import DIGEST_BYTES, OPENING, REQUEST_ID_BYTES_MAX, MatchReplay
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import Cause
from cutpurse_server.wire.decision_events import ReadDecision, is_decision_resolved, read_decision

__all__ = ["PlainReplay"]

_AT_ONCE = 100
"""Decisions that are replayed together, at most."""

# A member is looked up in its class at a cost that is felt when it is done in every decision.
_CHOSEN, _FORCED = Cause.CHOSEN, Cause.FORCED
_NONE: Mapping[Seat, Any] = {}


_Played: TypeAlias = tuple[int, list[tuple[Seat, str, Cause]], bytes]
"""What must be found written where a decision is resolved: its number, the choices, and the state after it as bytes."""


class PlainReplay(MatchReplay):
    """A match's replay that takes plain decisions together."""

    def read(self, events: Sequence[StoredEvent], at: int) -> int:
        """See `MatchReplay.read`."""
        if self._expected is OPENING and not self._forfeited:
            end = self._take(list(_plain_decisions(events, at, self._number + 1)))
            if end:
                return end
        return super().read(events, at)

    def _take(self, decisions: Sequence[ReadDecision]) -> int:
        """Replay decisions until one is not right; where the event behind the last one stands, or 0 for none."""
        game = self.game
        state, asked = self._state, self._asked
        clocks = self._clocks.copy()
        decisions = decisions[: clocks.pass_by(decisions)]
        played: list[_Played] = []
        for number, decision in enumerate(decisions, self._number + 1):
            forced = game.forced(state) if self._auto_play else _NONE
            actions = self._chosen(state, decision, forced) if decision.asked == asked else None
            if actions is None:
                break
            # The first state is kept, in case that all has to be judged again; the others are only on the way.
            state = (game.advance if played else game.resolve)(state, actions, self._chance)
            published = [(seat, actions[seat].notation, _FORCED if seat in forced else _CHOSEN) for seat in asked]
            played.append((number, published, game.fingerprint(state)))
            asked = game.asked(state)
        if len(played) < len(decisions):
            decisions = decisions[: len(played)]
            clocks = self._clocks.copy()
            clocks.pass_by(decisions)
        requests = [(each.seat, each.request_id) for made in decisions for each in made.choices if not each.forced]
        known = self._request_ids.union(requests)
        if not played or len(known) != len(self._request_ids) + len(requests):
            return 0
        for decision, (number, published, fingerprint) in zip(decisions, played, strict=True):
            if not is_decision_resolved(decision.resolution, number, published, self._hashes.of(fingerprint)):
                return 0
        self._state, self._clocks, self._request_ids = state, clocks, known
        self._number += len(played)
        self._choices += len(requests)
        if forced_choices := sum([len(each.choices) for each in decisions]) - len(requests):
            self._rarer["forced choices"] += forced_choices
        self._expect_next_decision()
        return decisions[-1].end

    def _chosen(self, state: Any, decision: ReadDecision, forced: Mapping[Seat, Any]) -> dict[Seat, Any] | None:
        """What is chosen in a decision, by seat; None if any of its choices is not right. Forced ones come first.

        What a choice costs was looked at before.
        """
        game = self.game
        actions: dict[Seat, Any] = {}
        for seat, notation, is_forced, received_ms, charged_ms, request_id, digest in decision.choices:
            if is_forced != (len(actions) < len(forced)) or seat not in decision.asked or seat in actions:
                return None
            if is_forced:
                action = forced.get(seat)
                if (received_ms, charged_ms, request_id, digest) != (decision.opened_ms, 0, b"", b""):
                    return None
            else:
                if not 1 <= len(request_id) <= REQUEST_ID_BYTES_MAX or len(digest) != DIGEST_BYTES:
                    return None
                try:
                    action = game.parse(notation)
                    game.verify(state, seat, action)
                except (Malformed, Illegal):
                    return None
            if action is None or action.notation != notation:
                return None
            actions[seat] = action
        return actions


def _plain_decisions(events: Sequence[StoredEvent], at: int, number: int) -> Iterator[ReadDecision]:
    """Decisions from there on, until an event is of another form."""
    for each in range(number, number + _AT_ONCE):
        decision = read_decision(events, at, each) if at < len(events) else None
        if decision is None:
            return
        yield decision
        at = decision.end
