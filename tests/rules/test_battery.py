"""Every game of the table, at every number of players, through the whole battery."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutpurse_rules import GAMES
from tests.rules.art_robbery.secrets_of_art_robbery import resample as art_robbery_secrets
from tests.rules.battery import CHECKS, Case, Resample, cases
from tests.rules.big_max.secrets_of_big_max import resample as big_max_secrets
from tests.rules.shadow_thief.secrets_of_shadow_thief import resample as shadow_thief_secrets

SECRETS: dict[str, Resample] = {
    "art_robbery": art_robbery_secrets,
    "big_max": big_max_secrets,
    "shadow_thief": shadow_thief_secrets,
}
"""By game, how to deal anew what a viewer cannot know."""

CASES = [case for game in GAMES.values() for case in cases(game, SECRETS[game.id])]


def test_every_game_is_in_the_battery() -> None:
    assert set(SECRETS) == set(GAMES) == {case.game.id for case in CASES}
    assert list(GAMES) == sorted(GAMES)
    assert all(name == game.id for name, game in GAMES.items())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_battery(case: Case, check: Callable[[Case], None]) -> None:
    check(case)
