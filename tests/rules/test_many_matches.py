"""Very many random matches of every game at every number of players: none stalls, and no assertion fails."""

from __future__ import annotations

import os
import random

import pytest

from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Result

MATCHES = int(os.environ.get("CUTPURSE_MATCHES", "100000"))
"""Of each game, spread over its numbers of players, in the long form."""
FEW = 600
DECISIONS_MAX = 20_000
TABLES = [(game.id, players) for game in GAMES.values() for players in range(game.min_players, game.max_players + 1)]


def play(game_id: str, players: int, seed: str) -> Result:
    """One match of random choices, played to its end."""
    game = GAMES[game_id]
    chance, chooser = StreamChance(key_of_seed(seed)), random.Random(seed)
    state = game.begin(game.configure(players), chance)
    for _ in range(DECISIONS_MAX):
        asked = game.asked(state)
        if not asked:
            break
        state = game.resolve(state, {seat: chooser.choice(game.legal(state, seat)) for seat in asked}, chance)
    result = game.result(state)
    assert result is not None, f"{seed} goes on for ever (G10)"
    return result


def play_many(game_id: str, players: int, matches: int) -> None:
    """So many matches, each with a result that makes sense; a seed that fails is named."""
    for number in range(matches):
        seed = f"{game_id}/{players}/{number}"
        try:
            result = play(game_id, players, seed)
        except Exception as error:
            error.add_note(f"seed {seed!r}")
            raise
        assert len(result.placements) == players
        assert min(result.placements) == 1, seed
        for place in result.placements:
            assert place == 1 + sum(other < place for other in result.placements), seed


def share(game_id: str, matches: int) -> int:
    """How many of a game's matches each number of players gets, rounded up."""
    return -(-matches // sum(game == game_id for game, _ in TABLES))


@pytest.mark.slow
@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_many_matches_end_in_good_order(game_id: str, players: int) -> None:
    play_many(game_id, players, share(game_id, FEW))


@pytest.mark.long
@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_very_many_matches_end_in_good_order(game_id: str, players: int) -> None:
    play_many(game_id, players, share(game_id, MATCHES))
