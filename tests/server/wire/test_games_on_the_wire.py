"""Views and typed actions of every game: the messages say what the rules say, no more and no less."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message_factory import GetMessageClass

from cutpurse.v1 import game_pb2, shadow_thief_pb2
from cutpurse_rules import GAMES
from cutpurse_rules.art_robbery.actions import ACTIONS as ART_ROBBERY_ACTIONS
from cutpurse_rules.big_max.actions import ACTIONS as BIG_MAX_ACTIONS
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import LANGUAGES, Seat
from cutpurse_rules.errors import Malformed
from cutpurse_rules.playthrough import Ended, play_through
from cutpurse_rules.shadow_thief.actions import ACTIONS as SHADOW_THIEF_ACTIONS
from cutpurse_server.wire.games import GAME_WIRE, action_to_proto, description_to_proto, notation_from_proto
from tests.server.wire.read_views import COMPONENT_ENUMS, public_view_json, view_json

TABLES = [(game.id, players) for game in GAMES.values() for players in (game.min_players, game.max_players)]
DECISIONS_MAX = 250

ACTIONS: dict[str, Any] = {
    "art_robbery": ART_ROBBERY_ACTIONS,
    "big_max": BIG_MAX_ACTIONS,
    "shadow_thief": SHADOW_THIEF_ACTIONS,
}


def states(game_id: str, players: int) -> Iterator[Any]:
    """The states of a match of random choices, from the first decision to the end."""
    game, dice = GAMES[game_id], random.Random(f"{game_id}/{players}")

    def choose(state: Any, seat: Seat) -> Any:
        return dice.choice(game.legal(state, seat))

    parts = play_through(game, game.configure(players), StreamChance(key_of_seed("wire")), choose)
    for part in itertools.islice(parts, DECISIONS_MAX):
        yield part.state if isinstance(part, Ended) else part.before


def test_every_game_travels() -> None:
    fields = [[field.name for field in message.DESCRIPTOR.oneofs_by_name["game"].fields] for message in WRAPPERS]

    assert set(GAMES) == set(GAME_WIRE) == set(ACTIONS)
    assert all(set(names) == set(GAMES) for names in fields)


WRAPPERS = (game_pb2.View, game_pb2.PublicView, game_pb2.Action)


@pytest.mark.parametrize("game", GAMES)
def test_numbers_on_the_wire_are_places_in_the_canonical_order(game: str) -> None:
    components = GAMES[game].components

    assert components
    for kind, notations in components.items():
        assert COMPONENT_ENUMS[game, kind] == list(notations)


@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_a_seat_s_message_holds_exactly_what_its_view_says(game_id: str, players: int) -> None:
    game, wire = GAMES[game_id], GAME_WIRE[game_id]
    for state in states(game_id, players):
        for seat in map(Seat, range(players)):
            view, message = game.view(state, seat), game_pb2.View()
            wire.fill_view(view, message)

            assert view_json(message) == view.to_json()


@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_a_spectator_s_message_holds_exactly_what_its_view_says(game_id: str, players: int) -> None:
    game, wire = GAMES[game_id], GAME_WIRE[game_id]
    for state in states(game_id, players):
        view, message = game.view(state, None), game_pb2.PublicView()
        wire.fill_public_view(view, message)

        assert public_view_json(message) == view.to_json()


def test_a_seat_s_own_choice_travels_to_it_alone() -> None:
    game, wire = GAMES["shadow_thief"], GAME_WIRE["shadow_thief"]
    shown = 0
    for state in states("shadow_thief", 4):
        for seat in game.asked(state):
            for choice in game.legal(state, seat):
                own = game_pb2.View()
                wire.fill_view(game.view(state, seat, choice), own)
                assert view_json(own)["choice"] == choice.notation
                shown += 1
        for other in map(Seat, range(4)):
            message = game_pb2.View()
            wire.fill_view(game.view(state, other), message)
            assert not message.shadow_thief.HasField("choice")
    assert shown > 100


@pytest.mark.parametrize("game", GAMES)
def test_every_typed_action_comes_back_as_its_notation(game: str) -> None:
    for notation, action in ACTIONS[game].items():
        message = game_pb2.Action.FromString(action_to_proto(game, action).SerializeToString())

        assert message.WhichOneof("game") == game
        assert notation_from_proto(game, message) == notation


@pytest.mark.parametrize("game", GAMES)
def test_different_actions_are_different_messages(game: str) -> None:
    messages = {
        action_to_proto(game, action).SerializeToString(deterministic=True) for action in ACTIONS[game].values()
    }

    assert len(messages) == len(ACTIONS[game])


@pytest.mark.parametrize(("game", "other"), list(itertools.permutations(sorted(GAMES), 2)))
def test_an_action_of_another_game_has_no_notation(game: str, other: str) -> None:
    action = next(iter(ACTIONS[other].values()))

    assert notation_from_proto(game, action_to_proto(other, action)) is None


def test_the_cards_of_an_addition_have_no_order() -> None:
    cards: Any = [19, 12, 12]
    action = shadow_thief_pb2.ShadowThiefAction(add=shadow_thief_pb2.ShadowThiefAdd(cards=cards))

    assert notation_from_proto("shadow_thief", game_pb2.Action(shadow_thief=action)) == "add R2 R2 R9"


def junk(game: str, message: Any) -> Iterator[game_pb2.Action]:
    """Typed actions with numbers that no component, seat or place has, in every field that holds one."""
    yield game_pb2.Action(**{game: message()})
    for field in message.DESCRIPTOR.fields:
        # An action of one kind may have its fields in the message itself.
        for inner in field.message_type.fields if field.message_type else [field]:
            for number in (0, -1, 99, 2**31 - 1):
                if number < 1 and inner.enum_type is None:
                    continue
                action = message()
                own = getattr(action, field.name) if field.message_type else action
                own.SetInParent()
                if inner.is_repeated:
                    getattr(own, inner.name).append(number)
                else:
                    setattr(own, inner.name, number)
                yield game_pb2.Action(**{game: action})


OWN_ACTIONS: dict[str, Any] = {
    field.name: GetMessageClass(field.message_type) for field in game_pb2.Action.DESCRIPTOR.fields
}


@pytest.mark.parametrize("game", GAMES)
def test_numbers_that_nothing_has_give_texts_that_never_parse(game: str) -> None:
    actions = list(junk(game, OWN_ACTIONS[game]))

    assert len(actions) > 4
    for action in actions:
        notation = notation_from_proto(game, action)
        assert notation is not None
        with pytest.raises(Malformed):
            GAMES[game].parse(notation)


@pytest.mark.parametrize("game", GAMES)
def test_a_description_has_every_name_beside_its_notation(game: str) -> None:
    described = description_to_proto(GAMES[game])

    assert {named.language: named.name for named in described.names} == {
        language: names.game for language, names in GAMES[game].names.items()
    }
    for kind in described.components:
        assert [each.language for each in kind.component_names] == list(LANGUAGES)
        assert [each.language for each in kind.kind_names] == list(LANGUAGES)
        for named in kind.component_names:
            assert tuple(named.names) == GAMES[game].names[named.language].components[kind.name]
            assert len(named.names) == len(kind.notations)
