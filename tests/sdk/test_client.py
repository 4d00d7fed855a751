"""The asynchronous core in loops of one's own: events, answers, stopping."""

import asyncio
from pathlib import Path

import pytest

import cutpurse_sdk
from cutpurse.v1 import bot_pb2
from tests.sdk.scripted import OPTIONS, Line, accepted, decision, first, scripted_service


async def test_an_own_loop_reads_events_and_answers_whenever_it_likes(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        choice = await line.hear_choice()
        await line.say(accepted=[accepted(choice)])
        await line.silence()

    async with (
        scripted_service(tmp_path, script) as address,
        cutpurse_sdk.connect(address=address, token="token") as client,
    ):
        offered = await anext(client)
        assert isinstance(offered, bot_pb2.MatchOffered)
        client.ready(offered)
        asked = await anext(client)
        assert isinstance(asked, cutpurse_sdk.Decision)
        assert client.is_open(asked)
        assert client.answer(asked, 0)
        assert not client.answer(asked, 1)
        # Somebody else on the same loop says when to stop, here while we wait for what comes next.
        asyncio.get_running_loop().call_later(0.1, client.stop)
        assert [event async for event in client] == []
        assert client.accepted == 1
        assert client.ending is cutpurse_sdk.Ending.STOPPED


async def test_stop_waits_for_the_reply_to_what_was_said(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        choice = await line.hear_choice()
        await asyncio.sleep(0.2)
        await line.say(decisions=[decision("other", 1)])
        await asyncio.sleep(0.1)
        await line.say(accepted=[accepted(choice)], decisions=[decision("m", 2)])
        # What is asked after that is left to whoever takes the seat up again.
        assert await line.hear() is None

    async with (
        scripted_service(tmp_path, script) as address,
        cutpurse_sdk.connect(address=address, token="token") as client,
    ):
        async for event in client:
            if isinstance(event, bot_pb2.MatchOffered):
                client.ready(event)
            elif isinstance(event, cutpurse_sdk.Decision):
                client.answer(event, 0)
                asyncio.get_running_loop().call_later(0.1, client.stop)

    assert client.accepted == 1


async def test_cancelling_a_player_ends_it_at_once(tmp_path: Path) -> None:
    heard_the_end = asyncio.Event()

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.silence()
        heard_the_end.set()

    async with scripted_service(tmp_path, script) as address:
        playing = asyncio.create_task(cutpurse_sdk.play(first, address=address, **OPTIONS))
        await asyncio.sleep(0.1)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
