"""The database's time as a replica knows it between two looks at it."""

from __future__ import annotations

import pytest

from cutpurse_server.log.postgresql_clock import JUMP_MS, SLEW_MS, DatabaseClock


class Steady:
    """A steady clock that tests move."""

    def __init__(self) -> None:
        self.ms = 5_000.0

    def __call__(self) -> float:
        return self.ms


def looked_at(steady: Steady, database_ms: float, round_trip_ms: float = 0.0) -> DatabaseClock:
    """A clock that was looked at once."""
    clock = DatabaseClock(steady)
    look(clock, steady, database_ms, round_trip_ms)
    return clock


def look(clock: DatabaseClock, steady: Steady, database_ms: float, round_trip_ms: float = 0.0) -> float:
    """Ask the database, which answers with the time of the middle of the round trip; by how much it was put."""
    asked_ms = clock.asked_ms()
    steady.ms += round_trip_ms
    return clock.look(asked_ms, database_ms)


def test_the_first_look_is_taken_over_and_time_goes_on_with_the_steady_clock() -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0, round_trip_ms=10)

    assert clock.now_ms() == 1_700_000_000_005
    steady.ms += 250
    assert clock.now_ms() == 1_700_000_000_255


def test_a_look_that_may_be_right_changes_nothing() -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0)

    # A slow answer tells no more than that the time lies between the question and itself.
    look(clock, steady, 1_700_000_000_300.0, round_trip_ms=400)

    assert clock.now_ms() == 1_700_000_000_400


def test_drift_is_put_right_little_by_little() -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0)

    look(clock, steady, 1_700_000_000_100.0)
    assert clock.now_ms() == 1_700_000_000_000 + SLEW_MS
    for _ in range(9):
        look(clock, steady, 1_700_000_000_100.0)
    assert clock.now_ms() == 1_700_000_000_100


@pytest.mark.parametrize("put_ms", [1 + JUMP_MS, 86_400_000.0, -1 - JUMP_MS, -86_400_000.0])
def test_a_database_s_clock_that_was_put_is_told_and_not_followed(put_ms: float) -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0)

    steady.ms += 500
    jump_ms = look(clock, steady, 1_700_000_000_500.0 + put_ms)

    assert jump_ms == put_ms
    assert clock.now_ms() == 1_700_000_000_500
    steady.ms += 7
    assert clock.now_ms() == 1_700_000_000_507


def test_what_a_slow_answer_leaves_open_is_no_jump() -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0)

    assert look(clock, steady, 1_700_000_000_000.0, round_trip_ms=1_900) == 0


def test_a_process_that_stood_still_follows_after_all() -> None:
    steady = Steady()
    clock = looked_at(steady, 1_700_000_000_000.0)

    clock.follow(look(clock, steady, 1_700_000_005_000.0))

    assert clock.now_ms() == 1_700_000_005_000


def test_time_is_never_before_what_was_noted() -> None:
    clock = looked_at(Steady(), 1_700_000_000_000.0)

    clock.not_before(1_700_000_000_500)

    assert clock.now_ms() == 1_700_000_000_500
