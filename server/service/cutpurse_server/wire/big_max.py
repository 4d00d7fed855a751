"""Big Max's Inheritance: its views and actions. Cards are the same small numbers in the rules and on the wire."""

from __future__ import annotations

from typing import Any, assert_never

from cutpurse.v1 import big_max_pb2, game_pb2
from cutpurse_rules.big_max.actions import (
    BigMaxAction,
    ChallengeSeat,
    Counter,
    CounterStanding,
    Decline,
    Discard,
    Display,
    Gunman,
    Lay,
    SharpSeat,
)
from cutpurse_rules.big_max.cards import CARDS
from cutpurse_rules.big_max.view import BigMaxView
from cutpurse_server.wire.components import name_of

__all__ = ["BIG_MAX_WIRE"]

_STEPS = {
    "TURN": big_max_pb2.BIG_MAX_STEP_TURN,
    "REPLY": big_max_pb2.BIG_MAX_STEP_REPLY,
    "OVER": big_max_pb2.BIG_MAX_STEP_OVER,
}


class _BigMaxWire:
    """See `GameWire`."""

    def fill_view(self, view: BigMaxView, message: game_pb2.View) -> None:
        """A seat's view."""
        assert view.seat is not None, "a spectator has no seat"
        assert view.hand is not None, "a spectator has no hand"
        assert view.sharps is not None, "a spectator has no memory"
        # Cards are plain numbers in the rules and have a type of their own in the generated code; a test compares.
        seen: Any = message.big_max
        seen.seat = view.seat
        seen.hand.extend(view.hand)
        _fill_table(view, seen.table)
        for sharp in view.sharps:
            seen.sharps.append(sharp.card)
            seen.sharp_from_seats.append(sharp.from_seat)
            seen.sharp_to_seats.append(sharp.to_seat)

    def fill_public_view(self, view: BigMaxView, message: game_pb2.PublicView) -> None:
        """The spectators' view: the table, which has no field for a hand or a memory."""
        _fill_table(view, message.big_max)

    def action_to_proto(self, action: BigMaxAction) -> game_pb2.Action:
        """An action as a typed message."""
        message = game_pb2.Action()
        _fill_action(action, message.big_max)
        return message

    def notation_from_proto(self, action: game_pb2.Action) -> str:
        """The notation of a typed action; of one with numbers that no card has, a text that never parses."""
        given = action.big_max
        match given.WhichOneof("action"):
            case "discard":
                return f"discard {name_of(CARDS, given.discard.card)}"
            case "challenge":
                return f"challenge {given.challenge.seat} {name_of(CARDS, given.challenge.card)}"
            case "sharp":
                return f"sharp {given.sharp.seat}"
            case "counter":
                position = f"{given.counter.position} " if given.counter.HasField("position") else ""
                return f"counter {position}{name_of(CARDS, given.counter.card)}"
            case "display" | "lay" | "gunman" | "decline" as verb:
                return verb
            case _:
                return ""


BIG_MAX_WIRE = _BigMaxWire()


def _fill_action(action: BigMaxAction, message: Any) -> None:
    match action:
        case Discard():
            message.discard.card = action.card
        case ChallengeSeat():
            message.challenge.seat = action.seat
            message.challenge.card = action.card
        case SharpSeat():
            message.sharp.SetInParent()
            message.sharp.seat = action.seat
        case CounterStanding():
            message.counter.position = action.position
            message.counter.card = action.card
        case Counter():
            message.counter.card = action.card
        case Display():
            message.display.SetInParent()
        case Lay():
            message.lay.SetInParent()
        case Gunman():
            message.gunman.SetInParent()
        case Decline():
            message.decline.SetInParent()
        case _:
            assert_never(action)


def _fill_table(view: BigMaxView, table: Any) -> None:
    table.turn = view.turn
    table.turn_seat = view.turn_seat
    table.step = _STEPS[view.step]
    table.asked.extend(view.asked)
    table.hand_sizes.extend(view.hand_sizes)
    table.displays.extend(view.displays)
    for seat, thieves in enumerate(view.standing):
        for thief in thieves:
            table.standing.append(thief.card)
            table.standing_seats.append(seat)
            table.standing_employers.append(thief.employer)
            table.standing_gunmen.append(thief.gunmen)
    if view.challenge is not None:
        challenge = table.challenge
        challenge.card = view.challenge.card
        challenge.challenger = view.challenge.challenger
        challenge.employer = view.challenge.employer
        challenge.target = view.challenge.target
        challenge.gunmen = view.challenge.gunmen
    table.discards.extend(view.discards)
    table.pile_size = view.pile_size
