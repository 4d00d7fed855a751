"""Art Robbery's views and actions. Cards and tiles are the same small numbers in the rules and on the wire."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cutpurse.v1 import art_robbery_pb2, game_pb2
from cutpurse_rules.art_robbery.actions import ArtRobberyAction, Give, Play
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.state import Taking
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.art_robbery.view import ArtRobberyView
from cutpurse_server.wire.components import by_seat, name_of
from cutpurse_server.wire.pieces import number, varint

__all__ = ["ART_ROBBERY_WIRE", "art_robbery_view_to_bytes"]

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


def art_robbery_view_to_bytes(view: ArtRobberyView) -> bytes:
    """What `fill_view` makes of a seat's view, serialised.

    A packed list of numbers below 128 is its numbers, a byte each: a multiset is on the wire what it is in the rules.
    """
    assert view.seat is not None, "a spectator has no seat"
    assert view.hand is not None, "a spectator has no hand"
    hand = view.hand
    table = _table_to_bytes(view)
    seen = number(b"\x08", view.seat) + _packed(b"\x12", hand) + b"\x1a" + varint(len(table)) + table
    return b"\x0a" + varint(len(seen)) + seen


def _table_to_bytes(view: ArtRobberyView) -> bytes:
    front, safe = view.front, view.safe
    parts = [
        number(b"\x08", view.heist),
        number(b"\x10", view.turn),
        number(b"\x18", view.turn_seat),
        _STEP_PIECES[view.step],
        _packed(b"\x2a", bytes(view.asked)),
        _packed(b"\x32", bytes(view.hand_sizes)),
        _packed(b"\x3a", view.middle),
        _packed(b"\x42", b"".join(front)),
        _seats_to_bytes(b"\x4a", *map(len, front)),
        _packed(b"\x52", b"".join(safe)),
        _seats_to_bytes(b"\x5a", *map(len, safe)),
        _packed(b"\x62", view.out),
    ]
    if view.dog is not None:
        parts += (b"\x68", varint(view.dog))
    if view.taking is not None:
        taking = _taking_to_bytes(view.taking)
        parts += (b"\x72", varint(len(taking)), taking)
    parts += (_packed(b"\x7a", view.discards), number(b"\x80\x01", view.pile_size))
    return b"".join(parts)


def _taking_to_bytes(taking: Taking) -> bytes:
    return b"".join(
        (
            number(b"\x08", taking.card),
            number(b"\x10", taking.seat),
            number(b"\x18", taking.from_seat),
            number(b"\x20", taking.tile),
        )
    )


_STEP_PIECES = {step: number(b"\x20", value) for step, value in _STEPS.items()}


def _packed(tag: bytes, numbers: bytes) -> bytes:
    return tag + varint(len(numbers)) + numbers if numbers else b""


@lru_cache(maxsize=4_096)
def _seats_to_bytes(tag: bytes, *counts: int) -> bytes:
    """For each of so many tiles at every place, the seat that it lies at."""
    return _packed(tag, bytes(seat for seat, count in enumerate(counts) for _ in range(count)))
