"""With identical bots, no name, order of entry or seat gains anything, in any format; and the test would notice it."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from cutpurse_server.tournaments.events import Entrant, Format, FormatSettings, Standing
from cutpurse_server.tournaments.formats.course import Course, Table
from cutpurse_server.tournaments.schedule import Schedule
from cutpurse_server.tournaments.standings import Ranking, Standings, standings_of
from tests.server.tournaments.folded import Places, begun, field, play_on

RUNS = 300
BOTS = 5
"""With tables of two, somebody rests in every round."""
DEVIATIONS = 4.5
"""Of so many standard deviations chance makes one in a hundred thousand."""

FORMATS = [
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 1}, id="round-robin"),
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 2, "settings": FormatSettings(tables=4)}, id="design"),
    pytest.param({"format": Format.SWISS, "rounds": 3}, id="swiss"),
    pytest.param({"format": Format.SINGLE_ELIMINATION, "rounds": 1}, id="single-elimination"),
    pytest.param({"format": Format.LADDER, "rounds": 3}, id="ladder"),
]

By = Callable[[list[Entrant], Entrant], int]
"""What of a bot might be favoured: a number from 0 to `BOTS` − 1, given the order of entry."""


def by_name(entered: list[Entrant], bot: Entrant) -> int:
    return sorted(entered).index(bot)


def by_entry(entered: list[Entrant], bot: Entrant) -> int:
    return entered.index(bot)


def surplus(changes: dict[str, Any], by: By, places: Places | None = None) -> float:
    """The largest surplus of first places, and of bots left behind, over what chance lets expect; in deviations."""
    firsts: dict[int, float] = dict.fromkeys(range(BOTS), 0.0)
    behind: Counter[int] = Counter()
    chance = random.Random(7)
    for run in range(RUNS):
        bots = field(BOTS)
        chance.shuffle(bots)
        schedule = begun(bots, f"secret {run}", **changes)
        play_on(schedule, places or (lambda table: chance.choice([[1, 2], [2, 1], [1, 1]])), chance)
        ranking = Ranking(schedule.scores(), schedule.byes(), {})
        rows = standings_of(2, [each.bot for each in bots], schedule.counted()).rows(ranking)
        shared = sum(row.place == 1 for row in rows)
        favoured = {bot.bot: by(bots, bot) for bot in bots}
        for row in rows:
            firsts[favoured[row.bot]] += (row.place == 1) / shared
            behind[favoured[row.bot]] += sum(other.place > row.place for other in rows)
    share, mean = RUNS / BOTS, sum(behind.values()) / BOTS
    of_firsts = max(abs(firsts[each] - share) for each in range(BOTS)) / (RUNS * 0.2 * 0.8) ** 0.5
    of_behind = max(abs(behind[each] - mean) for each in range(BOTS)) / (RUNS * 2.0) ** 0.5
    return float(max(of_firsts, of_behind))


@pytest.mark.parametrize("by", [by_name, by_entry])
@pytest.mark.parametrize("changes", FORMATS)
def test_names_and_order_of_entry_gain_nothing(changes: dict[str, Any], by: By) -> None:
    assert surplus(changes, by) < DEVIATIONS


def in_order_of_names(course: Course, purpose: str, prefix: str, members: Iterable[Table]) -> list[Table]:
    """What lots must not be."""
    return sorted(members)


def test_lots_that_go_by_names_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Course, "in_lot_order", in_order_of_names)

    # Here a lot decides ties; elsewhere it decides who meets whom, of which equal bots gain nothing.
    assert surplus({"format": Format.SINGLE_ELIMINATION, "rounds": 1}, by_name) > DEVIATIONS


def test_places_that_go_by_names_where_points_are_equal_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Standings.rows

    def no_ties(self: Standings, ranking: Ranking) -> list[Standing]:
        return [row._replace(place=place) for place, row in enumerate(rows(self, ranking), 1)]

    chance = random.Random(8)

    def mostly_tied(table: Sequence[str]) -> list[int]:
        return chance.choice([[1, 2], [2, 1]]) if chance.random() < 0.1 else [1, 1]

    fair = surplus({"format": Format.ROUND_ROBIN, "rounds": 1}, by_name, mostly_tied)
    monkeypatch.setattr(Standings, "rows", no_ties)

    assert fair < DEVIATIONS < surplus({"format": Format.ROUND_ROBIN, "rounds": 1}, by_name, mostly_tied)


def test_a_bot_that_wins_a_little_oftener_is_noticed() -> None:
    chance = random.Random(8)

    def places(table: Sequence[str]) -> list[int]:
        lucky = chance.random() < 0.3 and "bot-000" in table
        return [1 if bot == "bot-000" else 2 for bot in table] if lucky else chance.choice([[1, 2], [2, 1], [1, 1]])

    assert surplus({"format": Format.SWISS, "rounds": 3}, by_name, places) > DEVIATIONS


def seat_counts(schedule: Schedule) -> Counter[tuple[str, int]]:
    """How often each bot sits in each seat."""
    sat: Counter[tuple[str, int]] = Counter()
    for block in schedule.blocks:
        for match in block.matches(schedule.created, 1):
            sat.update((each.bot, seat) for seat, each in enumerate(match.seats))
    return sat


@pytest.mark.parametrize(
    "changes",
    [
        *FORMATS,
        pytest.param(
            {"format": Format.GAUNTLET, "rounds": 2, "settings": FormatSettings(challenger="bot-003")}, id="gauntlet"
        ),
    ],
)
def test_every_bot_sits_in_every_seat_equally_often(changes: dict[str, Any]) -> None:
    schedule = begun(field(10), **{**changes, "players": 3})
    play_on(schedule, lambda bots: random.Random(str(bots)).sample(range(1, 4), 3))

    sat = seat_counts(schedule)

    for bot in {bot for bot, _ in sat}:
        assert len({sat[bot, seat] for seat in range(3)}) == 1


@pytest.mark.parametrize("format_", [Format.SWISS, Format.LADDER])
def test_when_a_round_is_over_no_two_bots_differ_by_more_than_one_block(format_: Format) -> None:
    schedule = begun(field(11), format=format_, rounds=6, players=3)
    play_on(schedule, lambda bots: random.Random(str(bots)).sample(range(1, 4), 3))

    played = Counter({each.bot: 0 for each in schedule.entrants})
    for block, after in zip(schedule.blocks, [*schedule.blocks[1:], None], strict=True):
        played.update(each.bot for each in block.entrants)
        if after is None or after.key.round != block.key.round:
            assert max(played.values()) - min(played.values()) <= 1


def test_with_an_advantage_of_a_seat_identical_bots_still_come_out_equal() -> None:
    """Whoever sits in seat 0 always wins: rotation takes the advantage away, block by block."""
    schedule = begun(field(6), format=Format.SWISS, rounds=4, players=3)

    play_on(schedule, lambda bots: [1, 2, 3])

    scores = schedule.scores()
    assert scores is not None
    assert set(scores.values()) == {0.5}


def test_without_rotation_the_advantage_of_a_seat_would_show() -> None:
    schedule = begun(field(6), format=Format.SWISS, rounds=4, players=3)

    # Whoever sits first in rotation 0 wins all matches of the block, as if nobody moved.
    play_on(schedule, lambda bots: [1 + sorted(bots).index(each) for each in bots])

    scores = schedule.scores()
    assert scores is not None
    assert len(set(scores.values())) > 1
