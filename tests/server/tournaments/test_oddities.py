"""Oddities: what was planted is found, and where nothing is odd flags are as rare as stated."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from random import Random

import pytest

from cutpurse_server.tournaments.events import BlockCompleted
from cutpurse_server.tournaments.oddities import Oddities, oddities_of
from cutpurse_server.tournaments.ratings import ratings_of
from tests.server.tournaments.simulated import Places, block_of, by_strength, round_robin

BOTS = [f"bot-{number}" for number in range(6)]
STRENGTHS = {bot: exp(0.3 * (number - 2.5)) for number, bot in enumerate(BOTS)}
HONEST = by_strength(STRENGTHS)


def odd(blocks: Sequence[BlockCompleted]) -> Oddities:
    return oddities_of(ratings_of("t", BOTS, blocks), blocks)


def giving_way(giver: str, taker: str) -> Places:
    """Whenever the giver would be placed before the taker, they change places."""

    def places(bots: Sequence[str], chance: Random) -> Sequence[int]:
        drawn = list(HONEST(bots, chance))
        if giver in bots and taker in bots:
            one, other = bots.index(giver), bots.index(taker)
            if drawn[one] < drawn[other]:
                drawn[one], drawn[other] = drawn[other], drawn[one]
        return drawn

    return places


@pytest.mark.parametrize(("players", "rounds"), [(2, 25), (3, 8)])
def test_a_bot_that_gives_way_to_another_is_flagged_first(players: int, rounds: int) -> None:
    blocks = round_robin(BOTS, players, rounds, giving_way("bot-4", "bot-1"), Random(5))

    by_pair = {(each.present, each.bot): each for each in list(odd(blocks).pairs)[:2]}

    assert by_pair["bot-4", "bot-1"].flagged
    assert by_pair["bot-4", "bot-1"].effect > 0.1, "the taker gets more with the giver at the table"
    assert by_pair["bot-1", "bot-4"].effect < -0.1, "and the giver less with the taker"


def test_the_same_field_without_the_plan_is_not_flagged() -> None:
    found = odd(round_robin(BOTS, 3, 8, HONEST, Random(5)))

    assert found.pairs_untested == 0
    assert not any(each.flagged for each in found.pairs)
    assert not any(each.flagged for each in found.seats)
    assert not any(each.flagged for each in found.bot_seats)


def test_a_seat_that_wins_is_flagged() -> None:
    def places(bots: Sequence[str], chance: Random) -> Sequence[int]:
        drawn = list(HONEST(bots, chance))
        first = drawn.index(1)
        if chance.random() < 0.4:
            drawn[0], drawn[first] = drawn[first], drawn[0]
        return drawn

    first = odd(round_robin(BOTS, 3, 6, places, Random(2))).seats[0]

    assert first.flagged
    assert first.effect > 0.05


def test_a_bot_that_plays_badly_in_one_seat_is_flagged_for_it() -> None:
    def places(bots: Sequence[str], chance: Random) -> Sequence[int]:
        drawn = list(HONEST(bots, chance))
        if bots[1] == "bot-5":
            last = drawn.index(max(drawn))
            drawn[1], drawn[last] = drawn[last], drawn[1]
        return drawn

    found = odd(round_robin(BOTS, 3, 6, places, Random(2))).bot_seats[0]

    assert (found.bot, found.seat, found.flagged) == ("bot-5", 1, True)
    assert found.effect < -0.3


def test_where_all_always_sit_together_nothing_is_said_of_pairs() -> None:
    found = odd([block_of(number, 1, BOTS, [(1, 2, 3, 4, 5, 6)] * 6) for number in range(1, 9)])

    assert found.pairs == ()
    assert found.pairs_untested == 30


def test_without_blocks_nothing_is_said() -> None:
    assert odd([]) == Oddities((), 30, (), ())


def test_the_order_of_the_blocks_changes_nothing() -> None:
    blocks = round_robin(BOTS, 3, 2, HONEST, Random(1))

    assert odd(blocks) == odd(blocks[::-1])


@pytest.mark.slow
@pytest.mark.parametrize(("players", "rounds"), [(2, 6), (3, 3)])
def test_one_honest_tournament_in_twenty_has_a_flag_in_a_family(
    players: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of the ratings only the strengths count here, not the intervals, which take the time.
    monkeypatch.setattr("cutpurse_server.tournaments.ratings.REPETITIONS", 2)
    tournaments = 250
    flagged = {"pairs": 0, "seats": 0, "bot_seats": 0}

    for number in range(tournaments):
        found = odd(round_robin(BOTS, players, rounds, HONEST, Random(number)))
        for family in flagged:
            flagged[family] += any(each.flagged for each in getattr(found, family))

    assert all(count / tournaments <= 0.1 for count in flagged.values()), flagged
    assert flagged["pairs"] / tournaments >= 0.02, "a test that never flags anything finds nothing either"
