"""Rock, paper, scissors played by the real service: its tables know the toy for as long as a test runs."""

from __future__ import annotations

from typing import Any

import pytest

from cutpurse.v1 import game_pb2
from cutpurse_rules import GAMES
from cutpurse_server.matches import beginning, record
from cutpurse_server.wire.games import GAME_WIRE
from tests.rules.rock_paper_scissors.game import RockPaperScissors
from tests.rules.rock_paper_scissors.gen.rock_paper_scissors.v1 import rock_paper_scissors_pb2 as messages
from tests.rules.rock_paper_scissors.state import RockPaperScissorsView, Show
from tests.rules.rock_paper_scissors.wire import ROCK_PAPER_SCISSORS_WIRE

__all__ = ["register_toy_game"]

_FIELD = b"\xc2\x3e"
"""Field 1000, length-delimited: a game that the contract's messages do not know travels as a field that they keep."""


class _Wire:
    """See `cutpurse_server.wire.games.GameWire`."""

    def fill_view(self, view: RockPaperScissorsView, message: game_pb2.View) -> None:
        own = messages.View()
        ROCK_PAPER_SCISSORS_WIRE.fill_view(view, own)
        _keep(own, message)

    def fill_public_view(self, view: RockPaperScissorsView, message: game_pb2.PublicView) -> None:
        own = messages.PublicView()
        ROCK_PAPER_SCISSORS_WIRE.fill_public_view(view, own)
        _keep(own, message)

    def action_to_proto(self, action: Show) -> game_pb2.Action:
        message = game_pb2.Action()
        _keep(ROCK_PAPER_SCISSORS_WIRE.action_to_proto(action), message)
        return message

    def notation_from_proto(self, action: game_pb2.Action) -> str:
        return ""


def _keep(own: Any, message: Any) -> None:
    content = own.SerializeToString(deterministic=True)
    assert len(content) < 128
    message.MergeFromString(_FIELD + bytes([len(content)]) + content)


def register_toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service play the toy until the test is over."""
    games = {**GAMES, "rock_paper_scissors": RockPaperScissors()}
    for module in (beginning, record):
        monkeypatch.setattr(module, "GAMES", games)
    monkeypatch.setitem(GAME_WIRE, "rock_paper_scissors", _Wire())
