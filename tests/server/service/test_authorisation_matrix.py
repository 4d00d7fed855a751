"""Every method for every role and every kind of target: own, other people's, missing, over. No cell is left out.

The methods come from the descriptors, the roles from their enum; what each cell must answer is written down here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import grpc
import pytest

from cutpurse.v1 import audit_pb2, bot_pb2, game_pb2, identity_pb2, match_pb2, tournament_pb2
from cutpurse_server.identity import Role
from tests.server.service.arena import PATIENCE_S, Arena, clock, open_arena, refusal_of
from tests.server.service.test_roles_and_tokens import PATHS

# `-` is a cell that cannot be: who has no seat has no match of its own.
MATCHES = """
                  own                 other           missing        own-over           other-over
GetMatch
  BOT             OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  PLAYER          OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  ORGANISER       -                   OK              MATCH_UNKNOWN  -                  OK
  SPECTATOR       -                   OK              MATCH_UNKNOWN  -                  OK
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
GetView
  BOT             OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  PLAYER          OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  ORGANISER       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  SPECTATOR       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
ListLegalActions
  BOT             OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  DECISION_NOT_OPEN  MATCH_UNKNOWN
  PLAYER          DECISION_NOT_OPEN   MATCH_UNKNOWN   MATCH_UNKNOWN  DECISION_NOT_OPEN  MATCH_UNKNOWN
  ORGANISER       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  SPECTATOR       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
SubmitChoice
  BOT             OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  MATCH_OVER         MATCH_UNKNOWN
  PLAYER          OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  MATCH_OVER         MATCH_UNKNOWN
  ORGANISER       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  SPECTATOR       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
WatchMatch
  BOT             OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  PLAYER          OK                  MATCH_UNKNOWN   MATCH_UNKNOWN  OK                 MATCH_UNKNOWN
  ORGANISER       -                   OK              MATCH_UNKNOWN  -                  OK
  SPECTATOR       -                   OK              MATCH_UNKNOWN  -                  OK
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
AbortMatch
  BOT             ROLE_FORBIDDEN      ROLE_FORBIDDEN  ROLE_FORBIDDEN ROLE_FORBIDDEN     ROLE_FORBIDDEN
  PLAYER          ROLE_FORBIDDEN      ROLE_FORBIDDEN  ROLE_FORBIDDEN ROLE_FORBIDDEN     ROLE_FORBIDDEN
  ORGANISER       -                   OK              MATCH_UNKNOWN  -                  OK
  SPECTATOR       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  AUDITOR         -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
ExportBundle
  BOT             ROLE_FORBIDDEN      ROLE_FORBIDDEN  ROLE_FORBIDDEN ROLE_FORBIDDEN     ROLE_FORBIDDEN
  PLAYER          ROLE_FORBIDDEN      ROLE_FORBIDDEN  ROLE_FORBIDDEN ROLE_FORBIDDEN     ROLE_FORBIDDEN
  ORGANISER       -                   NOT_OPENED_YET  MATCH_UNKNOWN  -                  OK
  SPECTATOR       -                   ROLE_FORBIDDEN  ROLE_FORBIDDEN -                  ROLE_FORBIDDEN
  AUDITOR         -                   NOT_OPENED_YET  MATCH_UNKNOWN  -                  OK
"""
"""About a match: `other` is one in which the caller has no seat, `over` one that was ended."""

TOURNAMENTS = """
                    entries         running         missing
EnterTournament
  ORGANISER         OK              WRONG_PHASE     TOURNAMENT_UNKNOWN
StartTournament
  ORGANISER         OK              OK              TOURNAMENT_UNKNOWN
GetTournament
  ALL               OK              OK              TOURNAMENT_UNKNOWN
WatchTournament
  ALL               OK              OK              TOURNAMENT_UNKNOWN
GetStandings
  ALL               OK              OK              TOURNAMENT_UNKNOWN
WithdrawEntrant
  ORGANISER         OK              OK              TOURNAMENT_UNKNOWN
DisqualifyEntrant
  ORGANISER         OK              OK              TOURNAMENT_UNKNOWN
PauseTournament
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
ResumeTournament
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
VoidBlock
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
QuarantineEntrant
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
ReleaseEntrant
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
GetBotLog
  BOT               OK              OK              TOURNAMENT_UNKNOWN
  PLAYER            BOT_UNKNOWN     BOT_UNKNOWN     TOURNAMENT_UNKNOWN
  ORGANISER         OK              OK              TOURNAMENT_UNKNOWN
FinishTournament
  ORGANISER         WRONG_PHASE     OK              TOURNAMENT_UNKNOWN
"""
"""About a tournament, which is everybody's; what is not listed for a role is ROLE_FORBIDDEN whatever the target."""

OTHERS = """
                    known           missing
ListGames
  ALL               OK              OK
GetGame
  ALL               OK              GAME_UNKNOWN
GetIdentity
  ALL               OK              OK
RegisterBot
  ORGANISER         OK              OK
IssueToken
  ORGANISER         OK              BOT_UNKNOWN
RevokeToken
  ORGANISER         OK              MALFORMED
ListBots
  ORGANISER         OK              OK
ListTokens
  ORGANISER         OK              OK
CreateMatch
  ORGANISER         OK              BOT_UNKNOWN
CreateTournament
  ORGANISER         NAME_TAKEN      GAME_UNKNOWN
ListTournaments
  ORGANISER         OK              OK
  AUDITOR           OK              OK
Connect
  BOT               OK              BOT_UNKNOWN
  PLAYER            OK              BOT_UNKNOWN
"""
"""About neither: what the request names is there, or is not."""

ROLES = [role.name for role in Role]
Cells = dict[tuple[str, str, str], str]
"""What is answered, by method, role and target."""


def cells(table: str) -> Iterator[tuple[tuple[str, str, str], str]]:
    """The cells of a table; a role ALL stands for every one."""
    head, *lines = table.strip("\n").splitlines()
    targets = head.split()
    method = ""
    for line in lines:
        if not line.startswith(" "):
            method = line.strip()
            continue
        name, *answers = line.split()
        assert len(answers) == len(targets), line
        for role in ROLES if name == "ALL" else [name]:
            for target, answer in zip(targets, answers, strict=True):
                yield (method, role, target), answer


def filled(table: str) -> Cells:
    """The table with the roles that it does not list, which are forbidden everything."""
    listed = dict(cells(table))
    assert len(listed) == len(list(cells(table))), "a cell is listed twice"
    methods = dict.fromkeys(method for method, _, _ in listed)
    targets = dict.fromkeys(target for _, _, target in listed)
    return {
        (method, role, target): listed.get((method, role, target), "ROLE_FORBIDDEN")
        for method in methods
        for role in ROLES
        for target in targets
    }


def test_no_method_of_the_contract_is_without_its_cells() -> None:
    named = [method for table in (MATCHES, TOURNAMENTS, OTHERS) for method in {key[0] for key in filled(table)}]

    assert sorted(named) == sorted(path.rpartition("/")[2] for path in PATHS)
    for (method, role, target), _ in filled(MATCHES).items():
        assert (method, role, target) in dict(cells(MATCHES)), "about matches, every cell is written down"


@pytest.fixture
async def house() -> AsyncIterator[tuple[Arena, dict[str, str]]]:
    """A service with a bot ann, a person pat, others, and matches of every kind; and the matches' names by target."""
    async with open_arena(bots=("ann", "ben", "cat", "pat")) as arena:
        arena.tokens["BOT"] = arena.tokens["ann"]
        arena.tokens["PLAYER"], _ = await arena.service.registry.issue_token(Role.PLAYER, "pat")
        for role in ("ORGANISER", "SPECTATOR", "AUDITOR"):
            arena.tokens[role] = arena.tokens[role.lower()]
        # Where seat 0 is ann's, it is her turn; when she has chosen, pat's.
        names = {"missing": "m-unknown"}
        for target, bots in {"own": ["ann", "pat"], "other": ["ben", "cat"]}.items():
            names[target], _ = await arena.start(bots)
            names[f"{target}-over"], _ = await arena.start(bots)
            over = match_pb2.AbortMatchRequest(match=names[f"{target}-over"])
            await arena.ask("organiser", "AbortMatch", over)
        yield arena, names


def about_match(method: str, match: str, once: bytes) -> Any:
    """A request about a match that is right in everything else."""
    if method == "SubmitChoice":
        return match_pb2.SubmitChoiceRequest(choice=match_pb2.Choice(match=match, decision=1, request_id=once, index=0))
    if method == "ExportBundle":
        return audit_pb2.ExportBundleRequest(match=match)
    return getattr(match_pb2, f"{method}Request")(match=match)


async def answer(arena: Arena, role: str, method: str, request: Any) -> str:
    """OK, or the reason of the refusal; of a stream, what its first frame is."""
    (path,) = (path for path in PATHS if path.endswith(f"/{method}"))
    descriptor = PATHS[path]
    call = getattr(arena.stub(descriptor.containing_service.name), method)
    try:
        async with asyncio.timeout(PATIENCE_S):
            if descriptor.client_streaming:
                stream = call(metadata=arena.metadata(role))
                await stream.write(request)
                frame = await stream.read()
                assert frame is not grpc.aio.EOF
                stream.cancel()
            elif descriptor.server_streaming:
                stream = call(request, metadata=arena.metadata(role))
                assert await stream.read() is not grpc.aio.EOF
                stream.cancel()
            else:
                await call(request, metadata=arena.metadata(role))
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "OK"


async def test_about_matches_every_cell_is_as_written(house: tuple[Arena, dict[str, str]]) -> None:
    arena, names = house
    expected = {key: cell for key, cell in filled(MATCHES).items() if cell != "-"}
    # What ends a match comes last, so that it ends nothing that another cell needs.
    order = sorted(expected, key=lambda key: (key[0] == "AbortMatch", key[0] == "SubmitChoice"))

    answers: Cells = {}
    for number, (method, role, target) in enumerate(order):
        request = about_match(method, names[target], f"{number}".encode())
        answers[method, role, target] = await answer(arena, role, method, request)

    assert answers == expected


def about_tournament(method: str, tournament: str) -> Any:
    """A request about a tournament that is right in everything else."""
    given: Mapping[str, Mapping[str, Any]] = {
        "EnterTournament": {"bot": "cat"},
        "WithdrawEntrant": {"bot": "ann"},
        "DisqualifyEntrant": {"bot": "ann", "text": "it cheated"},
        "VoidBlock": {"round": 1, "table": 1, "text": "the wrong game"},
        "QuarantineEntrant": {"bot": "ann", "text": "it does not come"},
        "ReleaseEntrant": {"bot": "ann"},
        "GetBotLog": {"bot": "ann"},
        "FinishTournament": {"text": "the hall closes"},
    }
    return getattr(tournament_pb2, f"{method}Request")(tournament=tournament, **given.get(method, {}))


def manifest(tournament: str, game: str = "art_robbery", rounds: int = 1) -> tournament_pb2.TournamentManifest:
    """A small tournament."""
    return tournament_pb2.TournamentManifest(
        tournament=tournament,
        configuration=match_pb2.MatchConfiguration(game=game, clock=clock()),
        format=tournament_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
        players=2,
        rounds=rounds,
        concurrency=1,
    )


async def begin(arena: Arena, name: str, *, started: bool) -> None:
    """A tournament of ann and ben that takes entries, or is running."""
    stub, organiser = arena.stub("TournamentService"), arena.metadata("organiser")
    await stub.CreateTournament(tournament_pb2.CreateTournamentRequest(manifest=manifest(name)), metadata=organiser)
    for bot in ("ann", "ben"):
        entry = tournament_pb2.EnterTournamentRequest(tournament=name, bot=bot)
        await stub.EnterTournament(entry, metadata=organiser)
    if started:
        await stub.StartTournament(tournament_pb2.StartTournamentRequest(tournament=name), metadata=organiser)


async def test_about_tournaments_every_cell_is_as_written(house: tuple[Arena, dict[str, str]]) -> None:
    arena, _ = house
    expected = filled(TOURNAMENTS)
    await begin(arena, "entries", started=False)
    await begin(arena, "running", started=True)
    answers: Cells = {}

    for number, (method, role, target) in enumerate(expected):
        name = target
        if not method.startswith(("Get", "Watch")) and expected[method, role, target] == "OK":
            # One of its own, since the cell changes it.
            name = f"cup-{number}"
            await begin(arena, name, started=target == "running")
        answers[method, role, target] = await answer(arena, role, method, about_tournament(method, name))

    assert answers == expected


def about_other(method: str, target: str, once: str, token_id: str) -> Any:
    """A request that names something that is there, or is not."""
    known = target == "known"
    requests: Mapping[str, Any] = {
        "ListGames": game_pb2.ListGamesRequest(),
        "GetGame": game_pb2.GetGameRequest(game="art_robbery" if known else "chess"),
        "GetIdentity": identity_pb2.GetIdentityRequest(),
        "RegisterBot": identity_pb2.RegisterBotRequest(
            bot=identity_pb2.BotDescription(bot=f"bot-{once}", owner="somebody")
        ),
        "IssueToken": identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot="ann" if known else "nobody"),
        "RevokeToken": identity_pb2.RevokeTokenRequest(token_id=token_id if known else "0" * len(token_id)),
        "ListBots": identity_pb2.ListBotsRequest(),
        "ListTokens": identity_pb2.ListTokensRequest(bot="ann" if known else "nobody"),
        "CreateMatch": match_pb2.CreateMatchRequest(
            configuration=match_pb2.MatchConfiguration(game="art_robbery", clock=clock()),
            bots=["ann", "ben" if known else "nobody"],
            request_id=once.encode(),
        ),
        "CreateTournament": tournament_pb2.CreateTournamentRequest(
            manifest=manifest("taken", rounds=2) if known else manifest(f"cup-{once}", "chess")
        ),
        "ListTournaments": tournament_pb2.ListTournamentsRequest(after="" if known else "zebra"),
        "Connect": bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1, bot="" if known else "nobody")),
    }
    return requests[method]


async def test_about_everything_else_every_cell_is_as_written(house: tuple[Arena, dict[str, str]]) -> None:
    arena, _ = house
    request = tournament_pb2.CreateTournamentRequest(manifest=manifest("taken"))
    await arena.stub("TournamentService").CreateTournament(request, metadata=arena.metadata("organiser"))
    _, token_id = await arena.service.registry.issue_token(Role.SPECTATOR)
    expected = filled(OTHERS)

    answers = {
        (method, role, target): await answer(arena, role, method, about_other(method, target, f"{number}", token_id))
        for number, (method, role, target) in enumerate(expected)
    }

    assert answers == expected
