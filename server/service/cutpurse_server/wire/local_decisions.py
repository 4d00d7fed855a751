"""The open decision of a match that no service plays: what `cutpurse match` asks a house bot."""

from __future__ import annotations

from typing import Any

from cutpurse.v1 import match_pb2
from cutpurse_rules.contract import Game, Seat
from cutpurse_server.wire.games import GAME_WIRE

__all__ = ["local_decision_to_proto"]

_MATCH = "local"
_UNHURRIED_MS = 3_600_000
"""What a bot is told that it has left: nobody looks at a clock here."""


def local_decision_to_proto(game: Game[Any, Any, Any], state: Any, seat: Seat, number: int) -> match_pb2.Decision:
    """The seat's decision as the service would send it; `number` counts the seat's own, from 1."""
    decision = match_pb2.Decision(
        match=_MATCH,
        decision=number,
        seat=seat,
        legal=[action.notation for action in game.legal(state, seat)],
        decision_ms_left=_UNHURRIED_MS,
        bank_ms_left=_UNHURRIED_MS,
    )
    GAME_WIRE[game.id].fill_view(game.view(state, seat), decision.view)
    return decision
