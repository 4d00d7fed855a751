"""The page's section of oddities."""

from __future__ import annotations

from html import escape

from cutpurse_server.reports.report import Report
from cutpurse_server.reports.tables import section

__all__ = ["oddities_section"]

_SHOWN_MAX = 20


def oddities_section(report: Report) -> str:
    """What chance and the ratings hardly explain, said as carefully as it is meant."""
    found = _pairs(report) + _bot_seats(report) + _seats(report) + _slow(report)
    items = "".join(f"<li>{each}</li>\n" for each in found)
    body = f"<ul>\n{items}</ul>\n" if found else "<p>Nothing odd was found.</p>\n"
    oddities = report.oddities
    tests = (
        f"{len(oddities.pairs):,} ordered pairs, {len(oddities.bot_seats):,} bots in seats, {len(oddities.seats)} seats"
    )
    untested = (
        f" Of {oddities.pairs_untested:,} ordered pairs nothing can be said: they met too seldom, or never sat apart."
        if oddities.pairs_untested
        else ""
    )
    note = (
        "A flag is a hint for people, never a verdict: honest bots whose styles suit or hinder each other are "
        "flagged too. "
        f"Tested: {tests}; corrected by Benjamini and Hochberg's method, so that where nothing is odd one "
        "tournament in "
        f"twenty has a flag in a family of tests.{untested} Slow matches follow a rule of thumb: four times the "
        "bot's usual "
        "time."
    )
    return section("Oddities", body, note)


def _pairs(report: Report) -> list[str]:
    flagged = [each for each in report.oddities.pairs if each.flagged]
    shown = [
        f'<span class="flag">{escape(each.bot)}</span> gets {abs(each.effect):.2f} points a match '
        f"{'more' if each.effect > 0 else 'less'} with {escape(each.present)} at the table than without, beyond "
        "what the "
        f"ratings account for ({each.blocks} blocks; chance {_chance(each.chance)})."
        for each in flagged[:_SHOWN_MAX]
    ]
    return shown + _more(len(flagged), "pairs")


def _bot_seats(report: Report) -> list[str]:
    flagged = [each for each in report.oddities.bot_seats if each.flagged]
    shown = [
        f'<span class="flag">{escape(each.bot)}</span> gets {abs(each.effect):.2f} points a match '
        f"{'more' if each.effect > 0 else 'less'} in seat {each.seat} than in others, the seat's own effect taken off "
        f"(chance {_chance(each.chance)})."
        for each in flagged[:_SHOWN_MAX]
    ]
    return shown + _more(len(flagged), "bots in seats")


def _seats(report: Report) -> list[str]:
    return [
        f"Seat {each.seat} gives {abs(each.effect):.3f} points a match {'more' if each.effect > 0 else 'less'} "
        "than the "
        f"mean (chance {_chance(each.chance)}): a trait of the game, and all bots sit there equally often."
        for each in report.oddities.seats
        if each.flagged
    ]


def _slow(report: Report) -> list[str]:
    shown = [
        f'<span class="flag">{escape(each.bot)}</span> took {each.mean_ms:,.0f} ms a choice on average in match '
        f"<code>{escape(each.match)}</code>, and {each.usual_ms:,.0f} ms usually."
        for each in report.slow[:_SHOWN_MAX]
    ]
    return shown + _more(len(report.slow), "slow matches")


def _more(found: int, what: str) -> list[str]:
    return [f"{found - _SHOWN_MAX:,} more {what} are in the results file."] if found > _SHOWN_MAX else []


def _chance(chance: float) -> str:
    return "below 0.001" if chance < 0.001 else f"{chance:.3f}"
