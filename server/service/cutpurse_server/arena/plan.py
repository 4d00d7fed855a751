"""What a local tournament plays, and who plays: read from a TOML file or from options, and kept in its folder."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_rules.errors import BadConfiguration
from cutpurse_rules.trace import numbered_names
from cutpurse_server.errors import ServiceError
from cutpurse_server.matches.beginning import check_clock
from cutpurse_server.matches.events import Clock
from cutpurse_server.names import NAME_FORM, is_name

__all__ = ["LOCAL_CLOCK", "BadPlan", "Entry", "Plan", "entries_of", "plan_of_file"]

LOCAL_CLOCK = Clock(warm_up_ms=20_000)
_FORMATS = ("round-robin",)
_HOUSE_BOTS = "cutpurse.bots"


class BadPlan(Exception):
    """Something about a plan that cannot be played; the text says what, where, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that is launched here."""

    name: str
    run: str
    """A house bot, or a command as a shell would read it."""
    owner: str

    def command(self) -> list[str]:
        """The program and its arguments. Raises `BadPlan` for what cannot be read as one."""
        for point in entry_points(group=_HOUSE_BOTS, name=self.run):
            return [sys.executable, "-m", point.module.partition(".")[0], self.run]
        try:
            words = shlex.split(self.run)
        except ValueError as error:
            raise BadPlan(f"bot {self.name}: the command {self.run!r} cannot be read: {error}") from None
        if not words:
            raise BadPlan(f"bot {self.name}: the command is empty")
        if shutil.which(words[0]) is None:
            raise BadPlan(f"bot {self.name}: there is no program {words[0]!r} to run; write its path")
        return words


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament of bots that are launched here."""

    name: str
    game: str
    players: int
    """Seats at a table."""
    rounds: int
    """Each plays one block at every table."""
    concurrency: int
    """Matches at once."""
    seed: str
    """Empty: the deals are drawn."""
    options: Mapping[str, Any]
    entries: tuple[Entry, ...]
    format: str = "round-robin"
    clock: Clock = field(default=LOCAL_CLOCK)

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise BadPlan(f"there is no game {self.game!r}; there are {', '.join(sorted(GAMES))}")
        try:
            GAMES[self.game].configure(self.players, self.options)
            check_clock(self.clock)
        except BadConfiguration as bad:
            raise BadPlan(f"{bad.option}: {bad.text}") from None
        except ServiceError as refusal:
            raise BadPlan(refusal.text) from None
        if self.format not in _FORMATS:
            raise BadPlan(f"format {self.format!r} is not in this version; write {' or '.join(_FORMATS)}")
        if len(self.entries) < self.players:
            raise BadPlan(f"a table has {self.players} seats, and {len(self.entries)} bots are entered; enter more")
        for entry in self.entries:
            entry.command()
            if not is_name(entry.name) or not is_name(entry.owner):
                raise BadPlan(f"bot {entry.name!r}: names have {NAME_FORM}")
        if len({entry.name for entry in self.entries}) < len(self.entries):
            raise BadPlan("two bots have the same name; give each its own")

    def to_json(self) -> str:
        """The plan as text, equal for equal plans."""
        whole = {
            "name": self.name,
            "game": self.game,
            "format": self.format,
            "players": self.players,
            "rounds": self.rounds,
            "concurrency": self.concurrency,
            "seed": self.seed,
            "options": dict(self.options),
            "clock": self.clock._asdict(),
            "bots": [{"name": entry.name, "run": entry.run, "owner": entry.owner} for entry in self.entries],
        }
        return json.dumps(whole, indent=2, sort_keys=True) + "\n"


def entries_of(texts: Sequence[str]) -> tuple[Entry, ...]:
    """Bots as options give them: `HOUSEBOT`, `NAME=HOUSEBOT` or `NAME=COMMAND`; a repeated name is numbered.

    Each bot has an owner of its own, named like it.
    """
    pairs = []
    known = {point.name for point in entry_points(group=_HOUSE_BOTS)}
    for text in texts:
        name, equals, run = text.partition("=")
        if not equals and name not in known:
            there = ", ".join(sorted(known)) or "none: install cutpurse-bots"
            raise BadPlan(f"--bot {text}: no such house bot (there are {there}); a program is entered as NAME=COMMAND")
        pairs.append((name, run if equals else name))
    names = numbered_names(name for name, _ in pairs)
    return tuple(Entry(name, run, name) for name, (_, run) in zip(names, pairs, strict=True))


def plan_of_file(path: Path) -> Plan:
    """The plan in a TOML file; raises `BadPlan` naming the key and what it takes."""
    try:
        with path.open("rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise BadPlan(f"{path} cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadPlan(f"{path} is no TOML: {error}") from None
    take = _Taker(path, given)
    bots = take("bots", list, None)
    if bots is None:
        raise BadPlan(f"{path}: name the bots, each in a [[bots]] with name and run")
    entries = []
    for number, each in enumerate(bots, 1):
        one = _Taker(path, each if isinstance(each, dict) else {}, f"bots[{number}].")
        run = one("run", str, None)
        if run is None:
            raise BadPlan(f"{path}: bots[{number}].run is missing: a house bot, or a command")
        name = one("name", str, run)
        entries.append(Entry(name, run, one("owner", str, name)))
        one.done()
    clock = _Taker(path, take("clock", dict, {}), "clock.")
    settings = {key: clock(key, int, getattr(LOCAL_CLOCK, key)) for key in Clock._fields}
    clock.done()
    game = take("game", str, None)
    if game is None:
        raise BadPlan(f"{path}: game is missing; there are {', '.join(sorted(GAMES))}")
    plan = Plan(
        name=take("name", str, "cup"),
        game=game,
        players=take("players", int, min(len(entries), GAMES[game].max_players if game in GAMES else 0)),
        rounds=take("rounds", int, 1),
        concurrency=take("concurrency", int, 16),
        seed=take("seed", str, ""),
        options=take("options", dict, {}),
        entries=tuple(entries),
        format=take("format", str, "round-robin"),
        clock=Clock(**settings),
    )
    take.done()
    return plan


class _Taker:
    """Takes values out of a table of a file, with their types looked at, until none is left that nobody knows."""

    def __init__(self, path: Path, table: Mapping[str, Any], prefix: str = "") -> None:
        self._path = path
        self._left = dict(table)
        self._prefix = prefix
        self._known: list[str] = []

    def __call__(self, key: str, kind: type, default: Any) -> Any:
        self._known.append(key)
        value = self._left.pop(key, default)
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            wanted = {str: "a text in quotes", int: "a whole number", list: "a list", dict: "a table"}[kind]
            raise BadPlan(f"{self._path}: {self._prefix}{key} must be {wanted}, not {value!r}")
        return value

    def done(self) -> None:
        for key in self._left:
            raise BadPlan(f"{self._path}: there is no key {self._prefix}{key}; known are {', '.join(self._known)}")
