"""Time use: quantiles, and which matches are called slow."""

from collections import Counter

from cutpurse_rules.contract import EndReason, Seat
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    ClockCredited,
    DecisionOpened,
    MatchEvent,
    MatchOutcome,
    SeatForfeited,
)
from cutpurse_server.reports.gathering import BotUse, Fault, SlowMatch, add_match, slow_matches
from cutpurse_server.tournaments.events import CompletedMatch

OUTCOME = MatchOutcome((1, 0), (1, 2), EndReason.COMPLETED, (1,), (1, 2))
MATCH = CompletedMatch("m", b"", 1, OUTCOME, ("anna", "bert"))


def chosen(number: int, seat: int, received_ms: int, cause: Cause = Cause.CHOSEN) -> ChoiceMade:
    return ChoiceMade(number, Seat(seat), "pass", cause, received_ms, 0, 0, b"", b"", None)


def test_time_runs_from_the_asking_without_gaps_of_the_platform_and_without_what_is_forced() -> None:
    both = (Seat(0), Seat(1))
    events: list[MatchEvent] = [
        DecisionOpened(1, both, 1_000),
        chosen(1, 1, 1_010),
        ClockCredited(1, 5_000, 6_100, "no replica was running"),
        chosen(1, 0, 6_130),
        DecisionOpened(2, both, 7_000),
        chosen(2, 0, 7_020),
        chosen(2, 1, 7_000, Cause.FORCED),
    ]
    uses = {"anna": BotUse(), "bert": BotUse()}

    add_match(uses, MATCH, events)

    assert uses["anna"].decisions == Counter([130, 20])
    assert uses["bert"].decisions == Counter([10])
    assert uses["anna"].means == [("m", 75.0)]


def test_faults_are_told_apart_and_what_is_played_for_a_forfeited_seat_is_none() -> None:
    bert = Seat(1)
    events: list[MatchEvent] = [
        DecisionOpened(1, (bert,), 0),
        ChoiceRefused(1, bert, Cause.ILLEGAL, "x", 5, None, b"", b""),
        ChoiceDefaulted(1, bert, "pass", Cause.ILLEGAL, 9, 0, True),
        SeatForfeited(1, bert, Cause.ILLEGAL, 9),
        DecisionOpened(2, (bert,), 10),
        ChoiceDefaulted(2, bert, "pass", Cause.FORFEITED, 10, 0, False),
    ]
    uses = {"anna": BotUse(), "bert": BotUse()}

    add_match(uses, MATCH, events)

    what = [Fault("m", sort, Cause.ILLEGAL, 1) for sort in ("refused", "default", "forfeit")]
    assert (uses["bert"].faults, uses["bert"].strikes) == (what, 1)
    assert uses["bert"].count("default") == uses["bert"].count("default", Cause.ILLEGAL) == 1
    assert uses["anna"] == BotUse()


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
