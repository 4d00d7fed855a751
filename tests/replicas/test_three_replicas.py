"""Any replica serves any call, hears of what the others wrote, and counts time as if there were only one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutpurse.v1 import identity_pb2, match_pb2
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.matches import following
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ClockCredited,
    ClocksStarted,
    MatchEnded,
    MatchVoided,
    SeatForfeited,
)
from tests.replicas.players import Player, play, seated
from tests.server.log.postgresql_cluster import Cluster
from tests.server.service.arena import PATIENCE_S, Arena, clock, eventually, open_arena

pytestmark = pytest.mark.postgresql


async def events(arena: Arena, match: str, *kinds: type) -> list[Any]:
    """The events of some kinds in a match's log."""
    return [event for event in await arena.service.desk.events_of(match) if isinstance(event, kinds)]


async def start(replicas: list[Arena], **settings: Any) -> tuple[str, dict[str, Player]]:
    """A match that was created at the last replica, its bots connected to different ones and ready."""
    return await seated(replicas[-1], dict(zip(["ann", "ben", "cat"], replicas, strict=True)), **settings)


async def test_bots_at_different_replicas_play_a_match(replicas: list[Arena]) -> None:
    match, streams = await start(replicas)

    given = await play(streams.values(), match)

    (ended,) = await events(replicas[0], match, MatchEnded, MatchVoided)
    assert isinstance(ended, MatchEnded)
    made = [event for event in await events(replicas[0], match, ChoiceMade) if event.request_id]
    assert len(made) == given > 20
    assert await events(replicas[0], match, ChoiceDefaulted, ClockCredited) == []


async def test_what_was_written_at_one_replica_is_known_to_the_next_call_at_another(replicas: list[Arena]) -> None:
    for number in range(10):
        match = await replicas[number % 3].create(["ann", "ben"], request_id=b"%d" % number)
        other = replicas[(number + 1) % 3]
        found = await other.ask("organiser", "GetMatch", match_pb2.GetMatchRequest(match=match))
        assert found.phase == match_pb2.MATCH_PHASE_WARM_UP
        await replicas[(number + 2) % 3].ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
        found = await other.ask("organiser", "GetMatch", match_pb2.GetMatchRequest(match=match))
        assert found.phase == match_pb2.MATCH_PHASE_VOIDED


async def test_a_request_repeated_at_every_replica_has_one_effect_and_the_same_reply(replicas: list[Arena]) -> None:
    match, streams = await start(replicas)
    for _ in range(9):
        await eventually(lambda: any(player.waiting("decisions", match) for player in streams.values()))
        player = next(player for player in streams.values() if player.waiting("decisions", match))
        choice = player.stream.choice(await player.next("decisions", match))
        request = match_pb2.SubmitChoiceRequest(choice=choice)

        asked = (arena.ask(player.stream.bot, "SubmitChoice", request) for arena in replicas * 3)
        replies = await asyncio.gather(*asked)

        assert len({reply.SerializeToString() for reply in replies}) == 1
        made = [event.request_id for event in await events(replicas[0], match, ChoiceMade)]
        assert made.count(choice.request_id) == 1


async def test_a_replica_that_has_not_heard_refuses_nothing_for_that(
    cluster: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No notification comes, and nobody looks.
    monkeypatch.setattr(PostgreSQLLog, "listen", lambda self, heard: None)
    monkeypatch.setattr(following, "_LOOK_S", 3_600)
    async with open_arena(PostgreSQLLog(cluster.address(database))) as first:
        log = PostgreSQLLog(cluster.address(database))
        async with open_arena(log, tokens=first.tokens) as second:
            match, streams = await seated(first, {"ann": first, "ben": first})
            elsewhere = {"ann": Player(await second.dial("ann")), "ben": Player(await second.dial("ben"))}

            for _ in range(4):
                for bot, stream in streams.items():
                    # Asked at the first replica, answered at the second, whose record knows of no such decision.
                    decision = await stream.next("decisions", match)
                    await elsewhere[bot].answer(decision)
                    # The first one learns of it only because somebody asks.
                    await first.ask(bot, "GetMatch", match_pb2.GetMatchRequest(match=match))


async def test_lost_notifications_are_made_good_by_looking(
    cluster: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgreSQLLog, "listen", lambda self, heard: None)
    monkeypatch.setattr(following, "_LOOK_S", 0.1)
    async with open_arena(PostgreSQLLog(cluster.address(database))) as first:
        log = PostgreSQLLog(cluster.address(database))
        async with open_arena(log, tokens=first.tokens) as second:
            match, streams = await seated(first, {"ann": first, "ben": second})

            assert await play(streams.values(), match, lambda given: given >= 6) >= 6


async def test_a_bot_that_dials_in_anywhere_is_asked_what_is_open_now(replicas: list[Arena]) -> None:
    match, streams = await seated(replicas[0], {"ann": replicas[0], "ben": replicas[0]})
    await play(streams.values(), match, lambda given: given >= 6)
    await eventually(lambda: any(player.waiting("decisions", match) for player in streams.values()))
    asked = next(player for player in streams.values() if player.waiting("decisions", match))
    open_decision = asked.waiting("decisions", match)

    elsewhere = Player(await replicas[1].dial(asked.stream.bot), first_request=100)
    decision = await elsewhere.next("decisions", match)

    assert (decision.decision, decision.legal) == (open_decision.decision, open_decision.legal)
    await elsewhere.answer(decision)


async def test_whoever_watches_hears_of_moves_at_other_replicas(replicas: list[Arena]) -> None:
    match, streams = await seated(replicas[0], {"ann": replicas[0], "ben": replicas[0]})
    watching = (
        replicas[2]
        .stub("MatchService")
        .WatchMatch(match_pb2.WatchMatchRequest(match=match), metadata=replicas[2].metadata("spectator"))
    )
    async with asyncio.timeout(PATIENCE_S):
        assert (await watching.read()).cursor == 1
        await play(streams.values(), match, lambda given: given >= 4)
        cursor = 1
        while cursor < 3:
            cursor = (await watching.read()).cursor
    watching.cancel()


@pytest.mark.parametrize("connected", [True, False], ids=["connected", "not connected"])
async def test_a_time_that_is_over_is_noticed_once(replicas: list[Arena], connected: bool) -> None:
    settings = clock(decision_ms=300, settle_ms=100, strikes_max=2)
    match, streams = await start(replicas, clock=settings)
    await eventually(lambda: _has(replicas[0], match, ClocksStarted))
    if not connected:
        for player in streams.values():
            player.stream.cancel()

    await eventually(lambda: _has(replicas[0], match, MatchEnded))

    every = await replicas[0].service.desk.events_of(match)
    struck = [event for event in every if isinstance(event, ChoiceDefaulted) and event.strike]
    assert len({(event.number, event.seat) for event in struck}) == len(struck) == 6
    assert len([event for event in every if isinstance(event, SeatForfeited)]) == 3
    assert len([event for event in every if isinstance(event, MatchEnded)]) == 1
    assert [event for event in every if isinstance(event, ClockCredited)] == []
    # Whoever notices first: what is wrong with a bot is said by the replica to which it is connected, if it is.
    expected = Cause.TIMEOUT if connected else Cause.DISCONNECTED
    assert {event.cause for event in struck[0 if connected else 1 :]} == {expected}


async def _has(arena: Arena, match: str, kind: type) -> bool:
    return bool(await events(arena, match, kind))


async def test_a_replica_that_starts_beside_others_gives_nothing_back(
    cluster: Cluster, database: str, replicas: list[Arena]
) -> None:
    match, _ = await start(replicas)
    await asyncio.sleep(0.5)

    async with open_arena(PostgreSQLLog(cluster.address(database)), tokens=replicas[0].tokens) as fourth:
        assert await events(fourth, match, ClockCredited) == []


async def test_a_time_without_any_replica_is_given_back_once(cluster: Cluster, database: str) -> None:
    async with open_arena(PostgreSQLLog(cluster.address(database))) as first:
        match, players = await seated(first, {"ann": first, "ben": first})
        await players["ann"].next("decisions", match)
        tokens, stopped_ms = first.tokens, first.service.log.now_ms()
    await asyncio.sleep(1)

    # All at the same moment.
    arenas = [open_arena(PostgreSQLLog(cluster.address(database)), tokens=tokens) for _ in range(3)]
    opened = await asyncio.gather(*(arena.__aenter__() for arena in arenas))

    credits_ms = [event.credit_ms for event in await events(opened[0], match, ClockCredited)]
    gone_ms = opened[0].service.log.now_ms() - stopped_ms
    for arena in arenas:
        await arena.__aexit__(None, None, None)
    # The last note before the stop was a second old at most.
    assert 1_000 <= sum(credits_ms) <= gone_ms + 1_100


async def test_a_database_that_was_away_costs_nobody_anything_and_is_made_good_once(
    cluster: Cluster, replicas: list[Arena]
) -> None:
    match, streams = await start(replicas, clock=clock(decision_ms=4_000, settle_ms=100, strikes_max=1))
    decision = await streams["ann"].next("decisions", match)
    health: Any = health_pb2_grpc.HealthStub(replicas[1].channel)

    await asyncio.to_thread(cluster.stop)
    away_since_ms = replicas[0].service.log.now_ms()

    async def says(status: Any) -> bool:
        return bool((await health.Check(health_pb2.HealthCheckRequest())).status == status)

    await eventually(lambda: says(health_pb2.HealthCheckResponse.NOT_SERVING))
    # Longer than anybody may think.
    await asyncio.sleep(5)
    await asyncio.to_thread(cluster.start)
    await eventually(lambda: says(health_pb2.HealthCheckResponse.SERVING))
    await eventually(lambda: all(arena.service.desk.log_is_there for arena in replicas))
    back_ms = replicas[0].service.log.now_ms()
    await streams["ann"].answer(decision)

    credited_ms = sum(event.credit_ms for event in await events(replicas[0], match, ClockCredited))
    assert await events(replicas[0], match, ChoiceDefaulted) == []
    # Each replica noticed at its next word to the database.
    assert 4_000 <= credited_ms <= back_ms - away_since_ms + 1_100


async def test_a_token_that_was_revoked_at_one_replica_is_refused_by_the_others(replicas: list[Arena]) -> None:
    identity = replicas[0].stub("IdentityService")
    metadata = replicas[0].metadata("organiser")
    wanted = identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot="ann")
    issued = await identity.IssueToken(wanted, metadata=metadata)
    match = await replicas[1].create(["ann", "ben"])
    for arena in replicas:
        arena.tokens["ann again"] = issued.token
    request = match_pb2.GetMatchRequest(match=match)
    assert (await replicas[2].ask("ann again", "GetMatch", request)).phase == match_pb2.MATCH_PHASE_WARM_UP

    await identity.RevokeToken(identity_pb2.RevokeTokenRequest(token_id=issued.token_id), metadata=metadata)

    async def is_refused() -> bool:
        try:
            await replicas[2].ask("ann again", "GetMatch", request)
        except Exception:
            return True
        return False

    await eventually(is_refused)


async def test_matches_of_others_are_not_read_for_nobody_s_sake(
    replicas: list[Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    match, streams = await seated(replicas[0], {"ann": replicas[0], "ben": replicas[0]})
    await eventually(lambda: match in replicas[2].service.desk._records)
    read = 0
    log: Any = replicas[2].service.log
    really = log.read

    async def count(stream: str, after: int = 0) -> Any:
        nonlocal read
        read += stream == f"match/{match}"
        return await really(stream, after)

    monkeypatch.setattr(log, "read", count)
    given = await play(streams.values(), match, lambda given: given >= 20)

    assert given >= 20
    assert read < given / 2
