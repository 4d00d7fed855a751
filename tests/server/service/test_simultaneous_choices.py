"""While a decision of several seats is open, nobody can tell who has chosen, what, or with how many mistakes."""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from cutpurse.v1 import match_pb2
from cutpurse_server.log.memory import MemoryLog
from tests.server.service.arena import Arena, BotStream, clock, open_arena
from tests.server.service.observed import Shown, asked_of, keep_frame, public_parts
from tests.server.service.toy_game import register_toy_game

pytestmark = pytest.mark.interpreted

Behaviour = Callable[[BotStream, match_pb2.Decision], Awaitable[object]]


async def waits(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat has not chosen."""


async def has_chosen(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat has chosen."""
    await ben.answer(decision, notation="show P", request_id=b"choice")


async def has_chosen_otherwise(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat has chosen something else."""
    await ben.answer(decision, notation="show S", request_id=b"choice")


async def has_stumbled(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat's answer was refused, and it has not chosen."""
    await ben.refused(ben.choice(decision, notation="show Q"))


async def has_corrected_itself(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat's answers were refused twice before it chose."""
    for _ in range(2):
        await ben.refused(ben.choice(decision, notation="show Q"))
    await has_chosen(ben, decision)


async def was_forfeited(ben: BotStream, decision: match_pb2.Decision) -> None:
    """The other seat's default was played and the seat forfeited."""
    for _ in range(3):
        await ben.refused(ben.choice(decision, notation="show Q"))


BEHAVIOURS: list[Behaviour] = [
    waits,
    has_chosen,
    has_chosen_otherwise,
    has_stumbled,
    has_corrected_itself,
    was_forfeited,
]


@asynccontextmanager
async def first_round() -> AsyncIterator[tuple[Arena, str, dict[str, BotStream], Any, Shown]]:
    """The toy with both seats asked: the arena, the match, the bots' streams, a spectator's stream, what was shown."""
    shown: Shown = defaultdict(list)
    with pytest.MonkeyPatch.context() as toy:
        register_toy_game(toy)
        async with open_arena(MemoryLog(lambda: 1_000_000)) as arena:
            match, streams = await arena.start(
                ["ann", "ben"],
                {"wants_resolved": True},
                game="rock_paper_scissors",
                clock=clock(strikes_max=1),
                request_id=b"toy",
            )
            watching = arena.stub("MatchService").WatchMatch(
                match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
            )
            await keep_frame(watching, shown)
            yield arena, match, streams, watching, shown


async def keep_all(arena: Arena, match: str, shown: Shown) -> None:
    """What anybody but ben can ask for now, and what a spectator gets who begins to watch now."""
    for who in ("ann", "spectator", "organiser"):
        shown["GetMatch"].append(await asked_of(arena, who, "GetMatch", match_pb2.GetMatchRequest(match=match)))
    for method, request in (
        ("GetView", match_pb2.GetViewRequest(match=match)),
        ("ListLegalActions", match_pb2.ListLegalActionsRequest(match=match)),
    ):
        shown[method].append(await asked_of(arena, "ann", method, request))
    watching = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    await keep_frame(watching, shown)
    watching.cancel()
    again = await arena.dial("ann", wants_resolved=True)
    await again.next("decisions", match)
    for kind, message in again.transcript:
        shown[f"{kind} after dialling in again"].append(message)
    again.cancel()


async def shown_while(behaviour: Behaviour) -> Shown:
    """What everybody else is shown before they have chosen, whatever ben has done."""
    async with first_round() as (arena, match, streams, watching, shown):
        ann, ben = streams["ann"], streams["ben"]
        decision = await ann.next("decisions", match)
        await behaviour(ben, await ben.next("decisions", match))
        await keep_all(arena, match, shown)
        # An answer that is refused makes the service write to ann once more: whatever else it had to say comes with it.
        await ann.refused(ann.choice(decision, notation="nonsense"))
        shown["ann's stream"] = [message for _, message in ann.transcript]
        record = await arena.service.desk.record(match)
        assert record is not None
        assert record.number == 1
        await keep_all(arena, match, shown)
        await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
        while (frame := await watching.read()) is not grpc.aio.EOF:
            shown["the spectator's stream to the end"].append(frame.SerializeToString(deterministic=True))
    return shown


@pytest.mark.parametrize("behaviour", BEHAVIOURS[1:])
async def test_nobody_can_tell_whether_somebody_else_has_chosen(behaviour: Behaviour) -> None:
    assert await shown_while(behaviour) == await shown_while(waits)


async def shown_to_the_end_of_the_round(others: list[Behaviour], ann_first: bool) -> tuple[Shown, list[bytes]]:
    """What everybody else is shown of a whole round, and the log's public parts until it was resolved."""
    async with first_round() as (arena, match, streams, watching, shown):
        ann, ben = streams["ann"], streams["ben"]
        first, second = await ann.next("decisions", match), await ben.next("decisions", match)
        if not ann_first:
            for behaviour in others:
                await behaviour(ben, second)
        await ann.answer(first, notation="show R", request_id=b"choice")
        if ann_first:
            for behaviour in others:
                await behaviour(ben, second)
        await keep_frame(watching, shown)
        await keep_all(arena, match, shown)
        await ann.next("news", match)
        await ann.next("decisions", match)
        for kind, message in ann.transcript:
            shown[kind].append(message)
        parts = await public_parts(arena, match)
        watching.cancel()
    return shown, parts


async def test_a_resolved_round_does_not_tell_who_was_first_or_stumbled() -> None:
    plain, _ = await shown_to_the_end_of_the_round([has_chosen], ann_first=True)
    last, _ = await shown_to_the_end_of_the_round([has_chosen], ann_first=False)
    stumbling, _ = await shown_to_the_end_of_the_round([has_stumbled, has_chosen], ann_first=False)

    assert plain == last == stumbling
    resolved = match_pb2.WatchMatchResponse.FromString(plain["WatchMatch"][1]).resolved[0]
    assert [(choice.seat, choice.notation) for choice in resolved.choices] == [(0, "show R"), (1, "show P")]


async def test_the_public_parts_of_the_log_do_not_tell_who_chose_first_or_what() -> None:
    _, first = await shown_to_the_end_of_the_round([has_chosen], ann_first=True)
    _, last = await shown_to_the_end_of_the_round([has_chosen], ann_first=False)
    _, otherwise = await shown_to_the_end_of_the_round([has_chosen_otherwise], ann_first=False)

    assert first == last
    open_decision = len(first) - 2
    assert first[:open_decision] == otherwise[:open_decision]
    assert first[open_decision:] != otherwise[open_decision:]


async def test_a_strike_and_a_forfeit_show_at_the_resolution() -> None:
    shown, _ = await shown_to_the_end_of_the_round([was_forfeited], ann_first=False)

    resolved = match_pb2.WatchMatchResponse.FromString(shown["WatchMatch"][1]).resolved[0]
    assert [choice.cause for choice in resolved.choices] == [match_pb2.CAUSE_CHOSEN, match_pb2.CAUSE_MALFORMED]


async def test_a_seat_sees_its_own_choice_in_the_open_decision() -> None:
    async with first_round() as (arena, match, streams, watching, _):
        ann = streams["ann"]
        request = match_pb2.GetViewRequest(match=match)
        before = (await arena.ask("ann", "GetView", request)).view.SerializeToString()
        others_before = await arena.ask("ben", "GetView", request)
        await ann.answer(await ann.next("decisions", match), notation="show P")
        after = (await arena.ask("ann", "GetView", request)).view.SerializeToString()
        others_after = await arena.ask("ben", "GetView", request)
        watching.cancel()

    assert len(after) > len(before)
    assert others_after == others_before
