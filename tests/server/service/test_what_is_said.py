"""Texts of refusals and log lines: what they may say, and what never stands in them whatever fails."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import errors_pb2, match_pb2, tournament_pb2
from cutpurse_rules.art_robbery import ArtRobbery
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.chance import key_of_seed
from cutpurse_server.errors import CATALOGUE, ErrorReason
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.story import Story
from cutpurse_server.servicers import matches
from cutpurse_server.wire import match_events
from tests.server.service.arena import Arena, Refusal, clock, open_arena, refusal_of
from tests.server.service.failing_log import FailingLog
from tests.server.service.log_lines import kept_log_lines
from tests.server.service.observed import BOTS, asked_of

CANARY = "canary-3e1b7"
SEED = "seed-of-the-match-77ab"
COMPONENT = re.compile(rf"\b({'|'.join(map(re.escape, (*CARDS, *TILES)))})\b")


def fail(*_: Any, **__: Any) -> Any:
    """Stands in for any part of the service that fails."""
    raise RuntimeError(CANARY)


async def fail_later(*_: Any, **__: Any) -> Any:
    """The same, awaited."""
    raise RuntimeError(CANARY)


def test_every_reason_has_its_line_in_the_catalogue_and_its_number_in_the_contract() -> None:
    contract = {name.removeprefix("ERROR_REASON_"): number for name, number in errors_pb2.ErrorReason.items() if number}

    assert {reason.name: int(reason) for reason in CATALOGUE} == contract
    assert {reason.name: int(reason) for reason in ErrorReason} == contract
    assert all(hasattr(grpc.StatusCode, code) and text for code, text in CATALOGUE.values())


def test_the_status_of_every_reason_is_the_one_in_the_contracts_comment() -> None:
    proto = Path(__file__).parents[3] / "proto/cutpurse/v1/errors.proto"
    written = re.findall(r"\[(\w+)\]\n  ERROR_REASON_(\w+) =", proto.read_text(encoding="utf-8"))

    assert {reason: code for code, reason in written} == {reason.name: code for reason, (code, _) in CATALOGUE.items()}


async def test_no_refused_choice_names_a_card_a_tile_or_what_was_answered(arena: Arena) -> None:
    match, streams = await arena.start(["ann", "ben"], clock=clock(corrections_max=100))
    ann = streams["ann"]
    decision = await ann.next("decisions", match)
    texts: set[str] = set()
    answers = [f"play {card} take {tile} from {place}" for card in CARDS for tile in TILES for place in ("middle", 1)]
    for notation in [*answers[::3], *(f"play {card}" for card in CARDS), "give tile", "give dog", CANARY]:
        if notation in decision.legal:
            continue
        choice = ann.choice(decision, notation=notation)
        texts.add((await ann.refused(choice)).text)
        unary = await arena.refused("ann", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=choice))
        texts.add(unary.text)

    assert not [text for text in texts if COMPONENT.search(text) or CANARY in text]
    assert len(texts) >= 5


async def everything_refused(arena: Arena) -> Sequence[Refusal]:
    """Call what was made to fail, in each of the three forms that a call has."""
    match = await arena.create(["ann", "ben"])
    refusals = []
    with pytest.MonkeyPatch.context() as failing:
        failing.setattr(matches, "match_to_proto", fail)
        failing.setattr(Story, "go_on", fail_later)
        refusals.append(await arena.refused("spectator", "GetMatch", match_pb2.GetMatchRequest(match=match)))
        watching = arena.stub("MatchService").WatchMatch(
            match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
        )
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await watching.read()
        refusals.append(refusal_of(raised.value))
        failing.setattr(MatchDesk, "held", fail)
        ann = await arena.dial("ann")
        await ann.say(choices=[match_pb2.Choice(match=match, decision=1, request_id=b"1", index=0)])
        end = await ann.end()
        assert end is not None
        refusals.append(end)
    return refusals


@pytest.mark.interpreted
async def test_the_text_of_an_exception_stays_inside() -> None:
    with kept_log_lines() as lines:
        async with open_arena() as arena:
            refusals = await everything_refused(arena)

    assert {(each.code, each.reason) for each in refusals} == {(grpc.StatusCode.INTERNAL, "INTERNAL")}
    assert {each.text for each in refusals} == {CATALOGUE[ErrorReason.INTERNAL][1]}
    assert CANARY not in repr(refusals)
    assert sum("call failed" in line and "RuntimeError" in line for line in lines) == 3
    assert not [line for line in lines if CANARY in line]


async def test_an_answer_that_cannot_be_written_down_shows_no_text(arena: Arena) -> None:
    match = await arena.create(["ann", "ben"])
    with pytest.MonkeyPatch.context() as failing:
        # No message at all: it is made without complaint, and fails when it is serialised.
        failing.setattr(matches, "match_to_proto", lambda _: CANARY)
        refusal = await arena.refused("spectator", "GetMatch", match_pb2.GetMatchRequest(match=match))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert refusal.text == CATALOGUE[ErrorReason.INTERNAL][1]


async def test_a_command_that_fails_costs_its_sender_a_reply_and_nobody_else_anything() -> None:
    with kept_log_lines() as lines:
        async with open_arena() as arena:
            match, streams = await arena.start(["ann", "ben"])
            other, others = await arena.start(["cat", "ben"])
            ann, cat = streams["ann"], others["cat"]
            decision = await ann.next("decisions", match)
            with pytest.MonkeyPatch.context() as failing:
                failing.setattr(ArtRobbery, "verify", fail)
                in_the_rules = await ann.refused(ann.choice(decision, notation=decision.legal[0]))
            with pytest.MonkeyPatch.context() as failing:
                failing.setattr(match_events, "_choice_made_public", fail)
                in_the_log = await ann.refused(ann.choice(decision))
            await cat.answer(await cat.next("decisions", other))
            await ann.answer(decision)

    assert in_the_rules.reason == in_the_log.reason == errors_pb2.ERROR_REASON_INTERNAL
    assert CANARY not in in_the_rules.text + in_the_log.text
    assert sum("command failed" in line for line in lines) == 2
    assert not [line for line in lines if CANARY in line]


async def test_no_log_line_holds_a_hand_a_choice_a_token_or_a_seed() -> None:
    log = FailingLog(MemoryLog())
    with kept_log_lines() as lines:
        async with open_arena(log) as arena:
            match, streams = await arena.start(BOTS, seed=SEED, clock=clock(decision_ms=300, strikes_max=1))
            for bot in BOTS:
                decision = await streams[bot].next("decisions", match)
                await streams[bot].refused(streams[bot].choice(decision, notation="play N9"))
                await streams[bot].answer(decision)
            log.fault_of_the_next_write = "before the commit"
            ann = streams["ann"]
            await ann.refused(ann.choice(await ann.next("decisions", match)))
            # Nobody chooses any more: ann's time passes, and her seat is forfeited.
            await streams["ben"].next("decisions", match)
            secrets = [SEED, key_of_seed(SEED).hex(), *arena.tokens.values()]

    assert any("serving" in line for line in lines)
    assert any("log unavailable" in line for line in lines)
    assert not [line for line in lines if any(secret in line for secret in secrets)]
    assert not [line for line in lines if COMPONENT.search(line) or "play" in line]


async def shown_before_the_end(arena: Arena) -> bytes:
    """Everything that bots, spectators and organisers are shown of a match with a seed while it runs."""
    match, streams = await arena.start(BOTS, {"wants_resolved": True, "wants_legal_actions": True}, seed=SEED)
    for bot in BOTS:
        await streams[bot].answer(await streams[bot].next("decisions", match))
    await streams["ann"].next("decisions", match)
    shown = [message for bot in BOTS for _, message in streams[bot].transcript]
    for who in ("ann", "spectator", "organiser"):
        shown.append(await asked_of(arena, who, "GetMatch", match_pb2.GetMatchRequest(match=match)))
    shown.append(await asked_of(arena, "ann", "GetView", match_pb2.GetViewRequest(match=match)))
    watching = arena.stub("MatchService").WatchMatch(
        match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
    )
    shown.append((await watching.read()).SerializeToString())
    return b"".join(shown)


async def test_nobody_sees_the_seed_or_the_key_of_a_match_that_runs(arena: Arena) -> None:
    shown = await shown_before_the_end(arena)

    key = key_of_seed(SEED)
    for secret in (SEED.encode(), key, key.hex().encode()):
        assert secret not in shown


async def test_nobody_sees_the_seed_of_a_tournament_before_its_end(arena: Arena) -> None:
    stub = arena.stub("TournamentService")
    organiser = {"metadata": arena.metadata("organiser")}
    manifest = tournament_pb2.TournamentManifest(
        tournament="cup",
        configuration=match_pb2.MatchConfiguration(game="art_robbery", clock=clock()),
        format=tournament_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
        players=2,
        rounds=1,
        concurrency=2,
    )
    create = tournament_pb2.CreateTournamentRequest(manifest=manifest)
    holder = create if "seed" in create.DESCRIPTOR.fields_by_name else create.manifest
    holder.seed = SEED  # type: ignore[union-attr]
    created = await stub.CreateTournament(create, **organiser)
    for bot in ("ann", "ben"):
        await stub.EnterTournament(tournament_pb2.EnterTournamentRequest(tournament="cup", bot=bot), **organiser)
    ann = await arena.dial("ann")
    await stub.StartTournament(tournament_pb2.StartTournamentRequest(tournament="cup"), **organiser)
    await ann.next("offers")
    shown = [created.SerializeToString(), *(message for _, message in ann.transcript)]
    for who in ("ann", "spectator", "auditor", "organiser"):
        metadata = arena.metadata(who)
        got = await stub.GetTournament(tournament_pb2.GetTournamentRequest(tournament="cup"), metadata=metadata)
        watching = stub.WatchTournament(tournament_pb2.WatchTournamentRequest(tournament="cup"), metadata=metadata)
        shown += [got.SerializeToString(), (await watching.read()).SerializeToString()]
        watching.cancel()

    assert SEED.encode() not in b"".join(shown)
