"""Each wrong bot fails the scenarios that are meant for it, and no other."""

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.conformance import SCENARIOS, Check, Finding, Outcome, Scenario, check
from tests.conformance.wrong_bots import FAULTS

ROOT = Path(__file__).parents[2]
MEANT: dict[str, set[str]] = {
    "nowhere": {"dials-in"},
    "without-bearer": {"shows-its-token"},
    "other-version": {"says-hello"},
    "never-ready": {"gets-ready"},
    "illegal-answers": {"plays-a-match"},
    "answers-twice": {"plays-a-match"},
    "ends-after-one": {"plays-on"},
    "crashes-on-void": {"voided-match"},
    "one-match-at-a-time": {"one-waits", "cut-before-the-end", "crowd"},
    "sleeps-over-the-time": {"in-time"},
    "thinks-for-a-fixed-time": {"little-time"},
    "ignores-refusals": {"corrects-itself", "refused-for-now"},
    "corrects-twice": {"refusal-twice"},
    "ends-when-refused": {"corrections-used-up", "too-late"},
    "repeats-without-pause": {"refused-for-now"},
    "repeats-at-a-steady-pace": {"refused-for-now"},
    "counts-request-ids": {"killed"},
    "answers-whatever-comes": {"decision-twice", "answer-lost"},
    "answers-old-decisions": {"old-decision"},
    "counts-offers": {"rest-twice"},
    "new-id-per-retry": {"refused-for-now", "answer-lost", "cut-before-the-end"},
    "new-thought-per-retry": {"answer-lost", "cut-before-the-end"},
    "forgets-matches": {"rest-twice", "cut-after-offer", "decision-lost", "stream-ends-well", "stream-fails"},
    "expects-beginnings": {"killed"},
    "crashes-on-reconnect": {"cut-after-hello"},
    "ends-with-the-stream": {"stream-ends-well", "draining"},
    "never-pauses": {"calm-without-service", "refused-for-now"},
    "pauses-once-welcome": {"calm-when-turned-away"},
    "impatient": {"slow-service"},
    "crashes-on-unknown-fields": {"unknown-fields"},
    "crashes-on-unknown-value": {"unknown-values"},
    "crashes-on-unknown-game": {"unknown-game"},
    "ascii-only": {"odd-names"},
    "too-many-in-a-frame": {"crowd"},
    "small-frames": {"large-frames"},
    "only-ports": {"unix-socket"},
    "speaks-plaintext": {"encrypted"},
    "trusts-anybody": {"stranger"},
    "never-gives-up": {"wrong-token", "other-version"},
    "gives-up": {"wrong-token", "other-version"},
    "gives-up-slowly": {"wrong-token", "other-version"},
    "ignores-sigterm": {"ends-on-sigterm"},
}
"""By fault: the scenarios that notice it."""


def failed(findings: Sequence[Finding]) -> set[str]:
    return {each.scenario.name for each in findings if each.outcome is Outcome.FAILED}


async def checked(fault: str, scenarios: Sequence[Scenario]) -> list[Finding]:
    command = [sys.executable, "-m", "tests.conformance.wrong_bots", fault]
    return await check(Check(command, tuple(GAMES), at_once=4), scenarios, lambda _: None)


def test_every_wrong_bot_is_noticed_by_something() -> None:
    assert set(MEANT) == set(FAULTS)
    assert all(MEANT.values())


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_wrong_bot_fails_what_is_meant_for_it(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    alone = [dataclasses.replace(each, needs=()) for each in SCENARIOS if each.name in MEANT[fault]]

    findings = await checked(fault, alone)

    assert failed(findings) == MEANT[fault], [each.output for each in findings]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "scenario", "text"),
    [
        (
            "ignores-refusals",
            "refused-for-now",
            "its answer to decision 1 of a match of art_robbery was refused as LOG_UNAVAILABLE,",
        ),
        ("counts-request-ids", "killed", "was refused as REQUEST_ID_REUSED,"),
    ],
)
async def test_a_bot_whose_answer_was_refused_is_not_told_that_it_did_not_answer(
    fault: str, scenario: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    alone = [dataclasses.replace(each, needs=()) for each in SCENARIOS if each.name == scenario]

    (finding,) = await checked(fault, alone)

    assert text in finding.text


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_wrong_bot_fails_nothing_else(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    findings = await checked(fault, SCENARIOS)

    assert failed(findings) == MEANT[fault], [(each.scenario.name, each.text) for each in findings]
