"""The reconciler: same schedule and standings whatever is killed, voided, overtaken or failing."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.events import VoidCause
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.tournaments import Tournaments, reconciler
from cutpurse_server.tournaments.deals import deals_secret, match_name
from cutpurse_server.tournaments.events import BlockCompleted, BlockVoided, TournamentFinished
from cutpurse_server.tournaments.record import Phase, TournamentRecord
from cutpurse_server.tournaments.schedule import ATTEMPTS_MAX
from cutpurse_server.wire import tournament_events
from tests.server.tournaments.scripted_desk import DECISIONS, FailingLog, Registered, ScriptedDesk, manifest

BOTS = ["a", "b", "c", "d"]
BLOCKS = 12
"""Six tables of two, in two rounds."""


@asynccontextmanager
async def tournaments_on(log: MemoryLog, desk: ScriptedDesk) -> AsyncIterator[Tournaments]:
    tournaments = Tournaments(log, tournament_events, desk, Registered())
    await tournaments.open()
    try:
        yield tournaments
    finally:
        await tournaments.close()


async def begin(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())
    for bot in BOTS:
        await tournaments.enter("cup", bot)
    await tournaments.start("cup")


async def record_of(log: MemoryLog) -> TournamentRecord:
    await log.open()
    stored = await log.read("tournament/cup")
    return TournamentRecord.of([tournament_events.decode(each) for each in stored], stored)


async def play(
    tournaments: Tournaments, desk: ScriptedDesk, chance: random.Random, steps: int = 10_000, void: float = 0.0
) -> None:
    """Let matches be over in any order, until the tournament is finished or so many are."""
    for _ in range(steps):
        for _ in range(chance.randrange(8)):
            await asyncio.sleep(0)
        running = [record.match for record in desk.running()]
        if not running:
            if (await tournaments.get("cup")).progress.phase is Phase.FINISHED:
                return
            await asyncio.sleep(0.001)
            continue
        match = chance.choice(sorted(running))
        if chance.random() < void:
            desk.void(match)
        else:
            desk.end(match)


async def undisturbed() -> TournamentRecord:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        await play(tournaments, desk, random.Random(0))
    return await record_of(log)


async def test_a_tournament_is_played_to_its_end() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        await play(tournaments, desk, random.Random(1))
        progress = (await tournaments.get("cup")).progress

    record = await record_of(log)
    assert len(record.completed) == BLOCKS
    assert record.finished is not None
    assert record.standings is not None
    assert record.finished.standings == record.rows()
    assert progress[:5] == (Phase.FINISHED, 2 * BLOCKS, 0, 2 * BLOCKS, 2 * BLOCKS * DECISIONS)
    assert desk.most_running == 3
    head = await log.head("tournament/cup")
    assert head is not None
    assert head.closed
    assert head.chain == record.chain


async def test_matches_begin_in_schedule_order() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        await play(tournaments, desk, random.Random(2))

    assert desk.begins == [
        match_name(deals_secret(manifest().seed), "cup", (number, table, rotation, 1))
        for number in (1, 2)
        for table in range(1, 7)
        for rotation in (0, 1)
    ]


@pytest.mark.parametrize("seed", range(8))
async def test_killed_anywhere_and_taken_up_again_it_ends_the_same(seed: int) -> None:
    chance = random.Random(seed)
    log = MemoryLog()
    world: dict[str, MatchRecord] = {}
    await log.open()
    async with tournaments_on(log, ScriptedDesk(world)) as tournaments:
        await begin(tournaments)

    for _ in range(200):
        desk = ScriptedDesk(world)
        async with tournaments_on(log, desk) as tournaments:
            await play(tournaments, desk, chance, steps=chance.randrange(5))
            finished = (await tournaments.get("cup")).progress.phase is Phase.FINISHED
        if finished:
            break

    record, expected = await record_of(log), await undisturbed()
    assert finished
    assert {key: block.matches for key, block in record.completed.items()} == {
        key: block.matches for key, block in expected.completed.items()
    }
    assert record.finished is not None
    assert expected.finished is not None
    assert record.finished.standings == expected.finished.standings
    assert len(world) == 2 * BLOCKS


@pytest.mark.parametrize("seed", range(4))
async def test_a_log_that_fails_before_or_after_writing_doubles_nothing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconciler, "_RETRY_S", 0.001)
    log, desk = FailingLog(seed, 0.0), ScriptedDesk({})
    await log.open()

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        log.failures = 0.4
        await play(tournaments, desk, random.Random(seed))

    record, expected = await record_of(log), await undisturbed()
    assert {key: block.matches for key, block in record.completed.items()} == {
        key: block.matches for key, block in expected.completed.items()
    }
    assert await endings(log) == {BlockCompleted: BLOCKS, TournamentFinished: 1}


@pytest.mark.parametrize("seed", range(4))
async def test_two_reconcilers_on_one_log_do_the_work_of_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciler, "_POLL_S", 0.001)
    log = MemoryLog()
    world: dict[str, MatchRecord] = {}
    one, other = ScriptedDesk(world), ScriptedDesk(world)
    await log.open()

    async with tournaments_on(log, one) as first, tournaments_on(log, other) as second:
        await begin(first)
        await second.start("cup")
        await play(first, one, random.Random(seed))

    assert set(one.begins).isdisjoint(other.begins)
    assert sorted(one.begins + other.begins) == sorted(world)
    assert await endings(log) == {BlockCompleted: BLOCKS, TournamentFinished: 1}


async def endings(log: MemoryLog) -> dict[type, int]:
    events = [tournament_events.decode(each) for each in await log.read("tournament/cup")]
    kinds = (BlockCompleted, BlockVoided, TournamentFinished)
    counted = {kind: sum(isinstance(event, kind) for event in events) for kind in kinds}
    return {kind: count for kind, count in counted.items() if count}


@pytest.mark.parametrize("seed", range(4))
async def test_voided_blocks_are_played_again_with_other_deals(seed: int) -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        await play(tournaments, desk, random.Random(seed), void=0.4)

    record = await record_of(log)
    assert record.finished is not None
    assert record.voided
    for key, attempts in record.voided.items():
        if attempts < ATTEMPTS_MAX:
            assert record.completed[key].attempt == attempts + 1
    keys = [each.begun.key for each in desk.records.values()]
    assert len(set(keys)) == len(keys)


async def test_a_block_that_is_voided_again_and_again_counts_for_nobody() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        while (await tournaments.get("cup")).progress.phase is not Phase.FINISHED:
            await asyncio.sleep(0)
            for each in desk.running():
                assert each.begun.origin is not None
                if each.begun.origin[1:4] == (1, 1, 1):
                    desk.void(each.match, VoidCause.NOBODY_READY)
                else:
                    desk.end(each.match)

    record = await record_of(log)
    assert record.voided == {(1, 1): ATTEMPTS_MAX}
    assert len(record.completed) == BLOCKS - 1
    assert record.finished is not None
    assert sorted(row.matches for row in record.finished.standings) == [10, 10, 12, 12]


async def test_progress_is_told_whenever_a_match_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    seen: list[tuple[int, int]] = []

    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)

        async def watch() -> None:
            async for overview in tournaments.watch("cup"):
                seen.append((overview.progress.matches_done, overview.progress.decisions))

        watching = asyncio.create_task(watch())
        while not watching.done():
            for _ in range(20):
                await asyncio.sleep(0)
            for each in list(desk.running())[:1]:
                desk.end(each.match)
        await watching

    done = [each for each, _ in seen]
    assert done == sorted(done)
    assert set(done) == set(range(2 * BLOCKS + 1))


async def test_decisions_of_matches_that_ended_before_the_start_are_read_from_their_logs() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        await play(tournaments, desk, random.Random(1))

    async with tournaments_on(log, ScriptedDesk(desk.records)) as tournaments:
        progress = (await tournaments.get("cup")).progress

    # The scripted matches have no logs, so nothing is found there; the count itself is tested on real matches.
    assert progress[:5] == (Phase.FINISHED, 2 * BLOCKS, 0, 2 * BLOCKS, 0)


async def test_a_tournament_that_cannot_go_on_keeps_nobody_waiting_and_can_be_taken_up_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()

    async def broken(begun: object) -> bool:
        raise ValueError("a fault of ours")

    async with tournaments_on(log, desk) as tournaments:
        with monkeypatch.context() as patch:
            patch.setattr(desk, "begin", broken)
            await begin(tournaments)
            with pytest.raises(ServiceError) as refused:
                async for _ in tournaments.watch("cup"):
                    pass
        assert refused.value.reason is ErrorReason.INTERNAL
        assert "a fault of ours" not in refused.value.text

        await tournaments.start("cup")
        await play(tournaments, desk, random.Random(0))

    assert (await record_of(log)).finished is not None
