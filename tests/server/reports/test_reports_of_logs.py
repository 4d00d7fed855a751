"""Reports from logs and bundles: the same from both, of completed blocks alone, and of the logs that were played."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import isnan
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server.cli import app
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, Version
from cutpurse_server.matches.events import Cause, ChoiceDefaulted, ChoiceMade, ChoiceRefused, MatchEvent
from cutpurse_server.reports import (
    NoReport,
    Report,
    explanation_of,
    matrix_csv,
    page_of,
    report_of_bundle,
    report_of_log,
    results_csv,
    results_json,
)
from cutpurse_server.tournaments.deals import deals_root
from cutpurse_server.tournaments.events import BlockCompleted, TournamentEvent, TournamentFinished
from cutpurse_server.wire import match_events, tournament_events
from cutpurse_server.wire.bundle import ExportedLog
from tests.server.audit.honest import Story, bundle_of, honest_match, honest_tournament


@pytest.fixture(scope="module", autouse=True)
def _deals_are_hashed_once() -> Iterator[None]:
    """Every bundle here has the same deals, and hashing them takes a good part of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cutpurse_server.audit.tournament.deals_root", cache(deals_root))
        yield


@pytest.fixture(scope="module")
def story() -> Story:
    return honest_tournament(faults=0.15, rounds=2)


@pytest.fixture(scope="module")
def report(story: Story) -> Report:
    return report_of_bundle(story.bundle())


async def log_of(story: Story, events: list[TournamentEvent]) -> MemoryLog:
    log = MemoryLog()
    await log.open()
    stored = {"tournament/cup": [tournament_events.encode(each) for each in events]}
    stored |= {f"match/{match}": list(kept) for match, kept in story.stored.items()}
    for stream, kept in stored.items():
        chain = links(first_link(stream.partition("/")[2]), kept)
        assert await log.flush([Append(stream, Version(0), tuple(kept), chain)]) == [True]
    return log


def counted(story: Story) -> list[MatchEvent]:
    """All events of the matches in completed blocks."""
    blocks = [each for each in story.events if isinstance(each, BlockCompleted)]
    return [event for block in blocks for match in block.matches for event in story.matches[match.match]]


async def test_what_is_shown_is_what_anybody_computes_from_the_log(story: Story, report: Report) -> None:
    log = await log_of(story, story.events)

    again = await report_of_log(log, "cup")

    assert results_json(again) == results_json(report)
    assert page_of(again) == page_of(report)
    finished = story.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert [str(row) for row in report.standings] == [str(row) for row in finished.standings]


async def test_of_a_running_tournament_only_completed_blocks_are_told(story: Story) -> None:
    *completed, _ = [each for each in story.events if isinstance(each, BlockCompleted)]
    until = story.events[: story.events.index(completed[-1]) + 1]
    last = story.events[-2]
    assert isinstance(last, BlockCompleted)
    running = [match.match for match in last.matches]
    log = await log_of(story, until)

    report = await report_of_log(log, "cup")

    told = json.dumps(results_json(report)) + page_of(report)
    told += "".join(json.dumps(explanation_of(report, row.bot).to_json()) for row in report.standings)
    assert not report.finished
    assert "It is not over" in told
    assert report.matches == 2 * len(completed)
    assert not any(match in told for match in running)
    assert completed[0].matches[0].match in told


def test_faults_and_time_are_those_of_the_logs(story: Story, report: Report) -> None:
    events = counted(story)

    refused = Counter(event.cause for event in events if isinstance(event, ChoiceRefused))
    defaulted = Counter(
        event.cause for event in events if isinstance(event, ChoiceDefaulted) and event.cause is not Cause.FORFEITED
    )
    strikes = sum(event.strike for event in events if isinstance(event, ChoiceDefaulted))
    choices = sum(isinstance(event, ChoiceMade) and event.cause is Cause.CHOSEN for event in events)
    longest = max(event.charged_ms for event in events if isinstance(event, ChoiceMade))

    uses = report.uses.values()
    assert sum(refused.values()) > 0
    assert strikes > 0
    assert sum(use.count("refused") for use in uses) == sum(refused.values())
    for cause, count in defaulted.items():
        assert sum(use.count("default", cause) for use in uses) == count
    assert sum(use.strikes for use in uses) == strikes
    assert sum(use.choices for use in uses) == choices
    assert max(use.longest_ms for use in uses) >= longest > 0, "what is charged is what was taken, less an allowance"


@pytest.mark.parametrize("bot", ["bot-0", "bot-1", "bot-2"])
def test_the_parts_of_an_explanation_add_up_to_the_points(report: Report, bot: str) -> None:
    found = explanation_of(report, bot)

    mean = sum((block.points for block in found.blocks), Fraction(0)) / len(found.blocks)
    assert float(mean) == found.standing.points_mean
    assert sum(part.contribution for part in found.opponents) == mean
    assert sum(part.contribution for part in found.seats) == mean
    assert sum(part.matches for part in found.seats) == found.standing.matches
    assert found.best[0].points >= found.best[-1].points >= found.worst[0].points
    assert sum(found.fault_counts.values()) == len(found.faults)


def test_of_few_matches_none_is_among_the_best_and_the_worst_at_once(report: Report) -> None:
    found = explanation_of(report, "bot-0")

    best, worst = ({match.match for match in matches} for matches in (found.best, found.worst))
    assert not best & worst
    assert len(best) + len(worst) == min(10, found.standing.matches)


def test_whose_a_bot_is_and_when_the_event_began_is_said(report: Report) -> None:
    begun = dataclasses.replace(report, started_ms=1_796_000_000_000)

    written = page_of(begun)

    assert results_json(report)["bots"][0]["owner"] == f"owner-{report.standings[0].bot.removeprefix('bot-')}"
    assert written.count('<span class="soft">of owner-') == len(report.standings)
    assert "begun on 2026-11-30 at 00:53 UTC" in written
    # An owner who is called like the bot is not told twice.
    alone = dataclasses.replace(report, owners={row.bot: row.bot for row in report.standings})
    assert "of bot-" not in page_of(alone)


def test_json_and_csv_carry_the_same_numbers(report: Report) -> None:
    whole = results_json(report)
    rows = list(csv.DictReader(io.StringIO(results_csv(report))))
    pairs = list(csv.DictReader(io.StringIO(matrix_csv(report))))

    assert json.loads(json.dumps(whole, allow_nan=False)) == json.loads(json.dumps(whole))
    for bot, row, standing in zip(whole["bots"], rows, report.standings, strict=True):
        assert (row["bot"], float(row["points_mean"])) == (standing.bot, bot["points_mean"])
        assert float(row["rating"]) == bot["rating"]
        assert float(row["choice_ms_mean"]) == bot["time"]["choice_ms_mean"]
        assert int(row["strikes"]) == bot["faults"]["strikes"]
        assert not any(isnan(points) for points in standing.points_by_seat)
        assert [float(row[f"points_in_seat_{seat}"]) for seat in range(2)] == bot["points_by_seat"]
    assert [(pair["bot"], pair["other"], float(pair["share"])) for pair in pairs] == [
        (pair["bot"], pair["other"], pair["share"]) for pair in whole["matrix"]
    ]


def test_a_match_that_was_not_played_so_makes_no_report(story: Story) -> None:
    matches = {match: list(kept) for match, kept in story.stored.items()}
    block = next(each for each in story.events if isinstance(each, BlockCompleted))
    del matches[block.matches[0].match][-2]
    log = ExportedLog("cup", [tournament_events.encode(each) for each in story.events])

    with pytest.raises(NoReport, match="not the one that was played"):
        report_of_bundle(bundle_of([ExportedLog(match, kept) for match, kept in matches.items()], log))
    with pytest.raises(NoReport, match="are missing"):
        report_of_bundle(bundle_of([], log))


def test_a_wrong_tournament_and_a_file_that_is_no_bundle_make_no_report(story: Story) -> None:
    single = ExportedLog("single", [match_events.encode(each) for each in honest_match(faults=0)])
    twice = [tournament_events.encode(each) for each in (story.events[0], *story.events)]

    for data, why in [
        (b"something else", "no sound bundle"),
        (story.bundle()[:-1] + b"\x00", "damaged"),
        (bundle_of([single]), "single match"),
        (bundle_of([], ExportedLog("cup", twice)), "is wrong"),
    ]:
        with pytest.raises(NoReport, match=why):
            report_of_bundle(data)


def test_the_commands_write_the_page_and_explain_a_bot(story: Story, report: Report, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.write_bytes(story.bundle())
    run = CliRunner().invoke

    written = run(app, ["tournament", "report", str(bundle), "--out", str(tmp_path / "page.html")])
    told = run(app, ["tournament", "explain", "bot-1", "--bundle", str(bundle)])
    as_json = run(app, ["tournament", "explain", "bot-1", "--bundle", str(bundle), "--json"])
    unknown = run(app, ["tournament", "explain", "nobody", "--bundle", str(bundle)])
    nowhere = run(app, ["tournament", "report"])

    assert (written.exit_code, told.exit_code, unknown.exit_code, nowhere.exit_code) == (0, 0, 2, 2)
    assert (tmp_path / "page.html").read_text() == page_of(report)
    assert "by opponent" in told.stdout
    assert json.loads(as_json.stdout)["bot"] == "bot-1"
    assert "there is no bot 'nobody'" in unknown.stderr
