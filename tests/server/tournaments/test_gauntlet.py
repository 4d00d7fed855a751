"""The gauntlet: its cycles are balanced, its verdict looks at the prefix alone, and it errs as seldom as it says."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from cutpurse_server.tournaments.events import Format, FormatSettings, LeaveCause, Verdict
from cutpurse_server.tournaments.formats.gauntlet import Bets
from cutpurse_server.tournaments.schedule import Schedule
from tests.server.tournaments.folded import Places, begun, by_strength, completed, field, play_on, play_round

CHALLENGER = "bot-003"


def gauntlet(count: int, players: int = 2, rounds: int = 20, bots_per_owner: int = 1) -> Schedule:
    settings = FormatSettings(challenger=CHALLENGER)
    entrants = field(count, bots_per_owner)
    return begun(entrants, format=Format.GAUNTLET, rounds=rounds, players=players, settings=settings)


@pytest.mark.parametrize(("players", "count"), [(2, 6), (3, 6), (3, 7), (4, 9), (5, 8), (8, 12)])
def test_in_every_cycle_the_challenger_meets_all_others_equally_often(players: int, count: int) -> None:
    schedule = gauntlet(count, players, rounds=3)

    for cycle in (1, 2, 3):
        met: Counter[str] = Counter()
        for block in schedule.blocks:
            if block.key.round == cycle:
                assert CHALLENGER in {each.bot for each in block.entrants}
                met.update(each.bot for each in block.entrants if each.bot != CHALLENGER)
        assert len(met) == count - 1
        assert len(set(met.values())) == 1


def test_bots_of_one_owner_are_apart_in_the_field() -> None:
    schedule = gauntlet(9, 3, rounds=4, bots_per_owner=2)

    for block in schedule.blocks:
        others = [each.owner for each in block.entrants if each.bot != CHALLENGER]
        assert len(set(others)) == len(others)


def test_a_strong_challenger_is_found_stronger_and_the_rest_is_dropped() -> None:
    schedule = gauntlet(5)

    play_on(schedule, lambda bots: [1 if bot == CHALLENGER else 2 for bot in bots])

    assert schedule.verdict is Verdict.STRONGER
    assert len(list(schedule.counted())) < len(schedule.blocks)
    assert len(list(schedule.counted())) % 4 == 0


def test_a_weak_challenger_is_found_weaker() -> None:
    schedule = gauntlet(5)

    play_on(schedule, lambda bots: [2 if bot == CHALLENGER else 1 for bot in bots])

    assert schedule.verdict is Verdict.WEAKER


def test_an_equal_one_is_undecided_after_all_cycles() -> None:
    schedule = gauntlet(5)

    play_on(schedule, lambda bots: [1] * len(bots))

    assert schedule.verdict is Verdict.UNDECIDED
    assert len(list(schedule.counted())) == len(schedule.blocks)


def test_blocks_behind_one_that_has_not_ended_count_for_nothing_so_far() -> None:
    schedule = gauntlet(5)
    first, *others = schedule.blocks

    for block in others:
        schedule.end(block.key, completed(block, lambda bots: [1 if bot == CHALLENGER else 2 for bot in bots]))

    assert schedule.verdict is None
    assert list(schedule.counted()) == []
    schedule.end(first.key, None)
    assert schedule.verdict is Verdict.STRONGER


@pytest.mark.parametrize("seed", range(10))
def test_the_verdict_does_not_depend_on_which_blocks_end_first(seed: int) -> None:
    played = []
    for order in (random.Random(0), random.Random(seed + 1)):
        schedule = gauntlet(6)
        play_round(schedule, chancy(seed, 0.7), order)
        played.append((schedule.verdict, [block.round for block in schedule.counted()]))

    assert played[0] == played[1]


def chancy(seed: int, share: float) -> Places:
    """The challenger wins its share of all matches; who wins depends on the bots and the seats alone."""

    def places(bots):  # type: ignore[no-untyped-def]
        wins = random.Random(f"{seed} {bots}").random() < share
        return [1 if (bot == CHALLENGER) == wins else 2 for bot in bots]

    return places


def test_when_the_challenger_leaves_it_is_over() -> None:
    schedule = gauntlet(4)

    schedule.leave(CHALLENGER, LeaveCause.WITHDRAWN)

    assert schedule.is_over
    assert schedule.verdict is Verdict.UNDECIDED


def test_a_block_that_is_taken_back_counts_again_when_it_is_played_again() -> None:
    schedule, other = gauntlet(4), gauntlet(4)
    for each in (schedule, other):
        for block in each.blocks[:5]:
            each.end(block.key, completed(block, by_strength))
    key = schedule.blocks[1].key

    schedule.take_back(key)
    assert len(list(schedule.counted())) == 1
    schedule.end(key, completed(schedule.blocks[1], by_strength))

    assert list(schedule.counted()) == list(other.counted())
    assert schedule.scores() == other.scores()


def verdicts(
    draw: Callable[[random.Random], float], runs: int, per_cycle: int = 5, cycles: int = 40
) -> Counter[Verdict | None]:
    """The verdicts of gauntlets whose blocks bring the challenger such points, at an error of 50 in a thousand."""
    found: Counter[Verdict | None] = Counter()
    for run in range(runs):
        chance = random.Random(run)
        bets = Bets(50)
        verdict = None
        for _ in range(cycles):
            for _ in range(per_cycle):
                bets.see(draw(chance))
            verdict = bets.verdict()
            if verdict is not None:
                break
        found[verdict] += 1
    return found


def win_or_lose(share: float) -> Callable[[random.Random], float]:
    """A block of two matches, each won with this chance."""
    return lambda chance: ((chance.random() < share) + (chance.random() < share)) / 2


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(win_or_lose(0.5), id="two coins"),
        pytest.param(lambda chance: float(chance.random() < 0.5), id="all or nothing"),
        pytest.param(lambda chance: chance.random(), id="anything between"),
        pytest.param(lambda chance: 1.0 if chance.random() < 0.1 else 4 / 9, id="seldom much, often a little"),
    ],
)
def test_an_equal_challenger_is_called_stronger_or_weaker_no_oftener_than_stated(
    draw: Callable[[random.Random], float],
) -> None:
    found = verdicts(draw, runs=400)

    # Each error may happen in 5 % of the runs; 34 of 400 would be four standard deviations above.
    assert found[Verdict.STRONGER] <= 34
    assert found[Verdict.WEAKER] <= 34


def test_a_clearly_stronger_challenger_is_found_with_few_blocks() -> None:
    found = verdicts(win_or_lose(0.65), runs=200)

    assert found[Verdict.STRONGER] >= 190
    assert found[Verdict.WEAKER] <= 3


def test_the_simulation_notices_a_level_that_is_too_lax() -> None:
    """At an error of 400 in a thousand, looked at after every block, far more verdicts are wrong."""
    chance = random.Random(0)
    wrong = 0
    for _ in range(200):
        bets = Bets(400)
        for _ in range(200):
            bets.see(win_or_lose(0.5)(chance))
            if bets.verdict() is Verdict.STRONGER:
                wrong += 1
                break

    # In as many runs as above, that would be more than what is allowed there.
    assert 2 * wrong > 34
