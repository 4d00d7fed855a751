"""Strangers' texts on a terminal: what would steer it, or turn a line's direction, is shown and not obeyed."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """A text of one line as it may be shown, with an escape for every character that prints nothing."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()
