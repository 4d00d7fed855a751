"""Running a coroutine on the fastest event loop there is."""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["collect_patiently", "run_on_fast_loop"]

T = TypeVar("T")

_YOUNG_OBJECTS_MAX = 50_000
"""Records and events live long and hold no cycles; looking for some after every 700 of them takes time."""

_SWITCH_S = 0.0005
"""A thread that has written to the disk needs a moment of the interpreter to say so. By default a busy loop keeps it
waiting for ten times as long, which is longer than the disk does."""


def collect_patiently() -> None:
    """Leave what is loaded by now out of all collections, and look for cycles seldom."""
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS_MAX, 20, 50)


def run_on_fast_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run on uvloop where it exists, else on asyncio's own loop, with a patient garbage collector.

    The process may have as many files open as the system allows it, since each connection is one.
    """
    collect_patiently()
    # Where there is no bound on paper there is one in the system, which does not take "unbounded".
    with suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    sys.setswitchinterval(_SWITCH_S)
    try:
        import uvloop
    except ImportError:
        return asyncio.run(coroutine)
    return uvloop.run(coroutine)
