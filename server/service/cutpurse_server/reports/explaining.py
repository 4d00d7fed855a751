"""Where a bot's points came from: parts that add up, exactly, to its mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from cutpurse_server.reports.gathering import Fault
from cutpurse_server.reports.report import NoReport, Report
from cutpurse_server.tournaments.events import BlockCompleted, CompletedMatch, Standing
from cutpurse_server.tournaments.oddities import BotSeatEffect, PairEffect
from cutpurse_server.tournaments.ratings import BotRating
from cutpurse_server.tournaments.standings import points_units

__all__ = ["Explanation", "Part", "PlayedBlock", "PlayedMatch", "explanation_of"]

_MATCHES_SHOWN = 5


class Part(NamedTuple):
    """A part of a bot's points."""

    what: str
    """An opponent, or a seat."""
    matches: int
    share: Fraction
    """Of the points that were to be had in these matches, or from this opponent."""
    contribution: Fraction
    """To the bot's mean points; all contributions of a kind add up to it."""
    expected: float | None
    """The share that the ratings let one expect; None for a seat."""


class PlayedMatch(NamedTuple):
    """A match of the bot's."""

    match: str
    place_in_schedule: str
    """As `cutpurse log show` takes it: TOURNAMENT.rROUND.tTABLE.mROTATION.aATTEMPT."""
    seat: int
    placement: int
    score: int
    points: Fraction
    opponents: tuple[str, ...]
    """In seat order after the bot's own."""
    forfeited: bool


class PlayedBlock(NamedTuple):
    """A block of the bot's."""

    round: int
    table: int
    attempt: int
    opponents: tuple[str, ...]
    points: Fraction
    """The mean over its matches."""
    expected: float
    """What the ratings let one expect."""


class Explanation(NamedTuple):
    """Where a bot's points came from."""

    standing: Standing
    rating: BotRating
    opponents: tuple[Part, ...]
    """What hurt most first."""
    seats: tuple[Part, ...]
    blocks: tuple[PlayedBlock, ...]
    """In schedule order."""
    best: tuple[PlayedMatch, ...]
    worst: tuple[PlayedMatch, ...]
    faults: tuple[Fault, ...]
    fault_counts: dict[str, int]
    odd_pairs: tuple[PairEffect, ...]
    """Flagged ones in which the bot takes part."""
    odd_seats: tuple[BotSeatEffect, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, fractions as numbers."""

        def rows(tuples: Sequence[Any]) -> list[dict[str, Any]]:
            return [
                {name: float(value) if isinstance(value, Fraction) else value for name, value in each._asdict().items()}
                for each in tuples
            ]

        return {
            "bot": self.standing.bot,
            "place": self.standing.place,
            "points_mean": self.standing.points_mean,
            "matches": self.standing.matches,
            "rating": self.rating._asdict(),
            "opponents": rows(self.opponents),
            "seats": rows(self.seats),
            "blocks": rows(self.blocks),
            "best": rows(self.best),
            "worst": rows(self.worst),
            "faults": [each._asdict() | {"cause": each.cause.name} for each in self.faults],
            "fault_counts": self.fault_counts,
            "odd_pairs": rows(self.odd_pairs),
            "odd_seats": rows(self.odd_seats),
        }


def explanation_of(report: Report, bot: str) -> Explanation:
    """Where a bot's points came from; raises `NoReport` for one that is not in the tournament."""
    if bot not in report.uses:
        raise NoReport(f"there is no bot {bot!r} in the tournament; there are {', '.join(report.uses)}")
    played = [(block, _played(report, block, bot)) for block in report.blocks if bot in block.matches[0].bots]
    matches = [match for _, of_block in played for match in of_block]
    by_points = sorted(matches, key=lambda match: (match.points, match.score))
    use = report.uses[bot]
    counts = Counter[str]()
    for (what, cause), count in sorted(use.counts.items()):
        counts[f"{what} {cause.name}"] = count
    return Explanation(
        standing=next(row for row in report.standings if row.bot == bot),
        rating=next(rating for rating in report.ratings.ratings if rating.bot == bot),
        opponents=_opponents(report, bot, len(matches)),
        seats=_seats(report, matches),
        blocks=tuple(_block(report, block, of_block, bot) for block, of_block in played),
        # Of few matches none is among the best and the worst at once.
        best=tuple(by_points[::-1][: min(_MATCHES_SHOWN, (len(by_points) + 1) // 2)]),
        worst=tuple(by_points[: min(_MATCHES_SHOWN, len(by_points) // 2)]),
        faults=tuple(use.faults),
        fault_counts=dict(counts),
        odd_pairs=tuple(each for each in report.oddities.pairs if each.flagged and bot in (each.bot, each.present)),
        odd_seats=tuple(each for each in report.oddities.bot_seats if each.flagged and each.bot == bot),
    )


def _played(report: Report, block: BlockCompleted, bot: str) -> list[PlayedMatch]:
    return [_match(report, block, rotation, match, bot) for rotation, match in enumerate(block.matches)]


def _match(report: Report, block: BlockCompleted, rotation: int, match: CompletedMatch, bot: str) -> PlayedMatch:
    seat, seats = match.bots.index(bot), len(match.bots)
    return PlayedMatch(
        match=match.match,
        place_in_schedule=f"{report.manifest.tournament}.r{block.round}.t{block.table}.m{rotation}.a{block.attempt}",
        seat=seat,
        placement=match.outcome.placements[seat],
        score=match.outcome.scores[seat],
        points=Fraction(points_units(match.outcome, seat), 2 * (seats - 1)),
        opponents=match.bots[seat + 1 :] + match.bots[:seat],
        forfeited=seat in match.outcome.forfeited,
    )


def _opponents(report: Report, bot: str, matches: int) -> tuple[Part, ...]:
    """A match's points are the mean over the opponents in it, so each opponent's part follows from the matrix."""
    pairs_in_match = report.manifest.players - 1
    parts = [
        Part(
            what=other,
            matches=encounter.matches,
            share=encounter.share,
            contribution=Fraction(encounter.halves, 2 * pairs_in_match * matches),
            expected=report.ratings.chance_to_win(bot, other),
        )
        for (one, other), encounter in report.matrix.items()
        if one == bot
    ]
    return tuple(sorted(parts, key=lambda part: (float(part.share) - (part.expected or 0.0), part.what)))


def _seats(report: Report, matches: Sequence[PlayedMatch]) -> tuple[Part, ...]:
    parts = []
    for seat in range(report.manifest.players):
        points = [match.points for match in matches if match.seat == seat]
        if points:
            total = sum(points, Fraction(0))
            parts.append(Part(f"seat {seat}", len(points), total / len(points), total / len(matches), None))
    return tuple(parts)


def _block(report: Report, block: BlockCompleted, matches: Sequence[PlayedMatch], bot: str) -> PlayedBlock:
    opponents = tuple(sorted(matches[0].opponents))
    chances = [report.ratings.chance_to_win(bot, other) for other in opponents]
    points = sum((match.points for match in matches), Fraction(0)) / len(matches)
    return PlayedBlock(block.round, block.table, block.attempt, opponents, points, sum(chances) / len(chances))
