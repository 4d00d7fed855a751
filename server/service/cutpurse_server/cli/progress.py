"""How a running tournament looks: a live table in a terminal, plain lines where there is none, or a stream of JSON."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import Enum
from math import isnan
from pathlib import Path
from types import TracebackType
from typing import Any

import rich.progress
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape

from cutpurse_server.arena.happenings import Happening
from cutpurse_server.arena.plan import Plan
from cutpurse_server.arena.running import BOTS
from cutpurse_server.cli.standings_table import standings_table
from cutpurse_server.tournaments import Overview
from cutpurse_server.tournaments.events import BotsLaunched, EntrantQuarantined, Standing
from cutpurse_server.tournaments.record import Phase, Told
from cutpurse_server.tournaments.telling import VERDICTS, in_words

__all__ = ["Progress", "print_standings"]

_PLAIN_LINE_S = 5.0
_PLAIN_WIDTH = 120
_LOOKS_PER_S = 4
_LINES_BESIDE = 10
"""Of the terminal's height, for what stands around the rows of a live table."""


class Progress:
    """Shows a run: matches done, rate, time left, and the standings so far."""

    def __init__(self, plan: Plan, out: Path, *, as_json: bool) -> None:
        self._plan = plan
        self._out = out
        self._as_json = as_json
        self._console = Console(stderr=True, quiet=as_json, highlight=False)
        self._live = self._console.is_terminal and not as_json
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("[bold]{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TextColumn("matches · {task.fields[rate]} · after"),
            rich.progress.TimeElapsedColumn(),
            rich.progress.TextColumn("· {task.fields[left]}"),
            console=self._console,
        )
        self._task: rich.progress.TaskID | None = None
        self._begun: tuple[float, int, int] | None = None
        self._line_at = 0.0
        self._told = 0
        self._strikes: Counter[str] = Counter()
        self._overview: Overview | None = None
        self._shown: tuple[object, ...] = ()
        self._screen = Live(
            console=self._console, get_renderable=self._picture, refresh_per_second=_LOOKS_PER_S, transient=True
        )
        self._console.print(
            f"{plan.game}: {len(plan.entries)} bots, tables of {plan.players}, {plan.rounds} "
            f"{'round' if plan.rounds == 1 else 'rounds'}; everything lies in {escape(str(out))}"
        )

    def __enter__(self) -> Progress:
        if self._live:
            self._screen.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live:
            self._screen.stop()

    def show(self, overview: Overview) -> None:
        """Show where the tournament stands."""
        if self._begun is None:
            self._begun = (time.monotonic(), overview.progress.matches_done, overview.progress.decisions)
        self._overview = overview
        for told in overview.told[self._told :]:
            if self._as_json:
                _say("notice", notice=type(told).__name__, **told._asdict())
            elif not isinstance(told, BotsLaunched):
                # How bots are launched is said by the command's first line.
                self._console.print(f"[yellow]{escape(in_words(told))}{self._remedy(told)}")
        self._told = len(overview.told)
        if self._as_json:
            self._stream(overview)
        else:
            self._move(overview)

    def heard(self, happening: Happening) -> None:
        """Something happened in a match, or to a bot's process."""
        fields = happening.fields
        if happening.kind == "fault":
            self._strikes[str(fields["bot"])] += bool(fields["strike"])
        if self._as_json:
            _say(happening.kind, **fields)
        elif happening.kind == "bot":
            # Its matches wait for it meanwhile, which looks like a tournament that stands still.
            said = escape(f"{fields['bot']} {fields['what']}; see {fields['log']}")
            self._console.print(f"[yellow]{said}")

    def _stream(self, overview: Overview) -> None:
        progress = overview.progress
        _say("progress", **progress._asdict(), quarantined=sorted(overview.quarantined))
        # Progress is told after every match, standings only when they have changed.
        if overview.standings != self._shown:
            self._shown = overview.standings
            final = progress.phase is Phase.FINISHED
            _say("standings", final=final, standings=overview.standings)

    def _move(self, overview: Overview) -> None:
        progress = overview.progress
        now = time.monotonic()
        over = progress.phase is Phase.FINISHED
        if not self._live and (now - self._line_at >= _PLAIN_LINE_S or over):
            self._line_at = now
            rate, left = self._pace(now)
            first = overview.standings[0] if overview.standings else None
            leader = f", {first.bot} leads so far" if first is not None and first.matches else ""
            self._console.print(
                f"{progress.matches_done}/{progress.matches_total} matches, {rate}, {left}{escape(leader)}"
            )

    def _pace(self, now: float) -> tuple[str, str]:
        """How fast it goes, and how long it will take, as far as this moment lets one say."""
        assert self._overview is not None
        assert self._begun is not None
        progress = self._overview.progress
        begun, matches, decisions = self._begun
        passed = max(now - begun, 1e-9)
        done, rest = progress.matches_done - matches, progress.matches_total - progress.matches_done
        left = f"about {timedelta(seconds=round(passed / done * rest))} left" if done else "time left unknown"
        return f"{(progress.decisions - decisions) / passed:,.0f} decisions/s", left

    def _picture(self) -> Group:
        """What stands in the terminal while it runs."""
        overview = self._overview
        if overview is None:
            return Group(self._bar)
        progress = overview.progress
        # The pace is of this moment: while all matches wait for a bot nothing else is told.
        rate, left = self._pace(time.monotonic())
        if self._task is None:
            self._task = self._bar.add_task(escape(self._plan.name), total=progress.matches_total, rate=rate, left=left)
        self._bar.update(
            self._task, completed=progress.matches_done, total=progress.matches_total, rate=rate, left=left
        )
        if not overview.standings:
            return Group(self._bar)
        paused = "; paused" if progress.paused else ""
        table = standings_table(
            [_row(standing) for standing in overview.standings],
            title=f"provisional, over completed blocks; round {progress.rounds}, "
            f"{progress.matches_running} matches running{paused}",
            strikes=self._strikes,
            quarantined=overview.quarantined,
            most=max(3, self._console.height - _LINES_BESIDE),
            width=self._console.width,
        )
        return Group(table, self._bar)

    def _remedy(self, told: Told) -> str:
        if not isinstance(told, EntrantQuarantined):
            return ""
        log = self._out / BOTS / f"{told.bot}.log"
        return escape(
            f"; see {log}, and let it in again with "
            f"`cutpurse tournament release {self._plan.name} {told.bot} --out {self._out}`"
        )


def print_standings(overview: Overview) -> None:
    """The final standings as a table, on standard output."""
    manifest = overview.manifest
    verdict = overview.progress.verdict
    caption = f"verdict: {manifest.settings.challenger} is {VERDICTS[verdict]}" if verdict else ""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)
    table = standings_table(
        [_row(standing) for standing in overview.standings],
        title=f"{manifest.tournament}: {manifest.game}, final standings",
        caption=caption,
        quarantined=overview.quarantined,
        width=console.width,
    )
    console.print(table)


def _row(standing: Standing) -> dict[str, Any]:
    """A row of the standings as the table takes it."""
    return standing._asdict() | {"left": standing.left.name.lower() if standing.left else ""}


def _say(kind: str, **fields: Any) -> None:
    """One line of the stream."""
    print(json.dumps({"type": kind, **_plain(fields)}), flush=True)


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
