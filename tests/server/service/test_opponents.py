"""While a block runs, nothing that a bot is sent or may ask says against whom it plays."""

import asyncio
from typing import Any

from cutpurse.v1 import match_pb2, tournament_pb2
from cutpurse_server.tournaments.deals import match_name
from cutpurse_server.tournaments.schedule import Schedule
from tests.server.service.arena import Arena, BotStream, eventually
from tests.server.service.cups import begin_tournament

BOTS = ("ann", "ben")


async def play(stream: BotStream, match: str) -> None:
    """Get ready, and play a match to its end with the first legal actions."""
    await stream.get_ready(match)
    while not any(ended.match == match for ended in stream.seen("ended")):
        for decision in [each for each in stream.seen("decisions") if each.match == match]:
            stream.parts.remove(("decisions", decision))
            await stream.say(choices=[stream.choice(decision)])
        assert await stream.read()


async def play_the_first_match(arena: Arena) -> tuple[str, dict[str, BotStream]]:
    """A tournament of one block, of which the first match is over and the second is not."""
    streams = {bot: await arena.dial(bot, wants_legal_actions=True, wants_resolved=True) for bot in BOTS}
    await begin_tournament(arena, heist_turn_limit="1")
    await eventually(lambda: bool(arena.service.desk.running()))
    (first,) = [record.match for record in arena.service.desk.running()]
    await asyncio.gather(*[play(stream, first) for stream in streams.values()])
    return first, streams


def others_names(bot: str) -> list[bytes]:
    (other,) = set(BOTS) - {bot}
    return [other.encode(), f"owner-of-{other}".encode()]


async def test_a_bots_frames_name_no_other_bot_and_no_owner(arena: Arena) -> None:
    _, streams = await play_the_first_match(arena)

    for bot, stream in streams.items():
        assert {"offers", "decisions", "ended"} <= {kind for kind, _ in stream.transcript}
        told = [(kind, name) for kind, part in stream.transcript for name in others_names(bot) if name in part]
        assert told == []


async def test_what_a_bot_may_ask_about_its_match_names_no_other_bot(arena: Arena) -> None:
    first, streams = await play_the_first_match(arena)
    second = (await streams["ann"].next("offers")).match

    asked = [await arena.ask("ann", "GetMatch", match_pb2.GetMatchRequest(match=each)) for each in (first, second)]
    watching = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=first), metadata=arena.metadata("ann")
    )
    asked += [frame async for frame in watching]

    assert len(asked) > 2
    for answer in asked:
        said = answer.SerializeToString()
        assert not [name for name in others_names("ann") if name in said]


async def test_a_matchs_id_follows_from_the_deals_secret_and_not_from_its_place_alone(arena: Arena) -> None:
    first, _ = await play_the_first_match(arena)

    record = await arena.service.tournaments.record("cup")

    assert record is not None
    assert record.schedule is not None
    (block,) = record.schedule.blocks
    assert first == match_name(record.created.deals_secret, "cup", (*block.key, 0, 1))
    assert first != match_name(bytes(32), "cup", (*block.key, 0, 1))


async def test_a_bots_matches_are_not_in_the_order_of_a_schedule_made_without_the_deals_secret(arena: Arena) -> None:
    # By chance a bot would meet its two opponents in the same order in all rounds once in 2**24 tournaments.
    bots = ("ann", "ben", "cat")
    await begin_tournament(arena, bots, 24)
    await eventually(lambda: bool(arena.service.desk.running()))
    (first,) = arena.service.desk.running()

    record = await arena.service.tournaments.record("cup")

    assert record is not None
    assert record.schedule is not None
    due = record.schedule.blocks[0].matches(record.created, 1)[0]
    assert (first.match, [seat.bot for seat in first.begun.seats]) == (due.match, [seat.bot for seat in due.seats])
    public = Schedule(record.created._replace(deals_secret=bytes(32)), tuple(record.entrants.values()))
    for bot in bots:
        assert len(opponents(record.schedule, bot)) == 48
        assert opponents(record.schedule, bot) != opponents(public, bot)


def opponents(schedule: Schedule, bot: str) -> list[str]:
    """Whom a bot meets in its blocks, in order."""
    tables = [[entrant.bot for entrant in block.entrants] for block in schedule.blocks]
    return [other for table in tables if bot in table for other in table if other != bot]


async def test_standings_and_progress_count_nothing_of_a_block_that_runs(arena: Arena) -> None:
    await play_the_first_match(arena)
    stub: Any = arena.stub("TournamentService")
    metadata = arena.metadata("ann")

    got = await stub.GetStandings(tournament_pb2.GetStandingsRequest(tournament="cup"), metadata=metadata)
    watching = stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament="cup"), metadata=metadata)
    seen = await watching.read()
    watching.cancel()

    for rows in (got.standings, seen.standings):
        assert [(row.bot, row.matches, row.points_mean) for row in rows] == [("ann", 0, 0.0), ("ben", 0, 0.0)]
