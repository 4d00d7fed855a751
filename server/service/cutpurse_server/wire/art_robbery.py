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
from cutpurse_server.wire.pieces import Numbers, content, number, varint

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
    """What `fill_view` makes of a seat's view, serialised. Written out, since it runs for every decision."""
    seat, hand, *_ = view
    assert seat is not None, "a spectator has no seat"
    assert hand is not None, "a spectator has no hand"
    table = _table_to_bytes(view)
    seen = _SEAT[seat] + content(b"\x12", hand) + b"\x1a" + varint(len(table)) + table
    return b"\x0a" + varint(len(seen)) + seen


_SEAT = Numbers(b"\x08")
_HEIST, _TURN, _TURN_SEAT, _PILE_SIZE = Numbers(b"\x08"), Numbers(b"\x10"), Numbers(b"\x18"), Numbers(b"\x80\x01")
_STEP = {step: number(b"\x20", value) for step, value in _STEPS.items()}


def _table_to_bytes(view: ArtRobberyView) -> bytes:
    _, _, hand_sizes, asked, heist, turn, turn_seat, step, middle, front, safe, out, dog, taking, discards, left = view
    lying = b"".join(front)
    kept = b"".join(safe)
    parts = [
        _HEIST[heist],
        _TURN[turn],
        _TURN_SEAT[turn_seat],
        _STEP[step],
        _small(b"\x2a", asked),
        _small(b"\x32", hand_sizes),
        b"\x3a" + varint(len(middle)) + middle if middle else b"",
    ]
    if lying:
        parts += (b"\x42", varint(len(lying)), lying, _seats(b"\x4a", *map(len, front)))
    if kept:
        parts += (b"\x52", varint(len(kept)), kept, _seats(b"\x5a", *map(len, safe)))
    if out:
        parts += (b"\x62", varint(len(out)), out)
    if dog is not None:
        parts += (b"\x68", varint(dog))
    if taking is not None:
        parts.append(content(b"\x72", _taking_to_bytes(taking)))
    if discards:
        parts += (b"\x7a", varint(len(discards)), discards)
    parts.append(_PILE_SIZE[left])
    return b"".join(parts)


@lru_cache(maxsize=4_096)
def _small(tag: bytes, numbers: tuple[int, ...]) -> bytes:
    """A packed list of few numbers, all below 128."""
    return content(tag, bytes(numbers))


@lru_cache(maxsize=16_384)
def _seats(tag: bytes, *counts: int) -> bytes:
    """For each of so many tiles at every place, the seat that it lies at."""
    return content(tag, bytes(seat for seat, count in enumerate(counts) for _ in range(count)))


def _taking_to_bytes(taking: Taking) -> bytes:
    return b"".join(
        (
            number(b"\x08", taking.card),
            number(b"\x10", taking.seat),
            number(b"\x18", taking.from_seat),
            number(b"\x20", taking.tile),
        )
    )
