"""Hidden parts are opened at the end and not before: bundles, and who sat where."""

import asyncio
from typing import Any

import grpc
import pytest

from cutpurse.v1 import audit_pb2, match_pb2, tournament_pb2
from cutpurse_rules.chance import key_of_seed
from cutpurse_server.tournaments.blocks import BlockKey
from tests.server.service.arena import Arena, BotStream, Refusal, eventually, refusal_of
from tests.server.service.cups import begin_tournament

SEED = "seed of an export"


async def export(arena: Arena, **subject: str) -> bytes | Refusal:
    """A bundle, or how it is refused."""
    call = arena.stub("AuditService").ExportBundle(
        audit_pb2.ExportBundleRequest(**subject), metadata=arena.metadata("auditor")
    )
    try:
        return b"".join([piece.piece async for piece in call])
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)


async def play(stream: BotStream, match: str) -> None:
    """Play a match to its end with the first legal actions."""
    while not any(ended.match == match for ended in stream.seen("ended")):
        for decision in [each for each in stream.seen("decisions") if each.match == match]:
            stream.parts.remove(("decisions", decision))
            await stream.say(choices=[stream.choice(decision)])
        assert await stream.read()


def reason(answer: bytes | Refusal) -> str:
    """Why an export was refused; the beginning of the bundle if it was not."""
    return answer.reason if isinstance(answer, Refusal) else answer[:17].decode()


async def test_a_match_is_exported_when_it_is_over_and_not_before(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], seed=SEED, heist_turn_limit="1")
    before = await export(arena, match=match)
    await asyncio.gather(*[play(streams[bot], match) for bot in ("ann", "ben")])
    after = await export(arena, match=match)

    assert reason(before) == "NOT_OPENED_YET"
    assert reason(after) == "cutpurse bundle 1"
    assert isinstance(after, bytes)
    assert key_of_seed(SEED) in after


@pytest.mark.parametrize(
    ("subject", "expected"),
    [({"match": "m-unknown"}, "MATCH_UNKNOWN"), ({"tournament": "none"}, "TOURNAMENT_UNKNOWN"), ({}, "MALFORMED")],
)
async def test_what_is_not_there_is_not_exported(arena: Arena, subject: dict[str, str], expected: str) -> None:
    assert reason(await export(arena, **subject)) == expected


async def test_a_match_whose_block_runs_stays_closed_and_its_seats_opaque(arena: Arena) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, heist_turn_limit="1")
    offers = {bot: await stream.next("offers") for bot, stream in streams.items()}
    first = offers["ann"].match
    for stream in streams.values():
        await stream.say(readies=[{"match": first}])
    await asyncio.gather(*[play(stream, first) for stream in streams.values()])

    while_the_block_runs = await export(arena, match=first), await export(arena, tournament="cup")
    seen: Any = await arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match=first))
    second = (await streams["ann"].next("offers")).match
    for stream in streams.values():
        await stream.say(readies=[{"match": second}])
    await asyncio.gather(*[play(stream, second) for stream in streams.values()])
    await finished(arena)

    assert [reason(each) for each in while_the_block_runs] == ["NOT_OPENED_YET"] * 2
    assert list(offers["ann"].seat_names) == ["seat-0", "seat-1"]
    assert seen.HasField("result")
    assert not seen.bots
    assert reason(await export(arena, match=first)) == "cutpurse bundle 1"
    assert reason(await export(arena, tournament="cup")) == "cutpurse bundle 1"


async def play_one_of(arena: Arena, streams: dict[str, BotStream], attempt: int) -> str:
    """Play the match of the attempt that runs next; its name."""

    def due() -> list[str]:
        begun = [record.begun for record in arena.service.desk.running()]
        return [each.match for each in begun if each.origin is not None and each.origin.attempt == attempt]

    await eventually(lambda: bool(due()))
    (match,) = due()
    for stream in streams.values():
        await stream.get_ready(match)
    await asyncio.gather(*[play(stream, match) for stream in streams.values()])
    return match


async def test_a_voided_attempt_stays_closed_while_the_same_bots_play_the_next_one(arena: Arena) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, heist_turn_limit="1")
    voided = await play_one_of(arena, streams, 1)
    await arena.service.tournaments.void_block("cup", BlockKey(1, 1), "a power cut")

    while_the_next_is_played = []
    for _ in range(2):
        while_the_next_is_played.append(reason(await export(arena, match=voided)))
        await play_one_of(arena, streams, 2)
    await finished(arena)

    assert while_the_next_is_played == ["NOT_OPENED_YET"] * 2
    assert reason(await export(arena, match=voided)) == "cutpurse bundle 1"


@pytest.mark.parametrize(
    ("openings", "expected"),
    [
        (tournament_pb2.OPENINGS_BLOCK, "cutpurse bundle 1"),
        (tournament_pb2.OPENINGS_TOURNAMENT, "NOT_OPENED_YET"),
    ],
)
async def test_matches_are_opened_with_their_block_or_at_the_end_of_all_as_the_manifest_says(
    arena: Arena, openings: tournament_pb2.Openings.ValueType, expected: str
) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, rounds=2, openings=openings, heist_turn_limit="1")
    matches = []
    for _ in range(4):
        match, _ = [(await stream.next("offers")).match for stream in streams.values()]
        matches.append(match)
        for stream in streams.values():
            await stream.say(readies=[{"match": match}])
        if len(matches) == 3:
            # The second block has begun, so the first one is over.
            assert reason(await export(arena, match=matches[0])) == expected
        await asyncio.gather(*[play(stream, match) for stream in streams.values()])
    async for overview in arena.service.tournaments.watch("cup"):
        assert overview.progress.matches_total == 4

    assert reason(await export(arena, match=matches[0])) == "cutpurse bundle 1"


async def finished(arena: Arena) -> None:
    """Wait for the end of the tournament."""
    async for overview in arena.service.tournaments.watch("cup"):
        assert overview.progress.matches_total == 2
