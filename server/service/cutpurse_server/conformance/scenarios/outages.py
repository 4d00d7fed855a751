"""A service that is away for a while: drained and restarted, out of reach, slow, or that turns the bot away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import grpc

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.relay import Line, LineEnded, Script
from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import BOT, START_S, Stage

__all__ = ["OUTAGES"]

_AWAY_S = 1.5
_WATCHED_S = 2.0
_DIALS_MAX = 30
"""At first, in that time. Pauses of 50 ms that double each time make about six."""
_LATER_DIALS_MAX = 4
"""In the same time again. The same pauses make two at most."""
_LATE_S = 3.0
_PIECE_BYTES = 48
_PIECE_S = 0.002


async def _restarts(stage: Stage) -> None:
    await stage.arrive()
    stage.opponents.pause_s = 0.5
    match = await stage.begin()
    await stage.until(lambda: stage.ledger.told_accepted >= 2, "it had not answered two decisions")
    await stage.stop_service()
    await stage.front.close()
    await stage.stays(_AWAY_S, "the service, which had said Draining, was being restarted")
    await stage.start_service()
    await stage.front.open()
    await stage.until(lambda: stage.service.presence.streams(BOT) > 0, "it had not dialled in again", START_S)
    stage.opponents.pause_s = 0.0
    await stage.over(match)
    await stage.played_well(match)
    await stage.play(seat=1)


class _Drains(Script):
    """Says Draining with the second decision, and ends the stream only when the bot does, or after a while."""

    def __init__(self) -> None:
        self.told = False
        self.line = 0

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        if not self.told and any(decision.decision == 2 for decision in frame.decisions):
            self.told = True
            self.line = line.number
            del frame.decisions[:]
            frame.draining.SetInParent()
        elif self.told and line.number == self.line:
            return
        await line.tell_bot(frame)

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        if not self.told or line.number != self.line:
            await line.tell_service(frame)


async def _drains(stage: Stage) -> None:
    script = _Drains()
    stage.relay.script = script
    await stage.arrive()
    match = await stage.begin()
    await stage.until(lambda: script.told, "it had not answered its first decision")
    await asyncio.sleep(1.0)
    before = stage.relay.lines
    if before == 1:
        # It may also wait for the service to end the stream.
        stage.front.cut()
    await stage.until(lambda: stage.relay.lines > 1, "it had not dialled in again after Draining", START_S)
    await stage.over(match)
    await stage.played_well(match)


class _TurnsAway(Script):
    """Ends every stream at once, with or without Welcome."""

    def __init__(self, *, welcome: bool) -> None:
        self._welcome = welcome

    async def dialled(self, line: Line) -> None:
        if not self._welcome:
            raise LineEnded(grpc.StatusCode.UNAVAILABLE, "DRAINING", "the service is stopping")

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        await line.tell_bot(frame)
        raise LineEnded(grpc.StatusCode.UNAVAILABLE, "DRAINING", "the service is stopping")


async def _count(stage: Stage, counted: Callable[[], int], when: str) -> None:
    """See that the bot dials in a moderate number of times while it is turned away."""
    for most, which in ((_DIALS_MAX, "first"), (_LATER_DIALS_MAX, "next")):
        before, until_s = counted(), time.monotonic() + _WATCHED_S
        while time.monotonic() < until_s:
            if counted() - before > most:
                times = counted() - before
                raise Shortcoming(f"it dialled in {times} times within the {which} {_WATCHED_S:g} s while {when}")
            await stage.stays(0.05, when)


async def _is_calm(stage: Stage) -> None:
    await stage.arrive()
    stage.front.turns_away = True
    stage.front.cut()
    await _count(stage, lambda: stage.front.connections, "the service reset every connection")
    stage.front.turns_away = False
    await _comes_back(stage)


async def _is_calm_when_turned_away(stage: Stage) -> None:
    await stage.arrive()
    stage.relay.script = _TurnsAway(welcome=False)
    stage.front.cut()
    await _count(stage, lambda: stage.relay.lines, "the service answered every stream with UNAVAILABLE")
    stage.relay.script = _TurnsAway(welcome=True)
    await _count(stage, lambda: stage.relay.lines, "the service ended every stream right after Welcome")
    stage.relay.script = Script()
    await _comes_back(stage)


async def _comes_back(stage: Stage) -> None:
    lines = stage.relay.lines
    await stage.until(
        lambda: stage.relay.lines > lines, "it had not dialled in again when the service was back", START_S
    )
    await stage.until(lambda: stage.service.presence.streams(BOT) > 0, "it had not said Hello")
    await stage.play()


class _Late(Script):
    """Takes its time to answer Hello."""

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        if frame.HasField("welcome"):
            await asyncio.sleep(_LATE_S)
        await line.tell_bot(frame)


async def _is_slow(stage: Stage) -> None:
    stage.relay.script = _Late()
    stage.front.piece_bytes, stage.front.pause_s = _PIECE_BYTES, _PIECE_S
    await stage.arrive()
    await stage.play()
    if stage.relay.lines > 1:
        raise Shortcoming(f"it gave up a stream whose Welcome took {_LATE_S:g} s, and dialled in again")


OUTAGES = (
    Scenario(
        "draining",
        "dials in again when the service says Draining",
        "A service that is about to stop takes no further choices on that stream; the clocks of open decisions run.",
        "On Draining finish nothing new on that stream: end it, open a new one, and send again what has no reply.",
        _drains,
        ("decision-lost",),
    ),
    Scenario(
        "restart",
        "plays on after the service was stopped and started again on the same address",
        "A new version of the service takes a few seconds. Matches go on afterwards, with the time given back.",
        "While the service is out of reach, dial in again and again with growing pauses, for a minute at least.",
        _restarts,
        ("draining",),
    ),
    Scenario(
        "calm-without-service",
        "leaves growing pauses between attempts while nobody takes its connections",
        "Thousands of attempts a second keep a machine busy that has to start a service, and others from playing. "
        "A program that gives up early is not there when the service is back.",
        "Pause before every attempt but the first: 50 ms, then twice as long each time, up to 5 s, with some chance in "
        "it. Keep trying for a minute at least.",
        _is_calm,
        ("cut-after-welcome",),
    ),
    Scenario(
        "calm-when-turned-away",
        "leaves growing pauses between streams that end at once, with or without Welcome",
        "A loop around the call has no pause of its own: gRPC pauses between connections, and not between calls.",
        "Count a stream as a success, and begin with short pauses again, only when it has lasted for some seconds or "
        "brought more than Welcome.",
        _is_calm_when_turned_away,
        ("calm-without-service",),
    ),
    Scenario(
        "slow-service",
        f"waits for a Welcome that takes {_LATE_S:g} seconds, and for frames that come in small pieces",
        "A busy service, or a long way to it, is slow and not gone.",
        "Wait for Welcome for ten seconds before you dial in again, and for frames without a limit: gRPC's keepalive "
        "notices dead connections.",
        _is_slow,
        ("plays-a-match",),
    ),
)
