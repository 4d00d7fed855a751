"""How often an owner may call: refused with the seconds to wait, without effect on anybody else."""

from __future__ import annotations

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.servicers.rates import AT_ONCE, BURST, CALLS_PER_S, DIALS, DIALS_PER_S, Rates


class Clock:
    """Seconds that the test moves on."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_after_its_burst_an_owner_is_told_how_long_to_wait_and_then_served_again() -> None:
    clock = Clock()
    rates = Rates(clock)
    for _ in range(BURST):
        rates.take("ann")

    with pytest.raises(ServiceError) as refused:
        rates.take("ann")
    clock.now_s += 1 / CALLS_PER_S

    assert refused.value.reason is ErrorReason.RATE_LIMITED
    assert "in 0.020 seconds" in refused.value.text
    rates.take("ann")


def test_one_owner_s_calls_cost_another_nothing() -> None:
    rates = Rates(Clock())
    for _ in range(BURST):
        rates.take("ann")

    rates.take("bob")


def test_a_pause_fills_the_bucket_to_the_brim_and_no_further() -> None:
    clock = Clock()
    rates = Rates(clock)
    rates.take("ann")
    clock.now_s += 10_000

    for _ in range(BURST):
        rates.take("ann")
    with pytest.raises(ServiceError):
        rates.take("ann")


def test_calls_that_come_faster_than_they_may_on_average_have_to_wait_after_a_while() -> None:
    clock = Clock()
    rates = Rates(clock)

    at_once = [rates.take("ann") for _ in range(AT_ONCE + 1)]
    clock.now_s += 2 / CALLS_PER_S

    assert at_once == [False] * AT_ONCE + [True]
    assert not rates.take("ann")


def test_a_bot_that_dials_in_too_often_is_refused_and_its_owner_s_calls_are_not() -> None:
    clock = Clock()
    rates = Rates(clock)
    for _ in range(DIALS):
        rates.dial("cat")

    with pytest.raises(ServiceError) as refused:
        rates.dial("cat")
    clock.now_s += 1 / DIALS_PER_S

    assert refused.value.reason is ErrorReason.RATE_LIMITED
    assert "This bot dials in too often: try again in 0.500 seconds." in refused.value.text
    rates.dial("cat")
    rates.dial("ann")
    rates.take("cat")
