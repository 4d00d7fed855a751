"""Store time follows the steady clock, whatever happens to the wall clock."""

from cutpurse_server.log.clock import StoreClock


class Times:
    """Two clocks that are set by hand."""

    def __init__(self) -> None:
        self.wall_ms = 1_000_000
        self.steady_ms = 50

    def clock(self) -> StoreClock:
        """A store clock over both."""
        return StoreClock(lambda: self.wall_ms, lambda: self.steady_ms)


def test_it_begins_at_the_wall_clock_and_goes_on_with_the_steady_one() -> None:
    times = Times()
    clock = times.clock()
    assert clock.now_ms() == 1_000_000

    times.steady_ms += 70

    assert clock.now_ms() == 1_000_070


def test_a_wall_clock_that_is_put_right_takes_and_gives_no_time() -> None:
    times = Times()
    clock = times.clock()

    for wall_ms in (0, 9_000_000):
        times.wall_ms = wall_ms
        assert clock.now_ms() == 1_000_000


def test_it_goes_forward_to_a_time_that_was_noted_earlier_and_never_back() -> None:
    times = Times()
    clock = times.clock()

    clock.not_before(1_500_000)
    assert clock.now_ms() == 1_500_000

    clock.not_before(1_200_000)
    times.steady_ms += 1
    assert clock.now_ms() == 1_500_001
