"""How a running tournament looks in a terminal, and its standings; plain lines where there is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import rich.progress
from rich.console import Console
from rich.table import Table

from cutpurse_server.arena.children import Child
from cutpurse_server.arena.plan import Plan
from cutpurse_server.tournaments import Overview

__all__ = ["Progress", "print_standings"]

_PLAIN_LINE_S = 5.0


class Progress:
    """A live line with matches done, rate and time left."""

    def __init__(self, plan: Plan, out: Path, *, quiet: bool) -> None:
        self._plan = plan
        self._console = Console(stderr=True, quiet=quiet)
        self._live = self._console.is_terminal and not quiet
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("[bold]{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TextColumn("matches · {task.fields[rate]}"),
            rich.progress.TimeElapsedColumn(),
            rich.progress.TextColumn("left"),
            rich.progress.TimeRemainingColumn(),
            console=self._console,
            disable=not self._live,
        )
        self._task: rich.progress.TaskID | None = None
        self._begun: tuple[float, int, int] | None = None
        self._line_at = 0.0
        self._told: set[str] = set()
        self._console.print(
            f"{plan.game}: {len(plan.entries)} bots, tables of {plan.players}, {plan.rounds} "
            f"{'round' if plan.rounds == 1 else 'rounds'}; everything lies in {out}"
        )

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, overview: Overview, children: Sequence[Child]) -> None:
        """Show where the tournament stands."""
        progress = overview.progress
        now = time.monotonic()
        if self._begun is None:
            self._begun = (now, progress.matches_done, progress.decisions)
        begun, matches, decisions = self._begun
        passed = max(now - begun, 1e-9)
        rate = f"{(progress.decisions - decisions) / passed:,.0f} decisions/s"
        if self._task is None:
            self._task = self._bar.add_task(self._plan.name, total=progress.matches_total, rate=rate)
        self._bar.update(self._task, completed=progress.matches_done, rate=rate)
        if not self._live and (now - self._line_at >= _PLAIN_LINE_S or progress.matches_done == progress.matches_total):
            self._line_at = now
            done = progress.matches_done - matches
            left = progress.matches_total - progress.matches_done
            left_s = f"about {passed / done * left:.0f} s left" if done else "time left unknown"
            self._console.print(f"{progress.matches_done}/{progress.matches_total} matches, {rate}, {left_s}")
        for child in children:
            if child.given_up and child.entry.name not in self._told:
                self._told.add(child.entry.name)
                name = child.entry.name
                why = f"ended {child.launches} times and is not launched any more; see bots/{name}.log"
                self._console.print(f"[yellow]{name} {why}")


def print_standings(overview: Overview) -> None:
    """The standings as a table, on standard output."""
    table = Table(title=f"{overview.manifest.tournament}: {overview.manifest.game}", title_justify="left")
    seats = overview.manifest.players
    for heading in ("", "bot", "points", "95 % interval", "matches", "firsts", "forfeits", "points by seat"):
        table.add_column(heading, justify="left" if heading in ("bot", "points by seat") else "right")
    for row in overview.standings:
        by_seat = " ".join(f"{each:.2f}" for each in row.points_by_seat[:seats])
        interval = f"{row.points_low:.3f} – {row.points_high:.3f}"
        table.add_row(
            str(row.place),
            row.bot,
            f"{row.points_mean:.3f}",
            interval,
            str(row.matches),
            str(row.firsts),
            str(row.forfeits),
            by_seat,
        )
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 110).print(table)
