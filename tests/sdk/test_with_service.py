"""The SDK and the example bots at the real service: matches, refusals, restarts within a match, simulations."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

import cutpurse_sdk
from cutpurse.v1 import match_pb2, match_pb2_grpc
from cutpurse_rules import GAMES
from cutpurse_server.identity import Role
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.serve import Service, running_service
from tests.sdk.scripted import OPTIONS, first
from tests.sdk.test_run import ROOT, outcome, start
from tests.server.service.arena import open_arena

OPTIONS_OF: dict[str, Any] = {
    "art_robbery": {},
    "big_max": {"turn_limit": "60"},
    "shadow_thief": {"deals": "3"},
}
"""By game, options under which a match is over soon, but not at once."""


def by_lot(decision: cutpurse_sdk.Decision) -> str:
    return decision.random.choice(decision.legal)


async def create(service: Service, *bots: str) -> str:
    """A match on a running service; tokens are no concern here."""
    token, _ = await service.registry.issue_token(Role.ORGANISER)
    async with grpc.aio.insecure_channel(service.addresses[0]) as channel:
        created = await match_pb2_grpc.MatchServiceStub(channel).CreateMatch(
            match_pb2.CreateMatchRequest(
                configuration=match_pb2.MatchConfiguration(game="art_robbery"),
                bots=bots,
                seed="a seed",
                request_id=f"create {bots}".encode(),
            ),
            metadata=(("authorization", f"Bearer {token}"),),
        )
        return str(created.match)


@pytest.mark.parametrize("game", GAMES)
async def test_bots_of_every_form_play_one_match_of_any_game_to_its_end(game: str) -> None:
    async def later(decision: cutpurse_sdk.Decision) -> int:
        await asyncio.sleep(0)
        return decision.random.randrange(len(decision.legal))

    def typed(decision: cutpurse_sdk.Decision) -> cutpurse_sdk.Answer:
        action = decision.random.choice(decision.legal_actions)
        own: cutpurse_sdk.Answer = getattr(action, decision.game)
        return own if decision.decision % 2 else action

    async with open_arena() as arena:
        match = await arena.create(["ann", "ben", "cat"], game=game, **OPTIONS_OF.get(game, {}))
        forms: dict[str, tuple[cutpurse_sdk.Choose, dict[str, bool]]] = {
            "ann": (by_lot, {}),
            "ben": (later, {}),
            "cat": (typed, {"legal_actions": True}),
        }
        ends = await asyncio.gather(
            *(
                cutpurse_sdk.play(
                    choose, **OPTIONS | wishes | {"address": arena.address, "token": arena.tokens[bot], "matches": 1}
                )
                for bot, (choose, wishes) in forms.items()
            )
        )

    assert [end.bot for end in ends] == ["ann", "ben", "cat"]
    assert all(end.ending is cutpurse_sdk.Ending.MATCHES_PLAYED for end in ends)
    assert all(end.refused == 0 and end.decisions > 3 for end in ends)
    assert [end.results[0].match for end in ends] == [match] * 3
    assert len({end.results[0].result.SerializeToString() for end in ends}) == 1
    assert sorted(end.results[0].seat for end in ends) == [0, 1, 2]


async def test_news_of_a_match_are_all_its_decisions_in_order() -> None:
    numbers: list[int] = []

    async with open_arena() as arena:
        await arena.create(["ann", "ben"])
        common = OPTIONS | {"address": arena.address, "matches": 1}
        ann, ben = await asyncio.gather(
            cutpurse_sdk.play(
                by_lot,
                on_news=lambda news: numbers.extend(each.number for each in news.resolved),
                **common | {"token": arena.tokens["ann"]},
            ),
            cutpurse_sdk.play(by_lot, **common | {"token": arena.tokens["ben"]}),
        )

    assert numbers == list(range(1, ann.decisions + ben.decisions + 1))


async def test_an_illegal_answer_is_put_right_and_costs_no_strike() -> None:
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        common = OPTIONS | {"address": arena.address, "matches": 1}
        ann, _ = await asyncio.gather(
            cutpurse_sdk.play(lambda decision: "play N0 take 5.0 from 1", **common | {"token": arena.tokens["ann"]}),
            cutpurse_sdk.play(by_lot, **common | {"token": arena.tokens["ben"]}),
        )
        found = await arena.ask("organiser", "GetMatch", match_pb2.GetMatchRequest(match=match))

    assert ann.refused == ann.decisions > 0
    assert list(found.result.forfeited) == []


async def test_a_token_that_is_none_is_refused_with_its_reason() -> None:
    async with open_arena() as arena:
        with pytest.raises(cutpurse_sdk.ServiceRefused) as caught:
            await cutpurse_sdk.play(first, **OPTIONS | {"address": arena.address, "token": "wrong"})

    assert cutpurse_sdk.reason_name(caught.value.reason) == "TOKEN_INVALID"
    assert caught.value.status is grpc.StatusCode.UNAUTHENTICATED


async def test_a_match_outlives_two_restarts_of_the_service_without_a_double_answer(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/service.sock"
    asked: dict[str, list[int]] = {"ann": [], "ben": []}
    going_on = [asyncio.Event(), asyncio.Event()]

    def bot(name: str) -> cutpurse_sdk.Choose:
        async def choose(decision: cutpurse_sdk.Decision) -> str:
            asked[name].append(decision.decision)
            if name == "ann" and decision.decision in (4, 8):
                # Now the service is stopped; the answer comes while it is away.
                going_on[decision.decision // 8].set()
                await asyncio.sleep(0.05)
            return by_lot(decision)

        return choose

    players: list[asyncio.Task[cutpurse_sdk.Summary]] = []
    for restart in range(3):
        async with running_service(SQLiteLog(tmp_path / "log.sqlite"), [address]) as service:
            if restart == 0:
                for name in asked:
                    await service.registry.register_bot(name, f"owner-of-{name}")
                    token, _ = await service.registry.issue_token(Role.BOT, name)
                    options = OPTIONS | {"address": address, "token": token, "seed": name, "matches": 1}
                    players.append(asyncio.create_task(cutpurse_sdk.play(bot(name), **options)))
                await create(service, *asked)
            if restart < 2:
                await going_on[restart].wait()
            else:
                ann, ben = await asyncio.gather(*players)

    assert asked["ann"] == list(range(1, len(asked["ann"]) + 1))
    assert asked["ben"] == list(range(1, len(asked["ben"]) + 1))
    assert (ann.decisions, ben.decisions) == (len(asked["ann"]), len(asked["ben"]))
    assert (ann.refused, ben.refused) == (0, 0)
    assert ann.results[0].result == ben.results[0].result
    assert list(ann.results[0].result.forfeited) == []


async def test_a_bot_learns_of_an_end_that_came_while_it_was_away() -> None:
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        client = cutpurse_sdk.connect(address=arena.address, token=arena.tokens["ann"])
        async with client:
            offered = await anext(client)
            await client.close()
            await arena.ask("organiser", "AbortMatch", match_pb2.AbortMatchRequest(match=match))
            ended = await anext(client)

    assert (offered.match, ended.match) == (match, match)  # type: ignore[union-attr]
    assert ended.void_cause == match_pb2.VOID_CAUSE_ABORTED  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "arguments",
    [
        [ROOT / "bots/examples/python_proto_only/bot.py", "1"],
        ["-m", "cutpurse_bots", "greedy", "--matches", "1"],
    ],
)
async def test_a_bot_that_is_a_program_plays_a_match(arguments: list[str | Path]) -> None:
    async with open_arena() as arena:
        match = await arena.create(["ann", "ben"])
        process = await start(arena.address, arguments, CUTPURSE_TOKEN=arena.tokens["ann"])
        options = OPTIONS | {"address": arena.address, "token": arena.tokens["ben"], "matches": 1}
        ended, (code, output, errors) = await asyncio.gather(cutpurse_sdk.play(by_lot, **options), outcome(process))

    assert code == 0
    assert "Traceback" not in errors
    assert ended.results[0].match == match
    assert list(ended.results[0].result.forfeited) == []
    if "python_proto_only" in str(arguments[0]):
        assert output == f"match {match}: place {ended.results[0].result.placements[0]}\n"


async def test_the_first_bot_plays_until_it_is_stopped() -> None:
    async with open_arena() as arena:
        process = await start(arena.address, [ROOT / "bots/examples/python/bot.py"], CUTPURSE_TOKEN=arena.tokens["ann"])
        options = OPTIONS | {"address": arena.address, "token": arena.tokens["ben"], "matches": 3}
        playing = asyncio.create_task(cutpurse_sdk.play(by_lot, **options))
        for _ in range(3):
            await arena.create(["ann", "ben"])
        summary = await playing
        process.terminate()
        code, _, errors = await outcome(process)

    assert summary.matches == 3
    assert (code, errors) == (0, "")


def test_simulate_plays_on_the_real_service_and_is_repeatable() -> None:
    def run() -> cutpurse_sdk.Simulation:
        return cutpurse_sdk.simulate(by_lot, opponents=["first", "greedy"], matches=9, seed="s", concurrency=4)

    once, again = run(), run()

    blocks = [once.matches[first : first + 3] for first in range(0, 9, 3)]
    assert [sorted(match.seat for match in block) for block in blocks] == [[0, 1, 2]] * 3
    assert {frozenset(match.bots) for match in once.matches} == {frozenset({"me", "first", "greedy"})}
    assert [match.result for match in once.matches] == [match.result for match in again.matches]
    assert 0 <= once.points_low <= once.points_mean <= once.points_high <= 1


def test_simulate_hands_the_game_s_options_on_and_says_what_is_wrong_with_them() -> None:
    short = cutpurse_sdk.simulate(by_lot, matches=2, seed="s", options={"heist_turn_limit": 1})
    assert all(match.result.reason == match_pb2.END_REASON_COMPLETED for match in short.matches)

    with pytest.raises(cutpurse_sdk.SettingsInvalid, match="heist_turn_limit"):
        cutpurse_sdk.simulate(by_lot, options={"heist_turn_limit": 0})
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match="players"):
        cutpurse_sdk.simulate(by_lot, opponents=["random"] * 5)


def test_simulate_ends_with_what_a_bot_raises() -> None:
    def fail(decision: cutpurse_sdk.Decision) -> str:
        raise ZeroDivisionError("the author's mistake")

    with pytest.raises(ZeroDivisionError, match="the author's mistake"):
        cutpurse_sdk.simulate(fail, matches=4)
