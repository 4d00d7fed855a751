"""What matches' logs hold beyond their results: how bots used their time, and their faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from cutpurse_server.matches.events import Cause, MatchEvent
from cutpurse_server.tournaments.bot_log import bot_matches
from cutpurse_server.tournaments.events import CompletedMatch

__all__ = ["BotUse", "Fault", "SlowMatch", "add_match", "slow_matches"]

_SLOW_FACTOR = 4.0
_SLOW_MS_MIN = 100.0
_SLOW_MATCHES_MIN = 4
"""A match is called slow if its mean is so many times the bot's median, so many ms above it, and not one of few."""


class Fault(NamedTuple):
    """Something that a bot did wrong, or did not do."""

    match: str
    what: str
    """`default`, `refused` or `forfeit`."""
    cause: Cause
    decision: int
    """Its number in the match."""


@dataclass(slots=True)
class BotUse:
    """What a bot did in all matches of completed blocks."""

    decisions: Counter[int] = field(default_factory=Counter)
    """How many of its own choices took so many milliseconds, from when it was asked until its answer was there."""
    means: list[tuple[str, float]] = field(default_factory=list)
    """Matches, in order, with the mean milliseconds of a choice there."""
    counts: Counter[tuple[str, Cause]] = field(default_factory=Counter)
    """How many faults of which sort and cause."""
    strikes: int = 0
    faults: list[Fault] = field(default_factory=list)
    """In order; at most `FAULTS_MAX`."""

    @property
    def choices(self) -> int:
        """Choices of its own."""
        return sum(self.decisions.values())

    @property
    def mean_ms(self) -> float:
        """Milliseconds that a choice took, in the mean."""
        choices = self.choices
        return sum(ms * count for ms, count in self.decisions.items()) / choices if choices else 0.0

    @property
    def longest_ms(self) -> int:
        """The most that one choice took."""
        return max(self.decisions, default=0)

    def quantile_ms(self, share: float) -> int:
        """The least time in which at least so large a share of all choices was made."""
        choices, so_far = self.choices, 0
        for ms in sorted(self.decisions):
            so_far += self.decisions[ms]
            if so_far >= share * choices:
                return ms
        return 0

    def count(self, what: str, *causes: Cause) -> int:
        """How many faults of a sort; of all causes if none is named."""
        return sum(
            number for (each, cause), number in self.counts.items() if each == what and cause in (causes or Cause)
        )


FAULTS_MAX = 200
"""So many faults of a bot are kept one by one; all are counted."""


class SlowMatch(NamedTuple):
    """A match in which a bot thought much longer than it does elsewhere."""

    bot: str
    match: str
    mean_ms: float
    usual_ms: float
    """The median of its matches' means."""


def add_match(uses: dict[str, BotUse], completed: CompletedMatch, events: Iterable[MatchEvent]) -> None:
    """Add what the log of a match of a completed block holds; each must be added once, in schedule order."""
    for match in bot_matches(completed, events):
        use = uses[match.bot]
        for fault in match.faults:
            use.strikes += fault.strike
            _note(use, Fault(match.match, fault.kind.name.lower(), fault.cause, fault.decision))
        times = [choice.took_ms for choice in match.choices]
        use.decisions.update(times)
        if times:
            use.means.append((match.match, sum(times) / len(times)))


def slow_matches(uses: dict[str, BotUse]) -> tuple[SlowMatch, ...]:
    """Timing outliers, the worst first. A rule of thumb: time has no distribution to test against."""
    found = []
    for bot, use in sorted(uses.items()):
        if len(use.means) < _SLOW_MATCHES_MIN:
            continue
        usual = median(mean for _, mean in use.means)
        found += [
            SlowMatch(bot, match, mean, usual)
            for match, mean in use.means
            if mean > usual * _SLOW_FACTOR and mean > usual + _SLOW_MS_MIN
        ]
    return tuple(sorted(found, key=lambda slow: (slow.usual_ms - slow.mean_ms, slow.bot, slow.match)))


def _note(use: BotUse, fault: Fault) -> None:
    use.counts[fault.what, fault.cause] += 1
    if len(use.faults) < FAULTS_MAX:
        use.faults.append(fault)
