"""Sections and tables of the page. Cells are HTML already: whoever makes them escapes what is not ours."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

__all__ = ["name", "section", "table"]

_UNBROKEN = 16
"""So many characters of a name stay in one line."""


def name(text: str) -> str:
    """A name as HTML, which may be broken where it is long."""
    pieces = [text[at : at + _UNBROKEN] for at in range(0, len(text), _UNBROKEN)]
    return "<wbr>".join(escape(piece) for piece in pieces)


def section(heading: str, body: str, note: str) -> str:
    """A part of the page, with what has to be known about it."""
    note = note.replace(" %", "&nbsp;%")
    return f'<section>\n<h2>{heading}</h2>\n{body}<p class="note">{note}</p>\n</section>\n'


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, plot: int | None = None, words: Collection[int] = ()
) -> str:
    """A table that scrolls by itself where it is too wide.

    The column headed `bot` is for names; `plot` is the number of the column with strips, `words` are those of columns
    with text that may be broken.
    """
    classes = ["name" if heading == "bot" else "" for heading in headings]
    for column in words:
        classes[column] = "words"
    if plot is not None:
        classes[plot] = "plot"
    head = "".join(f'<th class="{class_}">{each}</th>' for class_, each in zip(classes, headings, strict=True))
    body = "\n".join(
        "<tr>"
        + "".join(f'<td class="{class_}">{each}</td>' for class_, each in zip(classes, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'
