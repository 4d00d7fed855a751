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
        self._known: set[str] = set()
        self._formatter = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        line = self._formatter.format(record)
        # gRPC says the same again with every call.
        if line not in self._known:
            self._known.add(line)
            self._lines.append(line)


@contextmanager
def kept_log_lines() -> Iterator[list[str]]:
    """The lines so far, each once; those of structlog are added when the block is left.

    Nobody else keeps lines meanwhile: of very many requests that would look like memory that the service keeps.
    """
    lines: list[str] = []
    handler, root = _Lines(lines), logging.getLogger()
    level, others = root.level, root.handlers
    root.handlers = [handler]
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
        root.handlers = others
        root.setLevel(level)
        lines.extend(map(repr, entries))
