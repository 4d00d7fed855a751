"""What a tournament plays, and who plays: read from a file (tournament_file.py) or options, kept in its folder."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_rules.trace import numbered_names
from cutpurse_server.arena.limits import Limits
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.events import Clock
from cutpurse_server.names import NAME_FORM, is_name
from cutpurse_server.tournaments.events import Format, FormatSettings, Manifest, Openings
from cutpurse_server.tournaments.manifests import checked, refuse_too_many

__all__ = ["FORMATS", "LOCAL_CLOCK", "OPENINGS", "ROUNDS", "BadPlan", "Entry", "Plan", "entries_of"]

LOCAL_CLOCK = Clock(warm_up_ms=20_000)
FORMATS = {each.name.lower().replace("_", "-"): each for each in Format}
"""The formats by the names that people write."""
OPENINGS = {each.name.lower(): each for each in Openings}
"""When matches are opened, by the names that people write."""
ROUNDS = {"round-robin": 1, "swiss": 5, "single-elimination": 1, "ladder": 20, "gauntlet": 20}
"""Rounds if nothing is written."""
_LIMIT_MAX = 1_048_576
_HOUSE_BOTS = "cutpurse.bots"


class BadPlan(Exception):
    """Something about a plan that cannot be played; the text says what, where, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot of the tournament."""

    name: str
    run: str
    """A house bot, or a command as a shell would read it; empty for a bot that its author runs elsewhere."""
    owner: str
    rank: int = 0
    """Its place in the seeding of a single elimination; 0: none."""

    def command(self) -> list[str]:
        """The program and its arguments. Raises `BadPlan` for what cannot be read as one."""
        for point in entry_points(group=_HOUSE_BOTS, name=self.run):
            return [sys.executable, "-m", point.module.partition(".")[0], self.run]
        try:
            words = shlex.split(self.run)
        except ValueError as error:
            raise BadPlan(f"bot {self.name}: run: the command {self.run!r} cannot be read: {error}") from None
        if not words:
            raise BadPlan(f"bot {self.name}: run: the command is empty")
        if shutil.which(words[0]) is None:
            raise BadPlan(
                f"bot {self.name}: run: there is no program {words[0]!r} to run; {_remedy(self.run, words[0])}"
            )
        return words


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament and its bots."""

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
    settings: FormatSettings = field(default=FormatSettings())
    """The format's, as far as they were given."""
    openings: str = "block"
    """When the matches' hands and logs are opened."""
    limits: Limits = field(default=Limits())
    """What each bot may use of this machine."""

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise BadPlan(f"format: there is no {self.format!r}; write {', '.join(FORMATS)}")
        if self.openings not in OPENINGS:
            raise BadPlan(f"openings: there is no {self.openings!r}; write {' or '.join(OPENINGS)}")
        try:
            manifest = checked(self.manifest())
            refuse_too_many(manifest, len(self.entries))
        except ServiceError as refusal:
            if refusal.reason is ErrorReason.GAME_UNKNOWN:
                raise BadPlan(f"game: there is no {self.game!r}; there are {', '.join(sorted(GAMES))}") from None
            raise BadPlan(refusal.text) from None
        for limit, value in self.limits._asdict().items():
            if not 1 <= value <= _LIMIT_MAX:
                raise BadPlan(f"limits.{limit}: {value} is out of range; write a number from 1 to {_LIMIT_MAX:,}")
        names = [entry.name for entry in self.entries]
        for number, entry in enumerate(self.entries, 1):
            if not is_name(entry.name) or not is_name(entry.owner):
                raise BadPlan(f"bots[{number}].name: {entry.name!r} of {entry.owner!r}: names have {NAME_FORM}")
            if entry.name in names[: number - 1]:
                raise BadPlan(f"bots[{number}].name: there is another {entry.name!r}; give each bot a name of its own")
            if entry.run:
                entry.command()
        if self.settings.challenger and self.settings.challenger not in names:
            raise BadPlan(f"challenger: {self.settings.challenger!r} is none of the bots; there are {', '.join(names)}")

    def check_it_can_be_played(self) -> None:
        """Raise `BadPlan` if bots are missing, or nothing says how one is launched."""
        if len(self.entries) < self.players:
            raise BadPlan(
                f"players: a table has {self.players} seats, and {len(self.entries)} bots are entered; enter more"
            )
        for entry in self.entries:
            if not entry.run:
                raise BadPlan(f"bot {entry.name}: write run, a house bot or a command, to have it launched here")

    def manifest(self) -> Manifest:
        """What the tournament is like, as an organiser sends it."""
        return Manifest(
            tournament=self.name,
            game=self.game,
            options=self.options,
            clock=self.clock,
            format=FORMATS[self.format],
            players=self.players,
            rounds=self.rounds,
            concurrency=self.concurrency,
            deals_root=b"",
            deal_slots=0,
            seed=self.seed,
            settings=self.settings,
            openings=OPENINGS[self.openings],
        )

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
            "settings": self.settings._asdict(),
            "openings": self.openings,
            "limits": self.limits._asdict(),
            "bots": [asdict(entry) for entry in self.entries],
        }
        return json.dumps(whole, indent=2, sort_keys=True) + "\n"


def _remedy(run: str, program: str) -> str:
    """What to write instead of a command whose program is not found."""
    if Path(program).is_file():
        return f"a file of that name is here: write what runs it, as in 'python {program}', or ./{program}"
    near = get_close_matches(run, sorted(_house_bots()), 1)
    return f"did you mean the house bot {near[0]}?" if near else "write its path"


def _house_bots() -> set[str]:
    """The names of those that are installed."""
    return {point.name for point in entry_points(group=_HOUSE_BOTS)}


def entries_of(texts: Sequence[str]) -> tuple[Entry, ...]:
    """Bots as options give them: `HOUSEBOT`, `NAME=HOUSEBOT` or `NAME=COMMAND`; a repeated name is numbered.

    Each bot has an owner of its own, named like it.
    """
    pairs = []
    known = _house_bots()
    for text in texts:
        name, equals, run = text.partition("=")
        if not equals and name not in known:
            there = ", ".join(sorted(known)) or "none: install cutpurse-bots"
            raise BadPlan(f"--bot {text}: no such house bot (there are {there}); a program is entered as NAME=COMMAND")
        pairs.append((name, run if equals else name))
    names = numbered_names(name for name, _ in pairs)
    return tuple(Entry(name, run, name) for name, (_, run) in zip(names, pairs, strict=True))
