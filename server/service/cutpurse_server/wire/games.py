"""Views and actions of all games. One line in `GAME_WIRE` per game, and nothing about any game elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from cutpurse.v1 import game_pb2
from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.contract import Game, Option
from cutpurse_server.wire.art_robbery import ART_ROBBERY_WIRE, art_robbery_view_to_bytes
from cutpurse_server.wire.big_max import BIG_MAX_WIRE
from cutpurse_server.wire.shadow_thief import SHADOW_THIEF_WIRE

__all__ = [
    "GAME_WIRE", "GameWire", "action_to_proto", "description_to_proto", "notation_from_proto", "view_to_bytes",
]  # fmt: skip


class GameWire(Protocol):
    """How one game's views and actions travel."""

    def fill_view(self, view: Any, message: game_pb2.View) -> None:
        """Write a seat's view into an empty message.

        In place: a message that is handed to another one's constructor is copied, once for every level.
        """
        ...

    def fill_public_view(self, view: Any, message: game_pb2.PublicView) -> None:
        """Write the spectators' view into an empty message."""
        ...

    def action_to_proto(self, action: Any) -> game_pb2.Action:
        """An action as a typed message."""
        ...

    def notation_from_proto(self, action: game_pb2.Action) -> str:
        """The notation of a typed action. Whether it is one of the game's is for the rules to say."""
        ...


GAME_WIRE: Mapping[str, GameWire] = {
    "art_robbery": ART_ROBBERY_WIRE,
    "big_max": BIG_MAX_WIRE,
    "shadow_thief": SHADOW_THIEF_WIRE,
}

assert GAME_WIRE.keys() == GAMES.keys(), "every game of the rules has its line here"

_JOINED_VIEWS: Mapping[str, Callable[[Any], bytes]] = {
    "art_robbery": art_robbery_view_to_bytes,
}
"""Views that are joined from pieces for speed; a game without a line here has its views made as messages."""


def view_to_bytes(game: str, view: Any) -> bytes:
    """A seat's view as the bytes of a `View`."""
    joined = _JOINED_VIEWS.get(game)
    if joined is not None:
        return joined(view)
    message = game_pb2.View()
    GAME_WIRE[game].fill_view(view, message)
    return message.SerializeToString()


def action_to_proto(game: str, action: Any) -> game_pb2.Action:
    """An action of a game as a typed message."""
    return GAME_WIRE[game].action_to_proto(action)


def notation_from_proto(game: str, action: game_pb2.Action) -> str | None:
    """The notation of a typed action; None if it is not of this game."""
    return GAME_WIRE[game].notation_from_proto(action) if action.WhichOneof("game") == game else None


def description_to_proto(game: Game[Any, Any, Any]) -> game_pb2.GameDescription:
    """What GameService says of a game."""
    return game_pb2.GameDescription(
        game=game.id,
        name=game.name,
        rules_version=game.rules_version,
        min_players=game.min_players,
        max_players=game.max_players,
        options=[_option_to_proto(option) for option in game.options],
        components=[_kind_to_proto(game, kind) for kind in game.components],
        names=[game_pb2.LocalizedName(language=language, name=names.game) for language, names in game.names.items()],
    )


def _kind_to_proto(game: Game[Any, Any, Any], kind: str) -> game_pb2.ComponentKind:
    return game_pb2.ComponentKind(
        name=kind,
        notations=game.components[kind],
        component_names=[
            game_pb2.LocalizedNames(language=language, names=names.components[kind])
            for language, names in game.names.items()
        ],
        kind_names=[
            game_pb2.LocalizedName(language=language, name=names.kinds[kind]) for language, names in game.names.items()
        ],
    )


def _option_to_proto(option: Option) -> game_pb2.OptionDescription:
    default = dict(option.default) if isinstance(option.default, Mapping) else option.default
    return game_pb2.OptionDescription(
        name=option.name,
        kind=game_pb2.OptionKind.Value(f"OPTION_KIND_{option.kind.name}"),
        meaning=option.meaning,
        default_json=json.dumps(default, separators=(",", ":")),
        per_player=option.per_player,
        minimum=option.minimum,
        maximum=option.maximum,
    )
