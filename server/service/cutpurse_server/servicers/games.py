"""GameService: what games there are."""

from __future__ import annotations

from typing import Any

from cutpurse.v1 import game_pb2, game_pb2_grpc
from cutpurse_rules import GAMES
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.wire.games import description_to_proto

__all__ = ["GameServicer"]


class GameServicer(game_pb2_grpc.GameServiceServicer):
    """Answers from the table of games."""

    async def ListGames(self, request: game_pb2.ListGamesRequest, context: Any) -> game_pb2.ListGamesResponse:
        """All games, by identifier."""
        return game_pb2.ListGamesResponse(games=[description_to_proto(GAMES[game]) for game in sorted(GAMES)])

    async def GetGame(self, request: game_pb2.GetGameRequest, context: Any) -> game_pb2.GetGameResponse:
        """One game."""
        if request.game not in GAMES:
            raise ServiceError(ErrorReason.GAME_UNKNOWN)
        return game_pb2.GetGameResponse(game=description_to_proto(GAMES[request.game]))
