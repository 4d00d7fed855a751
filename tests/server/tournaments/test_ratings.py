"""Ratings: worked examples, what they must not depend on, and whether intervals hold what they promise."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutpurse_server.tournaments.ratings import Ratings, ratings_of
from cutpurse_server.tournaments.standings import standings_of
from tests.server.tournaments.simulated import block_of, by_strength, round_robin

ELO = 400 / log(10)
WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def rating(ratings: Ratings, bot: str) -> float:
    return next(each.rating for each in ratings.ratings if each.bot == bot)


def strengths_of(bots: int, apart: float) -> dict[str, float]:
    return {f"bot-{number}": exp(apart * (number - (bots - 1) / 2)) for number in range(bots)}


def test_a_worked_example_of_two_bots() -> None:
    """Three matches of four won: by symmetry the strengths are x and 1/x, and what was won is what is expected.

    3 + 1/2 = 4 · x²/(x² + 1) + x/(x + 1), the last for the prior's bot of strength 1.
    """
    blocks = [block_of(1, 1, "ab", [WON, LOST]), block_of(2, 1, "ab", [WON, WON])]

    ratings = ratings_of("t", "ab", blocks)

    root = exp(ratings.strengths["a"])
    assert 4 * root**2 / (root**2 + 1) + root / (root + 1) == pytest.approx(3.5, abs=1e-6)
    assert rating(ratings, "a") == pytest.approx(1500 + ELO * log(root))
    assert rating(ratings, "a") + rating(ratings, "b") == pytest.approx(3000)
    assert ratings.chance_to_win("a", "b") == pytest.approx(root**2 / (root**2 + 1))


def test_a_tie_is_half_a_win() -> None:
    beaten = block_of(2, 1, "ab", [WON, LOST])

    tied = ratings_of("t", "ab", [block_of(1, 1, "ab", [TIED, TIED]), beaten])
    shared = ratings_of("t", "ab", [block_of(1, 1, "ab", [WON, WON]), beaten])

    assert tied == shared, "in rotated seats the first seat's two wins are one for each bot"
    assert rating(tied, "a") > 1500


def test_a_match_weighs_one_for_each_of_its_bots_however_many_they_are() -> None:
    """The bot that always wins has won 3 matches of 3, and half of one of its prior's: not 6 of 6 pairs."""
    ratings = ratings_of("t", "abc", [block_of(1, 1, "abc", [(1, 2, 2), (2, 1, 2), (2, 2, 1)])])

    against_others = 3 * (ratings.chance_to_win("a", "b") + ratings.chance_to_win("a", "c")) / 2
    against_prior = 1 / (1 + exp(-ratings.strengths["a"]))
    assert against_others + against_prior == pytest.approx(3.5, abs=1e-6)
    assert ratings.strengths["b"] == pytest.approx(ratings.strengths["c"], abs=1e-6)


def test_a_bot_that_never_lost_has_a_rating_and_a_wide_interval() -> None:
    blocks = [block_of(number, 1, "ab", [WON, LOST]) for number in range(1, 11)]

    first = ratings_of("t", "ab", blocks).ratings[0]

    assert first.bot == "a"
    assert first.low is not None
    assert first.high is not None
    assert 1700 < first.rating < 2200
    assert first.high - first.low > 150


def test_with_fewer_than_two_blocks_there_is_no_interval_and_nothing_is_significant() -> None:
    ratings = ratings_of("t", "abc", [block_of(1, 1, "ab", [WON, LOST])])

    assert [(each.low, each.high) for each in ratings.ratings] == [(None, None)] * 3
    assert rating(ratings, "a") > rating(ratings, "c") > rating(ratings, "b"), "c is what the prior says"
    assert not any(each.significant for each in ratings.comparisons)


def test_nothing_but_the_completed_blocks_matters() -> None:
    strengths = strengths_of(4, 0.4)
    chance = Random(1)
    blocks = round_robin(list(strengths), 3, 3, by_strength(strengths), chance)
    shuffled = blocks[:]
    chance.shuffle(shuffled)

    assert ratings_of("t", strengths, blocks) == ratings_of("t", reversed(strengths), shuffled)
    assert ratings_of("t", strengths, blocks) != ratings_of("u", strengths, blocks), "weights are the tournament's"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_where_all_have_met_equally_often_ratings_stand_in_the_order_of_points(players: int) -> None:
    strengths = strengths_of(6, 0.15)
    blocks = round_robin(list(strengths), players, 2, by_strength(strengths), Random(players))

    ratings = {each.bot: each.rating for each in ratings_of("t", strengths, blocks).ratings}
    rows = standings_of(players, strengths, blocks).rows()

    for better, worse in pairwise(rows):
        if better.points_mean > worse.points_mean:
            assert ratings[better.bot] > ratings[worse.bot]
        else:
            assert ratings[better.bot] == pytest.approx(ratings[worse.bot], abs=1e-3)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), match=st.integers(0, 2))
def test_a_better_place_never_lowers_a_rating(seed: int, match: int) -> None:
    chance = Random(seed)
    members = [chance.sample("abcde", 3) for _ in range(4)]
    drawn: list[tuple[int, ...]] = [(1, 2, 3), (1, 1, 3), (3, 1, 2), (2, 3, 1)]
    places = [[chance.choice(drawn) for _ in range(3)] for _ in members]
    before = [block_of(1, table, bots, each) for table, (bots, each) in enumerate(zip(members, places, strict=True), 1)]
    seat = chance.randrange(3)
    bot = before[0].matches[match].bots[seat]
    better = list(places[0][match])
    better[seat] = 1
    places[0][match] = tuple(
        1 + sum(other < own for other in better) if at != seat else 1 for at, own in enumerate(better)
    )

    after = [block_of(1, table, bots, each) for table, (bots, each) in enumerate(zip(members, places, strict=True), 1)]

    old, new = ratings_of("t", "abcde", before), ratings_of("t", "abcde", after)
    assert new.strengths[bot] >= old.strengths[bot] - 1e-6


@pytest.mark.parametrize(("bots", "players", "rounds"), [(4, 2, 8), (5, 3, 3)])
def test_known_strengths_lie_in_most_intervals(bots: int, players: int, rounds: int) -> None:
    inside, told = coverage(bots, players, rounds, tournaments=8)

    assert inside / told > 0.8


@pytest.mark.slow
def test_intervals_of_95_percent_hold_the_truth_in_93_to_97_percent() -> None:
    counts = [coverage(5, 2, 5, tournaments=70), coverage(4, 3, 4, tournaments=70), coverage(6, 4, 2, tournaments=50)]

    share = sum(inside for inside, _ in counts) / sum(told for _, told in counts)
    assert 0.93 <= share <= 0.97, share


@pytest.mark.slow
def test_equal_bots_are_seldom_told_apart_and_unequal_ones_mostly() -> None:
    equal, unequal = strengths_of(5, 0.0), strengths_of(5, 0.8)

    def told_apart(strengths: dict[str, float], tournaments: int) -> int:
        return sum(
            any(
                each.significant
                for each in ratings_of(
                    f"t{number}", strengths, round_robin(list(strengths), 2, 5, by_strength(strengths), Random(number))
                ).comparisons
            )
            for number in range(tournaments)
        )

    assert told_apart(equal, 60) <= 7, "a twentieth, so three of sixty, and hardly ever more than seven"
    assert told_apart(unequal, 20) >= 18


def coverage(bots: int, players: int, rounds: int, tournaments: int) -> tuple[int, int]:
    """How many intervals hold the strength that the results were drawn with, and how many there are."""
    strengths = strengths_of(bots, 0.3)
    chance = Random(bots * 100 + players)
    inside = told = 0
    for number in range(tournaments):
        blocks = round_robin(list(strengths), players, rounds, by_strength(strengths), chance)
        for each in ratings_of(f"t{number}", strengths, blocks).ratings:
            assert each.low is not None
            assert each.high is not None
            told += 1
            inside += each.low <= 1500 + ELO * log(strengths[each.bot]) <= each.high
    return inside, told
