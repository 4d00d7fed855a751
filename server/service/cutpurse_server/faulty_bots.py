"""Bots with a fault each, to try a tournament with before strangers come: `python -m cutpurse_server.faulty_bots KIND`.

They dial in like any bot, by the protocol alone. What they answer, and where they fail, follows from the match and the
decision and from nothing else: neither from the clock nor from what they did before. So a tournament with them comes to
the same standings however often it is interrupted. Their delays are far from every limit: they answer after a fraction
of a second, or never.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, errors_pb2, match_pb2

__all__ = ["KINDS", "lot"]

_FLOOD = 40
_CHILDREN = 8
_SLOW_S = 0.2
_RETRY_S = 0.2
_NOT_LEGAL, _NO_NOTATION, _NO_INDEX = "give dog", "☠" * 40, 1 << 30
_FAR_AHEAD = 1_000_000


def lot(match: str, decision: int) -> int:
    """What decides in a decision: a large number that follows from it."""
    return int.from_bytes(sha256(f"{match}/{decision}".encode()).digest()[:8], "big")


class _Line:
    """A stream to the service."""

    def __init__(self, channel: grpc.Channel, **hello: Any) -> None:
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        given: dict[str, Any] = {"protocol_version": 1, "sdk": "faulty/1"} | hello
        self.say(hello=bot_pb2.Hello(**given))
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        requests: Iterator[Any] = iter(self._outbox.get, None)
        metadata = (("authorization", f"Bearer {os.environ['CUTPURSE_TOKEN']}"),)
        self.frames = stub.Connect(requests, metadata=metadata)

    def say(self, **parts: Any) -> None:
        """Send a frame."""
        self._outbox.put(bot_pb2.ConnectRequest(**parts))


Answer = Callable[[_Line, match_pb2.Decision], None]
Refused = Callable[[_Line, match_pb2.Decision, match_pb2.ChoiceRefused], None]


def _choice(decision: match_pb2.Decision, number: int = 0, /, **answer: Any) -> match_pb2.Choice:
    """An answer to a decision, by default the one that the lot names; `number` tells one answer from another."""
    given = answer or {"index": lot(decision.match, decision.decision) % len(decision.legal)}
    request_id = f"{decision.decision}/{number}".encode()
    return match_pb2.Choice(match=decision.match, decision=decision.decision, request_id=request_id, **given)


def _well(line: _Line, decision: match_pb2.Decision) -> None:
    line.say(choices=[_choice(decision)])


def _fails(decision: match_pb2.Decision) -> bool:
    """Whether a bot that fails now and then does so here."""
    return lot(decision.match, -decision.decision) % 4 == 0


def _play(channel: grpc.Channel, answer: Answer, refused: Refused) -> None:
    """Get ready for everything and answer decisions in some way; dial in again when the stream ends."""
    while True:
        line = _Line(channel)
        waiting: dict[str, match_pb2.Decision] = {}
        try:
            for frame in line.frames:
                if frame.offers:
                    line.say(readies=[bot_pb2.Ready(match=offer.match) for offer in frame.offers])
                for decision in frame.decisions:
                    waiting[decision.match] = decision
                    answer(line, decision)
                for each in frame.refused:
                    open_decision = waiting.get(each.match)
                    if open_decision is not None and each.decision == open_decision.decision:
                        refused(line, open_decision, each)
        except grpc.RpcError:
            time.sleep(_RETRY_S)


def _no_more(line: _Line, decision: match_pb2.Decision, refusal: match_pb2.ChoiceRefused) -> None:
    """Leave a refused answer as it is."""


def _by_the_same(**wrong: Any) -> Refused:
    """Correct a wrong answer by the same one."""

    def again(line: _Line, decision: match_pb2.Decision, refusal: match_pb2.ChoiceRefused) -> None:
        # Without the number no further answer is looked at; with 0, one more is.
        if refusal.HasField("corrections_left") and _fails(decision):
            line.say(choices=[_choice(decision, refusal.corrections_left + 1, **wrong)])

    return again


def silent(channel: grpc.Channel) -> None:
    """Say nothing in some decisions."""
    _play(channel, lambda line, decision: None if _fails(decision) else _well(line, decision), _no_more)


def slow(channel: grpc.Channel) -> None:
    """Take its time, and say nothing in some decisions."""

    def late(line: _Line, decision: match_pb2.Decision) -> None:
        if not _fails(decision):
            time.sleep(_SLOW_S)
            _well(line, decision)

    _play(channel, late, _no_more)


def crashing(channel: grpc.Channel) -> None:
    """End in the first decision of every match, as often as it is launched."""
    _play(channel, lambda line, decision: os._exit(3), _no_more)


def _answering(channel: grpc.Channel, wrong: str) -> None:
    """Answer some decisions wrongly, and correct that by the same."""

    def answer(line: _Line, decision: match_pb2.Decision) -> None:
        line.say(choices=[_choice(decision, notation=wrong)]) if _fails(decision) else _well(line, decision)

    _play(channel, answer, _by_the_same(notation=wrong))


def illegal(channel: grpc.Channel) -> None:
    """Answer some decisions with an action that is not legal."""
    _answering(channel, _NOT_LEGAL)


def malformed(channel: grpc.Channel) -> None:
    """Answer some decisions with what is no action of any game."""
    _answering(channel, _NO_NOTATION)


def flooding(channel: grpc.Channel) -> None:
    """Answer well, and then again and again: the same decision, and made-up ones."""

    def flood(line: _Line, decision: match_pb2.Decision) -> None:
        _well(line, decision)
        line.say(choices=[_choice(decision, number, index=number) for number in range(1, _FLOOD)])
        line.say(choices=[match_pb2.Choice(match="m" * 900, request_id=b"1", index=1)] * 20)

    def not_crowded_out(line: _Line, decision: match_pb2.Decision, refusal: match_pb2.ChoiceRefused) -> None:
        own = _choice(decision)
        if refusal.reason == errors_pb2.ERROR_REASON_RATE_LIMITED and refusal.request_id == own.request_id:
            time.sleep(_RETRY_S)
            line.say(choices=[own])

    _play(channel, flood, not_crowded_out)


def forking(channel: grpc.Channel) -> None:
    """Leave children behind that outlive it, if they are let; play well."""
    for _ in range(_CHILDREN):
        if os.fork() == 0:
            os.setsid()
            while True:
                time.sleep(1)
    _play(channel, _well, _no_more)


def lying(channel: grpc.Channel) -> None:
    """Lie about the protocol: claim another version, then answer for seats and with forms that it does not have."""
    try:
        for _ in _Line(channel, protocol_version=99, sdk="from the future").frames:
            pass
    except grpc.RpcError:
        pass

    def answer(line: _Line, decision: match_pb2.Decision) -> None:
        if _fails(decision):
            line.say(choices=[_choice(decision, index=_NO_INDEX)])
            return
        elsewhere = match_pb2.Choice(match=f"{decision.match}0", decision=1, request_id=b"x", index=0)
        early = match_pb2.Choice(match=decision.match, decision=_FAR_AHEAD, request_id=b"y", index=0)
        line.say(readies=[bot_pb2.Ready(match=elsewhere.match)], choices=[elsewhere, early, _choice(decision)])

    _play(channel, answer, _by_the_same(index=_NO_INDEX))


KINDS: dict[str, Callable[[grpc.Channel], None]] = {
    each.__name__: each for each in (silent, slow, crashing, illegal, malformed, flooding, forking, lying)
}


def main() -> None:
    """Play as the kind of bot that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit(f"name one kind: {', '.join(KINDS)}")
    with grpc.insecure_channel(os.environ["CUTPURSE_ADDRESS"]) as channel:
        KINDS[sys.argv[1]](channel)


if __name__ == "__main__":
    main()
