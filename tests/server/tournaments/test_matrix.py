"""The pairwise matrix: a worked example, and its two halves."""

from fractions import Fraction
from random import Random

from cutpurse_server.tournaments.matrix import Encounter, matrix_of
from tests.server.tournaments.simulated import block_of, by_strength, round_robin


def test_a_worked_example() -> None:
    # Seated a b c, then c a b, then b c a.
    matrix = matrix_of([block_of(1, 1, "abc", [(1, 1, 3), (1, 2, 3), (1, 3, 2)])])

    assert matrix["a", "b"] == Encounter(matches=3, halves=1 + 2 + 0)
    assert matrix["a", "c"] == Encounter(matches=3, halves=2 + 0 + 2)
    assert matrix["c", "b"].share == Fraction(2 * 1, 2 * 3)
    assert set(matrix) == {(one, other) for one in "abc" for other in "abc" if one != other}


def test_what_one_lacks_the_other_has_in_whatever_order_the_blocks_come() -> None:
    strengths = dict.fromkeys("abcde", 1.0)
    blocks = round_robin("abcde", 3, 2, by_strength(strengths), Random(3))

    matrix = matrix_of(blocks)

    assert matrix == matrix_of(reversed(blocks))
    for (bot, other), encounter in matrix.items():
        assert encounter.share + matrix[other, bot].share == 1
        assert encounter.matches == 2 * 3 * 3, "two rounds, three tables with both, three matches at each"
