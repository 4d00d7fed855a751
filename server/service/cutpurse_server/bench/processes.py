"""Child processes of the benchmarks: servers that say where they listen, clients that print what they measured."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

__all__ = ["percentile", "result_of", "serve_until_told", "server"]

_STOP_S = 10.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies; NaN without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


async def serve_until_told(facts: Mapping[str, Any]) -> None:
    """Print what the parent has to know, and wait until it closes our standard input, or ends."""
    typer.echo(json.dumps(facts))
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def server(module: str, *arguments: str, first_from: Path | None = None) -> Iterator[Mapping[str, Any]]:
    """A server process: what it printed of itself. It imports from the folder `first_from` what is there."""
    places = [str(first_from.resolve())] if first_from else []
    places += filter(None, [os.environ.get("PYTHONPATH")])
    process = subprocess.Popen(
        [sys.executable, "-m", module, "serve", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def result_of(module: str, *arguments: str, timeout_s: float = 120) -> Mapping[str, Any]:
    """What a client process printed in its last line."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, timeout=timeout_s, check=True
    )
    result: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
