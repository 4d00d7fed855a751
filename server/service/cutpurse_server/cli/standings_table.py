"""Standings as a table for a terminal, of a tournament that is over or still runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isnan
from typing import Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

__all__ = ["standings_table"]

_DIFFERENCE = 1e-9
_LEAST_FIRST = ("points by seat", "firsts", "byes", "95 % interval", "matches", "forfeits", "strikes")
"""What a table that is too wide goes without, in this order; who is where with how many points stays."""
_FRAME = 3
"""Columns of a terminal that a column's frame takes."""


def standings_table(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str,
    caption: str = "",
    strikes: Mapping[str, int] | None = None,
    quarantined: Collection[str] = (),
    most: int | None = None,
    width: int | None = None,
) -> Table:
    """The first `most` rows, or all. A column in which nothing would stand is left out.

    Rows have the fields of `Standing`; `left` is a word, or empty. `strikes` are those known so far, by bot. Where
    the table is wider than `width`, the columns that say least are left out, rather than cells be cut.
    """
    remarks = {row["bot"]: row["left"] or ("quarantined" if row["bot"] in quarantined else "") for row in rows}
    scored = any(abs(row["score"] - row["points_mean"]) > _DIFFERENCE for row in rows)
    shown = {
        "score": scored,
        "byes": any(row["byes"] for row in rows),
        "forfeits": any(row["forfeits"] for row in rows),
        "strikes": bool(strikes and any(strikes.values())),
        "remarks": any(remarks.values()),
    }
    headings = _headings(shown)
    cells = [
        dict(zip(headings, _cells(row, shown, remarks[row["bot"]], (strikes or {}).get(row["bot"], 0)), strict=True))
        for row in rows[:most]
    ]
    for unneeded in _LEAST_FIRST:
        if width is None or _width(headings, cells) <= width:
            break
        headings = [heading for heading in headings if heading != unneeded]
    table = Table(title=title, title_justify="left", caption=caption or None, caption_justify="left")
    for heading in headings:
        left = heading in ("bot", "points by seat")
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for row_cells in cells:
        table.add_row(*(row_cells[heading] for heading in headings))
    if most is not None and len(rows) > most:
        table.add_row("", f"… and {len(rows) - most:,} more")
    return table


def _width(headings: Sequence[str], cells: Sequence[Mapping[str, str | Text]]) -> int:
    """The columns of a terminal that the whole table takes, with its frame."""
    widest = [max([cell_len(heading), *(cell_len(str(row[heading])) for row in cells)]) for heading in headings]
    return sum(widest) + len(headings) * _FRAME + 1


def _headings(shown: Mapping[str, bool]) -> list[str]:
    counts = [name for name in ("byes", "forfeits", "strikes") if shown[name]]
    remarks = ["remarks"] if shown["remarks"] else []
    score = ["score"] if shown["score"] else []
    return ["", "bot", *score, "points", "95 % interval", "matches", "firsts", *counts, "points by seat", *remarks]


def _cells(row: Mapping[str, Any], shown: Mapping[str, bool], remark: str, strikes: int) -> list[str | Text]:
    nothing = not row["matches"]
    counts = {"byes": row["byes"], "forfeits": row["forfeits"], "strikes": strikes}
    by_seat = ["–" if isnan(points) else f"{points:.2f}" for points in map(float, row["points_by_seat"])]
    return [
        str(row["place"]),
        # A name as it is: brackets in it are no markup.
        Text(row["bot"]),
        *([f"{row['score']:.3f}"] if shown["score"] else []),
        "–" if nothing else f"{row['points_mean']:.3f}",
        "–" if nothing else f"{row['points_low']:.3f} – {row['points_high']:.3f}",
        str(row["matches"]),
        str(row["firsts"]),
        *(str(counts[name]) for name in ("byes", "forfeits", "strikes") if shown[name]),
        "" if nothing else " ".join(by_seat),
        *([remark] if shown["remarks"] else []),
    ]
