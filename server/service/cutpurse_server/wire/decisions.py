"""Decisions and acknowledgements as bytes of a frame: one of each goes out for every decision.

Byte for byte what protobuf makes of the messages of wire/matches.py; tests compare.
"""

from __future__ import annotations

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.clock import time_left
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Accepted
from cutpurse_server.wire.games import GAME_WIRE, view_to_bytes
from cutpurse_server.wire.pieces import Numbers, Texts, content, varint

__all__ = ["accepted_to_frame", "decision_to_frame"]

_MATCH, _DECISION, _SEAT = Texts(b"\x0a"), Numbers(b"\x10"), Numbers(b"\x18")
_LEGAL, _LEFT_MS, _BANK_LEFT_MS = Texts(b"\x2a"), Numbers(b"\x38"), Numbers(b"\x40")
_LAST_CHARGED_MS = Numbers(b"\x48")


def decision_to_frame(record: MatchRecord, seat: Seat, now_ms: int, *, typed: bool = False) -> bytes:
    """An open decision, as the asked seat gets it, as one more of a frame's `decisions`."""
    game, begun = record.game, record.begun
    view = view_to_bytes(game.id, game.view(record.state, seat))
    left_ms, bank_left_ms = time_left(record, seat, now_ms)
    legal = record.legal_of(seat)
    parts = [
        _MATCH[begun.match],
        _DECISION[record.decisions[seat]],
        _SEAT[seat],
        b"\x22",
        varint(len(view)),
        view,
        *[_LEGAL[action.notation] for action in legal],
    ]
    if typed:
        to_proto = GAME_WIRE[game.id].action_to_proto
        parts += [content(b"\x32", to_proto(action).SerializeToString()) for action in legal]
    parts += (_LEFT_MS[left_ms], _BANK_LEFT_MS[bank_left_ms], _LAST_CHARGED_MS[record.last_charged_ms[seat]])
    if not begun.seats[seat].player:
        used = record.refused[seat][0] if seat in record.refused else 0
        parts += (b"\x50", varint(max(0, begun.clock.corrections_max - used)))
    return content(b"\x1a", b"".join(parts))


def accepted_to_frame(match: str, reply: Accepted) -> bytes:
    """The acknowledgement of a choice as one more of a frame's `accepted`."""
    decision, request_id = reply
    return content(b"\x22", _MATCH[match] + _DECISION[decision] + content(b"\x1a", request_id))
