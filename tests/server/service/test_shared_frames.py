"""What goes out in one frame, and what goes alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cutpurse.v1 import bot_pb2
from cutpurse_rules.contract import Seat
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Draft, get_ready
from cutpurse_server.matches.events import Clock, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Accepted
from cutpurse_server.servicers.connection import Connection


class KeptFrames:
    """A stream that is written to."""

    def __init__(self) -> None:
        self.frames: list[bot_pb2.ConnectResponse] = []

    async def write(self, frame: bytes) -> None:
        """Keep a frame."""
        self.frames.append(bot_pb2.ConnectResponse.FromString(frame))


@pytest.fixture
def stream() -> KeptFrames:
    return KeptFrames()


@pytest.fixture
async def connection(stream: Any) -> AsyncIterator[Connection]:
    made = Connection("ann", bot_pb2.Hello(), stream, MemoryLog())
    writing = asyncio.create_task(made.write_all())
    yield made
    made.close()
    await writing


def open_match() -> MatchRecord:
    """A match in which seat 0 is asked."""
    record = MatchRecord(
        begin_match("m", "art_robbery", {}, Clock(), [SeatIdentity("ann", "a"), SeatIdentity("b", "b")], 0)
    )
    for seat in range(2):
        draft = Draft(record)
        get_ready(draft, Seat(seat), 0)
        record = draft.record
    return record


async def test_an_acknowledgement_goes_with_the_next_decision(connection: Connection, stream: KeptFrames) -> None:
    connection.accept("other", Accepted(7, b"request"))
    await asyncio.sleep(0)
    connection.decide(open_match(), Seat(0))
    await asyncio.sleep(0.1)

    (frame,) = stream.frames
    assert [(each.match, each.decision, each.request_id) for each in frame.accepted] == [("other", 7, b"request")]
    assert [each.match for each in frame.decisions] == ["m"]


async def test_an_acknowledgement_without_company_goes_alone(connection: Connection, stream: KeptFrames) -> None:
    for decision in (7, 8):
        connection.accept("m", Accepted(decision, b"request"))
    await asyncio.sleep(0.1)

    (frame,) = stream.frames
    assert [each.decision for each in frame.accepted] == [7, 8]


async def test_a_stream_that_ends_is_told_of_everything(connection: Connection, stream: KeptFrames) -> None:
    connection.accept("m", Accepted(7, b"request"))
    connection.close()
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert [each.decision for frame in stream.frames for each in frame.accepted] == [7]
