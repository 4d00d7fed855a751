"""Every line that the service logs while a test runs, whatever library writes it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.testing import capture_logs

from cutpurse_server.whereabouts import configure_logs

__all__ = ["kept_log_lines"]


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines
        self._formatter = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self._formatter.format(record))


@contextmanager
def kept_log_lines() -> Iterator[list[str]]:
    """The lines so far; those of structlog are added when the block is left."""
    lines: list[str] = []
    handler, root = _Lines(lines), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    entries: list[Any] = []
    # A test before this one may have left only errors to be logged.
    configuration = structlog.get_config()
    configure_logs("debug")
    try:
        with capture_logs() as entries:
            yield lines
    finally:
        structlog.configure(**configuration)
        root.removeHandler(handler)
        root.setLevel(level)
        lines.extend(map(repr, entries))
