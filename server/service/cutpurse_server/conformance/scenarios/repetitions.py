"""What arrives twice: nothing of it may make the bot say two different things."""

from __future__ import annotations

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_server.conformance.relay import Line, Script
from cutpurse_server.conformance.scenario import Scenario
from cutpurse_server.conformance.stage import Stage

__all__ = ["REPETITIONS"]


class _DecisionTwice(Script):
    """Asks everything twice: in one frame, in two, when it is answered, and when that is acknowledged."""

    def __init__(self) -> None:
        self._asked: dict[str, match_pb2.Decision] = {}

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        for ended in frame.ended:
            self._asked.pop(ended.match, None)
        again = [self._asked[each.match] for each in frame.accepted if each.match in self._asked]
        for decision in frame.decisions:
            self._asked[decision.match] = decision
        twice = list(frame.decisions)
        if twice and twice[0].decision % 2:
            frame.decisions.extend(twice)
        await line.tell_bot(frame)
        if twice:
            await line.tell_bot(bot_pb2.ConnectResponse(decisions=twice))
        if again and not twice:
            await line.tell_bot(bot_pb2.ConnectResponse(decisions=again))

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        again = [self._asked[choice.match] for choice in frame.choices if choice.match in self._asked]
        if again:
            await line.tell_bot(bot_pb2.ConnectResponse(decisions=again))
        await line.tell_service(frame)


class _OldDecisions(Script):
    """After each decision tells those before it once more."""

    def __init__(self) -> None:
        self._asked: dict[str, list[match_pb2.Decision]] = {}

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        await line.tell_bot(frame)
        for decision in frame.decisions:
            asked = self._asked.setdefault(decision.match, [])
            if asked:
                await line.tell_bot(bot_pb2.ConnectResponse(decisions=asked[-2:]))
            asked.append(decision)


class _RestTwice(Script):
    """Tells offers, acknowledgements, news and ends twice."""

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        await line.tell_bot(frame)
        again = bot_pb2.ConnectResponse(
            offers=frame.offers, accepted=frame.accepted, news=frame.news, ended=frame.ended
        )
        if again.ByteSize():
            await line.tell_bot(again)


async def _play(stage: Stage, script: Script) -> None:
    stage.relay.script = script
    await stage.arrive()
    await stage.play()
    await stage.play(seat=1)


async def _decision_twice(stage: Stage) -> None:
    await _play(stage, _DecisionTwice())


async def _old_decisions(stage: Stage) -> None:
    await _play(stage, _OldDecisions())


async def _rest_twice(stage: Stage) -> None:
    await _play(stage, _RestTwice())


REPETITIONS = (
    Scenario(
        "decision-twice",
        "gives one answer to a decision that it is asked twice",
        "A reconnect sends open decisions again. Two different answers to one decision are a double move: which of "
        "them counts is chance.",
        "Remember for each match the latest decision and the Choice that you sent. If the same decision comes again, "
        "send that very Choice again, request_id included, or nothing.",
        _decision_twice,
        ("plays-on",),
    ),
    Scenario(
        "old-decision",
        "does not answer a decision anew that it has left behind",
        "A repetition may come late. An answer to it is refused as stale at best, and takes its place in the queue.",
        "Decisions of a match count upwards: drop one whose number is lower than the latest of its match.",
        _old_decisions,
        ("decision-twice",),
    ),
    Scenario(
        "rest-twice",
        "takes offers, acknowledgements and ends that come twice as if they came once",
        "Whatever was on its way when a connection broke may be told again on the next.",
        "Look everything up by match (and decision, and request_id), and do nothing where it is known already.",
        _rest_twice,
        ("plays-on",),
    ),
)
