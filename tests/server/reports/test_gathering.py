"""Time use: quantiles, and which matches are called slow."""

from collections import Counter

from cutpurse_server.reports.gathering import BotUse, SlowMatch, slow_matches


def test_quantiles_are_times_that_were_taken() -> None:
    use = BotUse(Counter({10: 90, 50: 9, 700: 1}))

    assert [use.quantile_ms(share) for share in (0.5, 0.9, 0.91, 0.99, 1.0)] == [10, 10, 50, 50, 700]
    assert (use.choices, use.longest_ms, use.mean_ms) == (100, 700, 20.5)
    assert (BotUse().quantile_ms(0.5), BotUse().longest_ms, BotUse().mean_ms) == (0, 0, 0.0)


def test_a_match_is_slow_by_the_bots_own_measure() -> None:
    means = [("a", 40.0), ("b", 50.0), ("c", 60.0), ("d", 50.0), ("e", 240.0), ("f", 10.0)]
    brisk = BotUse(means=means)
    slow_everywhere = BotUse(means=[(match, 500.0) for match, _ in means])
    quick_by_far = BotUse(means=[(match, mean / 100) for match, mean in means])
    too_few = BotUse(means=[("a", 1.0), ("b", 1.0), ("c", 900.0)])

    found = slow_matches({"x": brisk, "y": slow_everywhere, "z": quick_by_far, "w": too_few})

    assert found == (SlowMatch("x", "e", 240.0, 50.0),)
