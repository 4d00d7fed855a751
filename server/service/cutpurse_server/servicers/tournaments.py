"""TournamentService: running tournaments."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cutpurse.v1 import tournament_pb2, tournament_pb2_grpc
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.tournaments import Overview, Tournaments
from cutpurse_server.wire.tournament_events import manifest_from_request, manifest_to_proto, standing_to_proto

__all__ = ["TournamentServicer"]


class TournamentServicer(tournament_pb2_grpc.TournamentServiceServicer):
    """Passes on to the tournaments; what is not in this version says so."""

    def __init__(self, tournaments: Tournaments) -> None:
        self._tournaments = tournaments

    async def CreateTournament(
        self, request: tournament_pb2.CreateTournamentRequest, context: Any
    ) -> tournament_pb2.CreateTournamentResponse:
        """A new tournament."""
        manifest = await self._tournaments.create(manifest_from_request(request.manifest, request.seed))
        return tournament_pb2.CreateTournamentResponse(manifest=manifest_to_proto(manifest))

    async def EnterTournament(
        self, request: tournament_pb2.EnterTournamentRequest, context: Any
    ) -> tournament_pb2.EnterTournamentResponse:
        """An entrant."""
        await self._tournaments.enter(request.tournament, request.bot)
        return tournament_pb2.EnterTournamentResponse()

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Any
    ) -> tournament_pb2.StartTournamentResponse:
        """The end of the entries."""
        await self._tournaments.start(request.tournament)
        return tournament_pb2.StartTournamentResponse()

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Any
    ) -> tournament_pb2.GetTournamentResponse:
        """Where it stands."""
        overview = await self._tournaments.get(request.tournament)
        return tournament_pb2.GetTournamentResponse(
            manifest=manifest_to_proto(overview.manifest),
            entrants=[tournament_pb2.Entrant(bot=each.bot, owner=each.owner) for each in overview.entrants],
            progress=_progress_to_proto(overview),
        )

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Any
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Where it stands, again and again."""
        async with aclosing(self._tournaments.watch(request.tournament)) as overviews:
            async for overview in overviews:
                yield tournament_pb2.WatchTournamentResponse(
                    progress=_progress_to_proto(overview),
                    standings=[standing_to_proto(each) for each in overview.standings],
                )

    async def GetStandings(
        self, request: tournament_pb2.GetStandingsRequest, context: Any
    ) -> tournament_pb2.GetStandingsResponse:
        """The standings."""
        standings = await self._tournaments.standings(request.tournament)
        return tournament_pb2.GetStandingsResponse(standings=[standing_to_proto(each) for each in standings])

    async def WithdrawEntrant(self, request: Any, context: Any) -> tournament_pb2.WithdrawEntrantResponse:
        """Not in this version."""
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED)

    async def PauseTournament(self, request: Any, context: Any) -> tournament_pb2.PauseTournamentResponse:
        """Not in this version."""
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED)

    async def ResumeTournament(self, request: Any, context: Any) -> tournament_pb2.ResumeTournamentResponse:
        """Not in this version."""
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED)

    async def VoidBlock(self, request: Any, context: Any) -> tournament_pb2.VoidBlockResponse:
        """Not in this version."""
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED)


def _progress_to_proto(overview: Overview) -> tournament_pb2.TournamentProgress:
    progress = overview.progress
    return tournament_pb2.TournamentProgress(
        phase=tournament_pb2.TournamentPhase.ValueType(progress.phase),
        matches_done=progress.matches_done,
        matches_running=progress.matches_running,
        matches_total=progress.matches_total,
        decisions=progress.decisions,
    )
