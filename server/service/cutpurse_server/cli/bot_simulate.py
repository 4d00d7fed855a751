"""`cutpurse bot simulate`: many matches at home, what they show, and how to look at the ones that were lost."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_rules import GAMES
from cutpurse_server.arena.plan import LOCAL_CLOCK, BadPlan, Entry, entries_of
from cutpurse_server.cli.games import game_named
from cutpurse_server.cli.given_options import options_of
from cutpurse_server.errors import ServiceError
from cutpurse_server.matches.events import Clock
from cutpurse_server.practice import BotGone, PlayedMatch, Practice, Summary, play_in_processes, summed_up
from cutpurse_server.practice.parts import ATTACHED
from cutpurse_server.practice.summary import points_of
from cutpurse_server.whereabouts import configure_logs

__all__ = ["bot_simulate"]

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_DAY_MS = 86_400_000
_NO_CLOCK = Clock(decision_ms=_DAY_MS, bank_ms=_DAY_MS, warm_up_ms=_DAY_MS)
_PROCESSES_MAX = 8
_FAILED, _BAD_INPUT, _INTERRUPTED = 1, 2, 130


_Bot = Annotated[
    str,
    typer.Argument(
        metavar="BOT",
        help="COMMAND (a program that dials in), MODULE:FUNCTION (Python), a house bot, or - for a program that you "
        "start yourself.",
    ),
]
_Game = Annotated[str, typer.Option(help="Which game; `cutpurse games` lists them.")]
_Opponents = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BOT",
        help="HOUSEBOT, NAME=HOUSEBOT or NAME=COMMAND; once for each.",
        show_default="greedy and random",
    ),
]
_Matches = Annotated[int, typer.Option(min=1, help="How many; made up to whole blocks.")]
_Seed = Annotated[str, typer.Option(help="Fixes the deals and the bots' lots.", show_default="drawn and printed")]
_Only = Annotated[
    list[int] | None, typer.Option(metavar="NUMBER", min=1, help="Play only this match of all; may be repeated.")
]
_Processes = Annotated[
    int, typer.Option(min=0, help="So many services, each with bots of its own.", show_default="one for each core")
]
_Options = Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A game's option, its value as JSON.")]
_NoClocks = Annotated[
    bool, typer.Option("--no-clocks", help="A day for every decision, so that nothing is lost in a debugger.")
]
_Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Keep the logs of the listed matches there.", show_default="none")
]


def bot_simulate(
    bot: _Bot,
    game: _Game = "art_robbery",
    opponent: _Opponents = None,
    matches: _Matches = 100,
    seed: _Seed = "",
    name: Annotated[str, typer.Option(help="The bot's name in these matches.")] = "me",
    only: _Only = None,
    processes: _Processes = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Matches at once, in each process.")] = 8,
    option: _Options = None,
    no_clocks: _NoClocks = False,
    worst: Annotated[int, typer.Option(min=0, help="How many lost matches to list.")] = 5,
    out: _Out = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Play many matches at home and sum up: points, the worst losses, the time that decisions took.

    The matches are those that `cutpurse tournament run` would play with the same bots and the same seed. Exit codes: 0
    played, 1 a bot ended and did not come back, 2 bad input, 130 interrupted.

    Example:  cutpurse bot simulate 'python my_bot.py' --opponent greedy --opponent random --matches 300
    """
    configure_logs("error")
    played_game = game_named(game)
    try:
        practice = Practice(
            played_game.id,
            options_of(option or []),
            _NO_CLOCK if no_clocks else LOCAL_CLOCK,
            _entries(bot, name, opponent or ["greedy", "random"]),
            seed or secrets.token_hex(8),
            0,
            1 if no_clocks else concurrency,
        )
        practice = _in_whole_blocks(practice, max([matches, *(only or [])]))
        numbers = sorted(set(only)) if only else list(range(1, practice.matches + 1))
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        played = play_in_processes(practice, numbers, _processes(processes, practice), worst if out else 0, _note)
        kept = _keep(played, out)
    except (BadPlan, ServiceError) as problem:
        _fail(_BAD_INPUT, problem.text if isinstance(problem, ServiceError) else str(problem))
    except OSError as problem:
        _fail(_BAD_INPUT, f"cannot write to {problem.filename or out}: {problem.strerror}; name another folder")
    except BotGone as gone:
        _fail(_FAILED, str(gone))
    except BrokenExecutor:
        _fail(_FAILED, "one of its processes was ended from outside, for want of memory perhaps; try --processes 1")
    except KeyboardInterrupt:
        _fail(_INTERRUPTED, "interrupted")
    summary = summed_up(practice, played)
    if as_json:
        typer.echo(json.dumps(_as_json(practice, played, summary, kept), indent=2))
    else:
        _Telling(practice, played, summary, worst, kept).tell(_again(bot, practice, opponent, option))


def _entries(bot: str, name: str, opponents: Sequence[str]) -> tuple[Entry, ...]:
    """The author's bot, then the others. Raises `BadPlan` for one that cannot be launched, or has another's name."""
    run = bot
    if _FUNCTION.fullmatch(bot):
        run = shlex.join([sys.executable, "-m", "cutpurse_sdk", bot])
    author = Entry(name, run, name)
    entries = (author, *entries_of(opponents))
    for entry in entries:
        if entry.run != ATTACHED:
            entry.command()
        if sum(each.name == entry.name for each in entries) > 1:
            raise BadPlan(f"two bots are called {entry.name}; give yours another name with --name")
    return entries


def _in_whole_blocks(practice: Practice, matches: int) -> Practice:
    """With so many matches, and those that fill the last block. Raises `ServiceError` for what cannot be played."""
    size = len(practice.entries)
    whole = Practice(
        practice.game,
        practice.options,
        practice.clock,
        practice.entries,
        practice.seed,
        -(-matches // size) * size,
        practice.concurrency,
    )
    # Made here once, so that what is wrong shows before anything is started.
    whole.schedule()
    return whole


def _processes(wanted: int, practice: Practice) -> int:
    """How many processes, if it is left to us: one for each core, but none for less than a few blocks."""
    blocks = practice.matches // len(practice.entries)
    return wanted or max(1, min(os.cpu_count() or 1, _PROCESSES_MAX, blocks // 4))


def _keep(played: Sequence[PlayedMatch], out: Path | None) -> dict[int, Path]:
    """Write the logs that were kept; by the match's number, its file."""
    kept = {}
    for each in played:
        if out is not None and each.bundle:
            kept[each.number] = out / f"{each.number}.bundle"
            kept[each.number].write_bytes(each.bundle)
    return kept


def _again(bot: str, practice: Practice, opponents: Sequence[str] | None, options: Sequence[str] | None) -> str:
    """The command that plays a match again, but for its number."""
    words = ["cutpurse", "bot", "simulate", bot, "--game", practice.game, "--seed", practice.seed]
    words += ["--name", practice.author] if practice.author != "me" else []
    words += [word for each in opponents or [] for word in ("--opponent", each)]
    words += [word for each in options or [] for word in ("--option", each)]
    return shlex.join(words)


class _Telling:
    """Prints a summary for people."""

    def __init__(
        self,
        practice: Practice,
        played: Sequence[PlayedMatch],
        summary: Summary,
        listed: int,
        kept: dict[int, Path],
    ) -> None:
        self._practice = practice
        self._played = played
        self._summary = summary
        self._listed = summary.worst[:listed]
        self._kept = kept

    def tell(self, again: str) -> None:
        """All of it; `again` is the command that plays one match anew."""
        practice, summary = self._practice, self._summary
        others = ", ".join(entry.name for entry in practice.entries[1:])
        game = GAMES[practice.game].name
        typer.echo(f"{practice.author} against {others}: {game}, {len(self._played)} matches, seed {practice.seed}")
        for row in summary.standings:
            if row.bot == practice.author:
                seats = "  ".join(f"{points:.2f}" for points in row.points_by_seat)
                interval = f"95 %: {row.points_low:.3f} to {row.points_high:.3f}"
                typer.echo(f"points   {row.points_mean:.3f} a match ({interval}); by seat {seats}")
        typer.echo("places   " + "  ".join(f"{place}: {often}" for place, often in sorted(summary.places.items())))
        if (times := summary.times) is not None:
            typer.echo(
                f"time     half of {times.decisions:,} decisions within {times.p50_ms} ms, 90 % {times.p90_ms} ms, "
                f"99 % {times.p99_ms} ms; slowest {times.slowest_ms} ms (match {times.slowest_match}, decision "
                f"{times.slowest_decision})"
            )
        faults = ", ".join(f"{often} {cause}" for cause, often in sorted(summary.faults.items()))
        where = ", ".join(map(str, summary.faulty[:8]))
        typer.echo(f"faults   {faults} (in matches {where})" if faults else "faults   none")
        self._tell_worst(again)

    def _tell_worst(self, again: str) -> None:
        if not self._listed:
            return
        table = Table("match", "seat", "place", "points", "score", "best", "id", box=None)
        for each in self._listed:
            outcome = each.completed.outcome
            cells = (each.number, each.seat, outcome.placements[each.seat], f"{points_of(each):.2f}")
            table.add_row(*map(str, (*cells, outcome.scores[each.seat], max(outcome.scores), each.completed.match)))
        typer.echo("\nthe worst:")
        Console().print(table)
        worst = self._listed[0]
        typer.echo("\nPlay one again, perhaps in a debugger (with - in the bot's place and --no-clocks):")
        typer.echo(f"  {again} --only {worst.number}")
        typer.echo("See it through the bot's eyes:")
        if worst.number in self._kept:
            file = shlex.quote(str(self._kept[worst.number]))
            typer.echo(f"  cutpurse log show {worst.completed.match} --bundle {file} --seat {worst.seat}")
        else:
            typer.echo(f"  {again} --only {worst.number} --out lost, then")
            typer.echo(
                f"  cutpurse log show {worst.completed.match} --bundle lost/{worst.number}.bundle --seat {worst.seat}"
            )


def _as_json(
    practice: Practice, played: Sequence[PlayedMatch], summary: Summary, kept: dict[int, Path]
) -> dict[str, Any]:
    return {
        "game": practice.game,
        "seed": practice.seed,
        "bot": practice.author,
        "standings": [row._asdict() for row in summary.standings],
        "places": {str(place): often for place, often in sorted(summary.places.items())},
        "times": summary.times._asdict() if summary.times is not None else None,
        "faults": dict(sorted(summary.faults.items())),
        "worst": [each.number for each in summary.worst],
        "matches": [_match_as_json(each, kept) for each in played],
    }


def _match_as_json(played: PlayedMatch, kept: dict[int, Path]) -> dict[str, Any]:
    outcome = played.completed.outcome
    return {
        "number": played.number,
        "match": played.completed.match,
        "bots": list(played.completed.bots),
        "seat": played.seat,
        "points": points_of(played),
        "scores": list(outcome.scores),
        "placements": list(outcome.placements),
        "reason": outcome.reason.name,
        "took_ms": list(played.took_ms),
        "faults": list(played.faults),
        "log": str(kept[played.number]) if played.number in kept else None,
    }


def _note(text: str) -> None:
    typer.secho(text, fg="yellow", err=True)


def _fail(code: int, text: str) -> NoReturn:
    typer.secho(f"cutpurse bot simulate: {text}", fg="red", err=True)
    raise typer.Exit(code)
