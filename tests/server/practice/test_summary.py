"""What a practice shows: the worst first, times of one's own decisions, faults, whole blocks only."""

from collections.abc import Sequence

from cutpurse_rules.contract import EndReason
from cutpurse_server.arena.plan import Entry
from cutpurse_server.matches.events import Clock, MatchOutcome
from cutpurse_server.practice import PlayedMatch, Practice, summed_up
from cutpurse_server.practice.summary import points_of, worst_first
from cutpurse_server.tournaments.events import CompletedMatch

PRACTICE = Practice("art_robbery", {}, Clock(), (Entry("me", "x", "me"), Entry("first", "first", "first")), "s", 4, 1)


def played(
    number: int, scores: Sequence[int], seat: int = 0, took_ms: Sequence[int] = (), faults: Sequence[str] = ()
) -> PlayedMatch:
    placements = tuple(1 + sum(other > score for other in scores) for score in scores)
    outcome = MatchOutcome(tuple(scores), placements, EndReason.COMPLETED, (), placements)
    bots = ("me", "first") if seat == 0 else ("first", "me")
    completed = CompletedMatch(f"m-{number}", b"", 9, outcome, bots)
    return PlayedMatch(number, completed, seat, tuple(took_ms), tuple(faults))


def test_the_worst_is_the_one_lost_by_most() -> None:
    matches = [played(1, (9, 3)), played(2, (5, 8)), played(3, (9, 1), seat=1), played(4, (4, 4), seat=1)]

    assert [each.number for each in worst_first(matches)] == [3, 2, 4, 1]
    assert [points_of(each) for each in worst_first(matches)] == [0.0, 0.0, 0.5, 1.0]
    assert [each.number for each in summed_up(PRACTICE, matches).worst] == [3, 2]


def test_standings_are_taken_over_whole_blocks() -> None:
    matches = [played(1, (9, 3)), played(2, (9, 3), seat=1), played(3, (9, 3))]

    summary = summed_up(PRACTICE, matches)

    assert {row.bot: (row.matches, row.points_mean) for row in summary.standings} == {"me": (2, 0.5), "first": (2, 0.5)}
    assert summary.places == {1: 2, 2: 1}
    assert summed_up(PRACTICE, matches[:1]).standings == ()


def test_times_name_the_slowest_decision() -> None:
    summary = summed_up(PRACTICE, [played(1, (1, 0), took_ms=[3, 1]), played(2, (1, 0), took_ms=[2, 80, 4])])

    assert summary.times is not None
    assert summary.times._asdict() == {
        "decisions": 5,
        "p50_ms": 3,
        "p90_ms": 80,
        "p99_ms": 80,
        "slowest_ms": 80,
        "slowest_match": 2,
        "slowest_decision": 2,
    }
    assert summed_up(PRACTICE, [played(1, (1, 0))]).times is None


def test_faults_are_counted_by_cause_and_their_matches_named() -> None:
    summary = summed_up(
        PRACTICE,
        [played(1, (1, 0), faults=["ILLEGAL", "TIMEOUT"]), played(2, (1, 0)), played(3, (1, 0), faults=["ILLEGAL"])],
    )

    assert summary.faults == {"ILLEGAL": 2, "TIMEOUT": 1}
    assert summary.faulty == (1, 3)
