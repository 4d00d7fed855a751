"""Tails against the density itself, and the two corrections against worked examples."""

from math import gamma, pi, sqrt
from random import Random

import pytest

from cutpurse_server.tournaments.significance import benjamini_hochberg, holm, normal_two_sided, student_two_sided
from cutpurse_server.tournaments.standings import student_t_975


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 10, 21, 100, 399])
def test_a_twentieth_lies_beyond_the_points_of_the_intervals(degrees: int) -> None:
    assert student_two_sided(student_t_975(degrees), degrees) == pytest.approx(0.05, abs=1e-6)
    assert student_two_sided(-student_t_975(degrees), degrees) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(("t", "degrees"), [(0.0, 1), (0.3, 1), (1.0, 2), (2.5, 3), (2.0, 6), (3.0, 11)])
def test_the_tail_is_what_the_density_leaves(t: float, degrees: int) -> None:
    steps = 4_000
    scale = gamma((degrees + 1) / 2) / gamma(degrees / 2) / sqrt(degrees * pi)
    middles = [(step + 0.5) * t / steps for step in range(steps)]
    inside = 2 * scale * sum((1 + each * each / degrees) ** (-(degrees + 1) / 2) for each in middles) * t / steps

    assert student_two_sided(t, degrees) == pytest.approx(1 - inside, abs=1e-6)


def test_students_tail_meets_the_normal_one() -> None:
    assert normal_two_sided(1.959963984540054) == pytest.approx(0.05)
    assert student_two_sided(2.5, 2_000) == pytest.approx(student_two_sided(2.5, 2_001), rel=0.01)


def test_the_corrections_of_a_worked_example() -> None:
    chances = [0.01, 0.04, 0.03, 0.005]

    assert holm(chances) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(chances) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert holm([0.01, 0.02], family=10) == pytest.approx([0.1, 0.18])
    assert holm([]) == benjamini_hochberg([]) == []


def test_where_nothing_is_there_either_correction_finds_something_in_a_twentieth_of_all_families() -> None:
    chance = Random(8)
    families = [[chance.random() for _ in range(20)] for _ in range(2_000)]

    for correction in (holm, benjamini_hochberg):
        found = sum(min(correction(family)) <= 0.05 for family in families) / len(families)
        assert 0.035 < found < 0.065
    assert 0.55 < sum(min(family) <= 0.05 for family in families) / len(families) < 0.7, "uncorrected it is two thirds"
