"""A whole local tournament: what is noted about its bots, who is put into quarantine, and what each owner gets."""

from __future__ import annotations

import asyncio
import csv
import json
import sys
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import ClassVar, cast

import pytest
from typer.testing import CliRunner

from cutpurse_server.arena import children
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.happenings import Happening
from cutpurse_server.arena.isolation import Means
from cutpurse_server.arena.plan import LOCAL_CLOCK, Entry, Plan, entries_of
from cutpurse_server.arena.running import _Launched, _write_standings, run_tournament
from cutpurse_server.audit import audit
from cutpurse_server.cli import app
from cutpurse_server.tournaments import Overview, Progress, Tournaments
from cutpurse_server.tournaments.events import LeaveCause, Standing
from cutpurse_server.tournaments.record import Phase

OPEN = Means("", "as was asked for")


class Audience:
    """Remembers what it is shown, and types a command when somebody is in quarantine."""

    def __init__(self, *command: str) -> None:
        self.happenings: list[Happening] = []
        self.overview: Overview | None = None
        self._command = command
        self.typed: asyncio.Task[object] | None = None

    def show(self, overview: Overview) -> None:
        self.overview = overview
        if overview.quarantined and self._command and self.typed is None:
            self.typed = asyncio.create_task(asyncio.to_thread(CliRunner().invoke, app, [*self._command]))

    def heard(self, happening: Happening) -> None:
        self.happenings.append(happening)

    def told(self) -> list[str]:
        assert self.overview is not None
        return [type(each).__name__ for each in self.overview.told]


def plan(rounds: int, mine: str) -> Plan:
    entries = (*entries_of(["greedy", "first"]), Entry("mine", mine, "me"))
    return Plan(
        name="cup",
        game="art_robbery",
        players=3,
        rounds=rounds,
        concurrency=1,
        seed="a seed",
        options={"heist_turn_limit": 2},
        entries=entries,
        clock=LOCAL_CLOCK._replace(warm_up_ms=4_000),
    )


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_BACK_OFF_S", 0.01)
    monkeypatch.setattr(children, "_LAUNCHES_MAX", 3)


@pytest.mark.slow
async def test_a_bot_that_ends_again_and_again_is_put_into_quarantine_and_holds_nobody_up(
    tmp_path: Path, impatient: None
) -> None:
    audience = Audience()

    overview = await run_tournament(plan(2, f"{sys.executable} -c 'raise SystemExit(3)'"), tmp_path, OPEN, audience)

    assert audience.told() == ["BotsLaunched", "EntrantQuarantined"]
    assert overview.quarantined == {"mine": "it ended 3 times and is not launched any more"}
    assert {row.bot: row.forfeits for row in overview.standings} == {"greedy": 0, "first": 0, "mine": 6}
    assert "exit code 3, 3 times now" in (tmp_path / "bots" / "mine.log").read_text()
    # What everybody may read a web server may; of a bot's matches only its owner is told.
    for name in (
        "bundle",
        "report.html",
        "results.json",
        "results.csv",
        "matrix.csv",
        "standings.json",
        "standings.csv",
    ):
        assert (tmp_path / name).stat().st_mode == (tmp_path / "bots" / "mine.log").stat().st_mode
    assert (tmp_path / "bots" / "mine.json").stat().st_mode & 0o777 == 0o600
    own = json.loads((tmp_path / "bots" / "mine.json").read_text())
    assert len(own["matches"]) == 6
    assert all(match["faults"] and not match["choices"] for match in own["matches"])
    others = json.loads((tmp_path / "bots" / "greedy.json").read_text())
    assert all(choice["took_ms"] >= 0 for match in others["matches"] for choice in match["choices"])
    assert not any(match["faults"] for match in others["matches"])
    assert audit((tmp_path / "bundle").read_bytes()).findings == []
    assert {each.fields["bot"] for each in audience.happenings if each.kind == "fault"} == {"mine"}
    ended = [each.fields for each in audience.happenings if each.kind == "bot"]
    assert {(each["bot"], each["log"]) for each in ended} == {("mine", str(tmp_path / "bots" / "mine.log"))}
    assert len(ended) == 3
    assert len([each for each in audience.happenings if each.kind == "match"]) == 6


def test_why_a_bot_is_out_is_a_word_in_the_standings_files(tmp_path: Path) -> None:
    rows = (
        Standing(1, "greedy", 3, 0.75, 0.5, 1.0, 3, 0, (0.5, 1.0, nan), 0.75),
        Standing(2, "first", 3, 0.25, 0.0, 0.5, 0, 0, (0.5, 0.0, nan), 0.25, 0, LeaveCause.DISQUALIFIED),
    )
    reached = Progress(Phase.FINISHED, 3, 0, 3, 9)

    _write_standings(Overview(plan(1, "first").manifest(), (), {}, reached, rows, (), {}), tmp_path)

    written = json.loads((tmp_path / "standings.json").read_text())["standings"]
    assert [row["left"] for row in written] == [None, "disqualified"]
    assert written[0]["points_by_seat"] == [0.5, 1.0, None]
    with (tmp_path / "standings.csv").open(newline="") as file:
        assert [row["left"] for row in csv.DictReader(file)] == ["", "disqualified"]


async def test_a_bot_that_is_given_up_is_not_launched_again_by_news_from_before_its_quarantine() -> None:
    class GivenUp:
        entry = Entry("mine", "first", "me")
        launches = 0

        async def keep_running(self) -> None:
            self.launches += 1

    class Still:
        """A tournament that goes on while a quarantine is being written."""

        quarantined: ClassVar[dict[str, str]] = {}

        async def quarantine(self, *_: str) -> None:
            launched.follow(cast(Overview, self))
            written.set()

    child, written = GivenUp(), asyncio.Event()
    launched = _Launched(cast(Tournaments, Still()), "cup", cast(Child, child))
    launched.follow(cast(Overview, Still()))

    running = asyncio.create_task(launched.run())
    await written.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    running.cancel()

    assert child.launches == 1


@pytest.mark.slow
async def test_a_bot_that_was_mended_and_released_is_launched_again(tmp_path: Path, impatient: None) -> None:
    mended = tmp_path / "mended"
    program = tmp_path / "bot.py"
    program.write_text(
        f"import pathlib, runpy, sys\nif not pathlib.Path({str(mended)!r}).exists(): sys.exit(3)\n"
        "sys.argv = ['bots', 'first']\nrunpy.run_module('cutpurse_bots', run_name='__main__')\n"
    )
    audience = Audience("tournament", "release", "cup", "mine", "--out", str(tmp_path / "cup"))
    mended_plan = replace(plan(4, f"{sys.executable} {program}"), clock=LOCAL_CLOCK)

    def show(overview: Overview) -> None:
        if overview.quarantined:
            mended.touch()
        Audience.show(audience, overview)

    audience.show = show  # type: ignore[method-assign]
    overview = await run_tournament(mended_plan, tmp_path / "cup", OPEN, audience)

    assert audience.told() == ["BotsLaunched", "EntrantQuarantined", "EntrantReleased"]
    (forfeits,) = [row.forfeits for row in overview.standings if row.bot == "mine"]
    assert forfeits < 12
    assert audit((tmp_path / "cup" / "bundle").read_bytes()).findings == []
