"""The end of the game: R6, R7 on each level of its tie-break, R8, and the worked points about alibis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutpurse_rules.art_robbery.scoring import choose_discards, score
from cutpurse_rules.art_robbery.tiles import ALIBIS, POINTS, TILES
from cutpurse_rules.multisets import notations
from tests.rules.art_robbery.position import GAME, heap, play, position, view

FIVE = "N1 N1 N1 N1 N1"


def discarded(*heists: str) -> list[list[str]]:
    """What R7 discards of these tiles, by heist."""
    return [notations(gone, TILES) for gone in choose_discards([heap(tiles, TILES) for tiles in heists])]


def kept(*seats: str) -> list[bytes]:
    return [heap(tiles, TILES) for tiles in seats]


def test_points_are_the_values_of_kept_tiles_and_a_boss_tile_counts_5() -> None:
    result = score(kept("0.3 0.2 1.1 2.1 3.0 4.0 5.0 BOSS", "0.3 0.3", "1.1"))

    assert result.scores == (0 + 0 + 1 + 2 + 3 + 4 + 5 + 5, 0, 0)
    assert result.reason == "COMPLETED"


def test_worked_point_of_alibis_6_4_4_and_9_the_seats_with_4_are_caught_and_points_decide_between_the_others() -> None:
    result = score(kept("0.3 0.3 5.0 5.0", "0.2 0.2 BOSS 5.0 5.0", "0.3 1.1 BOSS BOSS BOSS", "0.3 0.3 0.3 4.0"))

    assert result.scores == (10, 0, 0, 4)
    assert result.placements == (1, 3, 3, 2)


def test_r6_everybody_has_the_fewest_alibis_and_all_share_the_first_place() -> None:
    result = score(kept("0.3 5.0", "0.2 1.1 4.0", "1.1 2.1 1.1"))

    assert result.scores == (0, 0, 0)
    assert result.placements == (1, 1, 1)


def test_r6_through_a_whole_last_heist() -> None:
    state = position(["N5 N1 N1 N1 N1", FIVE, FIVE], safe=[["", "", ""]] * 3, front=["1.1", "1.1", "2.1"])

    result = GAME.result(play(state, "play N5 take 5.0 from middle"))

    assert result is not None
    assert (result.scores, result.placements, result.reason) == ((0, 0, 0), (1, 1, 1), "COMPLETED")


def test_r8_a_caught_seat_comes_after_seats_without_a_point() -> None:
    result = score(kept("5.0 5.0 5.0", "0.3", "0.2"))

    assert result.scores == (0, 0, 0)
    assert result.placements == (3, 1, 2)


def test_a_tie_goes_to_the_most_alibis() -> None:
    assert score(kept("5.0 0.3", "5.0 0.3 0.2", "BOSS")).placements == (2, 1, 3)


def test_still_equal_is_shared() -> None:
    assert score(kept("5.0 0.3", "BOSS 0.3", "1.1", "3.0 2.1 0.3")).placements == (2, 2, 4, 1)


def test_two_players_nobody_is_caught() -> None:
    assert score(kept("5.0", "4.0 0.3")).placements == (1, 2)


def two_players_end(first: Sequence[str], second: Sequence[str], last: str = "5.0") -> list[list[str]]:
    """The safe tiles of both seats at the end, from theirs in three heists; seat 1 then takes the last tile."""
    state = position([FIVE, "GT N2 N2 N2 N2"], safe=list(zip(first, second, strict=True)), middle=last, turn_seat=1)
    safe: list[list[str]] = view(play(state, f"play GT take {last} from middle"))["safe"]
    return safe


def test_worked_point_two_players_with_alibis_5_and_7_the_first_discards_exactly_10() -> None:
    ours, theirs = two_players_end(["5.0 4.0 3.0 2.1", "0.2", "0.2"], ["0.3 0.3", "", "1.1"])

    assert discarded("5.0 4.0 3.0 2.1", "0.2", "0.2") == [["2.1", "3.0", "5.0"], [], []]
    assert ours == ["0.2", "0.2", "4.0"]
    assert theirs == ["0.3", "0.3", "1.1", "5.0"]


def test_r7_equal_alibis_and_neither_discards() -> None:
    ours, theirs = two_players_end(["5.0 5.0", "0.3", ""], ["5.0", "1.1 0.2", ""])

    assert ours == ["0.3", "5.0", "5.0"]
    assert theirs == ["0.2", "1.1", "5.0", "5.0"]


def test_r7_what_is_discarded_is_out_of_the_game_and_counts_no_more() -> None:
    state = position(
        [FIVE, "GT N2 N2 N2 N2"], safe=[["5.0 4.0 1.1", "0.3"], ["", ""], ["", ""]], middle="3.0", turn_seat=1
    )

    after = play(state, "play GT take 3.0 from middle")
    result = GAME.result(after)

    assert view(after)["out"] == ["1.1", "4.0", "5.0"]
    assert view(after)["safe"] == [[], ["0.3", "3.0"]]
    assert result is not None
    assert (result.scores, result.placements) == ((0, 3), (2, 1))


def test_r7_either_seat_may_be_the_one_that_discards() -> None:
    ours, theirs = two_players_end(["0.3", "0.2", ""], ["5.0 1.1", "", "4.0"])

    assert ours == ["0.3", "0.2"]
    assert theirs == ["1.1", "4.0"], "of 5, 5 and 4 two fives are exactly 10"


def test_r7_alibis_for_the_tie_break_are_counted_after_the_discard() -> None:
    # Before the discard 3 alibis against 4; after it 2 against 4, with five points each.
    ours, theirs = two_players_end(["5.0 4.0 1.1", "0.2 5.0", ""], ["0.3 1.1", "", ""], last="4.0")
    result = score(kept(" ".join(ours), " ".join(theirs)))

    assert ours == ["0.2", "1.1", "4.0"]
    assert result.scores == (5, 5)
    assert result.placements == (2, 1)


def test_r7_a_boss_tile_is_worth_5_in_the_discard() -> None:
    assert discarded("4.0 5.0 BOSS") == [["5.0", "BOSS"]]


def test_r7_all_tiles_together_worth_less_than_10_are_all_discarded() -> None:
    assert discarded("0.3 4.0", "", "0.2 5.0") == [["0.3", "4.0"], [], ["0.2", "5.0"]]
    assert discarded("", "", "") == [[], [], []]


def test_r7_first_the_smallest_total_that_is_at_least_10() -> None:
    assert discarded("4.0 4.0 4.0", "5.0 3.0 1.1") == [["4.0"], ["1.1", "5.0"]]
    assert discarded("4.0 4.0 4.0") == [["4.0", "4.0", "4.0"]]


def test_r7_then_the_most_alibis_kept() -> None:
    # 5 + 5 costs no alibi; 5 + 4 + 1 would cost one.
    assert discarded("5.0 4.0 1.1", "5.0") == [["5.0"], ["5.0"]]
    # 4 + 3 + 3 costs none though it is a tile more than 5 + 4 + 1 would need to be as good.
    assert discarded("5.0 4.0 1.1", "3.0 3.0") == [["4.0"], ["3.0", "3.0"]]
    # That 5 + 4 + 1 lies later does not make up for its alibi.
    assert discarded("3.0 3.0", "5.0 4.0 1.1") == [["3.0", "3.0"], ["4.0"]]


def test_r7_then_the_fewest_tiles() -> None:
    assert discarded("3.0 3.0 4.0", "5.0 5.0") == [[], ["5.0", "5.0"]]
    assert discarded("5.0 5.0", "3.0 3.0 4.0") == [["5.0", "5.0"], []]


@pytest.mark.parametrize(
    ("heists", "expected"),
    [
        (["5.0", "5.0", "5.0"], [[], ["5.0"], ["5.0"]]),
        (["5.0 BOSS", "5.0", ""], [["BOSS"], ["5.0"], []]),
        (["5.0 BOSS", "BOSS", "5.0"], [[], ["BOSS"], ["5.0"]]),
        (["2.1 4.0 4.0", "3.0 5.0 2.1"], [[], ["2.1", "3.0", "5.0"]]),
    ],
    ids=["later heist", "later tile of a heist", "later tile of a later heist", "more than one difference"],
)
def test_r7_at_last_the_set_with_the_later_tile_at_the_first_difference(
    heists: list[str], expected: list[list[str]]
) -> None:
    assert discarded(*heists) == expected


def brute_force(heists: Sequence[bytes]) -> list[list[int]]:
    """R7 word for word, over every subset."""
    tiles = [(heist, tile) for heist, multiset in enumerate(heists) for tile in multiset]
    if sum(POINTS[tile] for _, tile in tiles) < 10:
        return [list(multiset) for multiset in heists]

    def subsets() -> Iterator[tuple[tuple[int, int], ...]]:
        for chosen in product((False, True), repeat=len(tiles)):
            subset = tuple(tile for tile, taken in zip(tiles, chosen, strict=True) if taken)
            if sum(POINTS[tile] for _, tile in subset) >= 10:
                yield subset

    def rank(subset: tuple[tuple[int, int], ...]) -> tuple[int, int, int, list[tuple[int, int]]]:
        later_first = [(-heist, -tile) for heist, tile in subset]
        total, alibis = sum(POINTS[tile] for _, tile in subset), sum(ALIBIS[tile] for _, tile in subset)
        return total, alibis, len(subset), later_first

    best = min(subsets(), key=rank)
    return [[tile for at, tile in best if at == heist] for heist in range(len(heists))]


@given(st.lists(st.lists(st.integers(1, len(TILES)), max_size=4), min_size=4, max_size=4).filter(
    lambda heists: sum(map(len, heists)) <= 11
))  # fmt: skip
def test_r7_agrees_with_trying_every_subset(heists: list[list[int]]) -> None:
    multisets = [bytes(sorted(tiles)) for tiles in heists]

    assert [list(gone) for gone in choose_discards(multisets)] == brute_force(multisets)


@given(st.lists(st.lists(st.integers(3, len(TILES)), min_size=100, max_size=100), min_size=4, max_size=4))
def test_r7_takes_no_more_than_it_needs_of_very_many_tiles(heists: list[list[int]]) -> None:
    multisets = [bytes(sorted(tiles)) for tiles in heists]

    gone = choose_discards(multisets)

    assert 10 <= sum(POINTS[tile] for tiles in gone for tile in tiles) <= 12
    for tiles, whole in zip(gone, multisets, strict=True):
        assert all(tiles.count(tile) <= whole.count(tile) for tile in tiles)
