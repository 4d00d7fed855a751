"""What the names of a game must fulfil (contract.Names): complete, readable, and no two alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from cutpurse_rules.contract import LANGUAGES, Game, Names

__all__ = ["name_faults"]


def name_faults(game: Game[Any, Any, Any]) -> Iterator[str]:
    """Each thing that is wrong with a game's names."""
    if tuple(game.names) != LANGUAGES:
        yield f"{game.id}: names in {list(game.names)}, not in {list(LANGUAGES)}"
    if "en" in game.names and game.names["en"].game != game.name:
        yield f"{game.id}: two English names, {game.name!r} and {game.names['en'].game!r}"
    for language, names in game.names.items():
        for fault in _faults_of_one_language(game, names):
            yield f"{game.id}, {language}: {fault}"


def _faults_of_one_language(game: Game[Any, Any, Any], names: Names) -> Iterator[str]:
    if list(names.kinds) != list(game.components) or list(names.components) != list(game.components):
        yield "not the game's kinds of components"
    for kind, notations in game.components.items():
        if len(names.components.get(kind, ())) != len(notations):
            yield f"not one name for each of the {kind}"
    called = [name for each in names.components.values() for name in each]
    for name in (names.game, *names.kinds.values(), *called):
        if not name or name != name.strip() or not name.isprintable():
            yield f"{name!r} is empty or cannot be printed as it is"
        if name != unicodedata.normalize("NFC", name):
            yield f"{name!r} is not in normalization form C"
    # Upper and lower case do not tell two cards apart when somebody speaks.
    if len({name.casefold() for name in called}) != len(called):
        yield "two components with one name"
    if len({name.casefold() for name in names.kinds.values()}) != len(names.kinds):
        yield "two kinds with one name"
