"""Every game has names in every language; each fault below is planted into the toy's names and found."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.contract import Game, Names
from tests.rules.names_of_games import name_faults
from tests.rules.rock_paper_scissors.game import RockPaperScissors

ALL: list[Game[Any, Any, Any]] = [*GAMES.values(), RockPaperScissors()]


@pytest.mark.parametrize("game", ALL, ids=lambda game: str(game.id))
def test_every_name_is_there_once_and_composed(game: Game[Any, Any, Any]) -> None:
    assert list(name_faults(game)) == []


@pytest.mark.parametrize("game", ALL, ids=lambda game: str(game.id))
def test_vietnamese_is_written_with_its_diacritics(game: Game[Any, Any, Any]) -> None:
    names = game.names["vi"]
    texts = [names.game, *names.kinds.values(), *(name for each in names.components.values() for name in each)]

    # Every game has words that cannot be written without them; composed ones lie above Latin-1.
    assert any(ord(character) > 0xFF for character in "".join(texts))


def with_shapes(names: Names, *shapes: str) -> Names:
    return replace(names, components={**names.components, "shapes": shapes})


FAULTS: dict[str, Callable[[Names], Names]] = {
    "not one name for each of the shapes": lambda names: with_shapes(names, "Stein", "Papier"),
    "is empty": lambda names: with_shapes(names, "Stein", "", "Schere"),
    "cannot be printed": lambda names: with_shapes(names, "Stein ", "Papier", "Schere"),
    "two components with one name": lambda names: with_shapes(names, "Stein", "stein", "Schere"),
    "two kinds with one name": lambda names: replace(names, kinds=dict.fromkeys(names.kinds, "Karten")),
    "normalization form C": lambda names: replace(names, game=unicodedata.normalize("NFD", "Würfel")),
    "not the game's kinds": lambda names: replace(names, kinds={"cards": "Karten"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = RockPaperScissors.names
    monkeypatch.setattr(RockPaperScissors, "names", MappingProxyType({**names, "de": FAULTS[fault](names["de"])}))

    (found, *_) = name_faults(RockPaperScissors())

    assert found.startswith("rock_paper_scissors, de: ")
    assert fault in found


def test_a_missing_language_and_a_second_english_name_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    names = dict(RockPaperScissors.names)
    del names["vi"]
    names["en"] = replace(names["en"], game="Roshambo")
    monkeypatch.setattr(RockPaperScissors, "names", names)

    language, english = name_faults(RockPaperScissors())

    assert "['en', 'de', 'vi']" in language
    assert "two English names" in english
