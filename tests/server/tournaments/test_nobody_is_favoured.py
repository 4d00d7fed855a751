"""With identical bots, no name, order of entry or seat gains anything, in any format."""

import random
from collections import Counter
from typing import Any

import pytest

from cutpurse_server.tournaments.events import Format, FormatSettings
from cutpurse_server.tournaments.standings import Ranking, standings_of
from tests.server.tournaments.folded import begun, field, play_on

RUNS = 300
BOTS = 5
"""With tables of two, somebody rests in every round."""


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"format": Format.ROUND_ROBIN, "rounds": 1}, id="round-robin"),
        pytest.param({"format": Format.ROUND_ROBIN, "rounds": 2, "settings": FormatSettings(tables=4)}, id="design"),
        pytest.param({"format": Format.SWISS, "rounds": 3}, id="swiss"),
        pytest.param({"format": Format.SINGLE_ELIMINATION, "rounds": 1}, id="single-elimination"),
        pytest.param({"format": Format.LADDER, "rounds": 3}, id="ladder"),
    ],
)
def test_names_and_order_of_entry_gain_nothing(changes: dict[str, Any]) -> None:
    first_places: Counter[str] = Counter()
    below: Counter[str] = Counter()
    chance = random.Random(7)
    for run in range(RUNS):
        bots = field(BOTS)
        chance.shuffle(bots)
        schedule = begun(bots, f"secret {run}", **changes)
        play_on(schedule, lambda table: chance.choice([[1, 2], [2, 1], [1, 1]]), chance)
        ranking = Ranking(schedule.scores(), schedule.byes(), {})
        rows = standings_of(2, [each.bot for each in bots], schedule.counted()).rows(ranking)
        shared = sum(row.place == 1 for row in rows)
        for row in rows:
            if row.place == 1:
                first_places[row.bot] += 60 // shared
            below[row.bot] += sum(other.place > row.place for other in rows)

    # Shares of first places in sixtieths: with equal chances each has about a fifth; 4.5 standard deviations.
    bound = 4.5 * (RUNS * 0.2 * 0.8) ** 0.5
    assert all(abs(first_places[each.bot] / 60 - RUNS / BOTS) < bound for each in field(BOTS))
    mean = sum(below.values()) / BOTS
    assert all(abs(below[each.bot] - mean) < 4.5 * (RUNS * 2.0) ** 0.5 for each in field(BOTS))


@pytest.mark.parametrize("format_", [Format.SWISS, Format.LADDER])
def test_every_bot_sits_in_every_seat_equally_often(format_: Format) -> None:
    schedule = begun(field(10), format=format_, rounds=5, players=3)
    play_on(schedule, lambda bots: random.Random(str(bots)).sample(range(1, 4), 3))

    sat: Counter[tuple[str, int]] = Counter()
    for block in schedule.blocks:
        for match in block.matches(schedule.created, 1):
            sat.update((each.bot, seat) for seat, each in enumerate(match.seats))

    for bot in {bot for bot, _ in sat}:
        assert len({sat[bot, seat] for seat in range(3)}) == 1


def test_with_an_advantage_of_a_seat_identical_bots_still_come_out_equal() -> None:
    """Whoever sits in seat 0 always wins: rotation takes the advantage away, block by block."""
    schedule = begun(field(6), format=Format.SWISS, rounds=4, players=3)

    play_on(schedule, lambda bots: [1, 2, 3])

    scores = schedule.scores()
    assert scores is not None
    assert set(scores.values()) == {0.5}
