"""Every game of the protocol reaches a bot: its view, its typed actions, its types."""

import typing

import pytest
from google.protobuf.message import Message

import cutpurse_sdk
from cutpurse.v1.game_pb2 import Action, View
from cutpurse.v1.match_pb2 import Choice
from cutpurse_sdk.answers import write_answer
from cutpurse_sdk.decision import Randomness
from cutpurse_sdk.games import GameAction, GameView
from tests.sdk.scripted import decision, offer

GAMES = [field.name for field in View.DESCRIPTOR.oneofs_by_name["game"].fields]


def of_game(game: str) -> cutpurse_sdk.Decision:
    message = decision("m", 1)
    message.view.Clear()
    getattr(message.view, game).SetInParent()
    return cutpurse_sdk.Decision(message, offer("m"), Randomness("s"))


def own_message(wrapper: type[Message], game: str) -> Message:
    own: Message = getattr(wrapper(), game)
    return own


def test_there_are_several_games() -> None:
    assert {"art_robbery", "shadow_thief", "big_max"} <= set(GAMES)


@pytest.mark.parametrize(("wrapper", "union"), [(View, GameView), (Action, GameAction)])
def test_the_types_name_every_game(wrapper: type[Message], union: object) -> None:
    named = set(typing.get_args(union))

    assert named == {type(own_message(wrapper, field.name)) for field in wrapper.DESCRIPTOR.fields}


@pytest.mark.parametrize("game", GAMES)
def test_a_view_is_the_message_of_its_game(game: str) -> None:
    asked = of_game(game)

    assert asked.game == game
    assert type(asked.view) is type(own_message(View, game))


@pytest.mark.parametrize("game", GAMES)
def test_an_action_of_any_game_is_an_answer_wrapped_or_not(game: str) -> None:
    own = own_message(Action, game)
    wrapped = Action()
    getattr(wrapped, game).CopyFrom(own)

    for answer in (own, wrapped):
        choice = Choice()
        write_answer(choice, of_game(game), answer)
        assert choice.action.WhichOneof("game") == game
