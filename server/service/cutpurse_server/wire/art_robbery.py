"""Art Robbery's views and actions. Cards and tiles are the same small numbers in the rules and on the wire."""

from __future__ import annotations

from typing import Any

from cutpurse.v1 import art_robbery_pb2, game_pb2
from cutpurse_rules.art_robbery.actions import ArtRobberyAction, Give, Play
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.art_robbery.view import ArtRobberyView
from cutpurse_server.wire.components import by_seat, name_of

__all__ = ["ART_ROBBERY_WIRE"]

# Cards and tiles are plain numbers in the rules and have types of their own in the generated code; a test compares.
_Play: Any = art_robbery_pb2.ArtRobberyPlay
_STEPS = {
    "TURN": art_robbery_pb2.ART_ROBBERY_STEP_TURN,
    "ANSWER": art_robbery_pb2.ART_ROBBERY_STEP_ANSWER,
    "OVER": art_robbery_pb2.ART_ROBBERY_STEP_OVER,
}


class _ArtRobberyWire:
    """See `GameWire`."""

    def fill_view(self, view: ArtRobberyView, message: game_pb2.View) -> None:
        """A seat's view."""
        assert view.seat is not None, "a spectator has no seat"
        assert view.hand is not None, "a spectator has no hand"
        seen: Any = message.art_robbery
        seen.seat = view.seat
        seen.hand.extend(view.hand)
        _fill_table(view, seen.table)

    def fill_public_view(self, view: ArtRobberyView, message: game_pb2.PublicView) -> None:
        """The spectators' view: the table, which has no field for a hand."""
        _fill_table(view, message.art_robbery)

    def action_to_proto(self, action: ArtRobberyAction) -> game_pb2.Action:
        """An action as a typed message."""
        if isinstance(action, Play):
            play = _Play(card=action.card, tile=action.tile or 0, from_seat=action.source)
            return game_pb2.Action(art_robbery=art_robbery_pb2.ArtRobberyAction(play=play))
        assert isinstance(action, Give)
        if action.dog:
            given = art_robbery_pb2.ArtRobberyAction(give_dog=art_robbery_pb2.ArtRobberyGiveDog())
        else:
            given = art_robbery_pb2.ArtRobberyAction(give_tile=art_robbery_pb2.ArtRobberyGiveTile())
        return game_pb2.Action(art_robbery=given)

    def notation_from_proto(self, action: game_pb2.Action) -> str:
        """The notation of a typed action; of one with numbers that no card or tile has, a text that never parses."""
        given = action.art_robbery
        match given.WhichOneof("action"):
            case "give_tile":
                return "give tile"
            case "give_dog":
                return "give dog"
            case "play":
                play = given.play
                text = f"play {name_of(CARDS, play.card)}"
                if play.tile:
                    source = play.from_seat if play.HasField("from_seat") else "middle"
                    text += f" take {name_of(TILES, play.tile)} from {source}"
                return text
            case _:
                return ""


ART_ROBBERY_WIRE = _ArtRobberyWire()


def _fill_table(view: ArtRobberyView, table: Any) -> None:
    table.heist = view.heist
    table.turn = view.turn
    table.turn_seat = view.turn_seat
    table.step = _STEPS[view.step]
    table.asked.extend(view.asked)
    table.hand_sizes.extend(view.hand_sizes)
    table.middle.extend(view.middle)
    tiles, seats = by_seat(view.front)
    table.front.extend(tiles)
    table.front_seats.extend(seats)
    tiles, seats = by_seat(view.safe)
    table.safe.extend(tiles)
    table.safe_seats.extend(seats)
    table.out.extend(view.out)
    if view.dog is not None:
        table.dog = view.dog
    if view.taking is not None:
        taking = table.taking
        taking.card = view.taking.card
        taking.seat = view.taking.seat
        taking.from_seat = view.taking.from_seat
        taking.tile = view.taking.tile
    table.discards.extend(view.discards)
    table.pile_size = view.pile_size
