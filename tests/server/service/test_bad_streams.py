"""Streams that do not keep to the protocol: each ends with its reason, and everybody's matches go on."""

import asyncio
import random
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, errors_pb2, match_pb2
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.servicers import bots
from tests.server.service.arena import Arena, Refusal

PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


async def end_after(arena: Arena, **frame: Any) -> Refusal:
    """How a stream ends whose first frame is this."""
    stream = arena.connect("ann")
    await stream.say(**frame)
    refusal = await stream.end()
    assert refusal is not None
    return refusal


def hello(**fields: Any) -> dict[str, Any]:
    """The first frame with some fields of its Hello changed."""
    return {"hello": bot_pb2.Hello(**({"protocol_version": 1} | fields))}


CHOICE = match_pb2.Choice(match="m", request_id=b"1")
BAD_FIRST_FRAMES: dict[str, tuple[dict[str, Any], grpc.StatusCode, str]] = {
    "nothing": ({}, PRECONDITION, "HELLO_EXPECTED"),
    "a choice": ({"choices": [CHOICE]}, PRECONDITION, "HELLO_EXPECTED"),
    "being ready": ({"readies": [bot_pb2.Ready(match="m")]}, PRECONDITION, "HELLO_EXPECTED"),
    "a choice with the Hello": (hello() | {"choices": [CHOICE]}, PRECONDITION, "HELLO_EXPECTED"),
    "no version": (hello(protocol_version=0), PRECONDITION, "PROTOCOL_UNSUPPORTED"),
    "another bot's name": (hello(bot="ben"), grpc.StatusCode.NOT_FOUND, "BOT_UNKNOWN"),
    "nobody's name": (hello(bot="z" * 40_000), grpc.StatusCode.NOT_FOUND, "BOT_UNKNOWN"),
    "a long name of its SDK": (hello(sdk="s" * 129), INVALID, "MALFORMED"),
    "receipts": (hello(wants_receipts=True), grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED"),
    "a frame too large": (hello(sdk="s" * 70_000), EXHAUSTED, "TOO_LARGE"),
}


@pytest.mark.parametrize(("frame", "code", "reason"), BAD_FIRST_FRAMES.values(), ids=BAD_FIRST_FRAMES)
async def test_a_bad_first_frame_ends_the_stream(
    arena: Arena, frame: dict[str, Any], code: grpc.StatusCode, reason: str
) -> None:
    refusal = await end_after(arena, **frame)

    assert (refusal.code, refusal.reason) == (code, reason)
    await arena.dial("ann")


async def test_the_version_that_the_service_speaks_is_named(arena: Arena) -> None:
    assert "version 1" in (await end_after(arena, **hello(protocol_version=0))).text


@pytest.mark.parametrize("version", [1, 2, 2**32 - 1])
async def test_a_newer_bot_is_told_the_version_that_both_may_speak(arena: Arena, version: int) -> None:
    stream = arena.connect("ann")
    await stream.say(**hello(protocol_version=version))

    welcome = await stream.next("welcome")

    assert welcome.protocol_version == 1


async def test_another_bots_name_looks_like_nobodys(arena: Arena) -> None:
    others = await end_after(arena, **hello(bot="ben"))
    nobodys = await end_after(arena, **hello(bot="zoe"))

    assert others.text.replace("ben", "zoe") == nobodys.text


async def test_the_own_name_and_none_are_both_good(arena: Arena) -> None:
    named = await arena.dial("ann", bot="ann")
    unnamed = await arena.dial("ann", bot="")

    assert await named.refused(CHOICE) == await unnamed.refused(CHOICE)


async def test_a_stream_that_ends_before_its_hello_is_refused(arena: Arena) -> None:
    stream = arena.connect("ann")
    await stream.call.done_writing()

    end = await stream.end()

    assert end is not None
    assert end.reason == "HELLO_EXPECTED"


async def test_a_stream_that_stays_silent_is_ended_and_only_a_few_may_be_silent(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "_HELLO_S", 0.5)
    ends = await asyncio.gather(*[arena.connect("ann").end() for _ in range(9)])

    reasons = [end.reason for end in ends if end is not None]

    assert sorted(reasons) == ["HELLO_EXPECTED"] * 4 + ["TOO_MANY_STREAMS"] * 5
    await arena.dial("ann")


@pytest.mark.parametrize(
    ("frame", "code", "reason"),
    [
        (hello(), PRECONDITION, "HELLO_EXPECTED"),
        ({"choices": [CHOICE] * 257}, EXHAUSTED, "TOO_LARGE"),
        ({"readies": [bot_pb2.Ready(match="m")] * 257}, EXHAUSTED, "TOO_LARGE"),
        ({"readies": [bot_pb2.Ready(match="m" * 70_000)]}, EXHAUSTED, "TOO_LARGE"),
    ],
    ids=["a second Hello", "257 choices", "257 readies", "too many bytes"],
)
async def test_a_bad_later_frame_ends_the_stream_and_the_match_goes_on(
    arena: Arena, frame: dict[str, Any], code: grpc.StatusCode, reason: str
) -> None:
    match, streams = await arena.start(["ann", "ben"])
    await streams["ann"].next("decisions", match)

    await streams["ann"].say(**frame)
    end = await streams["ann"].end()
    again = await arena.dial("ann")

    assert end is not None
    assert (end.code, end.reason) == (code, reason)
    await again.answer(await again.next("decisions", match))
    await streams["ben"].answer(await streams["ben"].next("decisions", match))


@pytest.mark.interpreted
async def test_a_stream_that_is_cut_off_in_its_first_write_still_hears_why(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail_at_once(*_: Any) -> None:
        raise ServiceError(ErrorReason.MALFORMED)

    # The writer is cut off before the Welcome is out.
    monkeypatch.setattr(bots.BotServicer, "_read", fail_at_once)

    refusal = await end_after(arena, **hello())

    assert (refusal.code, refusal.reason) == (INVALID, "MALFORMED")


async def test_a_full_frame_is_taken(arena: Arena) -> None:
    ann = await arena.dial("ann")
    choices = [match_pb2.Choice(match="m", request_id=bytes([number])) for number in range(256)]

    await ann.say(choices=choices)
    refused = [await ann.next("refused") for _ in range(256)]

    assert [each.request_id for each in refused] == [each.request_id for each in choices]


async def test_bytes_that_are_no_frame_end_the_stream_as_malformed_and_nothing_else_happens(arena: Arena) -> None:
    match, streams = await arena.start(["ben", "cat"])
    dice = random.Random(1)
    for attempt in range(40):
        ann = await arena.dial("ann")
        frame = b"\xff" if attempt == 0 else dice.randbytes(dice.randrange(1, 200))
        await ann.say_bytes(frame)
        await ann.call.done_writing()
        end = await ann.end()
        if end is not None:
            assert end.reason in ("MALFORMED", "HELLO_EXPECTED"), frame
            assert "Error" not in end.text

    await streams["ben"].answer(await streams["ben"].next("decisions", match))


async def test_a_bot_has_at_most_four_streams_and_the_others_are_not_concerned(arena: Arena) -> None:
    streams = [await arena.dial("ann") for _ in range(4)]

    fifth = await end_after(arena, **hello())
    await arena.dial("ben")
    streams[0].cancel()
    for _ in range(100):
        stream = arena.connect("ann")
        await stream.say(**hello())
        if await stream.read():
            break

    assert (fifth.code, fifth.reason) == (EXHAUSTED, "TOO_MANY_STREAMS")
    assert stream.seen("welcome")
    await streams[3].refused(CHOICE)


async def test_all_streams_of_a_bot_are_asked_and_the_first_answer_counts(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"])
    first, second = streams["ann"], await arena.dial("ann")
    asked = await first.next("decisions", match), await second.next("decisions", match)

    await second.answer(asked[1])
    late = await first.refused(first.choice(asked[0], request_id=b"another"))

    assert asked[0].view == asked[1].view
    assert late.reason == errors_pb2.ERROR_REASON_DECISION_STALE
