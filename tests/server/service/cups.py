"""A small tournament on the running service."""

from __future__ import annotations

from collections.abc import Sequence

from cutpurse.v1 import match_pb2, tournament_pb2
from tests.server.service.arena import Arena, clock

__all__ = ["begin_tournament"]


async def begin_tournament(
    arena: Arena,
    /,
    bots: Sequence[str] = ("ann", "ben"),
    rounds: int = 1,
    openings: tournament_pb2.Openings.ValueType = tournament_pb2.OPENINGS_BLOCK,
    **options: str,
) -> None:
    """Start `cup` at tables of two, one match after the other; as it stands, one block of ann and ben."""
    stub, metadata = arena.stub("TournamentService"), arena.metadata("organiser")
    manifest = tournament_pb2.TournamentManifest(
        tournament="cup",
        configuration=match_pb2.MatchConfiguration(game="art_robbery", clock=clock(), options=options),
        format=tournament_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
        players=2,
        rounds=rounds,
        concurrency=1,
        openings=openings,
    )
    await stub.CreateTournament(tournament_pb2.CreateTournamentRequest(manifest=manifest), metadata=metadata)
    for bot in bots:
        await stub.EnterTournament(tournament_pb2.EnterTournamentRequest(tournament="cup", bot=bot), metadata=metadata)
    await stub.StartTournament(tournament_pb2.StartTournamentRequest(tournament="cup"), metadata=metadata)
