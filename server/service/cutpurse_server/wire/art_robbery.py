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
from cutpurse_server.wire.pieces import Contents, Numbers, content, number, varint

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
    """What `fill_view` makes of a seat's view, serialised."""
    seat, hand = view.seat, view.hand
    assert seat is not None, "a spectator has no seat"
    assert hand is not None, "a spectator has no hand"
    return content(b"\x0a", _SEAT[seat] + _HAND[hand] + content(b"\x1a", _table_to_bytes(view)))


_SEAT, _HAND = Numbers(b"\x08"), Contents(b"\x12")
_HEIST, _TURN, _TURN_SEAT, _PILE_SIZE = Numbers(b"\x08"), Numbers(b"\x10"), Numbers(b"\x18"), Numbers(b"\x80\x01")
_STEP = {step: number(b"\x20", value) for step, value in _STEPS.items()}
_ASKED, _HAND_SIZES, _MIDDLE, _OUT = Contents(b"\x2a"), Contents(b"\x32"), Contents(b"\x3a"), Contents(b"\x62")
_FRONT, _FRONT_SEATS, _SAFE, _SAFE_SEATS = b"\x42", b"\x4a", b"\x52", b"\x5a"


def _table_to_bytes(view: ArtRobberyView) -> bytes:
    (
        *_,
        hand_sizes,
        asked,
        heist,
        turn,
        turn_seat,
        step,
        middle,
        front,
        safe,
        out,
        dog,
        taking,
        discards,
        pile_size,
    ) = view
    return b"".join(
        (
            _HEIST[heist],
            _TURN[turn],
            _TURN_SEAT[turn_seat],
            _STEP[step],
            _ASKED[bytes(asked)],
            _HAND_SIZES[bytes(hand_sizes)],
            _MIDDLE[middle],
            _by_seat_to_bytes(_FRONT, _FRONT_SEATS, front),
            _by_seat_to_bytes(_SAFE, _SAFE_SEATS, safe),
            _OUT[out],
            b"" if dog is None else b"\x68" + varint(dog),
            b"" if taking is None else content(b"\x72", _taking_to_bytes(taking)),
            content(b"\x7a", discards),
            _PILE_SIZE[pile_size],
        )
    )


@lru_cache(maxsize=16_384)
def _by_seat_to_bytes(tag: bytes, seats_tag: bytes, places: tuple[bytes, ...]) -> bytes:
    """Tiles place after place, and for each the seat that it lies at; most turns change two places or none."""
    tiles, seats = by_seat(places)
    return content(tag, bytes(tiles)) + content(seats_tag, bytes(seats))


def _taking_to_bytes(taking: Taking) -> bytes:
    return b"".join(
        (
            number(b"\x08", taking.card),
            number(b"\x10", taking.seat),
            number(b"\x18", taking.from_seat),
            number(b"\x20", taking.tile),
        )
    )
