"""Names of bots, owners and tournaments: one alphabet for all."""

from __future__ import annotations

import re

__all__ = ["NAME_FORM", "is_name"]

NAME_FORM = "1 to 64 letters, digits, `-`, `_` or `.`"
"""What a name is, for error texts."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


def is_name(text: str) -> bool:
    """Whether a text may be a name."""
    return _NAME.fullmatch(text) is not None
