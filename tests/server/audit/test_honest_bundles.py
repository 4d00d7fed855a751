"""Whatever the service's own commands write is found right, bad bots and voided blocks included."""

import random

import pytest

from cutpurse_server.audit import audit
from cutpurse_server.wire import match_events
from cutpurse_server.wire.bundle import ExportedLog
from tests.server.audit.honest import bundle_of, honest_match, honest_tournament, play, single_match


def found(data: bytes) -> list[str]:
    return [str(finding) for finding in audit(data).findings]


@pytest.mark.parametrize("seed", range(30))
def test_a_match_with_all_kinds_of_faults_is_right(seed: int) -> None:
    absent = [[], [1], [0, 2]][seed % 3]
    events = honest_match(seed, faults=0.1 * (seed % 6), players=3 + seed % 3, absent=absent)

    verdict = audit(bundle_of([ExportedLog("single", [match_events.encode(each) for each in events])]))

    assert list(map(str, verdict.findings)) == []
    assert verdict.words == "internally consistent"
    assert verdict.checked["matches"] == 1
    assert verdict.checked["events"] == len(events)


def test_a_person_may_correct_without_limit() -> None:
    events = play(single_match(player=True, corrections_max=0, decision_ms=60_000), random.Random(3), faults=0.5)

    assert found(bundle_of([ExportedLog("single", [match_events.encode(each) for each in events])])) == []


def test_a_tournament_with_a_voided_block_is_right() -> None:
    story = honest_tournament()

    verdict = audit(story.bundle())

    assert list(map(str, verdict.findings)) == []
    assert verdict.subject == "tournament/cup"
    assert verdict.checked["blocks"] == 3
    assert verdict.checked["matches"] == 7
    assert verdict.checked["decisions"] > 100
    assert verdict.checked["refusals"] > 0
    assert verdict.checked["defaults"] > 0


def test_progress_is_told_up_to_the_last_byte() -> None:
    data = honest_tournament(faults=0).bundle()
    told: list[tuple[int, int]] = []

    audit(data, lambda done, size: told.append((done, size)))

    assert told[-1] == (len(data), len(data))
    assert told == sorted(told)
