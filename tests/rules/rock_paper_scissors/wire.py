"""How the toy game's views and actions travel: what a game's module in `cutpurse_server.wire` does."""

from __future__ import annotations

from tests.rules.rock_paper_scissors.gen.rock_paper_scissors.v1 import rock_paper_scissors_pb2 as messages
from tests.rules.rock_paper_scissors.state import SHAPES, RockPaperScissorsView, Show

__all__ = ["ROCK_PAPER_SCISSORS_WIRE"]


class _RockPaperScissorsWire:
    """See `cutpurse_server.wire.games.GameWire`; the message types are the test-only stand-ins."""

    def fill_view(self, view: RockPaperScissorsView, message: messages.View) -> None:
        """Write a seat's view into the empty message."""
        assert view.seat is not None
        own = message.rock_paper_scissors
        own.seat = view.seat
        if view.choice is not None:
            own.choice = messages.Shape.ValueType(view.choice.shape)
        _fill_table(view, own.table)

    def fill_public_view(self, view: RockPaperScissorsView, message: messages.PublicView) -> None:
        """Write the spectators' view into the empty message."""
        assert view.choice is None
        _fill_table(view, message.rock_paper_scissors)

    def action_to_proto(self, action: Show) -> messages.Action:
        """An action as a typed message."""
        shape = messages.Shape.ValueType(action.shape)
        return messages.Action(rock_paper_scissors=messages.RockPaperScissorsAction(shape=shape))

    def notation_from_proto(self, action: messages.Action) -> str:
        """The notation of a typed action; of one with a number that no shape has, a text that never parses."""
        shape: int = action.rock_paper_scissors.shape
        return f"show {SHAPES[shape - 1] if 1 <= shape <= len(SHAPES) else '?'}"


ROCK_PAPER_SCISSORS_WIRE = _RockPaperScissorsWire()


def _fill_table(view: RockPaperScissorsView, table: messages.RockPaperScissorsTable) -> None:
    table.asked.extend(view.asked)
    table.first_hand.extend(map(messages.Shape.ValueType, view.hands[0]))
    table.second_hand.extend(map(messages.Shape.ValueType, view.hands[1]))
    table.stake = view.stake
    table.points.extend(view.points)
