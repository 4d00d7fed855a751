"""Greedy: the action that promises most for the moment. One file for each game says what that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutpurse.v1.match_pb2 import Decision
from cutpurse_bots import greedy_art_robbery, greedy_big_max, greedy_shadow_thief

__all__ = ["choose"]

GAMES: Mapping[str, Callable[[Decision, bytes], str]] = {
    "art_robbery": greedy_art_robbery.choose,
    "big_max": greedy_big_max.choose,
    "shadow_thief": greedy_shadow_thief.choose,
}
"""By the field of the view that holds the game."""


def choose(decision: Decision, key: bytes) -> str:
    """The notation of the chosen action. A game that greedy does not know is played as `first` plays it."""
    play = GAMES.get(decision.view.WhichOneof("game") or "")
    return play(decision, key) if play is not None else decision.legal[0]
