"""Art Robbery's views and actions. Cards and tiles are the same small numbers in the rules and on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutpurse.v1 import art_robbery_pb2, game_pb2
from cutpurse_rules.art_robbery.actions import ArtRobberyAction, Give, Play
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.tiles import TILES, Tile
from cutpurse_rules.art_robbery.view import ArtRobberyView

__all__ = ["ART_ROBBERY_WIRE"]

# Cards and tiles are plain numbers in the rules and have types of their own in the generated code; a test compares.
_Table: Any = art_robbery_pb2.ArtRobberyTable
_View: Any = art_robbery_pb2.ArtRobberyView
_Play: Any = art_robbery_pb2.ArtRobberyPlay
_Taking: Any = art_robbery_pb2.ArtRobberyTaking
_STEPS = {
    "TURN": art_robbery_pb2.ART_ROBBERY_STEP_TURN,
    "ANSWER": art_robbery_pb2.ART_ROBBERY_STEP_ANSWER,
    "OVER": art_robbery_pb2.ART_ROBBERY_STEP_OVER,
}


class _ArtRobberyWire:
    """See `GameWire`."""

    def view_to_proto(self, view: ArtRobberyView) -> game_pb2.View:
        """A seat's view."""
        assert view.seat is not None, "a spectator has no seat"
        assert view.hand is not None, "a spectator has no hand"
        return game_pb2.View(art_robbery=_View(seat=view.seat, hand=view.hand, table=_table(view)))

    def public_view_to_proto(self, view: ArtRobberyView) -> game_pb2.PublicView:
        """The spectators' view: the table, which has no field for a hand."""
        return game_pb2.PublicView(art_robbery=_table(view))

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
                text = f"play {_name(CARDS, play.card)}"
                if play.tile:
                    source = play.from_seat if play.HasField("from_seat") else "middle"
                    text += f" take {_name(TILES, play.tile)} from {source}"
                return text
            case _:
                return ""


ART_ROBBERY_WIRE = _ArtRobberyWire()


def _name(names: Sequence[str], number: int) -> str:
    return names[number - 1] if 1 <= number <= len(names) else "?"


def _flat(places: Sequence[Sequence[Tile]]) -> tuple[list[Tile], list[int]]:
    """Tiles place after place, and for each the seat that it lies at."""
    return [tile for tiles in places for tile in tiles], [seat for seat, tiles in enumerate(places) for _ in tiles]


def _table(view: ArtRobberyView) -> Any:
    front, front_seats = _flat(view.front)
    safe, safe_seats = _flat(view.safe)
    taking = view.taking
    return _Table(
        heist=view.heist,
        turn=view.turn,
        turn_seat=view.turn_seat,
        step=_STEPS[view.step],
        asked=view.asked,
        hand_sizes=view.hand_sizes,
        middle=view.middle,
        front=front,
        front_seats=front_seats,
        safe=safe,
        safe_seats=safe_seats,
        out=view.out,
        dog=view.dog,
        taking=None
        if taking is None
        else _Taking(card=taking.card, seat=taking.seat, from_seat=taking.from_seat, tile=taking.tile),
        discards=view.discards,
        pile_size=view.pile_size,
    )
