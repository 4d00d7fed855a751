"""Faults of Art Robbery, at least one for every ruling of its page and for every way to tell a secret."""

from typing import Final

from tests.rules.planted.fault import Fault

__all__ = ["FAULTS"]

FAULTS: Final = (
    Fault(
        "seat 1 begins the first heist",
        "art_robbery/game.py",
        "state.turn_seat = Seat(0)",
        "state.turn_seat = Seat(1)",
        "R1",
        "art_robbery/test_play.py::test_r1_seat_0_begins_the_first_heist",
    ),
)
