"""The toy game on the wire: nothing hidden travels, and actions come back as what they were."""

from __future__ import annotations

import random

import pytest

from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Malformed
from cutpurse_server.wire.games import GameWire
from tests.rules.battery import cases
from tests.rules.rock_paper_scissors.game import SHOWS, RockPaperScissors
from tests.rules.rock_paper_scissors.gen.rock_paper_scissors.v1 import rock_paper_scissors_pb2 as messages
from tests.rules.rock_paper_scissors.state import Show, State
from tests.rules.rock_paper_scissors.test_rock_paper_scissors import resample
from tests.rules.rock_paper_scissors.wire import ROCK_PAPER_SCISSORS_WIRE

(CASE,) = cases(RockPaperScissors(), resample)


def sent(state: State, seat: Seat, choice: Show | None = None) -> bytes:
    message = messages.View()
    ROCK_PAPER_SCISSORS_WIRE.fill_view(CASE.game.view(state, seat, choice), message)
    return message.SerializeToString(deterministic=True)


def shown(state: State) -> bytes:
    message = messages.PublicView()
    ROCK_PAPER_SCISSORS_WIRE.fill_public_view(CASE.game.view(state, None), message)
    return message.SerializeToString(deterministic=True)


def test_a_wire_module_has_what_the_server_asks_of_one() -> None:
    asked = [name for name in vars(GameWire) if not name.startswith("_")]

    assert asked
    assert all(callable(getattr(ROCK_PAPER_SCISSORS_WIRE, name)) for name in asked)


def test_messages_do_not_depend_on_what_their_receiver_cannot_know() -> None:
    dealer = random.Random("wire")
    for part in CASE.decisions():
        other = CASE.resample(part.before, None, dealer)
        assert shown(other) == shown(part.before)
        for seat in part.asked:
            assert sent(other, seat) == sent(part.before, seat)


def test_a_view_says_what_the_table_is() -> None:
    part = next(CASE.decisions())
    message = messages.View.FromString(sent(part.before, Seat(1), Show(2)))

    view = message.rock_paper_scissors
    assert (view.seat, view.choice) == (1, messages.SHAPE_PAPER)
    assert list(view.table.asked) == [0, 1]
    assert list(view.table.first_hand) == list(view.table.second_hand) == [1, 1, 2, 2, 3, 3]
    assert view.table.stake == part.before.stakes[0]


@pytest.mark.parametrize("notation", SHOWS)
def test_a_typed_action_comes_back_as_its_notation(notation: str) -> None:
    message = ROCK_PAPER_SCISSORS_WIRE.action_to_proto(SHOWS[notation])

    assert ROCK_PAPER_SCISSORS_WIRE.notation_from_proto(message) == notation


@pytest.mark.parametrize("shape", [0, 4, 99, -1])
def test_a_typed_action_with_another_number_is_malformed(shape: int) -> None:
    action = messages.RockPaperScissorsAction(shape=messages.Shape.ValueType(shape))

    with pytest.raises(Malformed):
        CASE.game.parse(ROCK_PAPER_SCISSORS_WIRE.notation_from_proto(messages.Action(rock_paper_scissors=action)))
