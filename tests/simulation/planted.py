"""Faults planted in the service, each of a kind that the simulation has to find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches import beginning, credits, deciding, desk, waiting
from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.events import ChoiceDefaulted
from cutpurse_server.matches.keeping import Decided
from cutpurse_server.matches.replies import Replies
from cutpurse_server.matches.stalls import Stalls
from cutpurse_server.tournaments import reconciler
from tests.simulation.shared_store import SharedStore

__all__ = ["PLANTED", "Plant"]

Plant = Callable[[pytest.MonkeyPatch], None]


def acknowledged_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    """Senders are told before the log was written."""
    commit = desk.MatchDesk._commit

    async def hasty(self: desk.MatchDesk, added: list[Decided], now_ms: int) -> None:
        for each in added:
            for done, reply, error in each.outcomes:
                done(reply, error)
        unheard = waiting.Outcome(_nobody, None, None)
        quiet = [each._replace(outcomes=[unheard] * len(each.outcomes)) for each in added]
        self._taken = {match: [] for match in self._taken}
        await commit(self, quiet, now_ms)

    patch.setattr(desk.MatchDesk, "_commit", hasty)


def deadline_noticed_twice(patch: pytest.MonkeyPatch) -> None:
    """A default that was played is played once more."""
    count_time = deciding.count_time

    def twice(draft: Draft, *arguments: Any) -> None:
        count_time(draft, *arguments)
        for event in [event for event in draft.events if isinstance(event, ChoiceDefaulted)]:
            draft.add(event)

    patch.setattr(desk, "count_time", twice)


def credit_given_twice(patch: pytest.MonkeyPatch) -> None:
    """What was written before the log failed is not taken off what is owed."""

    def give(owed: Any, text: str, draft: Draft, now_ms: int) -> None:
        if draft.record.number == owed.number:
            deciding.credit(draft, owed.credit_ms, now_ms, text)

    patch.setattr(credits, "_give", give)


def repetitions_not_recognised(patch: pytest.MonkeyPatch) -> None:
    """What was answered before is looked at afresh."""
    choose = deciding.choose

    def forgetful(draft: Draft, seat: Any, *arguments: Any) -> Any:
        draft.record.replies = Replies()
        return choose(draft, seat, *arguments)

    patch.setattr("cutpurse_server.servicers.bots.choose", forgetful)


def heads_not_guarded(patch: pytest.MonkeyPatch) -> None:
    """The store appends whatever is there already."""
    append = SharedStore.append

    def unguarded(self: SharedStore, sent: Any) -> bool:
        head = self.heads.get(sent.stream)
        return append(self, sent._replace(expected=head.version if head else 0))

    patch.setattr(SharedStore, "append", unguarded)


def doubt_forgotten(patch: pytest.MonkeyPatch) -> None:
    """A flush that failed is taken for one that did not take place, and its senders are told so for good."""
    fail = desk.MatchDesk._fail

    def certain(self: desk.MatchDesk, *arguments: Any) -> None:
        for together in self._taken.values():
            for each in together:
                each.done(None, ServiceError(ErrorReason.DECISION_STALE))
        self._taken = {}
        fail(self, *arguments)

    patch.setattr(desk.MatchDesk, "_fail", certain)


def deal_drawn_anew(patch: pytest.MonkeyPatch) -> None:
    """A match's deal depends on when it is begun."""
    begin_match = beginning.begin_match

    def drawn(*arguments: Any, **named: Any) -> Any:
        now_ms = arguments[5]
        named["key"] = bytes([now_ms % 251]) + named["key"][1:]
        return begin_match(*arguments, **named)

    patch.setattr(reconciler, "begin_match", drawn)


def timer_left_over(patch: pytest.MonkeyPatch) -> None:
    """A desk that is closed goes on ticking."""
    patch.setattr(Stalls, "stop", lambda self: None)


def _nobody(_: Any, error: Exception | None) -> None:
    """Hears of nothing."""


PLANTED: tuple[Plant, ...] = (
    acknowledged_before_the_commit,
    deadline_noticed_twice,
    credit_given_twice,
    repetitions_not_recognised,
    heads_not_guarded,
    doubt_forgotten,
    deal_drawn_anew,
    timer_left_over,
)
