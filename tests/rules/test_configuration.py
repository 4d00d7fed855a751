"""Configurations: what is resolved, and what is refused with the option's name and what it may be (G8)."""

from __future__ import annotations

from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.errors import BadConfiguration

ART_ROBBERY = GAMES["art_robbery"]
DECK = {"N0": 6, "N1": 6, "N2": 6, "N3": 6, "N4": 6, "N5": 6, "GD": 6, "GT": 7, "BS": 6}


def test_every_option_has_its_resolved_value_and_compositions_only_where_they_differ() -> None:
    assert dict(ART_ROBBERY.configure(3).options) == {"auto_play_forced": True, "heist_turn_limit": 180}
    assert dict(ART_ROBBERY.configure(3, {"deck": DECK}).options) == {"auto_play_forced": True, "heist_turn_limit": 180}


def test_what_a_composition_does_not_name_is_not_there_and_is_spelt_out() -> None:
    config = ART_ROBBERY.configure(2, {"deck": {"GD": 10}, "tiles": {"5.0": 2}})

    assert config.options["deck"] == dict.fromkeys(DECK, 0) | {"GD": 10}
    assert config.options["tiles"] == {
        "0.3": 0, "0.2": 0, "1.1": 0, "2.1": 0, "3.0": 0, "4.0": 0, "5.0": 2, "BOSS": 0,
    }  # fmt: skip


def test_a_resolved_configuration_resolves_to_itself() -> None:
    config = ART_ROBBERY.configure(4, {"deck": {"GD": 30}, "heist_turn_limit": 9, "auto_play_forced": False})

    assert ART_ROBBERY.configure(4, config.options) == config


def test_a_configuration_cannot_be_changed() -> None:
    config = ART_ROBBERY.configure(2)

    with pytest.raises(TypeError):
        config.options["heist_turn_limit"] = 1  # type: ignore[index]


@pytest.mark.parametrize("players", [-1, 0, 1, 6, 100])
def test_a_number_of_players_that_the_game_is_not_for(players: int) -> None:
    with pytest.raises(BadConfiguration, match="players: art_robbery is for 2 to 5 players, not") as refused:
        ART_ROBBERY.configure(players)
    assert refused.value.option == "players"


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("auto_play_forced", 1, "must be true or false, not 1"),
        ("auto_play_forced", "true", "must be true or false, not 'true'"),
        ("heist_turn_limit", 0, "must be a whole number from 1 to 1000000, not 0"),
        ("heist_turn_limit", 1_000_001, "must be a whole number from 1"),
        ("heist_turn_limit", 2.0, "must be a whole number"),
        ("heist_turn_limit", True, "must be a whole number"),
        ("heist_turn_limit", "9", "must be a whole number"),
        ("deck", 55, "must give counts by notation"),
        ("deck", ["N0"], "must give counts by notation"),
        ("deck", {"N6": 20}, "has no 'N6'; it has N0, N1"),
        ("deck", {"N0": -1}, "must be a whole number from 0 to 100, not -1"),
        ("deck", {"N0": 101}, "must be a whole number from 0 to 100, not 101"),
        ("deck", {"N0": 9}, "needs at least 10 cards for 2 players, not 9"),
        ("deck", {}, "needs at least 10 cards"),
        ("tiles", {}, "needs at least one tile"),
        ("tiles", {"5.0": 0}, "needs at least one tile"),
        ("tiles", {"BOSS": 2, "5.0": 1}, "has at most one BOSS, not 2"),
        ("tiles", {"6.0": 1}, "has no '6.0'"),
        ("turn_limit", 3, "art_robbery has no such option; it has auto_play_forced, heist_turn_limit, deck, tiles"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_name(option: str, value: Any, text: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        ART_ROBBERY.configure(2, {option: value})
    assert refused.value.option == option
    assert refused.value.text.startswith(text)


def test_the_deck_needs_five_cards_for_each_player() -> None:
    for players in range(2, 6):
        assert ART_ROBBERY.configure(players, {"deck": {"GT": 5 * players}}).players == players
        with pytest.raises(BadConfiguration):
            ART_ROBBERY.configure(players, {"deck": {"GT": 5 * players - 1}})
