"""`cutpurse match`: one match; of house bots on the rules alone, of programs at a service in memory."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.table import Table

from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Game, Result, Seat
from cutpurse_rules.errors import BadConfiguration, BadDraw, BadScript
from cutpurse_rules.playthrough import Ended, Resolved, play_through
from cutpurse_rules.trace import lines_of, match_line, read_draws
from cutpurse_server.arena.plan import BadPlan, entries_of
from cutpurse_server.arena.single import MatchFailed, play_programs
from cutpurse_server.cli.games import game_named
from cutpurse_server.cli.given_options import options_of
from cutpurse_server.cli.house_bots import BotFailed, is_program, seated_bots
from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.whereabouts import configure_logs

__all__ = ["match"]


@dataclass(frozen=True, slots=True)
class _Randomness:
    """Where the match's draws and the bots' lots come from."""

    seed: str | None
    """None when only a chance file was given."""
    key: bytes
    chance: Chance
    scripted: tuple[Draw, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    game: Game[Any, Any, Any]
    config: Config
    names: Sequence[str]
    """Of the bots, by seat."""
    parts: Iterator[Resolved[Any, Any] | Ended[Any]]
    """The match, as it is played."""
    randomness: _Randomness
    notes: list[str] = field(default_factory=list)
    """What bots did wrong; told after the result, where it is not scrolled away."""


def match(
    game: Annotated[str, typer.Argument(help="Which game; `cutpurse games` lists them.")],
    bot: Annotated[
        list[str],
        typer.Option(
            metavar="BOT",
            help="Who plays, in seat order: HOUSEBOT, NAME=HOUSEBOT or NAME=COMMAND (a program that dials in).",
        ),
    ],
    seed: Annotated[
        str | None, typer.Option(help="Fixes the deal and the bots' lots.", show_default="drawn and printed")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A game's option, its value as JSON.")
    ] = None,
    chance: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draws to use, by label: a trace, or some lines of one.")
    ] = None,
    trace: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the match there as JSON lines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and no playthrough.")] = False,
) -> None:
    """Play one match and print what happens: house bots on the rules alone, programs at a service in memory.

    For example:  cutpurse match art_robbery --bot greedy --bot mine='python my_bot.py' --seed 7
    """
    chosen = game_named(game)
    try:
        options = options_of(option or [])
        config = chosen.configure(len(bot), options)
        randomness = _randomness(seed, chance)
        playing = _match(chosen, config, bot, randomness)
        ended = _play_and_tell(playing, trace, tell=not as_json)
    except BadConfiguration as error:
        hint = "give --bot once for each seat" if error.option == "players" else f"see `cutpurse games {game}`"
        raise _stop(2, f"{error}; {hint}") from None
    except BadDraw as error:
        # The usual reason: bots that draw lots play another course than the one that the file was written in.
        hint = (
            "" if seed is not None else " (whoever replays a match gives its --seed as well: it fixes the bots' lots)"
        )
        raise _stop(2, f"{error}{hint}") from None
    except BadScript as error:
        raise _stop(2, str(error)) from None
    except BadPlan as error:
        raise _stop(2, str(error)) from None
    except (BotFailed, MatchFailed) as error:
        raise _stop(1, str(error)) from None
    except KeyboardInterrupt:
        raise _stop(130, "interrupted; no trace was written" if trace else "interrupted") from None
    if as_json:
        typer.echo(json.dumps(_summary(playing, ended.result), sort_keys=True))
    else:
        _print_result(playing, ended.result)
    for text in playing.notes:
        _note(text)


def _match(game: Game[Any, Any, Any], config: Config, wanted: Sequence[str], randomness: _Randomness) -> _Match:
    """The match of these bots, ready to be played. Raises `BadPlan` for a bot that cannot be launched."""
    if not any(is_program(bot) for bot in wanted):
        bots = seated_bots(wanted, randomness.key)
        parts = play_through(game, config, randomness.chance, lambda state, seat: bots[seat].choose(game, state, seat))
        return _Match(game, config, [bot.name for bot in bots], parts, randomness)
    if randomness.scripted or randomness.seed is None:
        raise BadPlan("--chance is for house bots: a service draws its own cards; leave it out, or give a --seed")
    entries = entries_of(wanted)
    for entry in entries:
        entry.command()
    configure_logs("error")
    notes: list[str] = []
    playing = play_programs(game.id, config.options, entries, randomness.seed, notes.append)
    return _Match(game, config, [entry.name for entry in entries], _once_played(playing), randomness, notes)


def _note(text: str) -> None:
    typer.secho(f"note: {text}", fg="yellow", err=True)


def _once_played(playing: Coroutine[Any, Any, list[Resolved[Any, Any] | Ended[Any]]]) -> Iterator[Any]:
    yield from run_on_fast_loop(playing)


def _stop(code: int, text: str) -> typer.Exit:
    typer.secho(f"cutpurse match: {text}", fg="red", err=True)
    return typer.Exit(code)


def _randomness(seed: str | None, chance: Path | None) -> _Randomness:
    """The draws of the chance file, the rest by seed; without either by a seed that is drawn here."""
    scripted: tuple[Draw, ...] = ()
    if chance is None:
        seed = secrets.token_hex(8) if seed is None else seed
    else:
        content = _read(chance)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise typer.BadParameter(f"{chance} is not UTF-8", param_hint="--chance") from None
        # Not splitlines, which would also part a line at characters that JSON allows within a text.
        scripted = read_draws(text.split("\n"), str(chance))
        if seed is None:
            # The bots' lots follow from the file, so that the same file gives the same match.
            key = sha256(b"cutpurse/chance-file/v1\x00" + content).digest()
            return _Randomness(None, key, ScriptedChance(scripted), scripted)
    try:
        key = key_of_seed(seed)
    except UnicodeEncodeError:
        raise typer.BadParameter("is not UTF-8", param_hint="--seed") from None
    return _Randomness(seed, key, ScriptedChance(scripted, otherwise=StreamChance(key)), scripted)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror}", param_hint="--chance") from None


def _play_and_tell(playing: _Match, trace: Path | None, *, tell: bool) -> Ended[Any]:
    """Play the match, print what happens if wanted, and write the trace if wanted."""
    if trace is None:
        return _play(playing, None, tell=tell)
    try:
        with _whole_or_not_at_all(trace) as file:
            return _play(playing, file, tell=tell)
    except BrokenPipeError:
        # Not the trace but the reader of what is printed has gone; click ends the command quietly.
        raise
    except OSError as error:
        raise _stop(1, f"cannot write the trace {trace}: {error.strerror}; nothing was left there") from None


def _play(playing: _Match, trace: TextIO | None, *, tell: bool) -> Ended[Any]:
    game, config = playing.game, playing.config
    if trace is not None:
        _write(trace, [match_line(game, config, playing.randomness.seed, playing.names)])
    if tell:
        seed = playing.randomness.seed
        typer.echo(f"{game.name}, {config.players} players, {'scripted' if seed is None else f'seed {seed}'}")
    drawn: set[str] = set()
    for part in playing.parts:
        drawn.update(draw.label for draw in part.draws)
        if trace is not None:
            _write(trace, lines_of(game, config.players, part))
        if isinstance(part, Ended):
            _note_unused(playing.randomness.scripted, drawn)
            return part
        if tell:
            _tell(playing, part)
    raise AssertionError("a playthrough ends with its end")


def _tell(playing: _Match, part: Resolved[Any, Any]) -> None:
    for happening in playing.game.happenings(part.before, part.chosen, part.after):
        seat = happening.seat
        who = "" if seat is None else f"seat {seat} {playing.names[seat]} "
        typer.echo(f"{part.number:>5}  {who}{happening.text}")


def _note_unused(scripted: Sequence[Draw], drawn: set[str]) -> None:
    unused = [draw.label for draw in scripted if draw.label not in drawn]
    if unused:
        _note(f"the match never came to the scripted draws {', '.join(unused)}")


def _write(file: TextIO, lines: Sequence[str] | Iterator[str]) -> None:
    for line in lines:
        file.write(line)
        file.write("\n")


@contextmanager
def _whole_or_not_at_all(path: Path) -> Iterator[TextIO]:
    """A text file that stands under its name only once it is complete and on disk."""
    if path.exists() and not path.is_file():
        # A pipe or a terminal has no half file that anybody could find, and must not be replaced by a file.
        with _opened(path) as file:
            yield file
        return
    # Where the name is a link, what it leads to is replaced, and not the link.
    target = path.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with _opened(partial) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _opened(path: Path) -> TextIO:
    """The file, empty and open for lines; ends the command with exit code 2 where it cannot be made."""
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise typer.BadParameter(f"cannot write {path}: {error.strerror}", param_hint="--trace") from None


def _summary(playing: _Match, result: Result) -> dict[str, Any]:
    options = playing.config.options
    return {
        "game": playing.game.id,
        "players": playing.config.players,
        "options": {name: value if isinstance(value, bool | int) else dict(value) for name, value in options.items()},
        "seed": playing.randomness.seed,
        "bots": list(playing.names),
        "scores": list(result.scores),
        "placements": list(result.placements),
        "reason": result.reason.value,
    }


def _print_result(playing: _Match, result: Result) -> None:
    table = Table(
        "place", "seat", "bot", "score", box=None, title=f"Result: {result.reason.value}", title_justify="left"
    )
    for seat in sorted(range(playing.config.players), key=lambda seat: result.placements[seat]):
        table.add_row(str(result.placements[seat]), str(Seat(seat)), playing.names[seat], str(result.scores[seat]))
    Console().print(table)
