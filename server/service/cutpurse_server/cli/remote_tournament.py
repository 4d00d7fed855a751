"""Tournaments of a running service: create, enter, start, watch, standings, and what organisers do meanwhile."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection
from math import nan
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cutpurse_rules import GAMES
from cutpurse_server.arena.plan import FORMATS, ROUNDS, BadPlan, Plan
from cutpurse_server.arena.tournament_file import plan_of_file
from cutpurse_server.cli.given_options import options_of, settings_of
from cutpurse_server.cli.remote import CallFailed, Organiser
from cutpurse_server.cli.standings_table import standings_table
from cutpurse_server.cli.there import Json, at_a_service
from cutpurse_server.identity import Role
from cutpurse_server.matches.events import Clock
from cutpurse_server.printable import printable
from cutpurse_server.tournaments.events import Verdict
from cutpurse_server.tournaments.telling import VERDICTS

__all__ = ["COMMANDS"]

_WIDTH = 120
_FAULTS_SHOWN, _DECISIONS_SHOWN, _ANSWER_SHOWN = 3, 5, 40

_Cup = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its name.")]
_Bot = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")]
_Why = Annotated[str, typer.Option("--reason", help="Why; stands in the log, and everybody is told.")]


def create(
    there: Organiser,
    tournament: Annotated[str | None, typer.Argument(help="Its name; with --file that of the file.")] = None,
    file: Annotated[Path | None, typer.Option(help="A TOML file that describes it.")] = None,
    tokens: Annotated[
        Path | None, typer.Option(help="With --file: enter its bots as well, and write their tokens into this folder.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="The game.")] = None,
    players: Annotated[
        int | None, typer.Option(help="Seats at a table.", show_default="the fewest that the game takes")
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=f"How entrants meet: {', '.join(FORMATS)}.")] = "round-robin",
    rounds: Annotated[
        int | None, typer.Option(help="Each plays one block at every table.", show_default="by format")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Matches at once.")] = 16,
    seed: Annotated[str, typer.Option(help="Make the deals repeatable, and the tournament unrated.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A game's option; V is JSON.")] = None,
    setting: Annotated[list[str] | None, typer.Option(metavar="K=V", help="A format's setting.")] = None,
) -> None:
    """Create a tournament at a running service; entries are open from then on."""
    try:
        if file is not None:
            plan = plan_of_file(file, launched=False)
        elif tournament is None or game is None:
            raise BadPlan("name the tournament and --game, or give --file")
        else:
            plan = Plan(
                name=tournament,
                game=game,
                players=players or (GAMES[game].min_players if game in GAMES else 2),
                rounds=ROUNDS.get(format_, 1) if rounds is None else rounds,
                concurrency=concurrency,
                seed=seed,
                options=options_of(option or []),
                entries=(),
                format=format_,
                clock=Clock(),
                settings=settings_of(setting or []),
            )
    except BadPlan as problem:
        raise CallFailed(str(problem)) from None
    manifest_hash = there.create(plan.manifest())
    if tokens is not None:
        _enter_all(there, plan, tokens)
    typer.echo(f"the manifest's hash, for everybody to know: {manifest_hash}")
    enter_them = f"enter bots with `cutpurse tournament enter {plan.name} BOT`"
    begin = f"begin with `cutpurse tournament start {plan.name}`"
    typer.echo(f"{plan.name} is open; {enter_them if tokens is None else begin}")


def _enter_all(there: Organiser, plan: Plan, folder: Path) -> None:
    """Register and enter the bots of a file; a token that is there already is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in plan.entries:
        there.register(entry.name, entry.owner)
        there.enter(plan.name, entry.name, entry.rank)
        path = folder / f"{entry.name}.token"
        if path.exists():
            continue
        # The file comes first: a token that cannot be written down is never made.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            try:
                token, _ = there.issue(Role.BOT, entry.name)
                written.write(token + "\n")
                written.flush()
            except BaseException:
                path.unlink()
                raise
        typer.echo(f"{entry.name} is entered; its token is in {path}")


def enter(
    there: Organiser,
    tournament: _Cup,
    bot: _Bot,
    owner: Annotated[str | None, typer.Option(help="Who enters it.", show_default="named like the bot")] = None,
    rank: Annotated[int, typer.Option(help="Its place in the seeding of a single elimination, from 1.")] = 0,
    as_json: Json = False,
) -> None:
    """Enter a bot, registering it if it is new, and print a token for it: with that it dials in.

    A Swiss or a ladder that has begun takes it from the next round on.
    """
    there.register(bot, owner or there.bots().get(bot, bot))
    there.enter(tournament, bot, rank)
    token, token_id = there.issue(Role.BOT, bot)
    if as_json:
        typer.echo(json.dumps({"tournament": tournament, "bot": bot, "token": token, "token_id": token_id}))
    else:
        typer.echo(f"{bot} is entered. Its token (number {token_id}), shown this once:", err=True)
        typer.echo(token)


def start(there: Organiser, tournament: _Cup) -> None:
    """Close the entries and begin. Bots should have dialled in: a seat that is not ready in time is forfeited."""
    there.start(tournament)
    typer.echo(f"{tournament} has begun; look at it with `cutpurse tournament watch {tournament}`")


def withdraw(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why = "") -> None:
    """Take a bot out: what it has played counts, what it has not is dropped."""
    there.withdraw(tournament, bot, reason)
    typer.echo(f"{bot} is withdrawn from {tournament}")


def disqualify(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why) -> None:
    """Take a bot out for an offence: it is placed last; for the others, what it has played counts."""
    there.disqualify(tournament, bot, reason)
    typer.echo(f"{bot} is disqualified from {tournament}")


def quarantine(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why) -> None:
    """Wait no more for a bot: in matches that begin from now on its seat is forfeited from the start."""
    there.quarantine(tournament, bot, reason)
    typer.echo(f"{bot} is in quarantine; let it in again with `cutpurse tournament release {tournament} {bot}`")


def release(there: Organiser, tournament: _Cup, bot: _Bot, reason: _Why = "") -> None:
    """End a bot's quarantine; where it was launched by `tournament run`, it is launched again."""
    there.release(tournament, bot, reason)
    typer.echo(f"{bot} is out of quarantine")


def pause(there: Organiser, tournament: _Cup, reason: _Why = "") -> None:
    """Begin no further matches; those that run go on."""
    there.pause(tournament, reason)
    typer.echo(f"{tournament} is paused; go on with `cutpurse tournament resume {tournament}`")


def resume(there: Organiser, tournament: _Cup) -> None:
    """Begin matches again."""
    there.resume(tournament)
    typer.echo(f"{tournament} goes on")


def void(
    there: Organiser,
    tournament: _Cup,
    reason: _Why,
    round_: Annotated[int, typer.Option("--round", help="The block's round, from 1.")] = 0,
    table: Annotated[int, typer.Option(help="The block's table, from 1.")] = 0,
    match: Annotated[str, typer.Option(help="Or a match of the block.")] = "",
) -> None:
    """Void a block, played or being played; it is played again, with other deals."""
    if not match and not (round_ and table):
        raise CallFailed("name the block: --round R --table T, or --match with a match of it")
    there.void(tournament, round_, table, match, reason)
    typer.echo("the block is voided, and is played again")


def finish(there: Organiser, tournament: _Cup, reason: _Why) -> None:
    """End a tournament now: what has not ended is dropped, and the standings are those of what has."""
    there.finish(tournament, reason)
    typer.echo(f"{tournament} is ended")


def watch(there: Organiser, tournament: _Cup, as_json: Json = False) -> None:
    """Follow a tournament until it is finished, and what organisers do to it; any role's token will do."""
    latest: dict[str, Any] = {}
    for latest in there.watch(tournament):
        if as_json:
            for notice in latest["notices"]:
                typer.echo(json.dumps({"type": "notice", **notice}))
            typer.echo(json.dumps({"type": "progress", **latest["progress"]}))
            typer.echo(json.dumps({"type": "standings", "final": _is_over(latest), "standings": latest["standings"]}))
            continue
        for notice in latest["notices"]:
            typer.secho(_told(notice), fg="yellow", err=True)
        progress = latest["progress"]
        done, total, running = progress["matches_done"], progress["matches_total"], progress["matches_running"]
        rest = ", paused" if progress["paused"] else ""
        if progress["quarantined"]:
            rest += f", in quarantine: {', '.join(progress['quarantined'])}"
        typer.echo(f"{done}/{total} matches, {running} running, {progress['decisions']} decisions{rest}", err=True)
    if not as_json and latest:
        verdict = latest["progress"]["verdict"].removeprefix("GAUNTLET_VERDICT_")
        decided = verdict in Verdict.__members__
        caption = f"verdict: the challenger is {VERDICTS[Verdict[verdict]]}" if decided else ""
        title = f"{tournament}: {'final standings' if _is_over(latest) else 'provisional standings'}"
        _print(latest["standings"], title, caption, latest["progress"]["quarantined"])


def _is_over(news: dict[str, Any]) -> bool:
    return bool(news["progress"]["phase"] == "TOURNAMENT_PHASE_FINISHED")


def _told(notice: dict[str, Any]) -> str:
    """A notice in words."""
    kind = notice["kind"].removeprefix("TOURNAMENT_NOTICE_KIND_")
    what = {
        "ENTERED": f"{notice['bot']} was entered late",
        "WITHDRAWN": f"{notice['bot']} was withdrawn",
        "DISQUALIFIED": f"{notice['bot']} was disqualified",
        "QUARANTINED": f"{notice['bot']} is in quarantine",
        "RELEASED": f"{notice['bot']} is out of quarantine",
        "BOTS_LAUNCHED": "bots are launched",
        "BLOCK_VOIDED": f"round {notice['round']}, table {notice['table']} was voided",
        "PAUSED": "paused",
        "RESUMED": "it goes on",
        "CUT_SHORT": "the organiser has ended it",
    }[kind]
    return f"{what}: {printable(notice['text'])}" if notice["text"] else what


def standings(there: Organiser, tournament: _Cup, as_json: Json = False) -> None:
    """Print the standings over the blocks that count; any role's token will do."""
    rows = there.standings(tournament)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    elif not rows:
        typer.echo(f"{tournament} has not begun; `cutpurse tournament show {tournament}` lists its entrants")
    else:
        _print(rows, f"{tournament}: standings over the blocks that count")


def faults(
    there: Organiser,
    tournament: _Cup,
    bot: Annotated[str, typer.Argument(help="The bot; without it, the token's own.")] = "",
    as_json: Json = False,
) -> None:
    """Tell a bot's owner how it did in every match: points, time, faults. With a token of the bot, or an organiser's.

    Only completed blocks are told, and nothing of other bots.
    """
    matches = list(there.bot_log(tournament, bot))
    if as_json:
        typer.echo(json.dumps(matches, indent=2))
        return
    table = Table(title=f"{bot or 'your bot'} in {tournament}", title_justify="left")
    for heading in ("match", "seat", "place", "points", "choices", "median ms", "longest ms", "faults"):
        # A match's id is given to other commands, so it stands there whole.
        table.add_column(
            heading, justify="left" if heading in ("match", "faults") else "right", no_wrap=heading == "match"
        )
    for match in matches:
        times = [choice["took_ms"] for choice in match["choices"]]
        told = _faults_in_words(match["faults"])
        table.add_row(
            match["match"],
            str(match["seat"]),
            str(match["placement"]),
            f"{match['points']:.2f}",
            str(len(times)),
            f"{median(times):.0f}" if times else "–",
            str(max(times)) if times else "–",
            "; ".join(told[:_FAULTS_SHOWN] + ([f"and {len(told) - _FAULTS_SHOWN} more"] * (len(told) > _FAULTS_SHOWN))),
        )
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def _faults_in_words(faults: list[dict[str, Any]]) -> list[str]:
    """Faults in words; those that are the same but for the decision are told together."""
    decisions: dict[str, list[int]] = {}
    for fault in faults:
        decisions.setdefault(_fault(fault), []).append(fault["decision"])
    return [f"{_where(numbers)}: {words}" for words, numbers in decisions.items()]


def _where(decisions: list[int]) -> str:
    if not decisions[0]:
        return "before the start"
    shown = ", ".join(map(str, decisions[:_DECISIONS_SHOWN]))
    more = f" and {len(decisions) - _DECISIONS_SHOWN} more" if len(decisions) > _DECISIONS_SHOWN else ""
    return f"decision{'s' if len(decisions) > 1 else ''} {shown}{more}"


def _fault(fault: dict[str, Any]) -> str:
    """What the fault was, in words."""
    kind, cause = fault["kind"].removeprefix("BOT_FAULT_KIND_").lower(), fault["cause"].removeprefix("CAUSE_").lower()
    answer = escape(printable(fault["notation"][:_ANSWER_SHOWN])) if kind == "refused" else ""
    answered = f" ({answer})" if answer else ""
    strike = ", a strike" if fault["strike"] else ""
    return f"{kind}, {cause}{answered}{strike}"


_ALL: tuple[Callable[..., None], ...] = (
    create, enter, start, watch, standings, withdraw, disqualify, quarantine, release, pause, resume, void, finish,
    faults,
)  # fmt: skip
COMMANDS = tuple(at_a_service(each) for each in _ALL)


def _print(rows: list[dict[str, Any]], title: str, caption: str = "", quarantined: Collection[str] = ()) -> None:
    plain = [
        row | {"left": row["left"] or "", "points_by_seat": [nan if at is None else at for at in row["points_by_seat"]]}
        for row in rows
    ]
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    console.print(standings_table(plain, title=title, caption=caption, quarantined=quarantined, width=console.width))
