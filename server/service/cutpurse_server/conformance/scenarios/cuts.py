"""Connections that break, at every point of the story: the bot dials in again, and nothing is said twice in effect."""

from __future__ import annotations

import asyncio
import enum
from functools import partial

import grpc

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.relay import Line, LineEnded, Script
from cutpurse_server.conformance.scenario import Scenario
from cutpurse_server.conformance.stage import BOT, START_S, Stage

__all__ = ["CUTS"]

_TIMES = 3
_FIRST_BYTES = 60
"""So much of a frame goes out before the rest is lost: more than gRPC's own small talk."""
_ACKNOWLEDGED_S = 0.05
_ARRIVES_S = 0.05
_THINK_S = 0.05
_WELCOME_S = 5.0


class _Point(enum.Enum):
    """Where the connection breaks."""

    HELLO = enum.auto()
    WELCOME = enum.auto()
    OFFER = enum.auto()
    DECISION_LOST = enum.auto()
    ANSWER_LOST = enum.auto()
    REPLY_LOST = enum.auto()
    IN_FRAME = enum.auto()
    END = enum.auto()
    ENDED_OK = enum.auto()
    UNAVAILABLE = enum.auto()


class _Cut(Script):
    """Breaks the connection at one point, a few times."""

    def __init__(self, point: _Point) -> None:
        self._point = point
        self._left = _TIMES
        self._replies_kept: set[int] = set()
        """The lines whose acknowledgements are lost."""
        self._deaf: set[int] = set()
        """The lines on which nothing is taken from the bot any more."""
        self.cuts = 0

    def _now(self) -> bool:
        """Whether the connection breaks here; counts it."""
        if self._left == 0:
            return False
        self._left -= 1
        self.cuts += 1
        return True

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        if self._point is _Point.HELLO and frame.HasField("hello") and self._now():
            line.cut()
            return
        if line.number in self._deaf:
            return
        if frame.choices and self._point is _Point.ANSWER_LOST and self._now():
            line.cut()
            return
        lost = bool(frame.choices) and self._point is _Point.REPLY_LOST and self._now()
        if lost:
            self._replies_kept.add(line.number)
        await line.tell_service(frame)
        if lost:
            await asyncio.sleep(_ACKNOWLEDGED_S)
            line.cut()

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        point = self._point
        if line.number in self._replies_kept:
            return
        lost = (frame.ended and point is _Point.END) or (frame.decisions and point is _Point.DECISION_LOST)
        if lost and self._now():
            line.cut()
            return
        if frame.decisions and point is _Point.IN_FRAME and self._now():
            line.cut_after(_FIRST_BYTES)
            await line.tell_bot(frame)
            return
        await line.tell_bot(frame)
        if point is _Point.OFFER and frame.offers and self._now():
            # The offer arrives, and the Ready is lost.
            self._deaf.add(line.number)
            await asyncio.sleep(_ARRIVES_S)
            line.cut()
        if _is_reached(point, frame) and self._now():
            if point is _Point.ENDED_OK:
                raise LineEnded(grpc.StatusCode.OK)
            if point is _Point.UNAVAILABLE:
                raise LineEnded(grpc.StatusCode.UNAVAILABLE, text="the kit ended the stream")
            line.cut()


def _is_reached(point: _Point, frame: bot_pb2.ConnectResponse) -> bool:
    """Whether a stream that breaks after a frame breaks after this one."""
    if point is _Point.WELCOME:
        return frame.HasField("welcome")
    quiet = bool(frame.accepted) and not frame.decisions and not frame.ended
    return quiet and point in (_Point.ENDED_OK, _Point.UNAVAILABLE)


async def _is_cut(point: _Point, stage: Stage) -> None:
    script = _Cut(point)
    stage.relay.script = script
    await stage.arrive()
    # Begun once the bot has a stream that lasts for a while, so that it hears of it first there.
    early = _TIMES if point in (_Point.HELLO, _Point.WELCOME) else 0
    await stage.until(lambda: stage.relay.lines > early and _is_there(stage), "it had not dialled in again", START_S)
    # So that there are moments in which the bot has nothing to say.
    stage.opponents.pause_s = _THINK_S
    match = await stage.begin()
    await stage.over(match)
    await stage.until(lambda: script.cuts > 0, "it had not come so far that the connection could break there")
    await stage.played_well(match)
    stage.relay.script = Script()
    stage.opponents.pause_s = 0.0
    await stage.play(seat=1)


def _is_there(stage: Stage) -> bool:
    return stage.service.presence.streams(BOT) > 0


def _cut(name: str, point: _Point, when: str, why: str, remedy: str, *needs: str) -> Scenario:
    return Scenario(name, f"plays on after its connection broke {when}", why, remedy, partial(_is_cut, point), needs)


_DIAL_AGAIN = "When a stream ends, however it ends, open a new one, say Hello, and go on: nothing is lost by it."

CUTS = (
    _cut(
        "cut-after-hello",
        _Point.HELLO,
        "before Welcome",
        "A service behind a proxy, or one that is being restarted, may take a connection and lose it at once.",
        _DIAL_AGAIN
        + " Only a refusal with a reason that will not change (TOKEN_INVALID, PROTOCOL_UNSUPPORTED, …) ends "
        "the bot.",
        "plays-on",
    ),
    _cut(
        "cut-after-welcome",
        _Point.WELCOME,
        "right after Welcome",
        "A stream may end before it has brought anything.",
        _DIAL_AGAIN,
        "cut-after-hello",
    ),
    _cut(
        "cut-after-offer",
        _Point.OFFER,
        "after MatchOffered",
        "Whether the Ready arrived is not known; the warm-up goes on.",
        _DIAL_AGAIN + " The match is offered again: say Ready again, which does no harm if it was heard before.",
        "cut-after-welcome",
    ),
    _cut(
        "decision-lost",
        _Point.DECISION_LOST,
        "with a Decision on its way",
        "The decision stays open, and its clock runs.",
        _DIAL_AGAIN + " Running matches are offered again and open decisions asked again. If you have answered one "
        "already, send that same Choice again with its request_id.",
        "cut-after-welcome",
    ),
    _cut(
        "answer-lost",
        _Point.ANSWER_LOST,
        "with its answer on the way",
        "Whether the answer arrived is not known. A second answer with a new request_id or another action would be a "
        "double move.",
        _DIAL_AGAIN + " Keep each Choice until its ChoiceAccepted or the next Decision of that match comes, and send "
        "it again unchanged on the new stream.",
        "decision-lost",
    ),
    _cut(
        "reply-lost",
        _Point.REPLY_LOST,
        "with its answer taken and the reply lost",
        "The answer counts. Sent again unchanged it gets the same reply; anything else is a double move.",
        _DIAL_AGAIN + " Keep each Choice until its ChoiceAccepted or the next Decision of that match comes, and send "
        "it again unchanged on the new stream.",
        "answer-lost",
    ),
    _cut(
        "cut-in-a-frame",
        _Point.IN_FRAME,
        "in the middle of a frame",
        "Networks break where they like.",
        _DIAL_AGAIN + " Leave the half frame to gRPC, which reports UNAVAILABLE or INTERNAL; both are to be mended "
        "by dialling in again.",
        "decision-lost",
    ),
    _cut(
        "cut-before-the-end",
        _Point.END,
        "before it heard of the match's end",
        "A match that ended while the bot was away is not offered again, and no frame says that it is over.",
        _DIAL_AGAIN + " A match that is not offered again after a reconnect is over; MatchService/GetMatch tells its "
        "result. Do not wait for its MatchEnded.",
        "decision-lost",
    ),
    _cut(
        "stream-ends-well",
        _Point.ENDED_OK,
        "in good order, with status OK",
        "A service that is being replaced ends its streams like this.",
        _DIAL_AGAIN + " Status OK is no reason to end the program.",
        "cut-after-welcome",
    ),
    _cut(
        "stream-fails",
        _Point.UNAVAILABLE,
        "with status UNAVAILABLE",
        "This is what gRPC says of most things that pass.",
        _DIAL_AGAIN,
        "cut-after-welcome",
    ),
)
