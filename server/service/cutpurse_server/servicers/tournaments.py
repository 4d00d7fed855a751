"""TournamentService: running tournaments."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cutpurse.v1 import tournament_pb2, tournament_pb2_grpc
from cutpurse_server.identity import Role
from cutpurse_server.servicers.gate import current_caller
from cutpurse_server.tournaments import Overview, Tournaments
from cutpurse_server.tournaments.events import LeaveCause
from cutpurse_server.tournaments.schedule import BlockKey
from cutpurse_server.wire.tournament_events import (
    entrant_to_proto,
    manifest_from_request,
    manifest_to_proto,
    standing_to_proto,
)
from cutpurse_server.wire.tournament_notices import bot_log_to_proto, notice_to_proto

__all__ = ["TournamentServicer"]

_NAMES_AT_ONCE = 500


class TournamentServicer(tournament_pb2_grpc.TournamentServiceServicer):
    """Passes on to the tournaments."""

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
        await self._tournaments.enter(request.tournament, request.bot, request.rank)
        return tournament_pb2.EnterTournamentResponse()

    async def StartTournament(
        self, request: tournament_pb2.StartTournamentRequest, context: Any
    ) -> tournament_pb2.StartTournamentResponse:
        """The end of the entries."""
        await self._tournaments.start(request.tournament)
        return tournament_pb2.StartTournamentResponse()

    async def ListTournaments(
        self, request: tournament_pb2.ListTournamentsRequest, context: Any
    ) -> tournament_pb2.ListTournamentsResponse:
        """Which there are."""
        names = await self._tournaments.names(request.after)
        return tournament_pb2.ListTournamentsResponse(
            tournaments=names[:_NAMES_AT_ONCE], more=len(names) > _NAMES_AT_ONCE
        )

    async def GetTournament(
        self, request: tournament_pb2.GetTournamentRequest, context: Any
    ) -> tournament_pb2.GetTournamentResponse:
        """Where it stands."""
        overview = await self._tournaments.get(request.tournament)
        return tournament_pb2.GetTournamentResponse(
            manifest=manifest_to_proto(overview.manifest),
            entrants=[
                entrant_to_proto(each, overview.left.get(each.bot), quarantined=each.bot in overview.quarantined)
                for each in overview.entrants
            ],
            progress=_progress_to_proto(overview),
            notices=[notice_to_proto(each) for each in overview.told],
        )

    async def WatchTournament(
        self, request: tournament_pb2.WatchTournamentRequest, context: Any
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """Where it stands, again and again."""
        told = 0
        async with aclosing(self._tournaments.watch(request.tournament)) as overviews:
            async for overview in overviews:
                yield tournament_pb2.WatchTournamentResponse(
                    progress=_progress_to_proto(overview),
                    standings=[standing_to_proto(each) for each in overview.standings],
                    notices=[notice_to_proto(each) for each in overview.told[told:]],
                )
                told = len(overview.told)

    async def GetStandings(
        self, request: tournament_pb2.GetStandingsRequest, context: Any
    ) -> tournament_pb2.GetStandingsResponse:
        """The standings."""
        standings = await self._tournaments.standings(request.tournament)
        return tournament_pb2.GetStandingsResponse(standings=[standing_to_proto(each) for each in standings])

    async def WithdrawEntrant(
        self, request: tournament_pb2.WithdrawEntrantRequest, context: Any
    ) -> tournament_pb2.WithdrawEntrantResponse:
        """A bot goes."""
        await self._tournaments.leave(request.tournament, request.bot, LeaveCause.WITHDRAWN, request.text)
        return tournament_pb2.WithdrawEntrantResponse()

    async def DisqualifyEntrant(
        self, request: tournament_pb2.DisqualifyEntrantRequest, context: Any
    ) -> tournament_pb2.DisqualifyEntrantResponse:
        """A bot must go."""
        await self._tournaments.leave(request.tournament, request.bot, LeaveCause.DISQUALIFIED, request.text)
        return tournament_pb2.DisqualifyEntrantResponse()

    async def PauseTournament(
        self, request: tournament_pb2.PauseTournamentRequest, context: Any
    ) -> tournament_pb2.PauseTournamentResponse:
        """A break."""
        await self._tournaments.pause(request.tournament, request.text)
        return tournament_pb2.PauseTournamentResponse()

    async def ResumeTournament(
        self, request: tournament_pb2.ResumeTournamentRequest, context: Any
    ) -> tournament_pb2.ResumeTournamentResponse:
        """The end of the break."""
        await self._tournaments.resume(request.tournament)
        return tournament_pb2.ResumeTournamentResponse()

    async def VoidBlock(
        self, request: tournament_pb2.VoidBlockRequest, context: Any
    ) -> tournament_pb2.VoidBlockResponse:
        """A block that does not count."""
        block = request.match or BlockKey(request.round, request.table)
        await self._tournaments.void_block(request.tournament, block, request.text)
        return tournament_pb2.VoidBlockResponse()

    async def FinishTournament(
        self, request: tournament_pb2.FinishTournamentRequest, context: Any
    ) -> tournament_pb2.FinishTournamentResponse:
        """The end, now."""
        await self._tournaments.cut_short(request.tournament, request.text)
        return tournament_pb2.FinishTournamentResponse()

    async def QuarantineEntrant(
        self, request: tournament_pb2.QuarantineEntrantRequest, context: Any
    ) -> tournament_pb2.QuarantineEntrantResponse:
        """A bot that nobody waits for."""
        await self._tournaments.quarantine(request.tournament, request.bot, request.text)
        return tournament_pb2.QuarantineEntrantResponse()

    async def ReleaseEntrant(
        self, request: tournament_pb2.ReleaseEntrantRequest, context: Any
    ) -> tournament_pb2.ReleaseEntrantResponse:
        """A bot that is waited for again."""
        await self._tournaments.release(request.tournament, request.bot, request.text)
        return tournament_pb2.ReleaseEntrantResponse()

    async def GetBotLog(
        self, request: tournament_pb2.GetBotLogRequest, context: Any
    ) -> tournament_pb2.GetBotLogResponse:
        """A bot's own log."""
        caller = current_caller()
        asker = None if caller.role is Role.ORGANISER else caller.bot
        log = await self._tournaments.bot_log(request.tournament, request.bot or caller.bot, request.after, asker)
        return bot_log_to_proto(log)


def _progress_to_proto(overview: Overview) -> tournament_pb2.TournamentProgress:
    progress = overview.progress
    return tournament_pb2.TournamentProgress(
        phase=tournament_pb2.TournamentPhase.ValueType(progress.phase),
        matches_done=progress.matches_done,
        matches_running=progress.matches_running,
        matches_total=progress.matches_total,
        decisions=progress.decisions,
        paused=progress.paused,
        rounds=progress.rounds,
        verdict=tournament_pb2.GauntletVerdict.ValueType(progress.verdict or 0),
        quarantined=sorted(overview.quarantined),
    )
