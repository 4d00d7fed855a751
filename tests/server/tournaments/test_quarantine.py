"""Quarantine: who stays away again and again is waited for no more, nobody else is held up, and the audit follows."""

import random

import pytest

from cutpurse_server.audit.tournament import TournamentReplay
from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.tournaments import Tournaments
from cutpurse_server.tournaments.acting import ABSENCES_MAX
from cutpurse_server.tournaments.events import (
    EntrantQuarantined,
    EntrantReleased,
    LeaveCause,
    TournamentEvent,
)
from cutpurse_server.wire import tournament_events
from tests.server.tournaments.scripted_desk import ScriptedDesk, manifest
from tests.server.tournaments.test_reconciler import play, tournaments_on

BOTS = ["a", "b", "c", "d"]


async def events_of(log: MemoryLog) -> list[TournamentEvent]:
    return [tournament_events.decode(each) for each in await log.read("tournament/cup")]


async def begin(tournaments: Tournaments, rounds: int = 3) -> None:
    # One match after the other, so that blocks end in the order of the schedule.
    await tournaments.create(manifest(rounds=rounds, concurrency=1))
    for bot in BOTS:
        await tournaments.enter("cup", bot)
    await tournaments.start("cup")


async def played(away: set[str], rounds: int = 3) -> tuple[ScriptedDesk, list[TournamentEvent]]:
    """A tournament in which some bots never get ready."""
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    desk.away = away
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, rounds)
        await play(tournaments, desk, random.Random(0))
    return desk, await events_of(log)


def judge(events: list[TournamentEvent]) -> TournamentReplay:
    replay = TournamentReplay("cup")
    for event in events:
        replay.step(event)
    return replay


async def test_a_bot_that_is_never_ready_is_quarantined_and_nobody_else_is() -> None:
    desk, events = await played({"a"})

    (quarantined,) = [event for event in events if isinstance(event, EntrantQuarantined)]
    assert quarantined.bot == "a"
    waited_for = [
        record
        for record in desk.records.values()
        if any(seat.bot == "a" for seat in record.begun.seats) and not record.begun.quarantined
    ]
    # Its first blocks were waited for, of two matches each, and no match after them.
    assert len(waited_for) == 2 * ABSENCES_MAX
    for record in desk.records.values():
        assert [record.begun.seats[seat].bot for seat in record.begun.quarantined] in ([], ["a"])
    assert judge(events).finished is not None


async def test_with_everybody_there_nobody_is_quarantined() -> None:
    _, events = await played(set())

    assert not [event for event in events if isinstance(event, EntrantQuarantined)]


async def test_a_bot_that_is_away_in_the_last_blocks_alone_is_not_quarantined_when_all_is_played() -> None:
    # Three blocks each, and after the third of "a" nothing is left that somebody could wait in.
    _, events = await played({"a", "b", "c", "d"}, rounds=1)

    last = [event for event in events if isinstance(event, EntrantQuarantined)]
    assert len(last) < len(BOTS)


async def test_a_released_bot_is_waited_for_again_and_quarantined_only_after_as_many_blocks() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    desk.away = {"a"}
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments, rounds=6)
        chance = random.Random(1)
        while not (await tournaments.get("cup")).quarantined:
            await play(tournaments, desk, chance, steps=1)
        desk.away = set()
        await tournaments.release("cup", "a", "it is mended")
        begun = len(desk.begins)
        await play(tournaments, desk, chance)
        events = await events_of(log)

    assert [type(each) for each in events if isinstance(each, EntrantQuarantined | EntrantReleased)] == [
        EntrantQuarantined,
        EntrantReleased,
    ]
    # At most the match that ran at the release knew nothing of it.
    assert not any(desk.records[match].begun.quarantined for match in desk.begins[begun + 1 :])
    assert judge(events).finished is not None


async def test_an_organiser_quarantines_and_releases_and_doing_it_twice_is_doing_it_once() -> None:
    log, desk = MemoryLog(), ScriptedDesk({})
    await log.open()
    async with tournaments_on(log, desk) as tournaments:
        await begin(tournaments)
        for _ in range(2):
            await tournaments.quarantine("cup", "b", "it ended eight times")
        shown = (await tournaments.get("cup")).quarantined
        for _ in range(2):
            await tournaments.release("cup", "b")
        with pytest.raises(ServiceError) as unknown:
            await tournaments.quarantine("cup", "nobody", "why")
        with pytest.raises(ServiceError) as unreasoned:
            await tournaments.quarantine("cup", "b", " ")
        await tournaments.leave("cup", "c", LeaveCause.WITHDRAWN, "")
        await tournaments.quarantine("cup", "c", "it is gone anyway")

    told = [event for event in await events_of(log) if isinstance(event, EntrantQuarantined | EntrantReleased)]
    assert [event[:2] for event in told] == [("b", "it ended eight times"), ("b", "")]
    assert shown == {"b": "it ended eight times"}
    assert unknown.value.reason is ErrorReason.BOT_UNKNOWN
    assert unreasoned.value.reason is ErrorReason.MALFORMED


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        (EntrantQuarantined("nobody", "why", 0), "was not entered"),
        (EntrantQuarantined("a", "", 0), "needs a reason"),
        (EntrantQuarantined("a", "twice", 0), "was in quarantine before"),
        (EntrantReleased("b", "", 0), "was not in quarantine"),
    ],
)
async def test_the_audit_finds_a_quarantine_that_cannot_be(wrong: TournamentEvent, found: str) -> None:
    _, events = await played({"a"})
    at = next(at for at, event in enumerate(events) if isinstance(event, EntrantQuarantined))
    events.insert(at + 1, wrong._replace(at_ms=events[at].at_ms))

    with pytest.raises(Wrong) as caught:
        judge(events)

    assert found in str(caught.value)


async def test_the_audit_knows_from_when_to_when_a_bot_was_in_quarantine() -> None:
    _, events = await played({"a"})
    at = next(at for at, event in enumerate(events) if isinstance(event, EntrantQuarantined))
    since = events[at].at_ms
    replay = judge(events[: at + 1])

    assert not replay.was_quarantined("a", since - 1)
    assert replay.was_quarantined("a", since)
    replay.step(EntrantReleased("a", "", since + 5))
    # A replica may have begun a match before it heard of the release.
    assert replay.was_quarantined("a", since + 1_000)
    assert not replay.was_quarantined("a", since + 120_000)
    assert not replay.was_quarantined("b", since)
