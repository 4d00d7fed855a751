"""Playing a match through: the one loop that the command line, tests and the benchmark share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from cutpurse_rules.chance import Chance, Draw, RecordedChance
from cutpurse_rules.contract import Action, Config, Game, Result, Seat, View

__all__ = ["Cause", "Choose", "Ended", "Resolved", "play_through"]

S = TypeVar("S")
A = TypeVar("A", bound=Action)
V = TypeVar("V", bound=View)

Choose: TypeAlias = Callable[[S, Seat], A]
"""Chooses one of the seat's legal actions in a state."""


class Cause(StrEnum):
    """Why a choice is what it is: the seat's own, the engine's (G5), or the default with the fault that led to it."""

    CHOSEN = "CHOSEN"
    FORCED = "FORCED"
    TIMEOUT = "TIMEOUT"
    ILLEGAL = "ILLEGAL"
    MALFORMED = "MALFORMED"
    DISCONNECTED = "DISCONNECTED"
    CRASHED = "CRASHED"
    FORFEITED = "FORFEITED"


@dataclass(frozen=True, slots=True)
class Resolved(Generic[S, A]):
    """One decision, from the draws before it to the state after it."""

    number: int
    """From 1."""
    draws: tuple[Draw, ...]
    """What was drawn since the decision before, in the order in which it happened."""
    before: S
    asked: tuple[Seat, ...]
    chosen: Mapping[Seat, A]
    """The choice of each asked seat, ascending by seat."""
    causes: Mapping[Seat, Cause]
    after: S


@dataclass(frozen=True, slots=True)
class Ended(Generic[S]):
    """The end of the match."""

    draws: tuple[Draw, ...]
    """What was drawn since the last decision."""
    state: S
    result: Result


def play_through(
    game: Game[S, A, V], config: Config, chance: Chance, choose: Choose[S, A]
) -> Iterator[Resolved[S, A] | Ended[S]]:
    """Play a match: every decision as it is resolved, and at last the end.

    The engine takes the forced choices itself where `auto_play_forced` is on (G5). Raises what the rules raise:
    `Illegal` for a choice that may not be made, `BadDraw` for a script that does not fit.
    """
    recorded = RecordedChance(chance)
    state = game.begin(config, recorded)
    number = 0
    while asked := game.asked(state):
        number += 1
        forced = game.forced(state) if config.options["auto_play_forced"] else {}
        assert set(forced) <= set(asked)
        chosen: dict[Seat, A] = {}
        for seat in asked:
            chosen[seat] = forced[seat] if seat in forced else choose(state, seat)
            game.verify(state, seat, chosen[seat])
        causes = {seat: Cause.FORCED if seat in forced else Cause.CHOSEN for seat in asked}
        draws = recorded.take()
        after = game.resolve(state, chosen, recorded)
        yield Resolved(number, draws, state, asked, chosen, causes, after)
        state = after
    result = game.result(state)
    assert result is not None, "a match in which nobody is asked is over"
    yield Ended(recorded.take(), state, result)
