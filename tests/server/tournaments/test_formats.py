"""Every format at every table: who meets whom, who rests, who goes on, and what nobody can influence."""

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from cutpurse_server.tournaments.events import Entrant, Format, FormatSettings, LeaveCause
from cutpurse_server.tournaments.formats.elimination import stage_of
from cutpurse_server.tournaments.formats.grouping import SAME_OWNER, mended, tables_of_neighbours
from cutpurse_server.tournaments.schedule import Schedule
from cutpurse_server.tournaments.standings import Ranking, standings_of
from tests.server.tournaments.folded import begun, by_strength, field, play_on, play_round


def places(schedule: Schedule) -> dict[str, int]:
    """Everybody's place at the end."""
    bots = [each.bot for each in schedule.entrants]
    ranking = Ranking(schedule.scores(), schedule.byes(), {})
    rows = standings_of(schedule.created.manifest.players, bots, schedule.counted()).rows(ranking)
    return {row.bot: row.place for row in rows}


def tables(schedule: Schedule) -> list[frozenset[str]]:
    return [frozenset(each.bot for each in block.entrants) for block in schedule.blocks]


ALL = [
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 1}, id="round-robin"),
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 2, "settings": FormatSettings(tables=9)}, id="design"),
    pytest.param({"format": Format.SWISS, "rounds": 4}, id="swiss"),
    pytest.param({"format": Format.SINGLE_ELIMINATION, "rounds": 1}, id="single-elimination"),
    pytest.param({"format": Format.LADDER, "rounds": 4}, id="ladder"),
    pytest.param(
        {"format": Format.GAUNTLET, "rounds": 2, "settings": FormatSettings(challenger="bot-001")}, id="gauntlet"
    ),
]


@pytest.mark.parametrize("changes", ALL)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8])
def test_every_format_ends_for_every_number_of_entrants_and_nobody_meets_itself(
    changes: dict[str, Any], players: int
) -> None:
    # All sets of many bots are too many for a quick test.
    counts = range(players, players + 6) if players < 6 else range(players, players + 3)
    for count in counts:
        schedule = begun(field(count), **changes, players=players)

        play_on(schedule, by_strength)

        assert schedule.blocks
        for block in schedule.blocks:
            assert len({each.bot for each in block.entrants}) == players


@pytest.mark.parametrize("changes", ALL)
def test_the_order_in_which_blocks_end_changes_neither_schedule_nor_places(changes: dict[str, Any]) -> None:
    courses = []
    for seed in range(4):
        schedule = begun(field(11), **changes, players=3)
        play_on(schedule, by_strength, random.Random(seed))
        courses.append((list(schedule.blocks), places(schedule), schedule.verdict, schedule.last_lots()))

    assert all(course == courses[0] for course in courses)


@pytest.mark.parametrize("changes", ALL)
def test_another_secret_makes_another_schedule(changes: dict[str, Any]) -> None:
    one, other = (begun(field(9), secret, **changes, players=3) for secret in ("one", "other"))
    for schedule in (one, other):
        play_round(schedule, by_strength)

    assert [block.entrants for block in one.blocks] != [block.entrants for block in other.blocks]


@pytest.mark.parametrize("changes", ALL[:2] + ALL[2:5])
def test_bots_of_one_owner_never_meet_where_that_can_be_avoided(changes: dict[str, Any]) -> None:
    changes = {**changes, "players": 2}
    if changes["format"] is Format.SINGLE_ELIMINATION:
        # The final may not be free to choose.
        schedule = begun(field(16, bots_per_owner=2), **changes)
        play_round(schedule, by_strength)
    else:
        schedule = begun(field(12, bots_per_owner=2), **changes)
        play_on(schedule, by_strength)

    for block in schedule.blocks:
        assert len({each.owner for each in block.entrants}) == 2


def test_bots_of_one_owner_meet_in_a_round_robin_if_some_would_meet_nobody_else() -> None:
    alone = [Entrant("a", "x"), Entrant("b", "x")]

    schedule = begun(alone, rounds=1)

    assert tables(schedule) == [{"a", "b"}]


class TestBalancedDesign:
    """A round robin with fewer tables than sets."""

    @pytest.mark.parametrize(
        ("players", "count", "most"), [(2, 9, 20), (3, 13, 26), (4, 13, 26), (5, 21, 42), (3, 40, 60)]
    )
    def test_at_every_block_no_two_bots_differ_by_more_than_one_block(
        self, players: int, count: int, most: int
    ) -> None:
        schedule = begun(field(count), rounds=2, players=players, settings=FormatSettings(tables=most))

        sat: Counter[str] = Counter({each.bot: 0 for each in schedule.entrants})
        assert len(schedule.blocks) == 2 * most
        for block in schedule.blocks:
            sat.update(each.bot for each in block.entrants)
            assert max(sat.values()) - min(sat.values()) <= 1

    @pytest.mark.parametrize(("players", "count", "most"), [(2, 9, 18), (3, 13, 26), (4, 13, 26), (5, 21, 42)])
    def test_pairs_meet_about_equally_often(self, players: int, count: int, most: int) -> None:
        schedule = begun(field(count), rounds=2, players=players, settings=FormatSettings(tables=most))

        met = Counter(pair for table in tables(schedule) for pair in combinations(sorted(table), 2))
        counts = [met[pair] for pair in combinations([each.bot for each in schedule.entrants], 2)]
        mean = sum(counts) / len(counts)
        spread = sum((each - mean) ** 2 for each in counts) / len(counts)
        assert max(counts) - min(counts) <= 2
        # Tables drawn by lot alone would have a variance about as large as the mean.
        assert spread < 0.35 * mean

    def test_a_maximum_that_is_no_limit_plays_every_table_once(self) -> None:
        schedule = begun(field(6), rounds=1, players=3, settings=FormatSettings(tables=500))

        assert Counter(tables(schedule)) == Counter(
            frozenset(each.bot for each in table) for table in combinations(schedule.entrants, 3)
        )


class TestSwiss:
    """Tables of about the same score."""

    @pytest.mark.parametrize("count", [6, 8, 9, 16, 31])
    def test_nobody_meets_the_same_bot_twice_while_that_can_be_avoided(self, count: int) -> None:
        rounds = 3 if count < 8 else 4
        schedule = begun(field(count), format=Format.SWISS, rounds=rounds)

        play_on(schedule, by_strength)

        assert max(Counter(tables(schedule)).values()) == 1

    def test_tables_of_three_share_no_pair_while_that_can_be_avoided(self) -> None:
        schedule = begun(field(27), format=Format.SWISS, rounds=4, players=3)

        play_on(schedule, by_strength)

        pairs = Counter(pair for table in tables(schedule) for pair in combinations(sorted(table), 2))
        assert max(pairs.values()) == 1

    @pytest.mark.parametrize(("players", "count"), [(2, 7), (3, 11), (4, 11), (5, 13)])
    def test_byes_differ_by_one_at_most(self, players: int, count: int) -> None:
        schedule = begun(field(count), format=Format.SWISS, rounds=6, players=players)

        for _ in range(6):
            play_round(schedule, by_strength)
            byes = schedule.byes().values()
            assert max(byes) - min(byes) <= 1
        assert sum(schedule.byes().values()) == 6 * (count % players)

    def test_a_bye_is_worth_what_the_bot_makes_elsewhere(self) -> None:
        schedule = begun(field(5), format=Format.SWISS, rounds=5)

        play_on(schedule, by_strength)

        scores, resting = schedule.scores(), schedule.byes()
        assert scores is not None
        assert sum(resting.values()) == 5
        assert scores["bot-000"] == 1
        assert scores["bot-004"] == 0

    def test_equal_scores_meet(self) -> None:
        schedule = begun(field(16), format=Format.SWISS, rounds=4)

        play_round(schedule, by_strength)
        winners = {bot for bot, score in (schedule.scores() or {}).items() if score == 1}
        schedule.draw()

        second = [{each.bot for each in block.entrants} for block in schedule.blocks[8:]]
        assert sum(table <= winners for table in second) == 4

    def test_a_late_entry_plays_from_the_next_round_and_has_nothing_for_those_it_missed(self) -> None:
        schedule = begun(field(4), format=Format.SWISS, rounds=4)
        play_round(schedule, by_strength)
        play_round(schedule, by_strength)
        schedule.enter(Entrant("a-late-one", "late"))

        play_on(schedule, by_strength)

        scores = schedule.scores()
        assert scores is not None
        # It wins both of its rounds, for its name comes first.
        assert scores["a-late-one"] == 0.5
        assert all("a-late-one" not in table for table in tables(schedule)[:4])


class TestSingleElimination:
    """Who loses is out."""

    @pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 8])
    @pytest.mark.parametrize("advance", [1, 2])
    def test_stages_lead_to_one_full_table_for_every_number_of_bots(self, players: int, advance: int) -> None:
        if advance >= players:
            return
        for bots in range(players, 300):
            left = bots
            for _ in range(300):
                stage = stage_of(left, players, advance)
                assert 1 <= stage.tables <= left // players
                assert all(1 <= falling < players for falling in stage.falling)
                before, left = left, left - sum(stage.falling)
                if before == players:
                    break
                assert players <= left < before
            assert left == 1

    def test_byes_fill_up_to_a_power_of_two(self) -> None:
        assert [stage_of(bots, 2, 1).tables for bots in (5, 6, 7, 8, 9, 12, 16)] == [1, 2, 3, 4, 1, 4, 8]

    @pytest.mark.parametrize(("players", "count"), [(2, 13), (3, 14), (4, 10), (5, 23)])
    def test_the_strongest_wins_and_is_alone_on_the_first_place(self, players: int, count: int) -> None:
        schedule = begun(field(count), format=Format.SINGLE_ELIMINATION, rounds=1, players=players)

        play_on(schedule, by_strength)

        order = sorted(places(schedule).items(), key=lambda each: each[1])
        assert order[0] == ("bot-000", 1)
        assert order[1][1] == 2

    def test_seeds_meet_as_late_as_can_be_and_rest_first(self) -> None:
        seeded = [each._replace(rank=8 - number) for number, each in enumerate(field(6))]
        schedule = begun(seeded, format=Format.SINGLE_ELIMINATION, rounds=1)

        # The name decides who wins, and the seeding is its reverse: bot-005 has the smallest rank.
        play_round(schedule, by_strength)

        byes = {bot for bot, count in schedule.byes().items() if count}
        assert byes == {"bot-005", "bot-004"}
        assert {frozenset(table) for table in tables(schedule)} == {
            frozenset({"bot-003", "bot-000"}),
            frozenset({"bot-002", "bot-001"}),
        }

    def test_a_lead_that_cannot_be_caught_ends_a_best_of_three_early(self) -> None:
        schedule = begun(field(2), format=Format.SINGLE_ELIMINATION, rounds=1, settings=FormatSettings(best_of=3))

        play_on(schedule, by_strength)

        assert len(schedule.blocks) == 2

    def test_a_tie_is_played_on_and_at_last_drawn_and_labelled(self) -> None:
        schedule = begun(
            field(2), format=Format.SINGLE_ELIMINATION, rounds=1, settings=FormatSettings(best_of=1, tie_blocks=3)
        )

        play_on(schedule, lambda bots: [1] * len(bots))

        assert len(schedule.blocks) == 4
        (lot,) = schedule.last_lots()
        assert lot.round == 4
        assert set(lot.bots) == {"bot-000", "bot-001"}
        assert places(schedule)[lot.bots[0]] == 1

    def test_lots_favour_nobody(self) -> None:
        won: Counter[str] = Counter()
        for number in range(200):
            schedule = begun(
                field(4),
                str(number),
                format=Format.SINGLE_ELIMINATION,
                rounds=1,
                settings=FormatSettings(tie_blocks=1),
            )
            play_on(schedule, lambda bots: [1] * len(bots))
            won.update(bot for bot, place in places(schedule).items() if place == 1)

        # Chi-squared with three degrees of freedom exceeds 16.3 once in a thousand.
        assert sum((won[each.bot] - 50) ** 2 / 50 for each in field(4)) < 16.3

    def test_who_has_left_is_replaced_by_whoever_is_still_there(self) -> None:
        schedule = begun(field(4), format=Format.SINGLE_ELIMINATION, rounds=1)
        schedule.draw()
        schedule.leave("bot-000", LeaveCause.WITHDRAWN)

        play_on(schedule, by_strength)

        assert places(schedule)["bot-001"] == 1
        assert len(list(schedule.counted())) == 2


class TestLadder:
    """By nearness of rating."""

    def test_neighbours_in_rating_meet_after_a_few_periods(self) -> None:
        schedule = begun(field(16), format=Format.LADDER, rounds=12)

        play_on(schedule, by_strength)

        first, last = tables(schedule)[:8], tables(schedule)[-8:]
        assert gap(last) < gap(first) / 2

    def test_ratings_put_the_stronger_in_front(self) -> None:
        schedule = begun(field(10), format=Format.LADDER, rounds=15)

        play_on(schedule, by_strength)

        placed = places(schedule)
        assert placed["bot-000"] == 1
        assert placed["bot-009"] == 10

    def test_a_late_entry_takes_part(self) -> None:
        schedule = begun(field(5), format=Format.LADDER, rounds=6)
        play_round(schedule, by_strength)
        schedule.enter(Entrant("late", "late"))

        play_on(schedule, by_strength)

        assert sum("late" in table for table in tables(schedule)) == 5


def gap(some: list[frozenset[str]]) -> int:
    """How far the bots of the tables are apart, in all, by the numbers in their names."""
    return sum(int(max(table)[-3:]) - int(min(table)[-3:]) for table in some)


class TestGrouping:
    """Tables of neighbours with bots apart."""

    @pytest.mark.parametrize("seed", range(60))
    def test_a_seating_without_anything_to_avoid_is_found_if_there_is_one(self, seed: int) -> None:
        chance = random.Random(seed)
        size, count = chance.choice([(2, 6), (2, 8), (3, 6), (3, 9), (4, 8)])
        share = chance.uniform(0.2, 0.7)
        bad = {pair for pair in combinations(range(count), 2) if chance.random() < share}

        found = tables_of_neighbours(range(count), size, lambda *both: SAME_OWNER * (tuple(sorted(both)) in bad))

        assert sorted(number for table in found for number in table) == list(range(count))
        is_free = not any(set(combinations(table, 2)) & bad for table in found)
        assert is_free == can_be_seated(tuple(range(count)), size, bad)

    def test_many_conflicts_are_all_mended(self) -> None:
        together = [(2 * number, 2 * number + 1) for number in range(40)]

        found = mended(together, lambda one, other: SAME_OWNER * (one // 2 == other // 2))

        assert all(one // 2 != other // 2 for one, other in found)
        assert sorted(number for table in found for number in table) == list(range(80))

    def test_neighbours_sit_together_if_nothing_is_to_be_avoided(self) -> None:
        assert tables_of_neighbours([4, 2, 0, 1, 5, 3], 2, lambda *_: 0) == [(2, 4), (0, 1), (3, 5)]


def can_be_seated(left: tuple[int, ...], size: int, bad: set[tuple[int, int]]) -> bool:
    """Whether those who are left can be put at tables without a bad pair, by trying everything."""
    if not left:
        return True
    first, others = left[0], left[1:]
    for more in combinations(others, size - 1):
        if not set(combinations((first, *more), 2)) & bad:
            rest = tuple(number for number in others if number not in more)
            if can_be_seated(rest, size, bad):
                return True
    return False
