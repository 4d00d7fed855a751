"""`greedy` beats `random` in every game and at every number of seats, by points, beyond what luck explains."""

from __future__ import annotations

import pytest

from cutpurse_bots import greedy
from cutpurse_rules import GAMES
from tests.acceptance.strength import Strength, main, points, strength_of

MATCHES = 60
ALL_TABLES = [
    (name, players)
    for name in greedy.GAMES
    for game in [GAMES[name]]
    for players in range(game.min_players, game.max_players + 1)
]


@pytest.mark.parametrize(("game", "players"), ALL_TABLES)
def test_greedy_beats_random(game: str, players: int) -> None:
    strength = strength_of("greedy", "random", game, players, MATCHES)

    print(strength)
    assert strength.low > 0.55, str(strength)


@pytest.mark.parametrize("game", GAMES)
def test_random_does_not_beat_random(game: str) -> None:
    strength = strength_of("random", "random", game, GAMES[game].max_players, MATCHES)

    assert strength.low < 0.5 < strength.high, str(strength)


def test_points_are_the_part_of_the_others_that_is_left_behind() -> None:
    assert [points((1, 2, 2, 4), seat) for seat in range(4)] == [1.0, 0.5, 0.5, 0.0]
    assert [points((1, 1), seat) for seat in range(2)] == [0.5, 0.5]


def test_an_interval_lies_around_the_mean_and_shrinks_with_the_matches() -> None:
    few, many = Strength("g", 2, (0.0, 0.5, 1.0)), Strength("g", 2, (0.0, 0.5, 1.0) * 100)

    assert few.low < many.low < few.mean == many.mean == 0.5 < many.high < few.high
    assert many.high - many.mean == pytest.approx(1.96 * 0.409 / 300**0.5, rel=0.01)


def test_the_command_says_whether_the_hero_is_surely_better(capsys: pytest.CaptureFixture[str]) -> None:
    weak = ["--game", "big_max", "--players", "3", "--matches", "9", "--hero"]

    assert main([*weak, "greedy"]) == 0
    assert main([*weak, "first"]) == 1
    assert capsys.readouterr().out.count("big_max, 3 seats, 9 matches: ") == 2
