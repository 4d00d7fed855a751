"""Strips: where numbers lie on them."""

import re
from itertools import pairwise

import pytest

from cutpurse_server.reports.pictures import axis, bars, interval, linear, logarithmic


def test_places_run_from_margin_to_margin_and_stay_there() -> None:
    scale = linear([0.0, 50.0, 100.0])

    assert [scale.place(value) for value in (0, 50, 100)] == pytest.approx([3, 50, 97])
    assert scale.place(-10) == 3
    assert scale.place(1e9) == 97


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0, 10.0], (0, 2, 4, 6, 8, 10)),
        ([1310.0, 1690.0], (1400, 1500, 1600)),
        ([-3.0, 3.0], (-3, -2, -1, 0, 1, 2, 3)),
    ],
)
def test_ticks_are_round_numbers_inside(values: list[float], ticks: tuple[float, ...]) -> None:
    assert linear(values).ticks == pytest.approx(ticks)


def test_equal_values_and_none_have_a_scale_too() -> None:
    assert linear([5.0, 5.0]).place(5.0) == pytest.approx(50)
    assert linear([]).ticks


def test_a_logarithmic_scale_gives_each_power_of_ten_the_same_room() -> None:
    scale = logarithmic(900)

    assert scale.ticks == pytest.approx([1, 10, 100, 1000])
    places = [scale.place(tick) for tick in scale.ticks]
    assert [round(after - before, 6) for before, after in pairwise(places)] == [31.333333] * 3


def test_the_highest_bar_fills_the_strip_and_bars_count_what_is_there() -> None:
    drawn = bars(linear([0.0, 1.0]), [0.0] * 6 + [1.0] * 3, "said", bins=2)

    heights = [float(each) for each in re.findall(r'<rect[^>]*height="([\d.]+)"', drawn)]
    assert heights == [37.0, 18.5]


def test_without_an_interval_there_is_a_dot_alone() -> None:
    scale = linear([0.0, 1.0])

    assert 'class="reach"' in interval(scale, 0.5, 0.2, 0.8, "said")
    assert 'class="reach"' not in interval(scale, 0.5, None, None, "said")
    assert axis(scale, ["x"] * len(scale.ticks)).count("<text") == len(scale.ticks)
