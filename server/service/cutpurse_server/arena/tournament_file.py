"""Tournament files: one TOML describes an event completely; mistakes are named with line and remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_server.arena.limits import Limits
from cutpurse_server.arena.plan import FORMATS, LOCAL_CLOCK, ROUNDS, BadPlan, Entry, Plan
from cutpurse_server.matches.events import Clock
from cutpurse_server.tournaments.events import FormatSettings

__all__ = ["TEMPLATE", "plan_of_file", "write_template"]

_KINDS = {str: "a text in quotes", int: "a whole number", list: "a list", dict: "a table"}
_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\"'-]+)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
_TABLES = {
    key: table
    for table, keys in {
        "clock": Clock._fields,
        "settings": FormatSettings._fields,
        "publication": ("openings",),
        "limits": Limits._fields,
    }.items()
    for key in keys
}
"""Where keys belong that people write at the top of a file."""

TEMPLATE = """# A tournament. Play it here:     cutpurse tournament run FILE --out FOLDER
# or at a running service:        cutpurse tournament create --file FILE
# What stands behind a single # is the default, or an example; take the # away to change it.

name = "cup"
game = "art_robbery"        # `cutpurse games` names them

# Seats at a table. Default: as many as there are bots, as far as the game goes.
players = 3

# How entrants meet: round-robin, swiss, single-elimination, ladder, gauntlet.
format = "round-robin"

# Every round plays one block at every table: as many matches as it has seats, so that every bot sits in every seat.
# For a ladder these are periods, for a gauntlet cycles at most; a single elimination makes its own.
rounds = 2

# Matches at once.
concurrency = 8

# A seed makes all deals repeatable, and the tournament unrated: whoever knows it knows every hand.
# seed = "repeat me"

# The game's own options; `cutpurse games GAME` lists them with ranges and defaults.
[options]
# heist_turn_limit = 120

# Time, in milliseconds for each seat. So long a match waits for a bot that is slow, or that has to be launched again.
[clock]
# decision_ms = 5000        # free for each decision
# bank_ms = 60000           # for the whole match, once that is used up
# delivery_ms = 200         # given to each decision for the way there and back
# settle_ms = 200           # after a deadline, before a default is played
# warm_up_ms = 20000        # to get ready in, before the clock runs
# strikes_max = 3           # defaults for a bot's own fault, before its seat is forfeited
# corrections_max = 2       # refused answers to a decision that may be corrected

# The format's own settings; only those of the format above may be set.
[settings]
# tables = 40               # round-robin: most tables in a round, balanced; without it every set of bots meets
# advance = 1               # single-elimination: how many of a table go on
# best_of = 3               # single-elimination: blocks at a table, at most, while nothing is tied
# tie_blocks = 2            # single-elimination: further blocks for a tie, before the lot
# challenger = "mine"       # gauntlet: the bot that meets all others
# error_per_mille = 50      # gauntlet: how often in a thousand either verdict may be wrong, at most

# What becomes public when. openings: when the hands and the log of a match may be read: "block", as soon as its block
# is over, or "tournament", at the end of all. Whose block is over shows in the standings at once, either way.
[publication]
# openings = "block"

# What each bot that is launched here may use of the machine. A bot that takes more is ended, and launched again.
[limits]
# memory_mb = 512           # resident memory of all its processes
# processes = 256           # its processes and their threads
# tmp_mb = 64               # what it may store, where it is isolated; and its largest file
# processor_percent = 100   # of one processor, on average; a bot that takes more is held back for a moment, not ended

# The bots. run: a house bot (random, first, greedy) or a command; CUTPURSE_ADDRESS and CUTPURSE_TOKEN tell it where to
# dial in. Bots of one owner are kept apart. rank: the place in the seeding of a single elimination.
[[bots]]
run = "greedy"

[[bots]]
run = "random"

[[bots]]
name = "second"
run = "random"
# owner = "somebody"
# rank = 1
"""


def write_template(path: Path) -> None:
    """Write a commented file for people to change; raises `BadPlan` rather than replace one."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise BadPlan(f"{path} is there already; name another file") from None
    except OSError as error:
        raise BadPlan(f"{path} cannot be written: {error.strerror}") from None


def plan_of_file(path: Path, *, launched: bool = True) -> Plan:
    """The plan in a TOML file; raises `BadPlan` naming line, key and what it takes.

    `launched`: the bots are to be launched here, so it must be written how.
    """
    try:
        text = path.read_text(encoding="utf-8")
        given = tomllib.loads(text)
    except OSError as error:
        raise BadPlan(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadPlan(f"{path} is no text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line ([0-9]+)", str(error))
        where = f"{path}:{at[1]}" if at else str(path)
        raise BadPlan(f"{where}: this is no TOML: {error}; texts stand in quotes, numbers do not") from None
    lines, bots = _lines_of(text), plan_bots(given)
    mistakes: list[str] = []
    try:
        plan = _plan(given, mistakes)
        if launched:
            plan.check_it_can_be_played()
        return plan
    except BadPlan as bad:
        # What else is wrong may follow from the mistakes, so it is told once they are mended.
        told = [(_line_of(each, lines, bots), each) for each in mistakes or [str(bad)]]
        named = [f"{path}{f':{line}' if line else ''}: {each}" for line, each in sorted(told)]
        raise BadPlan("\n".join(named)) from None


def plan_bots(given: Mapping[str, Any]) -> list[str]:
    """The names of the bots of a file, as far as they can be read; by position."""
    bots = given.get("bots")
    each = [bot if isinstance(bot, dict) else {} for bot in bots] if isinstance(bots, list) else []
    return [str(bot.get("name", bot.get("run", ""))) for bot in each]


def _plan(given: Mapping[str, Any], mistakes: list[str]) -> Plan:
    """The plan; raises `BadPlan` for what is wrong with it, and for `mistakes`, to which all of the file are added."""
    take = _Taker(given, mistakes)
    entries = _entries(take("bots", list, []), mistakes)
    clock = _Taker(take("clock", dict, {}), mistakes, "clock.")
    times = {key: clock(key, int, getattr(LOCAL_CLOCK, key)) for key in Clock._fields}
    clock.done()
    setting = _Taker(take("settings", dict, {}), mistakes, "settings.")
    defaults = FormatSettings()._asdict()
    settings = {key: setting(key, type(default), default) for key, default in defaults.items()}
    setting.done()
    publication = _Taker(take("publication", dict, {}), mistakes, "publication.")
    openings = publication("openings", str, "block")
    publication.done()
    limit = _Taker(take("limits", dict, {}), mistakes, "limits.")
    limits = Limits(**{key: limit(key, int, default) for key, default in Limits()._asdict().items()})
    limit.done()
    game = take("game", str, "")
    if game not in GAMES:
        missing = f"game: there is no {game!r}" if game else "game is missing"
        mistakes.append(f"{missing}; there are {', '.join(sorted(GAMES))}")
    named = take("format", str, "round-robin")
    seats = range(GAMES[game].min_players, GAMES[game].max_players + 1) if game in GAMES else range(1)
    fields = {
        "name": take("name", str, "cup"),
        "players": take("players", int, max(seats[0], min(len(entries), seats[-1]))),
        "rounds": take("rounds", int, ROUNDS.get(named, 1)),
        "concurrency": take("concurrency", int, 16),
        "seed": take("seed", str, ""),
        "options": take("options", dict, {}),
    }
    take.done()
    if named not in FORMATS:
        near = get_close_matches(named, FORMATS, 1)
        mistakes.append(f"format: there is no {named!r}; write {near[0] if near else ', '.join(FORMATS)}")
    if mistakes:
        raise BadPlan("the file has mistakes")
    return Plan(
        **fields,
        game=game,
        entries=entries,
        format=named,
        clock=Clock(**times),
        settings=FormatSettings(**settings),
        openings=openings,
        limits=limits,
    )


def _entries(bots: list[Any], mistakes: list[str]) -> tuple[Entry, ...]:
    entries = []
    for number, each in enumerate(bots, 1):
        one = _Taker(each if isinstance(each, dict) else {}, mistakes, f"bots[{number}].")
        run = one("run", str, "")
        name = one("name", str, run)
        entries.append(Entry(name, run, one("owner", str, name), one("rank", int, 0)))
        # A misspelt key is told, and not what follows from its absence.
        if one.done() and not name:
            mistakes.append(f"bots[{number}].run is missing: write a house bot or a command, or at least a name")
    return tuple(entries)


class _Taker:
    """Takes values out of a table of a file, with their types looked at, until none is left that nobody knows.

    What is wrong is added to the mistakes, and the default taken.
    """

    def __init__(self, table: Mapping[str, Any], mistakes: list[str], prefix: str = "") -> None:
        self._left = dict(table)
        self._mistakes = mistakes
        self._prefix = prefix
        self._known: list[str] = []

    def __call__(self, key: str, kind: type, default: Any) -> Any:
        self._known.append(key)
        value = self._left.pop(key, default)
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            self._mistakes.append(f"{self._prefix}{key} must be {_KINDS[kind]}, not {value!r}")
            return default
        return value

    def done(self) -> bool:
        """Whether nothing is left."""
        for key in self._left:
            near = get_close_matches(key, self._known, 1)
            if not self._prefix and key in _TABLES:
                meant = f"it stands under [{_TABLES[key]}]"
            else:
                meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(self._known)}"
            self._mistakes.append(f"there is no key {self._prefix}{key}; {meant}")
        return not self._left


def _lines_of(text: str) -> dict[str, int]:
    """The line, from 1, of every key and table, by its path as errors name it: `rounds`, `clock.bank_ms`, `bots[2]`."""
    lines: dict[str, int] = {}
    table, counts = "", {"": 0}
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.fullmatch(line)
        if header is not None:
            name = header[2]
            if header[1] == "[[":
                counts[name] = counts.get(name, 0) + 1
                name = f"{name}[{counts[name]}]"
            lines.setdefault(name, number)
            table = f"{name}."
            continue
        key = _KEY.match(line)
        if key is not None:
            lines.setdefault(table + key[1], number)
    return lines


def _line_of(text: str, lines: Mapping[str, int], bots: list[str]) -> int:
    """The line of what an error is about, as far as its first words tell; 0 if they do not."""
    words = [word.strip("'") for word in re.findall(r"[A-Za-z0-9_.\[\]'-]+", text)[:5]]
    for word, next_word in zip(words, [*words[1:], ""], strict=True):
        at = f"bots[{bots.index(word) + 1}]" if word in bots else word
        for path in (
            f"{at}.{next_word}",
            at,
            f"settings.{at}",
            f"options.{at}",
            f"publication.{at}",
            f"{at}.run",
            at.rpartition(".")[0],
        ):
            if path in lines:
                return lines[path]
    return 0
