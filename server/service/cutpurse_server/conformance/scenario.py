"""What a bot is asked to show, one thing at a time, and what became of it."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutpurse_server.conformance.stage import Stage

__all__ = ["Finding", "Outcome", "Scenario", "Shortcoming"]


class Shortcoming(Exception):
    """The bot did what it must not do, or did not do what it must; the text says what, in a sentence."""


class Outcome(enum.Enum):
    """What became of a scenario."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    """A scenario that it needs has failed, or its game was not asked for."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that a bot has to show."""

    name: str
    """Lower case with hyphens; what `--only` takes."""
    shows: str
    """What a bot that passes does, as a sentence without its subject."""
    why: str
    """Why that matters, in a sentence or two."""
    remedy: str
    """What to do about it if it fails."""
    play: Callable[[Stage], Awaitable[None]]
    """Plays it on a stage of its own; raises `Shortcoming`."""
    needs: tuple[str, ...] = ()
    """Scenarios that come before, and without which this one would tell nothing."""
    game: str = ""
    """The game that it is about; empty if any does."""
    on_socket: bool = False
    """Whether the bot is given a unix socket to dial, and not a port."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a scenario with one bot."""

    scenario: Scenario
    outcome: Outcome
    text: str = ""
    """What went wrong, or why it was not run."""
    seconds: float = 0.0
    output: str = ""
    """The last that the bot printed, if it failed."""
