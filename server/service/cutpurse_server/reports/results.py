"""Results for programs: JSON with everything that the page shows, and two CSV tables with the same numbers."""

from __future__ import annotations

import csv
import io
from math import isnan
from typing import Any

from cutpurse_server.matches.events import Cause
from cutpurse_server.reports.gathering import BotUse
from cutpurse_server.reports.report import Report
from cutpurse_server.tournaments.events import Standing
from cutpurse_server.tournaments.ratings import BotRating
from cutpurse_server.tournaments.significance import LEVEL

__all__ = ["matrix_csv", "results_csv", "results_json"]


def results_json(report: Report) -> dict[str, Any]:
    """Everything that the page shows, as JSON has it; None stands for what is not known."""
    manifest = report.manifest
    return {
        "tournament": manifest.tournament,
        "game": manifest.game,
        "format": manifest.format.name.lower().replace("_", "-"),
        "players": manifest.players,
        "rated": not manifest.seed,
        "finished": report.finished,
        "blocks": len(report.blocks),
        "matches": report.matches,
        "level": LEVEL,
        "bots": _bots(report),
        "comparisons": [{**each._asdict(), "significant": each.significant} for each in report.ratings.comparisons],
        "matrix": _matrix(report),
        "oddities": {
            "pairs": [{**each._asdict(), "flagged": each.flagged} for each in report.oddities.pairs],
            "pairs_untested": report.oddities.pairs_untested,
            "seats": [{**each._asdict(), "flagged": each.flagged} for each in report.oddities.seats],
            "bot_seats": [{**each._asdict(), "flagged": each.flagged} for each in report.oddities.bot_seats],
            "slow_matches": [each._asdict() for each in report.slow],
        },
    }


def results_csv(report: Report) -> str:
    """A row for each bot, best first; empty where something is not known."""
    rows = []
    for bot in _bots(report):
        by_seat = bot.pop("points_by_seat")
        seats = {f"points_in_seat_{seat}": points for seat, points in enumerate(by_seat)}
        time, faults = bot.pop("time"), bot.pop("faults")
        rows.append(bot | seats | time | faults)
    return _table(rows)


def matrix_csv(report: Report) -> str:
    """A row for each ordered pair of bots that met."""
    return _table(_matrix(report))


def _bots(report: Report) -> list[dict[str, Any]]:
    ratings = {rating.bot: rating for rating in report.ratings.ratings}
    return [_bot(report, row, ratings[row.bot]) for row in report.standings]


def _bot(report: Report, row: Standing, rating: BotRating) -> dict[str, Any]:
    return row._asdict() | {
        "points_by_seat": [None if isnan(points) else points for points in row.points_by_seat],
        "left": row.left.name.lower() if row.left else None,
        "blocks": rating.blocks,
        "rating": rating.rating,
        "rating_low": rating.low,
        "rating_high": rating.high,
        "time": _time(report.uses[row.bot]),
        "faults": _faults(report.uses[row.bot]),
        "owner": report.owners.get(row.bot),
    }


def _time(use: BotUse) -> dict[str, Any]:
    return {
        "choices": use.choices,
        "choice_ms_mean": use.mean_ms,
        "choice_ms_median": use.quantile_ms(0.5),
        "choice_ms_95": use.quantile_ms(0.95),
        "choice_ms_longest": use.longest_ms,
    }


def _faults(use: BotUse) -> dict[str, int]:
    return {
        "refused": use.count("refused"),
        "timeouts": use.count("default", Cause.TIMEOUT),
        "illegal": use.count("default", Cause.ILLEGAL),
        "malformed": use.count("default", Cause.MALFORMED),
        "disconnected": use.count("default", Cause.DISCONNECTED),
        "crashed": use.count("default", Cause.CRASHED),
        "strikes": use.strikes,
    }


def _matrix(report: Report) -> list[dict[str, Any]]:
    order = [row.bot for row in report.standings]
    return [
        {
            "bot": bot,
            "other": other,
            "matches": report.matrix[bot, other].matches,
            "share": float(report.matrix[bot, other].share),
            "expected": report.ratings.chance_to_win(bot, other),
        }
        for bot in order
        for other in order
        if (bot, other) in report.matrix
    ]


def _table(rows: list[dict[str, Any]]) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()
