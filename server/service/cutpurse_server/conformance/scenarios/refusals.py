"""Answers that are not taken: the service in test mode refuses good ones, since it cannot ask for bad ones."""

from __future__ import annotations

import time
from collections.abc import Mapping

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse.v1.errors_pb2 import ErrorReason, RuleReason
from cutpurse_server.conformance.relay import Line, Script
from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import Stage

__all__ = ["REFUSALS", "InItsPlace", "refusal_of"]

_ILLEGAL = ErrorReason.ERROR_REASON_CHOICE_ILLEGAL
_MALFORMED = ErrorReason.ERROR_REASON_CHOICE_MALFORMED
_OWN = b"conformance/"
_AGAIN_S = 1.5
_AGAIN_MAX = 10
"""For each reason, in that time. Pauses of 50 ms that double each time make about five."""


def refusal_of(
    choice: match_pb2.Choice, reason: ErrorReason.ValueType, corrections_left: int | None = None
) -> match_pb2.ChoiceRefused:
    """A refusal as the service writes it."""
    refused = match_pb2.ChoiceRefused(
        match=choice.match,
        decision=choice.decision,
        request_id=choice.request_id,
        reason=reason,
        text="Refused by the conformance kit, to see what the bot does.",
    )
    if reason == _ILLEGAL:
        refused.rule = RuleReason.RULE_REASON_NOT_ALLOWED_NOW
    if corrections_left is not None:
        refused.corrections_left = corrections_left
    return refused


class InItsPlace(Script):
    """Refuses answers for good, and has the first legal action played in their place."""

    def __init__(self, reasons: Mapping[int, ErrorReason.ValueType]) -> None:
        """`reasons` are for decisions by their number."""
        self._reasons = reasons
        self.refused = 0
        """How many decisions it has refused an answer to."""
        self._seen: set[tuple[str, int]] = set()

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        """See `Script.from_bot`."""
        passed = bot_pb2.ConnectRequest()
        passed.CopyFrom(frame)
        del passed.choices[:]
        for choice in frame.choices:
            key = (choice.match, choice.decision)
            if choice.decision not in self._reasons:
                passed.choices.append(choice)
            elif key in self._seen:
                stale = refusal_of(choice, ErrorReason.ERROR_REASON_DECISION_STALE)
                await line.tell_bot(bot_pb2.ConnectResponse(refused=[stale]))
            else:
                self._seen.add(key)
                self.refused += 1
                refused = self.refusal(choice, self._reasons[choice.decision])
                await line.tell_bot(bot_pb2.ConnectResponse(refused=[refused]))
                own = match_pb2.Choice(match=choice.match, decision=choice.decision, index=0)
                own.request_id = _OWN + choice.decision.to_bytes(4, "big")
                passed.choices.append(own)
        await line.tell_service(passed)

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        """See `Script.from_service`."""
        theirs = [accepted for accepted in frame.accepted if not accepted.request_id.startswith(_OWN)]
        del frame.accepted[:]
        frame.accepted.extend(theirs)
        await line.tell_bot(frame)

    def refusal(self, choice: match_pb2.Choice, reason: ErrorReason.ValueType) -> match_pb2.ChoiceRefused:
        """What the bot is told."""
        return refusal_of(choice, reason)


class _Correctable(Script):
    """Refuses the first answer to some decisions, once or twice."""

    def __init__(self, reasons: Mapping[int, tuple[ErrorReason.ValueType, ...]], *, twice: bool = False) -> None:
        self._reasons = reasons
        self._twice = twice
        """Whether each refusal is told twice."""
        self.refused: dict[tuple[str, int], list[bytes]] = {}
        """By match and decision: the ids of the answers that were refused."""

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        passed = bot_pb2.ConnectRequest()
        passed.CopyFrom(frame)
        del passed.choices[:]
        for choice in frame.choices:
            reasons = self._reasons.get(choice.decision, ())
            ids = self.refused.setdefault((choice.match, choice.decision), [])
            if choice.request_id in ids:
                number = ids.index(choice.request_id)
            elif len(ids) < len(reasons):
                number = len(ids)
                ids.append(choice.request_id)
            else:
                passed.choices.append(choice)
                continue
            refused = refusal_of(choice, reasons[number], len(reasons) - 1 - number)
            for _ in range(2 if self._twice else 1):
                await line.tell_bot(bot_pb2.ConnectResponse(refused=[refused]))
        await line.tell_service(passed)


async def _play_refused(stage: Stage, script: _Correctable, decisions: int) -> None:
    """Play a match in which `decisions` of the bot's first answers are refused."""
    stage.relay.script = script
    await stage.arrive()
    match = await stage.begin()
    try:
        await stage.over(match)
    except Shortcoming as shortcoming:
        for (_, decision), ids in script.refused.items():
            said = {choice.request_id for choice in stage.ledger.answers_to(match, decision)}
            if ids and said == set(ids):
                raise Shortcoming(f"its answer to decision {decision} was refused, and it sent no other") from None
        raise shortcoming
    await stage.played_well(match)
    if sum(map(bool, script.refused.values())) < decisions:
        raise Shortcoming("it answered fewer decisions than there were")


async def _corrects(stage: Stage) -> None:
    await _play_refused(stage, _Correctable({1: (_ILLEGAL,), 2: (_MALFORMED,)}), 2)


async def _hears_it_twice(stage: Stage) -> None:
    await _play_refused(stage, _Correctable({1: (_ILLEGAL,), 3: (_MALFORMED,)}, twice=True), 2)


async def _goes_on(stage: Stage, reasons: Mapping[int, ErrorReason.ValueType]) -> None:
    script = InItsPlace(reasons)
    stage.relay.script = script
    await stage.arrive()
    match = await stage.begin()
    await stage.over(match)
    await stage.played_well(match)
    await stage.play()
    if not script.refused:
        raise Shortcoming("it answered no decision")


async def _gives_up(stage: Stage) -> None:
    used_up = ErrorReason.ERROR_REASON_CORRECTIONS_USED_UP
    await _goes_on(stage, {2: used_up})


async def _is_too_late(stage: Stage) -> None:
    await _goes_on(stage, {1: ErrorReason.ERROR_REASON_TIME_OVER, 3: ErrorReason.ERROR_REASON_DECISION_STALE})


class _ForNow(Script):
    """Cannot write an answer down for a while."""

    def __init__(self) -> None:
        self._reasons = {
            1: ErrorReason.ERROR_REASON_LOG_UNAVAILABLE,
            2: ErrorReason.ERROR_REASON_RATE_LIMITED,
            3: ErrorReason.ERROR_REASON_INTERNAL,
        }
        self._since_s: dict[int, float] = {}
        self.refused = 0

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        passed = bot_pb2.ConnectRequest()
        passed.CopyFrom(frame)
        del passed.choices[:]
        for choice in frame.choices:
            reason = self._reasons.get(choice.decision)
            now_s = time.monotonic()
            if reason is None or now_s > self._since_s.setdefault(choice.decision, now_s) + _AGAIN_S:
                passed.choices.append(choice)
            else:
                self.refused += 1
                await line.tell_bot(bot_pb2.ConnectResponse(refused=[refusal_of(choice, reason)]))
        await line.tell_service(passed)


async def _says_it_again(stage: Stage) -> None:
    script = _ForNow()
    stage.relay.script = script
    await stage.arrive()
    match = await stage.begin()
    await stage.over(match)
    await stage.played_well(match)
    if script.refused > 3 * _AGAIN_MAX:
        raise Shortcoming(
            f"it sent refused answers again {script.refused} times in {3 * _AGAIN_S:g} s; leave pauses that grow"
        )


REFUSALS = (
    Scenario(
        "corrects-itself",
        "sends another answer when one is refused as illegal or unreadable",
        "A refused answer may be corrected while the time runs. Whoever does not is defaulted and gets a strike.",
        "On ChoiceRefused with CHOICE_ILLEGAL or CHOICE_MALFORMED send a new Choice for the same decision, with a new "
        "request_id (the old one gets the old reply for ever) and a safe answer such as index 0.",
        _corrects,
        ("plays-a-match",),
    ),
    Scenario(
        "refusal-twice",
        "corrects itself once if a refusal reaches it twice",
        "After a reconnect a reply may come twice. Two corrections would be two different answers.",
        "Heed a ChoiceRefused only if its request_id is that of the answer that waits for a reply.",
        _hears_it_twice,
        ("corrects-itself",),
    ),
    Scenario(
        "corrections-used-up",
        "goes on with the next decision when no correction is left",
        "With CORRECTIONS_USED_UP the default has been played: the decision is over.",
        "Take every refusal but CHOICE_ILLEGAL, CHOICE_MALFORMED and the passing ones for the end of that decision, "
        "and wait for the next.",
        _gives_up,
        ("plays-on",),
    ),
    Scenario(
        "too-late",
        "goes on after an answer that came too late",
        "TIME_OVER and DECISION_STALE say that the decision was decided without the bot; the match goes on.",
        "Do not end, and do not answer that decision again: wait for the next.",
        _is_too_late,
        ("plays-on",),
    ),
    Scenario(
        "refused-for-now",
        "sends the same answer again, after a pause, when it could not be written down",
        "LOG_UNAVAILABLE, RATE_LIMITED and INTERNAL say nothing about the answer. Under a new request_id it would be "
        "another answer, and count twice if the first was kept after all.",
        "Send the same Choice, request_id included, again after a pause that grows (say 50 ms, then twice as long "
        "each time), until there is another reply or the decision is over.",
        _says_it_again,
        ("plays-a-match",),
    ),
)
