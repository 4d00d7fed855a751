"""A quarantined bot is waited for no more, and nobody but its owner reads what went wrong with it."""

import asyncio
import threading
import time
from typing import Any

import grpc
import pytest

from cutpurse.v1 import audit_pb2, match_pb2, tournament_pb2
from cutpurse_server.audit import audit
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import MatchBegun, MatchEvent
from cutpurse_server.tournaments import organising
from cutpurse_server.tournaments.events import EntrantQuarantined
from cutpurse_server.wire import match_events, tournament_events
from tests.server.service.arena import Arena, refusal_of
from tests.server.service.cups import begin_tournament
from tests.server.service.test_openings import play
from tests.server.service.test_organisers_acts import order, play_next


async def log_of(arena: Arena, who: str, bot: str = "") -> Any:
    """A bot's own log, or the reason of the refusal."""
    request = tournament_pb2.GetBotLogRequest(tournament="cup", bot=bot)
    try:
        return await arena.stub("TournamentService").GetBotLog(request, metadata=arena.metadata(who))
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason


async def verdict_on(arena: Arena) -> Any:
    """The audit's verdict on the tournament."""
    call = arena.stub("AuditService").ExportBundle(
        audit_pb2.ExportBundleRequest(tournament="cup"), metadata=arena.metadata("auditor")
    )
    return audit(b"".join([piece.piece async for piece in call]))


async def finished(arena: Arena) -> Any:
    """The last overview."""
    async for overview in arena.service.tournaments.watch("cup"):
        last = overview
    return last


async def test_nobody_waits_for_a_bot_in_quarantine_which_may_be_ready_as_often_as_it_likes(arena: Arena) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, rounds=2, heist_turn_limit="1")
    await play_next(streams)
    await order(arena, "QuarantineEntrant", bot="ben", text="it keeps ending")
    # The match that was begun before goes on as it was.
    await play_next(streams)
    for _ in range(2):
        match = (await streams["ann"].next("offers")).match
        await streams["ben"].get_ready(match)
        await streams["ann"].say(readies=[{"match": match}])
        await play(streams["ann"], match)

    overview = await finished(arena)

    assert {row.bot: row.forfeits for row in overview.standings} == {"ann": 0, "ben": 2}
    assert overview.quarantined == {"ben": "it keeps ending"}
    verdict = await verdict_on(arena)
    assert verdict.findings == []
    own = await log_of(arena, "ben")
    assert [[fault.cause for fault in each.faults] for each in own.matches] == [
        [],
        [],
        *[[match_pb2.CAUSE_FORFEITED]] * 2,
    ]


async def test_the_audit_finds_a_match_in_which_a_bot_was_shut_out_that_was_not_in_quarantine(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await arena.dial("ann")
    await begin_tournament(arena, rounds=2, heist_turn_limit="1")
    await ann.next("offers")
    await order(arena, "QuarantineEntrant", bot="ben", text="it keeps ending")
    await order(arena, "VoidBlock", round=1, table=1, text="begun before the quarantine")
    for _ in range(4):
        match = (await ann.next("offers")).match
        await ann.say(readies=[{"match": match}])
        await play(ann, match)
    overview = await finished(arena)
    assert {row.bot: row.forfeits for row in overview.standings} == {"ann": 0, "ben": 4}
    call = arena.stub("AuditService").ExportBundle(
        audit_pb2.ExportBundleRequest(tournament="cup"), metadata=arena.metadata("auditor")
    )
    bundle = b"".join([piece.piece async for piece in call])
    assert audit(bundle).findings == []

    decode = tournament_events.decode_with_commitment

    def later(stored: Any) -> Any:
        event, commitment = decode(stored)
        # As if the log said that another one was in quarantine.
        return (event._replace(bot="ann") if isinstance(event, EntrantQuarantined) else event), commitment

    monkeypatch.setattr(tournament_events, "decode_with_commitment", later)
    findings = audit(bundle).findings

    assert findings
    assert "was not in quarantine" in str(findings[0])


async def test_a_seat_in_quarantine_is_kept_in_the_secret_part_of_a_match(arena: Arena) -> None:
    await begin_tournament(arena, rounds=2)
    await order(arena, "QuarantineEntrant", bot="ben", text="it keeps ending")
    await order(arena, "VoidBlock", round=1, table=1, text="begun before the quarantine")
    ann = await arena.dial("ann")
    while True:
        match = (await ann.next("offers")).match
        (stored, *_) = await arena.service.log.read(f"match/{match}")
        begun = match_events.decode(stored)
        assert isinstance(begun, MatchBegun)
        if begun.quarantined:
            break

    without = match_events.encode(begun._replace(quarantined=()))

    assert [begun.seats[seat].bot for seat in begun.quarantined] == ["ben"]
    # But for the commitment, whose salt differs each time, the public part is the same.
    assert len(without.public) == len(stored.public)
    assert without.public[:-32] == stored.public[:-32]


async def test_a_bots_log_is_for_its_owner_and_the_organiser_and_for_nobody_else(arena: Arena) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, heist_turn_limit="1")
    while (await arena.service.tournaments.get("cup")).progress.matches_done < 2:
        match = await play_next(streams)
    await finished(arena)

    own, organisers = await log_of(arena, "ann"), await log_of(arena, "organiser", "ann")

    assert match in [each.match for each in own.matches]
    assert own == organisers
    assert own.bot == "ann"
    assert all(each.choices for each in own.matches)
    assert not any(each.faults for each in own.matches)
    # Not another owner's, and neither can be told from a bot that does not exist.
    assert await log_of(arena, "ann", "ben") == await log_of(arena, "ann", "nobody") == "BOT_UNKNOWN"
    assert await log_of(arena, "spectator", "ann") == "ROLE_FORBIDDEN"


async def test_reading_a_bots_log_holds_up_nobody_and_comes_in_parts(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = {bot: await arena.dial(bot) for bot in ("ann", "ben")}
    await begin_tournament(arena, heist_turn_limit="1")
    while (await arena.service.tournaments.get("cup")).progress.matches_done < 2:
        await play_next(streams)
    await finished(arena)
    monkeypatch.setattr(organising, "_LOG_EVENTS", 1)
    decode, reading, at_once = tournament_events.match_event, list[int](), list[int]()

    def decoded(stored: StoredEvent) -> MatchEvent:
        assert threading.current_thread() is not threading.main_thread()
        reading.append(1)
        at_once.append(len(reading))
        time.sleep(0.001)
        reading.pop()
        return decode(stored)

    monkeypatch.setattr(tournament_events, "match_event", decoded)
    first, *others = await asyncio.gather(*(log_of(arena, "ann") for _ in range(3)))
    rest = await arena.service.tournaments.bot_log("cup", "ann", after=1, asker="ann")

    assert (len(first.matches), first.more) == (1, True)
    assert others == [first, first]
    assert (len(rest.matches), rest.more) == (1, False)
    assert set(at_once) == {1}


async def test_a_bots_log_reads_the_bots_of_the_same_owner(arena: Arena) -> None:
    await arena.service.registry.register_bot("ann-2", "owner-of-ann")
    await begin_tournament(arena, bots=("ann-2", "ben"))

    assert (await log_of(arena, "ann", "ann-2")).bot == "ann-2"
    assert await log_of(arena, "ann") == "BOT_UNKNOWN"
