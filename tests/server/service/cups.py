"""A small tournament on the running service."""

from __future__ import annotations

from cutpurse.v1 import match_pb2, tournament_pb2
from tests.server.service.arena import Arena, clock

__all__ = ["begin_tournament"]


async def begin_tournament(arena: Arena, **options: str) -> None:
    """Start `cup`: one block of ann and ben, whose two matches are played one after the other."""
    stub, metadata = arena.stub("TournamentService"), arena.metadata("organiser")
    manifest = tournament_pb2.TournamentManifest(
        tournament="cup",
        configuration=match_pb2.MatchConfiguration(game="art_robbery", clock=clock(), options=options),
        format=tournament_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
        players=2,
        rounds=1,
        concurrency=1,
    )
    await stub.CreateTournament(tournament_pb2.CreateTournamentRequest(manifest=manifest), metadata=metadata)
    for bot in ("ann", "ben"):
        await stub.EnterTournament(tournament_pb2.EnterTournamentRequest(tournament="cup", bot=bot), metadata=metadata)
    await stub.StartTournament(tournament_pb2.StartTournamentRequest(tournament="cup"), metadata=metadata)
