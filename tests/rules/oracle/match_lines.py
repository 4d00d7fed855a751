"""What every oracle asks of a match line, whichever the game."""

from collections.abc import Iterable
from typing import Any

from tests.rules.oracle.trace_lines import Reader, dump

__all__ = ["ordered", "read_counts", "read_match_line"]


def read_match_line(
    reader: Reader, game: str, players_allowed: range, options_due: dict[str, type], compositions: set[str]
) -> tuple[int, dict[str, Any]]:
    """Read the match line; return the number of players and the options.

    ``options_due`` are the options that are always there, each a truth value or a number from 1; ``compositions`` may
    be absent and are left to ``read_counts``.
    """
    line = reader.read("match")
    players, options, bots = line.get("players"), line.get("options"), line.get("bots")
    if type(players) is not int or players not in players_allowed:
        reader.refuse(f"match.players is {dump(players)}, expected {players_allowed[0]} to {players_allowed[-1]}")
    if not isinstance(options, dict):
        reader.refuse("match.options is not an object")
    if not isinstance(bots, list) or len(bots) != players or not all(isinstance(bot, str) and bot for bot in bots):
        reader.refuse(f"match.bots is {dump(bots)}, expected {players} names")
    if len(set(bots)) != players:
        reader.refuse(f"match.bots is {dump(bots)}: a repeated name must be numbered")
    if line.get("seed") is not None and not isinstance(line["seed"], str):
        reader.refuse(f"match.seed is {dump(line['seed'])}, expected a string or null")
    keys = set(options_due) | (compositions & set(options))
    if set(options) != keys:
        reader.refuse(f"match.options has the keys {sorted(options)}, expected {sorted(keys)}")
    for name, kind in options_due.items():
        if type(options[name]) is not kind:
            reader.refuse(f"match.options.{name} is {dump(options[name])}, expected a {kind.__name__}")
        if kind is int and options[name] < 1:
            reader.refuse(f"match.options.{name} is {options[name]}, expected a number from 1")
    expected = {"type": "match", "game": game, "rules": "1", "players": players, "options": options}
    reader.compare(expected | {"seed": line.get("seed"), "bots": bots}, line)
    return players, options


def read_counts(reader: Reader, options: dict[str, Any], name: str, page: dict[str, int]) -> list[str]:
    """Lay out the cards or tiles that the option names, in canonical order; the page's where it is absent (G8)."""
    counts = options.get(name, page)
    if not isinstance(counts, dict) or not set(counts) <= set(page):
        reader.refuse(f"match.options.{name} must map some of {list(page)} to counts")
    if any(type(count) is not int or count < 0 for count in counts.values()):
        reader.refuse(f"match.options.{name} has a count that is not a number from 0")
    full = {kind: counts.get(kind, 0) for kind in page}
    if name in options and full == page:
        reader.refuse(f"match.options.{name} does not differ from the page and must be absent")
    return [kind for kind in page for _ in range(full[kind])]


def ordered(things: Iterable[str], order: list[str]) -> list[str]:
    """Sort cards or tiles into their canonical order."""
    return sorted(things, key=order.index)
