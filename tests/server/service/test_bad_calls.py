"""Unary calls that are wrong: bytes of no message, other people's matches, messages too large, bad configurations."""

import asyncio
import json
from typing import Any

import grpc
import pytest

from cutpurse.v1 import match_pb2
from tests.server.service.arena import PATIENCE_S, Arena, Refusal, refusal_of

ABOUT_A_MATCH: dict[str, Any] = {
    "GetMatch": match_pb2.GetMatchRequest,
    "GetView": match_pb2.GetViewRequest,
    "ListLegalActions": match_pb2.ListLegalActionsRequest,
    "SubmitChoice": lambda match: match_pb2.SubmitChoiceRequest(
        choice=match_pb2.Choice(match=match, decision=1, request_id=b"1", index=0)
    ),
}


async def send_bytes(arena: Arena, who: str, path: str, request: bytes) -> Refusal:
    """Send bytes as a request and return how they are refused."""
    stub: Any = arena.channel.unary_unary(path, bytes, bytes)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        async with asyncio.timeout(PATIENCE_S):
            await stub(request, metadata=arena.metadata(who))
    return refusal_of(raised.value)


@pytest.mark.parametrize("request_bytes", [b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", b"\x00" * 100])
@pytest.mark.parametrize("method", ABOUT_A_MATCH)
async def test_bytes_of_no_message_are_malformed_without_a_word_of_the_parser(
    arena: Arena, method: str, request_bytes: bytes
) -> None:
    refusal = await send_bytes(arena, "ann", f"/cutpurse.v1.MatchService/{method}", request_bytes)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED")
    assert refusal.text == "The request misses something or cannot be read."


async def watch_refused(arena: Arena, who: str, match: str) -> Refusal:
    """How watching a match is refused."""
    call = arena.stub("MatchService").WatchMatch(match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata(who))
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        async with asyncio.timeout(PATIENCE_S):
            await call.read()
    return refusal_of(raised.value)


@pytest.mark.parametrize("match", ["", "nobody's", "m" * 60_000, "match/../identity", "identity", "\x00", "m-ü"])
async def test_an_unknown_match_is_not_found_whatever_its_name(arena: Arena, match: str) -> None:
    refusals = [await arena.refused("ann", method, request(match=match)) for method, request in ABOUT_A_MATCH.items()]
    refusals.append(await arena.refused("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match)))
    refusals.append(await watch_refused(arena, "ann", match))

    assert {(each.code, each.reason) for each in refusals} == {(grpc.StatusCode.NOT_FOUND, "MATCH_UNKNOWN")}
    assert len(set(refusals)) == 1


async def foreign_looks_like_unknown(arena: Arena) -> None:
    """Fails if a bot can tell a match in which it has no seat from one that is not there."""
    foreign, _ = await arena.start(["ann", "ben"])
    warming_up = await arena.create(["ann", "ben"])
    over = await arena.create(["ann", "ben"])
    await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=over))
    cat = await arena.dial("cat")
    answers = []
    for match in ("m-unknown", foreign, warming_up, over):
        refusals = [
            await arena.refused("cat", method, request(match=match)) for method, request in ABOUT_A_MATCH.items()
        ]
        refusals.append(await watch_refused(arena, "cat", match))
        choice = match_pb2.Choice(match=match, decision=1, request_id=b"1", index=0)
        refused = await cat.refused(choice)
        refused.ClearField("match")
        answers.append((refusals, refused.SerializeToString()))

    assert all(answer == answers[0] for answer in answers)


async def test_other_peoples_match_looks_exactly_like_an_unknown_one(arena: Arena) -> None:
    await foreign_looks_like_unknown(arena)


async def test_being_ready_for_other_peoples_match_does_nothing(arena: Arena) -> None:
    match = await arena.create(["ann", "ben"])
    cat = await arena.dial("cat")

    await cat.say(readies=[{"match": match}, {"match": "m-unknown"}])
    await cat.refused(match_pb2.Choice(match="m-unknown", request_id=b"1"))

    record = await arena.service.desk.record(match)
    assert record is not None
    assert not record.ready


async def test_a_too_large_request_is_refused_with_its_reason(arena: Arena) -> None:
    refusal = await arena.refused("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 70_000))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE")


async def test_a_far_too_large_request_is_refused_by_grpc_itself(arena: Arena) -> None:
    refusal = await arena.refused("ann", "GetMatch", match_pb2.GetMatchRequest(match="m" * 1_000_000))

    assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def asked(**changes: Any) -> match_pb2.CreateMatchRequest:
    """A good request for a match, with changes."""
    options = changes.pop("options", {})
    clock = changes.pop("clock", None)
    game = changes.pop("game", "art_robbery")
    configuration = match_pb2.MatchConfiguration(game=game, options=options, clock=clock)
    return match_pb2.CreateMatchRequest(
        configuration=configuration, **({"bots": ["ann", "ben"], "request_id": b"1"} | changes)
    )


def good_clock(**changes: int) -> match_pb2.ClockSettings:
    """A clock within its ranges, with changes."""
    return match_pb2.ClockSettings(**({"decision_ms": 1, "warm_up_ms": 1, "strikes_max": 1} | changes))


DEEP = "[" * 30_000
BAD_CONFIGURATIONS: dict[str, tuple[match_pb2.CreateMatchRequest, str, str]] = {
    "no such game": (asked(game="chess"), "GAME_UNKNOWN", "ListGames"),
    "no such bot": (asked(bots=["ann", "zoe"]), "BOT_UNKNOWN", "zoe"),
    "a bot twice": (asked(bots=["ann", "ann"]), "CONFIGURATION_INVALID", "one seat"),
    "one bot": (asked(bots=["ann"]), "CONFIGURATION_INVALID", "players"),
    "nobody": (asked(bots=[]), "CONFIGURATION_INVALID", "players"),
    "no such option": (asked(options={"colour": '"red"'}), "CONFIGURATION_INVALID", "colour"),
    "no JSON": (asked(options={"heist_turn_limit": "{"}), "CONFIGURATION_INVALID", "heist_turn_limit"),
    "a text for a number": (asked(options={"heist_turn_limit": '"9"'}), "CONFIGURATION_INVALID", "heist_turn_limit"),
    "too small": (asked(options={"heist_turn_limit": "0"}), "CONFIGURATION_INVALID", "heist_turn_limit"),
    "no number": (asked(options={"heist_turn_limit": "NaN"}), "CONFIGURATION_INVALID", "heist_turn_limit"),
    "a huge number": (asked(options={"heist_turn_limit": "9" * 5_000}), "CONFIGURATION_INVALID", "heist_turn_limit"),
    "a huge text": (
        asked(options={"heist_turn_limit": json.dumps("x" * 50_000)}), "CONFIGURATION_INVALID", "heist_turn_limit",
    ),
    "a huge text of many bytes": (
        asked(options={"heist_turn_limit": '"' + "😀" * 10_000 + '"'}), "CONFIGURATION_INVALID", "heist_turn_limit",
    ),
    "deep JSON": (asked(options={"deck": DEEP}), "CONFIGURATION_INVALID", "deck"),
    "an option's huge name": (asked(options={"o" * 50_000: "1"}), "CONFIGURATION_INVALID", "ooo"),
    "no such card": (asked(options={"deck": '{"N9": 1}'}), "CONFIGURATION_INVALID", "deck"),
    "too few cards": (asked(options={"deck": '{"N1": 9}'}), "CONFIGURATION_INVALID", "deck"),
    "no decision time": (asked(clock=good_clock(decision_ms=0)), "CONFIGURATION_INVALID", "clock.decision_ms"),
    "too much time": (asked(clock=good_clock(bank_ms=2**32 - 1)), "CONFIGURATION_INVALID", "clock.bank_ms"),
    "no strikes": (asked(clock=good_clock(strikes_max=0)), "CONFIGURATION_INVALID", "clock.strikes_max"),
    "a long seed": (asked(seed="s" * 257), "CONFIGURATION_INVALID", "seed"),
    "no request id": (asked(request_id=b""), "MALFORMED", "request_id"),
    "a long request id": (asked(request_id=b"x" * 65), "MALFORMED", "request_id"),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "reason", "named"), BAD_CONFIGURATIONS.values(), ids=BAD_CONFIGURATIONS)
async def test_a_bad_configuration_is_refused_and_its_culprit_named(
    arena: Arena, request_: match_pb2.CreateMatchRequest, reason: str, named: str
) -> None:
    refusal = await arena.refused("organiser", "CreateMatch", request_)

    assert refusal.reason == reason
    assert named in refusal.text.lower() or named in refusal.text
    assert len(refusal.text) <= 300


@pytest.mark.parametrize("depth", [10, 100, 500, *range(900, 1_000, 9), 2_000])
async def test_options_of_any_depth_are_refused_in_good_order(arena: Arena, depth: int) -> None:
    refusal = await arena.refused("organiser", "CreateMatch", asked(options={"deck": "[" * depth + "]" * depth}))

    assert refusal.reason == "CONFIGURATION_INVALID"


async def test_creating_a_match_again_creates_it_once(arena: Arena) -> None:
    first = await arena.create(["ann", "ben"], request_id=b"once")
    again = await arena.create(["ann", "ben"], request_id=b"once")
    at_the_same_time = await asyncio.gather(*[arena.create(["ann", "ben"], request_id=b"twice") for _ in range(8)])

    assert first == again
    assert len(set(at_the_same_time)) == 1
    assert len(arena.service.desk.running()) == 2


async def test_creating_another_match_with_the_same_request_id_is_refused(arena: Arena) -> None:
    await arena.create(["ann", "ben"], request_id=b"once")

    refusal = await arena.refused("organiser", "CreateMatch", asked(bots=["ben", "ann"], request_id=b"once"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")


async def test_an_abort_with_a_long_text_is_malformed_and_one_of_a_match_that_is_over_does_nothing(
    arena: Arena,
) -> None:
    match = await arena.create(["ann", "ben"])
    long = match_pb2.AbortMatchRequest(match=match, text="ü" * 129)

    refusal = await arena.refused("organiser", "AbortMatch", long)
    await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match, text="ü" * 128))
    await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
    seen = await arena.ask("spectator", "GetMatch", match_pb2.GetMatchRequest(match=match))

    assert refusal.reason == "MALFORMED"
    assert seen.phase == match_pb2.MATCH_PHASE_VOIDED
    assert seen.void_cause == match_pb2.VOID_CAUSE_ABORTED


async def test_what_is_not_in_this_version_says_so(arena: Arena) -> None:
    match, _ = await arena.start(["ann", "ben"])
    signed = match_pb2.Choice(
        match=match, decision=1, request_id=b"1", index=0, signature=match_pb2.ChoiceSignature(public_key=bytes(32))
    )

    refusal = await arena.refused("ann", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=signed))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED")
