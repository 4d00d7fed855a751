"""Structured logs that say what failed and where, never with which values: they may be somebody's card or token."""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path
from typing import TextIO

import structlog

__all__ = ["configure_logs", "failure"]


def configure_logs(level: str = "info", stream: TextIO | None = None) -> None:
    """One JSON object per line, on standard error unless another stream is given."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.EventRenamer("message"),
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        # Whoever configures anew, as a program does that simulates, is heeded by loggers that were used before.
        cache_logger_on_first_use=False,
    )


def failure(error: BaseException) -> dict[str, object]:
    """An exception's kind and the places it came through, for a log line: neither its text nor any value."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "failure": type(error).__name__,
        "places": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-8:]],
    }
