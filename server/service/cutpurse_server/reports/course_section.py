"""The course of a tournament: what organisers and the service did to it, and how bots were launched."""

from __future__ import annotations

from html import escape

from cutpurse_server.reports.report import Report
from cutpurse_server.reports.tables import section, table
from cutpurse_server.tournaments.telling import in_words

__all__ = ["course_section"]

_SHOWN_MAX = 200


def course_section(report: Report) -> str:
    """What was done, in order."""
    rows = [[_after(told.at_ms - report.started_ms), escape(in_words(told))] for told in report.told[:_SHOWN_MAX]]
    note = (
        "Times count from the start. Late entries, departures, quarantines, voided blocks, pauses: all that was done."
    )
    if len(report.told) > _SHOWN_MAX:
        note += f" Only the first {_SHOWN_MAX} of {len(report.told):,} are shown."
    if not rows:
        return section("What was done", "", "Nothing was done to it since its start.")
    return section("What was done", table(["after", "what"], rows, words=(1,)), note)


def _after(ms: int) -> str:
    seconds = max(0, ms) // 1_000
    return f"{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
