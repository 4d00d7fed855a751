"""Standings: worked examples, exactness, and independence of the order in which blocks ended."""

from fractions import Fraction
from math import gamma, isnan, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutpurse_rules.contract import EndReason
from cutpurse_server.matches.events import MatchOutcome
from cutpurse_server.tournaments.events import BlockCompleted, CompletedMatch
from cutpurse_server.tournaments.standings import Standings, points_units, standings_of, student_t_975


def outcome(placements: tuple[int, ...], forfeited: tuple[int, ...] = ()) -> MatchOutcome:
    return MatchOutcome((0,) * len(placements), placements, EndReason.COMPLETED, forfeited, placements)


def block(number: int, *matches: tuple[str, tuple[int, ...]], forfeited: tuple[int, ...] = ()) -> BlockCompleted:
    """Matches as (bots by seat, placements by seat)."""
    return BlockCompleted(
        1,
        number,
        1,
        tuple(CompletedMatch("m", b"", 1, outcome(places, forfeited), tuple(bots)) for bots, places in matches),
        0,
    )


@pytest.mark.parametrize(
    ("placements", "points"),
    [
        ((1, 2, 3), ("1", "1/2", "0")),
        ((1, 1, 3), ("3/4", "3/4", "0")),
        ((1, 2, 2), ("1", "1/4", "1/4")),
        ((1, 1, 1), ("1/2", "1/2", "1/2")),
        ((2, 1), ("0", "1")),
        ((3, 1, 1, 3, 5), ("3/8", "7/8", "7/8", "3/8", "0")),
    ],
)
def test_points_are_seats_below_and_half_of_those_beside(placements: tuple[int, ...], points: tuple[str, ...]) -> None:
    units = [points_units(outcome(placements), seat) for seat in range(len(placements))]

    assert [Fraction(each, 2 * (len(placements) - 1)) for each in units] == [Fraction(each) for each in points]


def test_a_worked_example_of_two_blocks() -> None:
    blocks = [
        block(1, ("ab", (1, 2)), ("ba", (2, 1))),
        block(2, ("ab", (1, 2)), ("ba", (1, 2))),
    ]

    first, second = standings_of(2, "ab", blocks).rows()

    assert (first.place, first.bot, first.matches, first.points_mean, first.firsts) == (1, "a", 4, 0.75, 3)
    assert first.points_by_seat == (1.0, 0.5)
    # Block means 1 and 1/2: s = √(1/8), so the half width is t · s ÷ √2 = 12.7062 ÷ 4, cut at both ends.
    assert (first.points_low, first.points_high) == (0.0, 1.0)
    assert (second.place, second.bot, second.points_mean, second.points_by_seat) == (2, "b", 0.25, (0.5, 0.0))


def test_the_interval_is_students_over_blocks() -> None:
    means = [1, 1, 0, 1, 1, 1, 1, 1]
    blocks = [
        block(n, ("ab", (1, 2) if mean else (2, 1)), ("ba", (2, 1) if mean else (1, 2))) for n, mean in enumerate(means)
    ]

    row = standings_of(2, "ab", blocks).rows()[0]

    average = sum(means) / 8
    spread = sqrt(sum((mean - average) ** 2 for mean in means) / 7)
    assert row.points_mean == 0.875
    assert row.points_low == pytest.approx(average - 2.364624251 * spread / sqrt(8))
    assert row.points_high == 1.0


@pytest.mark.parametrize(
    ("blocks", "each", "low", "high"),
    [
        # As little as with one block: with two or three, the next may be anything.
        (2, "won", 0.0, 1.0),
        (3, "won", 0.0, 1.0),
        (8, "won", 0.625, 1.0),
        (30, "won", 0.9, 1.0),
        (30, "lost", 0.0, 0.1),
        (12, "halved", 0.375, 0.625),
    ],
)
def test_blocks_that_are_all_equal_are_no_certainty(blocks: int, each: str, low: float, high: float) -> None:
    one, other = {"won": ((1, 2), (2, 1)), "lost": ((2, 1), (1, 2)), "halved": ((1, 2), (1, 2))}[each]
    played = [block(number, ("ab", one), ("ba", other)) for number in range(blocks)]

    row = next(row for row in standings_of(2, "ab", played).rows() if row.bot == "a")

    assert (row.points_low, row.points_high) == pytest.approx((low, high))
    assert row.points_low <= row.points_mean <= row.points_high


def test_equal_means_share_a_place_whatever_their_names_and_order() -> None:
    rows = standings_of(3, "cab", [block(1, ("abc", (1, 1, 3)), ("cab", (3, 1, 1)), ("bca", (1, 3, 1)))]).rows()

    assert [(row.place, row.bot) for row in rows] == [(1, "a"), (1, "b"), (3, "c")]


def test_equal_means_that_floats_would_part_share_a_place() -> None:
    """Ten tenths add up to less than one in floats: 1/4 three times and 3/4 once against 1/2 twice and 1/4 twice."""
    matches_of_a = [(1, 4, 2, 2), (3, 1, 2, 4)]
    blocks = [block(n, *[("abcd", places)] * 4) for n, places in enumerate(matches_of_a)]

    standings = standings_of(4, "abcd", blocks)

    by_place: dict[int, set[str]] = {}
    for row, exact in zip(standings.rows(), standings.to_json(), strict=True):
        by_place.setdefault(row.place, set()).add(exact["points_mean_exact"])
    assert all(len(means) == 1 for means in by_place.values())


def test_a_bot_without_a_completed_block_is_last_and_its_interval_says_nothing() -> None:
    rows = standings_of(2, "abc", [block(1, ("ab", (1, 2)), ("ba", (2, 1)))]).rows()

    idle = next(row for row in rows if row.bot == "c")
    assert (idle.place, idle.matches, idle.points_low, idle.points_high) == (2, 0, 0.0, 1.0)
    assert all(isnan(points) for points in idle.points_by_seat)


def test_forfeits_are_counted() -> None:
    rows = standings_of(2, "ab", [block(1, ("ab", (1, 2)), ("ba", (1, 2)), forfeited=(1,))]).rows()

    assert {row.bot: row.forfeits for row in rows} == {"a": 1, "b": 1}


@settings(max_examples=30, deadline=None)
@given(results=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12), order=st.randoms())
def test_the_order_in_which_blocks_ended_changes_nothing(results, order):  # type: ignore[no-untyped-def]
    def places(won: bool) -> tuple[int, int]:
        return (1, 2) if won else (2, 1)

    blocks = [block(n, ("ab", places(one)), ("ba", places(two))) for n, (one, two) in enumerate(results)]
    shuffled = blocks[:]
    order.shuffle(shuffled)

    assert standings_of(2, "ab", blocks).to_json() == standings_of(2, "ba", shuffled).to_json()


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 20, 21, 25, 40, 100, 1_000])
def test_the_points_of_students_t_leave_a_fortieth_above_them(degrees: int) -> None:
    """Integrate the density from 0, by Simpson's rule."""
    bound = student_t_975(degrees)
    steps = 20_000
    width = bound / steps

    def density(t: float) -> float:
        return float((1 + t * t / degrees) ** (-(degrees + 1) / 2))

    total = density(0) + density(bound)
    total += sum((4 if step % 2 else 2) * density(step * width) for step in range(1, steps))
    half = degrees / 2
    # Γ(half + 1/2) ÷ Γ(half), by Stirling's series where the functions themselves overflow.
    ratio = gamma(half + 0.5) / gamma(half) if half < 80 else sqrt(half) * (1 - 1 / (8 * half) + 1 / (128 * half**2))
    assert total * width / 3 * ratio / sqrt(degrees * pi) == pytest.approx(0.475, abs=2e-7)


def test_a_tally_that_grows_equals_one_that_is_made_at_once() -> None:
    blocks = [block(n, ("ab", (1, 2)), ("ba", (1, 2))) for n in range(3)]
    growing = Standings(2, "ab")

    for each in blocks:
        growing.add(each)

    assert growing.to_json() == standings_of(2, "ab", blocks).to_json()
