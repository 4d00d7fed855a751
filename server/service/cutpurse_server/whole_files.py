"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


_PRIVATE, _PUBLIC = 0o600, 0o666
"""Modes of files; the second less what the process' mask forbids."""


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write and read that gets its name once it is on the disk; if writing fails, what was there stays.

    A `private` one is for its owner's eyes only, from the first byte on.
    """
    partial = path.with_name(f"{path.name}.partial")
    # What a process that was killed has left may be anybody's to read.
    partial.unlink(missing_ok=True)
    mode = _PRIVATE if private else _PUBLIC
    try:
        with os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb+") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
