"""How often an owner may call: refused with the seconds to wait, without effect on anybody else."""

from __future__ import annotations

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.servicers.rates import BURST, CALLS_PER_S, Rates


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
