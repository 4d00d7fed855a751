"""Bots that do not play fair, one kind after the other, as programs that a tournament launches.

    CUTPURSE_ADDRESS=… CUTPURSE_TOKEN=… python hostile_bot.py KIND

Kinds that answer at all answer with the first legal action, except for what makes them hostile.
"""

from __future__ import annotations

import os
import queue
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2

Frame = bot_pb2.ConnectRequest
FLOOD = 200
"""Choices in a frame of a flood."""
MEGABYTE = 1_000_000


class Line:
    """A stream that was opened."""

    def __init__(self, channel: grpc.Channel, version: int = 1) -> None:
        self.outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.outbox.put(Frame(hello=bot_pb2.Hello(protocol_version=version, sdk="hostile/1")))
        stub: Any = bot_pb2_grpc.BotServiceStub(channel)
        requests: Iterator[Any] = iter(self.outbox.get, None)
        metadata = (("authorization", f"Bearer {os.environ['CUTPURSE_TOKEN']}"),)
        self.frames = stub.Connect(requests, metadata=metadata)

    def say(self, **parts: Any) -> None:
        """Send a frame."""
        self.outbox.put(Frame(**parts))


def choice(decision: match_pb2.Decision, **answer: Any) -> match_pb2.Choice:
    """An answer to a decision."""
    return match_pb2.Choice(
        match=decision.match, decision=decision.decision, request_id=uuid.uuid4().bytes, **(answer or {"index": 0})
    )


def play(channel: grpc.Channel, answer: Callable[[Line, match_pb2.Decision], None], refused: bool = False) -> None:
    """Get ready for everything, and answer decisions in some way; with `refused`, also those refused."""
    line = Line(channel)
    open_decisions: dict[str, match_pb2.Decision] = {}
    for frame in line.frames:
        if frame.offers:
            line.say(readies=[bot_pb2.Ready(match=offer.match) for offer in frame.offers])
        for decision in frame.decisions:
            open_decisions[decision.match] = decision
            answer(line, decision)
        for each in frame.refused:
            if refused and each.corrections_left and each.match in open_decisions:
                answer(line, open_decisions[each.match])


def silent(channel: grpc.Channel) -> None:
    """Get ready, and never answer."""
    play(channel, lambda line, decision: None)


def never_ready(channel: grpc.Channel) -> None:
    """Dial in, and not even get ready."""
    for _ in Line(channel).frames:
        pass


def slow(channel: grpc.Channel) -> None:
    """Answer everything far too late."""

    def late(line: Line, decision: match_pb2.Decision) -> None:
        time.sleep(3)
        line.say(choices=[choice(decision)])

    play(channel, late)


def illegal(channel: grpc.Channel) -> None:
    """Answer with an action that is never legal in a turn, and correct it by the same."""
    play(channel, lambda line, decision: line.say(choices=[choice(decision, notation="give dog")]), refused=True)


def malformed(channel: grpc.Channel) -> None:
    """Answer with what is no notation."""
    play(channel, lambda line, decision: line.say(choices=[choice(decision, notation="☠" * 100)]), refused=True)


def garbage(channel: grpc.Channel) -> None:
    """Answer a decision with bytes that are no frame."""
    line_of = channel.stream_stream(
        "/cutpurse.v1.BotService/Connect", lambda raw: raw, bot_pb2.ConnectResponse.FromString
    )
    outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    outbox.put(Frame(hello=bot_pb2.Hello(protocol_version=1)).SerializeToString())
    metadata = (("authorization", f"Bearer {os.environ['CUTPURSE_TOKEN']}"),)
    requests: Iterator[Any] = iter(outbox.get, None)
    for frame in line_of(requests, metadata=metadata):
        for offer in frame.offers:
            outbox.put(Frame(readies=[bot_pb2.Ready(match=offer.match)]).SerializeToString())
        if frame.decisions:
            outbox.put(b"\xff" * 1_000)


def flooding(channel: grpc.Channel) -> None:
    """Answer every decision many times, with other request ids and made-up matches among them."""

    def flood(line: Line, decision: match_pb2.Decision) -> None:
        line.say(choices=[choice(decision)])
        for _ in range(3):
            line.say(choices=[choice(decision, index=number % 7) for number in range(FLOOD)])
            line.say(choices=[match_pb2.Choice(match="m" * 900, request_id=b"1", index=1)] * 20)

    play(channel, flood)


def disconnecting(channel: grpc.Channel) -> None:
    """Hang up when the first decision comes, and stay away while living on."""

    def hang_up(line: Line, decision: match_pb2.Decision) -> None:
        line.frames.cancel()
        time.sleep(3_600)

    play(channel, hang_up)


def crashing(channel: grpc.Channel) -> None:
    """End in the first decision, again and again."""
    play(channel, lambda line, decision: os._exit(3))


def wrong_version(channel: grpc.Channel) -> None:
    """Speak a protocol that does not exist yet."""
    for _ in Line(channel, version=0).frames:
        pass


def chatty(channel: grpc.Channel) -> None:
    """Print megabytes, and play well."""

    def chat(line: Line, decision: match_pb2.Decision) -> None:
        if decision.decision <= 3:
            sys.stdout.write("blah " * (MEGABYTE // 5) + "\n")
            sys.stdout.buffer.write(b"\xff\x00\x1b[2J")
        line.say(choices=[choice(decision)])

    play(channel, chat)


def many_streams(channel: grpc.Channel) -> None:
    """Open far more streams than anybody needs, and play well on the last that is let in."""
    lines = [Line(channel) for _ in range(40)]
    time.sleep(0.2)
    del lines[1:]
    play(channel, lambda line, decision: line.say(choices=[choice(decision)]))


KINDS: dict[str, Callable[[grpc.Channel], None]] = {
    each.__name__: each
    for each in (
        silent, never_ready, slow, illegal, malformed, garbage, flooding, disconnecting, crashing, wrong_version,
        chatty, many_streams,
    )
}  # fmt: skip


if __name__ == "__main__":
    with grpc.insecure_channel(os.environ["CUTPURSE_ADDRESS"]) as where:
        KINDS[sys.argv[1]](where)
