"""The Shadow Thief's views and actions. Cards are the same small numbers in the rules and on the wire."""

from __future__ import annotations

from typing import Any, assert_never

from cutpurse.v1 import game_pb2, shadow_thief_pb2
from cutpurse_rules.shadow_thief.actions import Add, Play, ShadowThiefAction, Steal
from cutpurse_rules.shadow_thief.cards import CARDS
from cutpurse_rules.shadow_thief.view import ShadowThiefView
from cutpurse_server.wire.components import by_seat, name_of

__all__ = ["SHADOW_THIEF_WIRE"]

_STEPS = {
    "PLAY": shadow_thief_pb2.SHADOW_THIEF_STEP_PLAY,
    "STEAL": shadow_thief_pb2.SHADOW_THIEF_STEP_STEAL,
    "ADD": shadow_thief_pb2.SHADOW_THIEF_STEP_ADD,
    "OVER": shadow_thief_pb2.SHADOW_THIEF_STEP_OVER,
}


class _ShadowThiefWire:
    """See `GameWire`."""

    def fill_view(self, view: ShadowThiefView, message: game_pb2.View) -> None:
        """A seat's view."""
        assert view.seat is not None, "a spectator has no seat"
        assert view.hand is not None, "a spectator has no hand"
        assert view.put_back is not None, "a spectator has no memory"
        # Cards are plain numbers in the rules and have a type of their own in the generated code; a test compares.
        seen: Any = message.shadow_thief
        seen.seat = view.seat
        seen.hand.extend(view.hand)
        _fill_table(view, seen.table)
        seen.put_back.extend(view.put_back)
        if view.choice is not None:
            _fill_action(view.choice, seen.choice)

    def fill_public_view(self, view: ShadowThiefView, message: game_pb2.PublicView) -> None:
        """The spectators' view: the table, which has no field for a hand, a memory or a choice."""
        _fill_table(view, message.shadow_thief)

    def action_to_proto(self, action: ShadowThiefAction) -> game_pb2.Action:
        """An action as a typed message."""
        message = game_pb2.Action()
        _fill_action(action, message.shadow_thief)
        return message

    def notation_from_proto(self, action: game_pb2.Action) -> str:
        """The notation of a typed action; of one with numbers that no card has, a text that never parses."""
        given = action.shadow_thief
        match given.WhichOneof("action"):
            case "play":
                return f"play {name_of(CARDS, given.play.card)}"
            case "steal":
                return f"steal {name_of(CARDS, given.steal.card)}"
            case "add":
                # The cards of one addition are a multiset (G4); their order means nothing in a message.
                return " ".join(("add", *(name_of(CARDS, card) for card in sorted(given.add.cards))))
            case _:
                return ""


SHADOW_THIEF_WIRE = _ShadowThiefWire()


def _fill_action(action: ShadowThiefAction, message: Any) -> None:
    match action:
        case Play():
            message.play.card = action.card
        case Steal():
            message.steal.card = action.card
        case Add():
            # To add nothing is an addition, too: the field is there, with no cards in it.
            message.add.SetInParent()
            message.add.cards.extend(action.cards)
        case _:
            assert_never(action)


def _fill_table(view: ShadowThiefView, table: Any) -> None:
    table.deal = view.deal
    table.round = view.round
    table.step = _STEPS[view.step]
    table.asked.extend(view.asked)
    table.hand_sizes.extend(view.hand_sizes)
    table.scores.extend(view.scores)
    cards, seats = by_seat(view.safes)
    table.safes.extend(cards)
    table.safe_seats.extend(seats)
    for seat, lock in enumerate(view.locks):
        if lock is not None:
            table.locks.append(lock)
            table.lock_seats.append(seat)
    cards, seats = by_seat(view.front)
    table.front.extend(cards)
    table.front_seats.extend(seats)
    table.deck_size = view.deck_size
    table.exhausted = view.exhausted
    table.discards.extend(view.discards)
    table.put_back_count = view.put_back_count
    table.set_aside_count = view.set_aside_count
    table.unseen_count = view.unseen_count
