"""Running a coroutine on the fastest event loop there is."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run_on_fast_loop"]

T = TypeVar("T")


def run_on_fast_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run on uvloop where it exists, else on asyncio's own loop."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(coroutine)
    return uvloop.run(coroutine)
