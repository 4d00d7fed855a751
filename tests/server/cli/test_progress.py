"""How a run looks: a live table, plain lines, or lines of JSON; and its final standings."""

from __future__ import annotations

import json
from math import nan
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cutpurse_server.arena.happenings import Happening
from cutpurse_server.arena.plan import Plan, entries_of
from cutpurse_server.cli.progress import Progress, print_standings
from cutpurse_server.cli.standings_table import standings_table
from cutpurse_server.matches.events import VoidCause
from cutpurse_server.tournaments import Overview
from cutpurse_server.tournaments import Progress as Reached
from cutpurse_server.tournaments.events import (
    BlockVoided,
    BotsLaunched,
    EntrantQuarantined,
    LeaveCause,
    Standing,
    Verdict,
)
from cutpurse_server.tournaments.record import Phase

PLAN = Plan(
    name="cup",
    game="art_robbery",
    players=2,
    rounds=2,
    concurrency=1,
    seed="",
    options={},
    entries=entries_of(["greedy", "random"]),
)
ROWS = (
    Standing(1, "greedy", 4, 0.75, 0.5, 1.0, 3, 0, (0.5, 1.0), 0.75),
    Standing(2, "[red]random", 4, 0.25, 0.0, 0.5, 1, 2, (0.5, 0.0), 0.25, 1, LeaveCause.WITHDRAWN),
    Standing(3, "late", 0, 0.0, 0.0, 1.0, 0, 0, (nan, nan), 0.0),
)
TOLD = (
    BotsLaunched("isolation: none", 1),
    EntrantQuarantined("late", "it ended 8 times", 2),
    BlockVoided(1, 2, 1, VoidCause.PLATFORM, 3),
)


def overview(phase: Phase = Phase.RUNNING, verdict: Verdict | None = None, **changes: Any) -> Overview:
    reached = Reached(phase, 4, 1, 8, 100, rounds=1, verdict=verdict)
    manifest = PLAN.manifest()
    manifest = manifest._replace(settings=manifest.settings._replace(challenger="greedy"))
    given = Overview(manifest, (), {}, reached, ROWS, TOLD, {"late": "it ended 8 times"})
    return given._replace(**changes)


def printed(table: Any) -> str:
    console = Console(width=140)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def test_every_line_of_the_stream_is_one_object_and_says_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = {"match": "cup.1", "bot": "late", "what": "default", "cause": "crashed", "strike": True}

    with Progress(PLAN, tmp_path, as_json=True) as progress:
        progress.show(overview())
        progress.heard(Happening("fault", fault))
        progress.show(overview())
        progress.show(overview(Phase.FINISHED, standings=ROWS[:2]))

    out = capsys.readouterr().out
    lines = [json.loads(line) for line in out.splitlines()]
    kinds = [line["type"] for line in lines]
    # Standings are told when they have changed, what was done once.
    assert kinds == ["notice"] * 3 + ["progress", "standings", "fault", "progress", "progress", "standings"]
    assert "NaN" not in out
    assert lines[4]["final"] is False
    assert lines[-1]["final"] is True
    assert lines[4]["standings"][2]["points_by_seat"] == [None, None]
    assert lines[3]["phase"] == "running"
    assert lines[3]["quarantined"] == ["late"]
    assert lines[2] == {
        "type": "notice", "notice": "BlockVoided", "round": 1, "table": 2, "attempt": 1, "cause": "platform",
        "at_ms": 3, "text": "",
    }  # fmt: skip
    assert lines[5] == {"type": "fault", **fault}


def test_without_a_terminal_it_says_what_was_done_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress(PLAN, tmp_path, as_json=False) as progress:
        progress.show(overview())

    said = " ".join(capsys.readouterr().err.split())
    assert "4/8 matches" in said
    assert "greedy leads so far" in said
    assert "late is in quarantine: it ended 8 times" in said
    assert "cutpurse tournament release cup late --out" in said
    assert "round 1, table 2 was voided: platform" in said


def test_the_live_table_is_marked_as_provisional_and_counts_strikes(tmp_path: Path) -> None:
    progress = Progress(PLAN, tmp_path, as_json=False)
    progress.show(overview())
    progress.heard(Happening("fault", {"bot": "late", "strike": True}))
    progress.heard(Happening("fault", {"bot": "late", "strike": False}))

    picture = printed(progress._picture())

    assert "provisional, over completed blocks; round 1, 1 matches running" in picture
    assert "quarantined" in picture
    assert "withdrawn" in picture
    (row,) = [line for line in picture.splitlines() if " late " in line]
    assert " 1 " in row


def test_a_bot_that_ends_is_told_at_once_with_the_file_that_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = {"bot": "late", "what": "ended with exit code 1; launched again in 4 s", "log": "cup/bots/late.log"}

    with Progress(PLAN, tmp_path, as_json=False) as progress:
        progress.heard(Happening("bot", fields))
    said = " ".join(capsys.readouterr().err.split())
    with Progress(PLAN, tmp_path, as_json=True) as progress:
        progress.heard(Happening("bot", fields))

    assert "late ended with exit code 1; launched again in 4 s; see cup/bots/late.log" in said
    assert json.loads(capsys.readouterr().out) == {"type": "bot", **fields}


def test_the_live_pace_is_of_the_moment_at_which_somebody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.0, 50.0, 100.0])
    monkeypatch.setattr("cutpurse_server.cli.progress.time.monotonic", lambda: next(clock))
    progress = Progress(PLAN, tmp_path, as_json=False)
    progress.show(overview())
    reached = overview().progress._replace(matches_done=6, decisions=200)
    progress.show(overview(progress=reached))

    # 50 seconds later nothing has happened: it has become slower, and will take longer.
    assert progress._pace(50.0) == ("2 decisions/s", "about 0:00:50 left")
    assert progress._pace(100.0) == ("1 decisions/s", "about 0:01:40 left")


@pytest.mark.parametrize(("width", "without"), [(80, ["points by seat"]), (60, ["firsts", "95 % interval"])])
def test_a_narrow_terminal_loses_columns_and_no_digits(width: int, without: list[str]) -> None:
    rows = [
        each._asdict() | {"left": "", "score": 0.123, "byes": 1, "forfeits": 2, "bot": f"quite-a-name-{each.place}"}
        for each in ROWS
    ]

    console = Console(width=width)
    with console.capture() as captured:
        console.print(standings_table(rows, title="narrow", quarantined=["quite-a-name-2"], width=width))
    picture = captured.get()

    assert "…" not in picture
    for shown in ("score", "points", "0.750", "0.123", "quite-a-name-3", "quarantined"):
        assert shown in picture
    for heading in without:
        assert heading not in picture


def test_the_final_standings_bear_the_verdict_and_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_standings(overview(Phase.FINISHED, Verdict.STRONGER))

    said = capsys.readouterr().out
    assert "cup: art_robbery, final standings" in said
    assert "[red]random" in said
    assert "verdict: greedy is stronger than the field" in said


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    row = ROWS[0]._asdict() | {"left": ""}

    alone = printed(standings_table([row], title="one"))
    more = printed(standings_table([row | {"score": 3.0, "byes": 1, "forfeits": 2}] * 4, title="more", most=2))

    for heading in ("score", "byes", "forfeits", "strikes", "remarks"):
        assert heading not in alone
    for heading in ("score", "byes", "forfeits", "and 2 more"):
        assert heading in more
