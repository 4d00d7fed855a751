"""What organisers may do, and what is refused, with which reason and remedy."""

from collections.abc import AsyncIterator

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.tournaments import Tournaments
from cutpurse_server.tournaments.deals import DEAL_SLOTS, deals_root, deals_secret
from cutpurse_server.tournaments.events import Format, FormatSettings
from cutpurse_server.tournaments.record import Phase
from cutpurse_server.wire import tournament_events
from tests.server.tournaments.scripted_desk import Registered, ScriptedDesk, manifest


@pytest.fixture
async def tournaments() -> AsyncIterator[Tournaments]:
    log = MemoryLog()
    await log.open()
    tournaments = Tournaments(log, tournament_events, ScriptedDesk({}), Registered())
    yield tournaments
    await tournaments.close()


async def test_the_service_fills_in_options_and_the_commitment_to_the_deals(tournaments: Tournaments) -> None:
    created = await tournaments.create(manifest())

    assert created.options == {"auto_play_forced": True, "heist_turn_limit": 120}
    assert created.deal_slots == DEAL_SLOTS
    assert created.deals_root == deals_root(deals_secret("a seed"))


async def test_creating_the_same_tournament_again_changes_nothing(tournaments: Tournaments) -> None:
    first = await tournaments.create(manifest(seed=""))

    assert await tournaments.create(manifest(seed="")) == first


async def test_another_tournament_of_the_same_name_is_refused(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())

    with pytest.raises(ServiceError) as refused:
        await tournaments.create(manifest(rounds=3))

    assert refused.value.reason is ErrorReason.NAME_TAKEN


@pytest.mark.parametrize(
    ("changes", "reason", "text"),
    [
        ({"tournament": "a/b"}, ErrorReason.CONFIGURATION_INVALID, "tournament"),
        ({"tournament": ""}, ErrorReason.CONFIGURATION_INVALID, "tournament"),
        ({"game": "chess"}, ErrorReason.GAME_UNKNOWN, "game"),
        ({"settings": FormatSettings(best_of=2)}, ErrorReason.CONFIGURATION_INVALID, "best_of: a round-robin has no"),
        ({"format": Format.GAUNTLET}, ErrorReason.CONFIGURATION_INVALID, "challenger: name the bot"),
        ({"format": Format.SINGLE_ELIMINATION}, ErrorReason.CONFIGURATION_INVALID, "rounds: those of a single-elim"),
        (
            {"format": Format.SINGLE_ELIMINATION, "rounds": 1, "settings": FormatSettings(advance=2)},
            ErrorReason.CONFIGURATION_INVALID,
            "advance: must be from 1 to 1",
        ),
        ({"players": 6}, ErrorReason.CONFIGURATION_INVALID, "players"),
        ({"rounds": 0}, ErrorReason.CONFIGURATION_INVALID, "rounds"),
        ({"rounds": 65_537}, ErrorReason.CONFIGURATION_INVALID, "at most 131,072"),
        ({"concurrency": 0}, ErrorReason.CONFIGURATION_INVALID, "concurrency"),
        ({"options": {"no": 1}}, ErrorReason.CONFIGURATION_INVALID, "no such option"),
        ({"seed": "x" * 257}, ErrorReason.CONFIGURATION_INVALID, "seed"),
    ],
)
async def test_a_bad_manifest_is_refused_with_the_culprit(
    tournaments: Tournaments, changes: dict[str, object], reason: ErrorReason, text: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        await tournaments.create(manifest(**changes))

    assert refused.value.reason is reason
    assert text in refused.value.text


async def test_entering_twice_is_entering_once(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())
    await tournaments.enter("cup", "a-1")
    await tournaments.enter("cup", "a-1")

    overview = await tournaments.get("cup")

    assert [tuple(each) for each in overview.entrants] == [("a-1", "a", 0)]
    assert overview.progress.phase is Phase.ENTRIES


async def test_an_unregistered_bot_cannot_enter(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())

    with pytest.raises(ServiceError) as refused:
        await tournaments.enter("cup", "unknown-1")

    assert refused.value.reason is ErrorReason.BOT_UNKNOWN


async def test_nobody_enters_once_it_has_begun_and_beginning_twice_is_once(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())
    for bot in ("a", "b"):
        await tournaments.enter("cup", bot)
    await tournaments.start("cup")
    await tournaments.start("cup")

    with pytest.raises(ServiceError) as refused:
        await tournaments.enter("cup", "c")

    assert refused.value.reason is ErrorReason.WRONG_PHASE


async def test_a_table_must_be_full_before_it_begins(tournaments: Tournaments) -> None:
    await tournaments.create(manifest())
    await tournaments.enter("cup", "a")

    with pytest.raises(ServiceError, match="1 bots are entered, and a table needs 2") as refused:
        await tournaments.start("cup")

    assert refused.value.reason is ErrorReason.WRONG_PHASE


async def test_an_entry_that_would_make_too_many_matches_is_refused(tournaments: Tournaments) -> None:
    await tournaments.create(manifest(rounds=30_000))
    await tournaments.enter("cup", "a")
    await tournaments.enter("cup", "b")

    with pytest.raises(ServiceError, match="take fewer entrants") as refused:
        await tournaments.enter("cup", "c")

    assert refused.value.reason is ErrorReason.CONFIGURATION_INVALID


@pytest.mark.parametrize("method", ["get", "standings", "start"])
async def test_an_unknown_tournament_is_unknown(tournaments: Tournaments, method: str) -> None:
    with pytest.raises(ServiceError) as refused:
        await getattr(tournaments, method)("none")

    assert refused.value.reason is ErrorReason.TOURNAMENT_UNKNOWN
