"""What an organiser orders happens to real matches, and the bundle of it all is consistent."""

import asyncio
from typing import Any

from cutpurse.v1 import audit_pb2, match_pb2, tournament_pb2
from cutpurse_server.audit import audit
from tests.server.service.arena import Arena, BotStream
from tests.server.service.cups import begin_tournament
from tests.server.service.test_openings import play


async def play_next(streams: dict[str, BotStream]) -> str:
    """Play the next match that both bots are offered; its id."""
    match: str
    match, _ = [(await stream.next("offers")).match for stream in streams.values()]
    for stream in streams.values():
        await stream.say(readies=[{"match": match}])
    await asyncio.gather(*[play(stream, match) for stream in streams.values()])
    return match


async def order(arena: Arena, method: str, **fields: Any) -> None:
    """One of the organiser's acts on the tournament."""
    request = getattr(tournament_pb2, f"{method}Request")(tournament="cup", **fields)
    await getattr(arena.stub("TournamentService"), method)(request, metadata=arena.metadata("organiser"))


async def test_a_played_block_is_voided_a_running_one_is_dropped_and_the_audit_finds_nothing_wrong(
    arena: Arena,
) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, rounds=3, heist_turn_limit="1")
    first = [await play_next(streams) for _ in range(2)]
    # The third match runs; the first block is over.
    running = (await streams["ann"].next("offers")).match

    await order(arena, "VoidBlock", match=first[0], text="the lights went out")
    await order(arena, "FinishTournament", text="they will not come on again")
    async for overview in arena.service.tournaments.watch("cup"):
        told = [type(each).__name__ for each in overview.told]

    assert told[:2] == ["BlockVoided", "TournamentCutShort"]
    ended: Any = await arena.ask("organiser", "GetMatch", match_pb2.GetMatchRequest(match=running))
    assert ended.void_cause == match_pb2.VOID_CAUSE_ABORTED
    call = arena.stub("AuditService").ExportBundle(
        audit_pb2.ExportBundleRequest(tournament="cup"), metadata=arena.metadata("auditor")
    )
    verdict = audit(b"".join([piece.piece async for piece in call]))
    assert verdict.findings == []
    assert verdict.checked["matches"] == 3
    assert {row.matches for row in overview.standings} == {0}
