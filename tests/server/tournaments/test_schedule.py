"""The schedule: every table in every round, seats balanced, a slot for every match, whoever entered first."""

import hashlib
import hmac
import re
from collections import Counter
from itertools import accumulate, combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutpurse_server.matches.events import Clock
from cutpurse_server.tournaments.deals import deals_secret, match_name
from cutpurse_server.tournaments.events import Entrant, Format, Manifest, TournamentCreated
from cutpurse_server.tournaments.schedule import Schedule, ScheduleTooLarge

DOCUMENT = Path(__file__).parents[3] / "docs" / "audit.md"


def manifest(players: int = 3, rounds: int = 2) -> Manifest:
    return Manifest("cup", "art_robbery", {}, Clock(), Format.ROUND_ROBIN, players, rounds, 4, b"r" * 32, 1 << 17, "")


SECRET = deals_secret("cutpurse")


def created(players: int = 3, rounds: int = 2, secret: bytes = SECRET) -> TournamentCreated:
    return TournamentCreated(manifest(players, rounds), b"", secret, 0)


CREATED = created()


def entrants(count: int) -> list[Entrant]:
    return [Entrant(f"bot-{number:02}", f"owner-{number}") for number in range(count)]


@settings(max_examples=40, deadline=None)
@given(players=st.integers(2, 5), more=st.integers(0, 4), rounds=st.integers(1, 3), entered=st.randoms())
def test_every_table_meets_once_a_round_and_every_bot_sits_everywhere(players, more, rounds, entered):  # type: ignore[no-untyped-def]
    bots = entrants(players + more)
    entered.shuffle(bots)

    schedule = Schedule(created(players, rounds), bots)

    tables = Counter((block.key.round, frozenset(block.entrants)) for block in schedule.blocks)
    every_table = [frozenset(table) for table in combinations(bots, players)]
    assert tables == Counter((number, table) for number in range(1, rounds + 1) for table in every_table)
    for block in schedule.blocks:
        sat = Counter((bot, seat) for match in block.matches(CREATED, 1) for seat, bot in enumerate(match.seats))
        assert sat == Counter((bot, seat) for bot in block.entrants for seat in range(players))


def test_ids_are_unique_and_slots_are_the_positions_in_the_schedule() -> None:
    schedule = Schedule(created(3, 2), entrants(6))

    matches = [match for block in schedule.blocks for match in block.matches(CREATED, 1)]

    assert [match.origin.slot for match in matches] == list(range(schedule.matches_total))
    assert len({match.match for match in matches}) == schedule.matches_total == 2 * 20 * 3
    assert matches[4].match == match_name(CREATED.deals_secret, "cup", (1, 2, 1, 1))


def test_a_further_attempt_changes_the_ids_and_keeps_the_slots() -> None:
    block = Schedule(created(), entrants(4)).blocks[1]

    first, second = block.matches(CREATED, 1), block.matches(CREATED, 2)

    assert not {match.match for match in first} & {match.match for match in second}
    assert [match.origin.slot for match in first] == [match.origin.slot for match in second]
    assert [match.seats for match in first] == [match.seats for match in second]


def test_the_deals_secret_changes_the_ids_of_a_block_and_nothing_else_in_it() -> None:
    block = Schedule(created(), entrants(4)).blocks[1]

    one, other = block.matches(CREATED, 1), block.matches(created(secret=b"s" * 32), 1)

    assert not {match.match for match in one} & {match.match for match in other}
    assert [match[1:] for match in one] == [match[1:] for match in other]


def test_another_secret_makes_another_order_of_tables_and_of_bots_at_a_table() -> None:
    one, other = (Schedule(created(4, 3, secret), entrants(6)).blocks for secret in (SECRET, b"s" * 32))

    assert [set(block.entrants) for block in one] != [set(block.entrants) for block in other]
    behind_one, behind_other = (
        {(block.key.round, frozenset(block.entrants)): block.entrants for block in blocks} for blocks in (one, other)
    )
    assert behind_one.keys() == behind_other.keys()
    assert sum(behind_one[table] != behind_other[table] for table in behind_one) > len(behind_one) // 2


@pytest.mark.parametrize(("players", "count"), [(3, 4), (2, 6), (3, 6), (4, 9)])
def test_tables_and_seats_are_in_the_order_that_follows_from_the_deals_secret(players: int, count: int) -> None:
    blocks = Schedule(created(players, 1), entrants(count)).blocks

    due = sorted(range(count), key=lambda each: code("cutpurse/due/v1", 1, each))
    tables = [sorted(due[place] for place in table) for table in even_order_as_documented(count, players)]
    assert [[int(each.bot[-2:]) for each in block.entrants] for block in blocks] == seated(tables)


@pytest.mark.parametrize(("players", "count"), [(2, 6), (3, 8)])
def test_tables_that_are_not_all_are_in_an_order_that_follows_from_the_deals_secret(players: int, count: int) -> None:
    bots = [Entrant(f"bot-{number:02}", f"owner-{number // 2}") for number in range(count)]
    blocks = Schedule(created(players, 1), bots).blocks

    # Made again as docs/audit.md says it.
    apart = [table for table in combinations(range(count), players) if len({each // 2 for each in table}) == players]
    left = sorted(apart, key=lambda table: code("cutpurse/table/v2", 1, *table))
    due = sorted(range(count), key=lambda each: code("cutpurse/due/v1", 1, each))
    sat = [0] * count
    tables = []
    while left:
        first = min((each for each in due if any(each in table for table in left)), key=lambda each: sat[each])
        own = [table for table in left if first in table]
        table = min(own, key=lambda table: sorted((sat[each] for each in table), reverse=True))
        left.remove(table)
        for each in table:
            sat[each] += 1
        tables.append(list(table))
    assert [[int(each.bot[-2:]) for each in block.entrants] for block in blocks] == seated(tables)


def even_order_as_documented(count: int, players: int) -> list[list[int]]:
    """The even order, made as docs/audit.md says it, without the code that is tested."""
    sets: list[list[int]] = [[] for _ in combinations(range(count), players)]
    for place in range(count):
        unit = count - place
        grown = [0, *accumulate(players - len(each) for each in sets)]
        turns = [
            sorted(
                (at for at in range(len(sets)) if grown[at] < (turn + 1) * unit and grown[at + 1] > turn * unit),
                key=lambda at: code("cutpurse/even/v1", 1, place, at),
            )
            for turn in range(grown[-1] // unit)
        ]
        has: dict[int, int] = {}
        for turn in range(len(turns)):
            seat(turn, turns, sets, has, {at: (players - len(each), unit) for at, each in enumerate(sets)})
        for at in has.values():
            sets[at] = [*sets[at], place]
    return sets


def seat(
    turn: int, turns: list[list[int]], sets: list[list[int]], has: dict[int, int], free: dict[int, tuple[int, int]]
) -> None:
    """Give a turn a set, as steps 2 and 3 of the document say."""
    paths, searched = [[(turn, -1)]], []
    known = {turn}
    for path in paths:  # Grows while it is looked at.
        for at in turns[path[-1][0]]:
            equal = [other for other in range(len(sets)) if sets[other] == sets[at]]
            seats, unit = free[at]
            having = sorted(each for each in has if has[each] in equal)
            asked = [each for each in has if has[each] == at]
            if not asked and len(having) < len(equal) * seats // unit:
                for (mover, _), (_, place) in zip(path, [*path[1:], (-1, at)], strict=True):
                    has[mover] = place
                return
            if not asked and sets[at] not in searched:
                searched.append(sets[at])
                asked = having
            for each in asked:
                if each not in known:
                    known.add(each)
                    paths.append([*path, (each, at)])


def seated(tables: list[list[int]]) -> list[list[int]]:
    """Tables of the first round, in the order in which they sit in rotation 0."""
    return [sorted(table, key=lambda each: code("cutpurse/seat/v2", 1, *table, each)) for table in tables]


@pytest.mark.parametrize(
    ("players", "count"), [(2, 5), (2, 9), (2, 24), (3, 8), (3, 13), (4, 9), (5, 9), (5, 11), (3, 20), (2, 64)]
)
def test_in_a_round_of_all_tables_nobody_is_ahead_by_more_than_one_block(players: int, count: int) -> None:
    sat = Counter({each.bot: 0 for each in entrants(count)})

    for block in Schedule(created(players, 2), entrants(count)).blocks:
        sat.update(each.bot for each in block.entrants)
        assert max(sat.values()) - min(sat.values()) <= 1

    assert len(set(sat.values())) == 1


@pytest.mark.parametrize(("players", "count", "owned"), [(2, 12, 2), (3, 9, 3), (4, 10, 2), (2, 102, 1)])
def test_where_tables_are_left_out_or_too_many_nobody_is_ahead_by_more_than_two_blocks(
    players: int, count: int, owned: int
) -> None:
    bots = [Entrant(f"bot-{number:03}", f"owner-{number // owned}") for number in range(count)]
    sat = Counter({each.bot: 0 for each in bots})

    for block in Schedule(created(players, 1), bots).blocks:
        sat.update(each.bot for each in block.entrants)
        assert max(sat.values()) - min(sat.values()) <= 2

    assert len(set(sat.values())) == 1


def code(purpose: str, *numbers: int) -> str:
    """The code under `SECRET` of the numbers, in hexadecimal, made without the code that is tested."""
    text = " ".join(str(number) for number in numbers)
    return hmac.new(SECRET, purpose.encode() + bytes(1) + text.encode(), hashlib.sha256).hexdigest()


def test_the_vectors_of_the_document_are_right() -> None:
    blocks = Schedule(created(3, 1), entrants(4)).blocks

    expected = {
        "code of table 0 1 2 in round 1": code("cutpurse/table/v2", 1, 0, 1, 2),
        "code of entrant 1 at table 0 1 2 in round 1": code("cutpurse/seat/v2", 1, 0, 1, 2, 1),
        "tables of 3 of 4 entrants in round 1, as seated in rotation 0": ", ".join(
            " ".join(str(int(each.bot[-2:])) for each in block.entrants) for block in blocks
        ),
    }

    vectors = dict(re.findall(r"^\| `([^`|]+)` \| `([^`|]+)` \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))
    assert expected == {name: vectors.get(name) for name in expected}


def test_the_order_of_entry_changes_nothing() -> None:
    bots = entrants(7)

    assert Schedule(created(), bots).blocks == Schedule(created(), bots[::-1]).blocks


def test_tables_at_the_front_of_a_round_share_no_bot() -> None:
    blocks = Schedule(created(3, 1), entrants(9)).blocks

    first_wave = [entrant for block in blocks[:2] for entrant in block.entrants]

    assert len(set(first_wave)) == len(first_wave)


def test_rounds_differ_in_who_sits_behind_whom() -> None:
    blocks = Schedule(created(5, 12), entrants(5)).blocks

    assert len({block.entrants for block in blocks}) > 6


def test_the_schedule_is_the_one_that_was_published() -> None:
    """Golden: a changed order would change every table number and deal of a tournament that is under way."""
    blocks = Schedule(created(3, 1), entrants(4)).blocks

    assert [[each.bot[-2:] for each in block.entrants] for block in blocks] == GOLDEN


GOLDEN = [["00", "01", "02"], ["01", "02", "03"], ["00", "01", "03"], ["03", "02", "00"]]


def test_a_schedule_with_more_matches_than_slots_is_refused_with_a_remedy() -> None:
    with pytest.raises(ScheduleTooLarge, match=r"200 entrants .* 3,940,200 matches.*at most 131,072: take fewer"):
        Schedule(created(3, 1), entrants(200))


def test_the_largest_schedules_are_made_within_a_few_seconds() -> None:
    schedule = Schedule(created(4, 1), entrants(31))

    assert len(schedule.blocks) == 31_465
