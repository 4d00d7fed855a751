"""The engine against the second reading of the page, over random tables, options and styles of play."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Seat
from cutpurse_rules.errors import BadConfiguration
from cutpurse_rules.playthrough import play_through
from cutpurse_rules.trace import lines_of, match_line, numbered_names
from tests.rules.art_robbery.position import GAME
from tests.rules.oracle.art_robbery_oracle import check


def configuration(dealer: random.Random) -> Config:
    """A random configuration, small decks and odd tiles included."""
    while True:
        options: dict[str, Any] = {"auto_play_forced": dealer.random() < 0.5}
        if dealer.random() < 0.6:
            options["heist_turn_limit"] = dealer.choice([1, 2, 3, 5, 8, 12, 20, 40])
        if dealer.random() < 0.5:
            options["deck"] = {card: dealer.choice([0, 0, 1, 2, 3, 6]) for card in CARDS}
        if dealer.random() < 0.6:
            options["tiles"] = {tile: dealer.choice([0, 1, 1, 2, 3]) for tile in TILES}
            options["tiles"]["BOSS"] = dealer.randint(0, 1)
        try:
            return GAME.configure(dealer.choice([2, 2, 3, 4, 5]), options)
        except BadConfiguration:
            continue


def trace(seed: int) -> list[str]:
    """A match of random choices; in most, choices that bring out the dog and thefts come more often."""
    dealer = random.Random(seed)
    config = configuration(dealer)
    fierce = 0.7 if dealer.random() < 0.7 else 0.0

    def choose(state: Any, seat: Seat) -> Any:
        legal = GAME.legal(state, seat)
        fights = [
            action for action in legal if action.notation in ("play GD", "play BS") or action.notation[-1].isdigit()
        ]
        return dealer.choice(fights if fights and dealer.random() < fierce else legal)

    lines = [match_line(GAME, config, str(seed), numbered_names(["random"] * config.players))]
    for part in play_through(GAME, config, StreamChance(key_of_seed(str(seed))), choose):
        lines += lines_of(GAME, config.players, part)
    return lines


def test_fifty_matches_agree_line_by_line() -> None:
    for seed in range(50):
        check(trace(seed))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_hundred_matches_agree_line_by_line() -> None:
    for seed in range(1_000, 1_200):
        check(trace(seed))
