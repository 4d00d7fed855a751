"""Views read back from their messages into the JSON of traces, by people who know the .proto files alone.

The names of enum values give the notation here, not the tables of the rules: so a card that got the wrong number on one
side is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cutpurse.v1 import art_robbery_pb2, big_max_pb2, game_pb2, shadow_thief_pb2

__all__ = ["COMPONENT_ENUMS", "action_text", "public_view_json", "view_json"]

Json = dict[str, Any]


def _named(enum: Any, spelt: Callable[[str], str]) -> list[str]:
    """The notation of each value of an enum but the first, in the order of their numbers."""
    values = enum.DESCRIPTOR.values
    assert [value.number for value in values] == list(range(len(values)))
    prefix = values[0].name.removesuffix("UNSPECIFIED")
    return [spelt(value.name.removeprefix(prefix)) for value in values[1:]]


_LETTERS = {"BROOCH": "B", "RING": "R", "WATCH": "W", "CUFFLINK": "C", "LOCKED_SAFE": "S", "SHADOW": "X"}
_PICTURES = {
    "GUARD_DOG": "GD", "GREEDY_THIEF": "GT", "BOSS": "BS",
    "SUITCASE": "SC", "MASTER_THIEF": "MT", "CARD_SHARP": "CS", "GUNMAN": "GM",
}  # fmt: skip


def _of_shadow_thief(name: str) -> str:
    kind, _, value = name.rpartition("_")
    return f"T{_LETTERS[kind]}" if value == "THIEF" else f"{_LETTERS[kind]}{value}"


def _of_big_max(name: str) -> str:
    return _PICTURES.get(name) or name[0] + name[-1]


COMPONENT_ENUMS: Mapping[tuple[str, str], list[str]] = {
    ("art_robbery", "cards"): _named(art_robbery_pb2.ArtRobberyCard, lambda name: _PICTURES.get(name, name)),
    ("art_robbery", "tiles"): _named(art_robbery_pb2.ArtRobberyTile, lambda name: name.replace("_", ".")),
    ("big_max", "cards"): _named(big_max_pb2.BigMaxCard, _of_big_max),
    ("shadow_thief", "cards"): _named(shadow_thief_pb2.ShadowThiefCard, _of_shadow_thief),
}
"""By game and kind of component, the notations as the enum's names tell them, in the order of the numbers."""


def _texts(game: str, kind: str, numbers: Iterable[int]) -> list[str]:
    return [COMPONENT_ENUMS[game, kind][number - 1] for number in numbers]


def _step(enum: Any, number: int) -> str:
    name: str = enum.Name(number)
    return name.rpartition("_")[2]


def _apart(players: int, things: Sequence[Any], seats: Iterable[int]) -> list[list[Any]]:
    """The lists by seat that two parallel lists stand for."""
    apart: list[list[Any]] = [[] for _ in range(players)]
    for thing, seat in zip(things, seats, strict=True):
        apart[seat].append(thing)
    return apart


def _counted(table: Any, *names: str) -> Json:
    return {name: getattr(table, name) for name in names}


def _art_robbery_table(table: Any) -> Json:
    players = len(table.hand_sizes)
    tiles = {name: _texts("art_robbery", "tiles", getattr(table, name)) for name in ("middle", "front", "safe", "out")}
    taking = None
    if table.HasField("taking"):
        (card,) = _texts("art_robbery", "cards", [table.taking.card])
        (tile,) = _texts("art_robbery", "tiles", [table.taking.tile])
        taking = {"card": card, "seat": table.taking.seat, "from": table.taking.from_seat, "tile": tile}
    return {
        **_counted(table, "heist", "turn", "turn_seat", "pile_size"),
        "step": _step(art_robbery_pb2.ArtRobberyStep, table.step),
        "middle": tiles["middle"],
        "front": _apart(players, tiles["front"], table.front_seats),
        "safe": _apart(players, tiles["safe"], table.safe_seats),
        "out": tiles["out"],
        "dog": table.dog if table.HasField("dog") else None,
        "taking": taking,
        "discards": _texts("art_robbery", "cards", table.discards),
    }


def _shadow_thief_table(table: Any) -> Json:
    players = len(table.hand_sizes)
    cards = {name: _texts("shadow_thief", "cards", getattr(table, name)) for name in ("safes", "locks", "front")}
    locks: list[str | None] = [None] * players
    for seat, lock in zip(table.lock_seats, cards["locks"], strict=True):
        locks[seat] = lock
    return {
        **_counted(table, "deal", "round", "deck_size", "exhausted"),
        **_counted(table, "put_back_count", "set_aside_count", "unseen_count"),
        "step": _step(shadow_thief_pb2.ShadowThiefStep, table.step),
        "scores": list(table.scores),
        "safes": _apart(players, cards["safes"], table.safe_seats),
        "locks": locks,
        "front": _apart(players, cards["front"], table.front_seats),
        "discards": _texts("shadow_thief", "cards", table.discards),
    }


def _big_max_table(table: Any) -> Json:
    standing = [
        {"card": card, "employer": employer, "gunmen": gunmen}
        for card, employer, gunmen in zip(
            _texts("big_max", "cards", table.standing), table.standing_employers, table.standing_gunmen, strict=True
        )
    ]
    challenge = None
    if table.HasField("challenge"):
        (card,) = _texts("big_max", "cards", [table.challenge.card])
        challenge = {"card": card, **_counted(table.challenge, "challenger", "employer", "target", "gunmen")}
    return {
        **_counted(table, "turn", "turn_seat", "pile_size"),
        "step": _step(big_max_pb2.BigMaxStep, table.step),
        "displays": list(table.displays),
        "standing": _apart(len(table.hand_sizes), standing, table.standing_seats),
        "challenge": challenge,
        "discards": _texts("big_max", "cards", table.discards),
    }


_TABLES: Mapping[str, Callable[[Any], Json]] = {
    "art_robbery": _art_robbery_table,
    "big_max": _big_max_table,
    "shadow_thief": _shadow_thief_table,
}


def action_text(action: Any) -> str:
    """The notation of The Shadow Thief's typed action."""
    verb = action.WhichOneof("action")
    cards = action.add.cards if verb == "add" else [getattr(action, verb).card]
    return " ".join([verb, *_texts("shadow_thief", "cards", cards)])


def _memory(game: str, own: Any) -> Json:
    """What a seat sees beside the table and its hand."""
    match game:
        case "shadow_thief":
            choice = action_text(own.choice) if own.HasField("choice") else None
            return {"put_back": _texts(game, "cards", own.put_back), "choice": choice}
        case "big_max":
            cards = _texts(game, "cards", own.sharps)
            sharps = zip(own.sharp_from_seats, own.sharp_to_seats, cards, strict=True)
            return {"sharps": [{"from": loser, "to": winner, "card": card} for loser, winner, card in sharps]}
    return {}


_NO_MEMORY: Mapping[str, Json] = {
    "art_robbery": {},
    "big_max": {"sharps": None},
    "shadow_thief": {"put_back": None, "choice": None},
}


def _table_json(game: str, table: Any) -> Json:
    common = {"game": game, "hand_sizes": list(table.hand_sizes), "asked": list(table.asked)}
    return {**common, **_TABLES[game](table)}


def view_json(message: game_pb2.View) -> Json:
    """A seat's view as a trace has it."""
    game = message.WhichOneof("game")
    assert game is not None
    own: Any = getattr(message, game)
    hand = _texts(game, "cards", own.hand)
    return {"seat": own.seat, "hand": hand, **_table_json(game, own.table), **_memory(game, own)}


def public_view_json(message: game_pb2.PublicView) -> Json:
    """The spectators' view as a trace has it."""
    game = message.WhichOneof("game")
    assert game is not None
    return {"seat": None, "hand": None, **_table_json(game, getattr(message, game)), **_NO_MEMORY[game]}
