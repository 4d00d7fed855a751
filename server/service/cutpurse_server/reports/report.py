"""Everything that a report shows, computed once from the completed blocks and their matches' logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.reports.gathering import BotUse, SlowMatch, add_match, slow_matches
from cutpurse_server.tournaments.events import BlockCompleted, CompletedMatch, Manifest, Standing, Verdict
from cutpurse_server.tournaments.matrix import Matrix, matrix_of
from cutpurse_server.tournaments.oddities import Oddities, oddities_of
from cutpurse_server.tournaments.ratings import Ratings, in_schedule_order, ratings_of
from cutpurse_server.tournaments.record import Told, TournamentRecord
from cutpurse_server.wire import match_events

__all__ = ["Gathering", "NoReport", "Report"]


class NoReport(Exception):
    """There is nothing that a report could be made of; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown of a tournament. Bots are in order of the standings."""

    manifest: Manifest
    finished: bool
    """Whether it is over; else this is what the blocks completed so far say."""
    standings: tuple[Standing, ...]
    blocks: tuple[BlockCompleted, ...]
    """Those that count, in schedule order."""
    ratings: Ratings
    matrix: Matrix
    oddities: Oddities
    uses: dict[str, BotUse]
    """Time and faults by bot."""
    slow: tuple[SlowMatch, ...]
    verdict: Verdict | None = None
    """Of a gauntlet that is decided."""
    started_ms: int = 0
    """When entries were closed, in store time."""
    told: tuple[Told, ...] = ()
    """What was done to it since then, in order."""
    quarantined: frozenset[str] = frozenset()
    """Bots that were in quarantine at the end."""
    owners: Mapping[str, str] = field(default_factory=dict)
    """By bot."""

    @property
    def matches(self) -> int:
        """Matches that count."""
        return sum(len(block.matches) for block in self.blocks)

    def scores(self, bot: str) -> list[int]:
        """A bot's scores by the game's table, in schedule order."""
        return [
            match.outcome.scores[match.bots.index(bot)]
            for block in self.blocks
            for match in block.matches
            if bot in match.bots
        ]


class Gathering:
    """A report in the making: the matches that it wants, one after the other, and then all."""

    def __init__(self, record: TournamentRecord) -> None:
        """Raises `NoReport` for a tournament that has not begun."""
        if record.schedule is None:
            raise NoReport(f"tournament {record.tournament!r} has not begun")
        self._record = record
        self._blocks = tuple(in_schedule_order(record.schedule.counted()))
        self._uses = {bot: BotUse() for bot in record.entrants}
        self._missing = {match.match: match for block in self._blocks for match in block.matches}

    @property
    def wanted(self) -> list[str]:
        """Matches whose logs are still to be added, in schedule order."""
        return list(self._missing)

    def add(self, match: str, stored: Iterable[StoredEvent]) -> None:
        """Add a wanted match's log; raises `NoReport` if it is not the one that the tournament's log vouches for."""
        completed: CompletedMatch = self._missing.pop(match)
        stored = list(stored)
        if links(first_link(match, self._record.hash), stored) != completed.head:
            raise NoReport(f"the log of match {match!r} is not the one that was played: let `cutpurse audit` judge it")
        try:
            add_match(self._uses, completed, (match_events.decode(each) for each in stored))
        except UnreadableEvent as unreadable:
            raise NoReport(f"the log of match {match!r} cannot be read: {unreadable}") from None

    def report(self) -> Report:
        """The report; raises `NoReport` as long as a match is missing."""
        if self._missing:
            raise NoReport(
                f"the logs of {len(self._missing)} matches are missing, such as {next(iter(self._missing))!r}"
            )
        record = self._record
        standings = record.rows()
        ratings = ratings_of(record.tournament, record.entrants, self._blocks)
        return Report(
            manifest=record.manifest,
            finished=record.finished is not None,
            standings=standings,
            blocks=self._blocks,
            ratings=ratings,
            matrix=matrix_of(self._blocks),
            oddities=oddities_of(ratings, self._blocks),
            uses={row.bot: self._uses[row.bot] for row in standings},
            slow=slow_matches(self._uses),
            verdict=record.schedule.verdict if record.schedule else None,
            started_ms=record.started_ms,
            told=tuple(record.told),
            quarantined=frozenset(record.quarantined),
            owners={bot: entrant.owner for bot, entrant in record.entrants.items()},
        )
