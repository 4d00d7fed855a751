"""Bots that are installed beside the server: found by entry point, never imported by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias

import typer

from cutpurse_rules.chance import sub_key
from cutpurse_rules.contract import Game, Seat
from cutpurse_rules.errors import Malformed
from cutpurse_rules.trace import numbered_names
from cutpurse_server.wire.local_decisions import local_decision_to_proto

__all__ = ["BotFailed", "HouseBot", "SeatedBot", "is_program", "seated_bots"]

HouseBot: TypeAlias = Callable[[Any, bytes], str]
"""(`cutpurse.v1.Decision`, the bot's key) → the notation of one of the decision's legal actions."""

_GROUP = "cutpurse.bots"


class BotFailed(Exception):
    """A bot raised, or answered with something that is no action; the text says which and where."""


@dataclass(slots=True)
class SeatedBot:
    """A house bot in its seat, as the service would ask it."""

    name: str
    bot: HouseBot
    key: bytes
    """Its own randomness: a sub-key of the match's, so that a seed fixes the whole match."""
    decisions: int = 0

    def choose(self, game: Game[Any, Any, Any], state: Any, seat: Seat) -> Any:
        """The bot's action in an open decision; raises `BotFailed`."""
        self.decisions += 1
        decision = local_decision_to_proto(game, state, seat, self.decisions)
        try:
            notation = self.bot(decision, self.key)
        # Whatever a bot raises is its own fault, and the user wants to know which bot.
        except Exception as error:
            raise BotFailed(f"{self._place(seat)} raised {type(error).__name__}: {error}") from error
        if not isinstance(notation, str):
            raise BotFailed(f"{self._place(seat)} answered with {type(notation).__name__}, not with a notation")
        try:
            action = game.parse(notation)
        except Malformed as error:
            raise BotFailed(f"{self._place(seat)} gave a malformed answer: {error}") from None
        if action not in game.legal(state, seat):
            raise BotFailed(f"{self._place(seat)} answered {notation!r}, which is not legal there")
        return action

    def _place(self, seat: Seat) -> str:
        return f"bot {self.name} (seat {seat}, its decision {self.decisions})"


def is_program(wanted: str) -> bool:
    """Whether a `--bot` value names a program (`NAME=COMMAND`) and no house bot."""
    _, equals, run = wanted.partition("=")
    return bool(equals) and run not in {point.name for point in entry_points(group=_GROUP)}


def seated_bots(wanted: Sequence[str], key: bytes) -> list[SeatedBot]:
    """The bots of `--bot` values (`HOUSEBOT` or `NAME=HOUSEBOT`) in their seats; a repeated name is numbered.

    Ends the command with exit code 2 if there is no such house bot.
    """
    installed = {point.name: point for point in entry_points(group=_GROUP)}
    names, bots = [], []
    for value in wanted:
        name, _, kind = value.rpartition("=")
        names.append(name or kind)
        bots.append(_load(kind, installed))
    return [
        SeatedBot(name, bot, sub_key(key, f"bot/{seat}"))
        for seat, (name, bot) in enumerate(zip(numbered_names(names), bots, strict=True))
    ]


def _load(kind: str, installed: dict[str, EntryPoint]) -> HouseBot:
    if kind not in installed:
        known = ", ".join(sorted(installed)) or "none; install cutpurse-bots"
        raise typer.BadParameter(
            f"there is no house bot {kind!r}; installed are: {known}. A program of your own plays as NAME=COMMAND",
            param_hint="--bot",
        )
    bot: HouseBot = installed[kind].load()
    return bot
