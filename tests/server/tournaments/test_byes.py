"""Byes show when their round is over, and not before: from them one could tell who plays against whom."""

from cutpurse_server.tournaments.events import Format, LeaveCause
from tests.server.tournaments.folded import begun, by_strength, completed, field, play_round


def test_while_a_round_is_played_nobody_learns_who_sits_it_out() -> None:
    schedule = begun(field(5), format=Format.SWISS, rounds=3)
    play_round(schedule, by_strength)
    before = schedule.scores(), schedule.byes()

    schedule.draw()

    assert schedule.byes() == before[1]
    halved = {bot: score / 2 for bot, score in (before[0] or {}).items()}
    assert schedule.scores() == halved
    play_round(schedule, by_strength)
    assert sum(schedule.byes().values()) == 2


def test_while_a_round_is_played_nobody_learns_who_sat_with_a_bot_that_left() -> None:
    schedule = begun(field(6), format=Format.SWISS, rounds=3)
    play_round(schedule, by_strength)
    schedule.draw()
    before = schedule.scores(), schedule.byes()
    dropped, *others = (block for block in schedule.blocks if schedule.is_open(block.key))

    schedule.leave(dropped.entrants[0].bot, LeaveCause.WITHDRAWN)

    assert (schedule.scores(), schedule.byes()) == before
    for block in others:
        assert set(schedule.byes().values()) == {0}
        schedule.end(block.key, completed(block, by_strength))
    assert {bot for bot, byes in schedule.byes().items() if byes} == {each.bot for each in dropped.entrants}


def test_byes_of_a_round_that_is_opened_again_are_hidden_again() -> None:
    schedule = begun(field(3), format=Format.ROUND_ROBIN, rounds=2)
    first, *others, later = schedule.blocks[:4]

    shown = []
    schedule.end(first.key, None)
    shown.append(schedule.byes())
    for block in others:
        schedule.end(block.key, completed(block, by_strength))
    schedule.end(later.key, None)
    shown.append(schedule.byes())
    schedule.take_back(others[0].key)
    shown.append(schedule.byes())

    nobody = dict.fromkeys((each.bot for each in schedule.entrants), 0)
    assert shown == [nobody, nobody | dict.fromkeys((each.bot for each in first.entrants), 1), nobody]
