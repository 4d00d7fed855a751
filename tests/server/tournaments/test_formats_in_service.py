"""Every format through log and reconciler: killed, voided and commanded at any time, and judged by the audit."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from cutpurse_server.audit.tournament import TournamentReplay
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.events import VoidCause
from cutpurse_server.tournaments import Tournaments, reconciler
from cutpurse_server.tournaments.blocks import BlockKey
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    Format,
    FormatSettings,
    LeaveCause,
    RoundDrawn,
    TournamentEvent,
    TournamentFinished,
)
from cutpurse_server.tournaments.record import Phase, TournamentRecord
from cutpurse_server.wire import tournament_events
from tests.server.tournaments.scripted_desk import ScriptedDesk, manifest
from tests.server.tournaments.test_reconciler import play, record_of, tournaments_on

FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {"rounds": 1},
    "design": {"rounds": 2, "settings": FormatSettings(tables=5)},
    "swiss": {"format": Format.SWISS, "rounds": 3},
    "single-elimination": {
        "format": Format.SINGLE_ELIMINATION,
        "rounds": 1,
        "settings": FormatSettings(best_of=2, tie_blocks=1),
    },
    "ladder": {"format": Format.LADDER, "rounds": 3},
    "gauntlet": {"format": Format.GAUNTLET, "rounds": 3, "settings": FormatSettings(challenger="a")},
}
BOTS = ["a", "b", "c", "d", "e", "f", "g"]
every_format = pytest.mark.parametrize("name", FORMATS)


async def begin(tournaments: Tournaments, name: str, bots: Sequence[str] = BOTS, **changes: Any) -> None:
    await tournaments.create(manifest(**{"game": "shadow_thief", "players": 3, **FORMATS[name], **changes}))
    for bot in bots:
        await tournaments.enter("cup", bot)
    await tournaments.start("cup")


async def events_of(log: MemoryLog) -> list[TournamentEvent]:
    return [tournament_events.decode(each) for each in await log.read("tournament/cup")]


def judged(events: Sequence[TournamentEvent]) -> TournamentReplay:
    """The audit's replay of the events; raises `Wrong`."""
    replay = TournamentReplay("cup")
    for event in events:
        replay.step(event)
    return replay


async def whole(name: str, seed: int = 0, void: float = 0.0, **changes: Any) -> tuple[TournamentRecord, MemoryLog]:
    """A tournament that nobody disturbs."""
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, name, **changes)
        await play(tournaments, desk, random.Random(seed), void=void)
    return await record_of(log), log


def outcome_of(record: TournamentRecord) -> object:
    """All that must not depend on who was killed, and on what ended first."""
    assert record.schedule is not None
    assert record.finished is not None
    counted = {block.matches for block in record.schedule.counted()}
    return list(record.schedule.blocks), counted, repr(record.finished.standings), record.finished[2:]


@every_format
async def test_a_tournament_is_finished_and_the_audit_makes_the_same_schedule(name: str) -> None:
    record, log = await whole(name)

    replay = judged(await events_of(log))

    assert record.finished is not None
    assert replay.finished is not None
    assert {each.scheduled.match for each in replay.matches() if each.completed} == {
        match.match for block in record.completed.values() for match in block.matches
    }


@every_format
@pytest.mark.parametrize("seed", range(3))
async def test_killed_again_and_again_and_in_any_order_it_ends_the_same(name: str, seed: int) -> None:
    chance = random.Random(seed)
    log, records = MemoryLog(), {}  # type: ignore[var-annotated]
    await log.open()
    async with tournaments_on(log, ScriptedDesk(records)) as tournaments:
        await begin(tournaments, name, concurrency=5)

    for _ in range(500):
        desk = ScriptedDesk(records)
        async with tournaments_on(log, desk) as tournaments:
            await play(tournaments, desk, chance, steps=chance.randrange(12))
            if (await tournaments.get("cup")).progress.phase is Phase.FINISHED:
                break

    undisturbed, _ = await whole(name, concurrency=5)
    found = await record_of(log)
    assert outcome_of(found) == outcome_of(undisturbed)
    judged(await events_of(log))


def known(replay: TournamentReplay) -> set[str]:
    """The matches of which the tournament's log tells, so that a bundle has them and the audit looks at them."""
    return {each.scheduled.match for each in replay.matches()}


class SharedLog(MemoryLog):
    """A log that several replicas use."""

    shared = True


@every_format
@pytest.mark.parametrize("seed", range(2))
async def test_two_replicas_play_it_as_one_would_and_either_takes_orders(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconciler, "_POLL_S", 0.001)
    log, world = SharedLog(), {}  # type: ignore[var-annotated]
    await log.open()
    one, other = ScriptedDesk(world), ScriptedDesk(world)
    chance = random.Random(seed)

    async with tournaments_on(log, one) as first, tournaments_on(log, other) as second:
        await begin(first, name, concurrency=5)
        await second.start("cup")
        await play(first, one, chance, steps=5)
        await second.leave("cup", "c", LeaveCause.WITHDRAWN, "it moved away")
        await play(first, one, chance)

    assert set(one.begins).isdisjoint(other.begins)
    assert all(record.over for record in world.values())
    assert world.keys() <= known(judged(await events_of(log)))


@every_format
@pytest.mark.parametrize("seed", range(2))
async def test_killed_right_after_an_order_what_runs_is_ended_by_whoever_goes_on(name: str, seed: int) -> None:
    chance = random.Random(seed)
    log, records = MemoryLog(), {}  # type: ignore[var-annotated]
    await log.open()
    desk = ScriptedDesk(records)
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, name, concurrency=6)
        await play(tournaments, desk, chance, steps=4)
        running = desk.running()[0]
        await tournaments.void_block("cup", running.match, "a cable came loose")
        await tournaments.leave("cup", running.begun.seats[0].bot, LeaveCause.WITHDRAWN, "")

    desk = ScriptedDesk(records)
    async with tournaments_on(log, desk) as tournaments:
        await play(tournaments, desk, chance)

    assert all(record.over for record in records.values())
    assert records.keys() <= known(judged(await events_of(log)))


@every_format
async def test_voided_blocks_are_played_again_and_the_audit_agrees(name: str) -> None:
    record, log = await whole(name, seed=3, void=0.15)

    events = await events_of(log)
    assert any(isinstance(event, BlockVoided) for event in events)
    assert record.finished is not None
    judged(events)


Deed = Callable[[Tournaments], Awaitable[None]]


async def disturbed(name: str, deeds: Sequence[tuple[int, Deed]], seed: int = 1, **changes: Any) -> MemoryLog:
    """A tournament in which somebody does something each time so many further matches are over."""
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    chance = random.Random(seed)
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, name, **changes)
        for matches, deed in deeds:
            await play(tournaments, desk, chance, steps=matches)
            await deed(tournaments)
        await play(tournaments, desk, chance)
    assert not desk.running()
    assert desk.records.keys() <= known(judged(await events_of(log)))
    return log


@every_format
@pytest.mark.parametrize("cause", LeaveCause)
async def test_who_leaves_plays_no_more_and_the_others_go_on(name: str, cause: LeaveCause) -> None:
    log = await disturbed(name, [(5, lambda cup: cup.leave("cup", "c", cause, "it crashed too often"))])

    record = await record_of(log)
    judged(await events_of(log))
    assert record.finished is not None
    rows = {row.bot: row for row in record.finished.standings}
    assert rows["c"].left is cause
    if cause is LeaveCause.DISQUALIFIED:
        assert rows["c"].place == len(BOTS)
    for block in record.completed.values():
        at = record.completions.index(block)
        assert at < 6 or all("c" not in match.bots for match in block.matches)


@every_format
async def test_a_pause_holds_further_matches_back_until_it_is_over(name: str) -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, name)
        await play(tournaments, desk, random.Random(1), steps=2)
        await tournaments.pause("cup", "lunch")
        for match in [record.match for record in desk.running()]:
            desk.end(match)
        await asyncio.sleep(0.02)
        paused = await tournaments.get("cup")
        held_back = len(desk.begins)
        await asyncio.sleep(0.02)
        assert len(desk.begins) == held_back
        assert paused.progress.paused
        assert not desk.running()
        await tournaments.resume("cup")
        await play(tournaments, desk, random.Random(1))

    undisturbed, _ = await whole(name)
    assert outcome_of(await record_of(log)) == outcome_of(undisturbed)
    judged(await events_of(log))


@every_format
async def test_an_organiser_ends_it_and_what_runs_is_ended(name: str) -> None:
    log = await disturbed(name, [(7, lambda cup: cup.cut_short("cup", "the hall closes"))], concurrency=6)

    events = await events_of(log)
    record = await record_of(log)
    assert isinstance(events[-1], TournamentFinished)
    assert len(record.completed) < 7
    judged(events)


async def test_a_completed_block_is_voided_for_a_reason_and_played_again() -> None:
    log = await disturbed(
        "round-robin", [(30, lambda cup: cup.void_block("cup", BlockKey(1, 1), "a power cut at the venue"))]
    )

    events = await events_of(log)
    first = [each for each in events if isinstance(each, BlockCompleted | BlockVoided) and each[:2] == (1, 1)]
    assert [type(each).__name__ for each in first] == ["BlockCompleted", "BlockVoided", "BlockCompleted"]
    assert [each.attempt for each in first] == [1, 1, 2]
    record = await record_of(log)
    assert record.finished is not None
    assert {row.matches for row in record.finished.standings} == {45}
    judged(events)


async def test_a_running_block_is_voided_by_one_of_its_matches_and_its_matches_are_ended() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, "round-robin")
        await play(tournaments, desk, random.Random(1), steps=1)
        running = desk.running()[0].match
        await tournaments.void_block("cup", running, "the wrong bot was plugged in")
        for _ in range(20):
            await asyncio.sleep(0)
        assert desk.records[running].void_cause is VoidCause.ABORTED
        await play(tournaments, desk, random.Random(1))
    judged(await events_of(log))


async def test_a_block_from_which_later_rounds_were_drawn_cannot_be_voided() -> None:
    async def too_late(cup: Tournaments) -> None:
        with pytest.raises(ServiceError, match="cannot be taken back") as refused:
            await cup.void_block("cup", BlockKey(1, 1), "second thoughts")
        assert refused.value.reason is ErrorReason.WRONG_PHASE

    await disturbed("swiss", [(9, too_late)])


@pytest.mark.parametrize("name", ["swiss", "ladder"])
async def test_a_late_entry_is_in_the_log_and_in_the_next_round(name: str) -> None:
    log = await disturbed(name, [(3, lambda cup: cup.enter("cup", "late"))])

    events = await events_of(log)
    rounds = [event for event in events if isinstance(event, RoundDrawn)]
    names = [{bot for table in drawn.tables for bot in table} | set(drawn.byes) for drawn in rounds]
    assert ["late" in there for there in names] == [False, True, True]
    judged(events)


@pytest.mark.parametrize("name", ["round-robin", "single-elimination", "gauntlet"])
async def test_formats_that_are_drawn_at_the_start_take_nobody_later(name: str) -> None:
    async def refused(cup: Tournaments) -> None:
        with pytest.raises(ServiceError) as why:
            await cup.enter("cup", "late")
        assert why.value.reason is ErrorReason.WRONG_PHASE

    await disturbed(name, [(1, refused)])


async def test_what_was_done_is_told_to_those_who_watch() -> None:
    seen: list[str] = []

    async def deeds(cup: Tournaments) -> None:
        await cup.pause("cup", "lunch")
        await cup.resume("cup")
        await cup.leave("cup", "b", LeaveCause.WITHDRAWN, "")
        seen.extend(type(each).__name__ for each in (await cup.get("cup")).told)

    await disturbed("swiss", [(2, deeds)])

    assert seen[:3] == ["TournamentPaused", "TournamentResumed", "EntrantLeft"]


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (lambda cup: cup.leave("cup", "nobody", LeaveCause.WITHDRAWN, ""), ErrorReason.BOT_UNKNOWN),
        (lambda cup: cup.leave("cup", "a", LeaveCause.DISQUALIFIED, " "), ErrorReason.MALFORMED),
        (lambda cup: cup.leave("cup", "a", LeaveCause.WITHDRAWN, "x" * 257), ErrorReason.MALFORMED),
        (lambda cup: cup.void_block("cup", BlockKey(1, 99), "no such table"), ErrorReason.MALFORMED),
        (lambda cup: cup.void_block("cup", BlockKey(1, 1), ""), ErrorReason.MALFORMED),
        (lambda cup: cup.void_block("cup", "m-unknown", "no such match"), ErrorReason.MATCH_UNKNOWN),
        (lambda cup: cup.cut_short("cup", ""), ErrorReason.MALFORMED),
    ],
)
async def test_a_deed_that_cannot_be_is_refused(deed: Deed, reason: ErrorReason) -> None:
    async def refused(cup: Tournaments) -> None:
        with pytest.raises(ServiceError) as why:
            await deed(cup)
        assert why.value.reason is reason

    await disturbed("round-robin", [(1, refused)])


async def test_before_the_start_an_entrant_is_struck_off_and_may_come_again() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await tournaments.create(manifest())
        for bot in ("a", "b", "c"):
            await tournaments.enter("cup", bot)
        await tournaments.leave("cup", "b", LeaveCause.WITHDRAWN, "")
        assert [each.bot for each in (await tournaments.get("cup")).entrants] == ["a", "c"]
        await tournaments.enter("cup", "b")
        await tournaments.start("cup")
        await play(tournaments, desk, random.Random(1))
    judged(await events_of(log))
