"""How much of the machine a bot may use, and the watch that ends those that take more.

Memory is watched and not limited by address space, for programs of Node, Go and Java reserve far more than they use.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

__all__ = ["Limits", "Usage", "can_be_watched", "end_all", "excess_of", "usage_of", "watch_usage"]

_PROCESSES = Path("/proc")
_LOOK_EVERY_S = 0.25
_LOOKS_MAX = 50
_GROUP_FIELD, _THREADS_FIELD, _RESIDENT_FIELD = 2, 17, 21
"""Places in /proc/PID/stat, counted from the state."""


class Limits(NamedTuple):
    """What one bot may use."""

    memory_mb: int = 512
    """Resident memory of all its processes together."""
    processes: int = 256
    """Its processes and their threads."""
    tmp_mb: int = 64
    """What it may store in /tmp, which is its home as well; no file of it may be larger."""


class Usage(NamedTuple):
    """What a bot uses now."""

    memory_bytes: int
    threads: int
    processes: tuple[int, ...]
    """Their ids."""


def can_be_watched() -> bool:
    """Whether this machine tells what processes use; only Linux does."""
    return (_PROCESSES / "self" / "stat").exists()


def usage_of(root: int) -> Usage:
    """What a process, all that descends from it, and the rest of its process group use together."""
    found: dict[int, tuple[int, int, int, int]] = {}
    for entry in os.listdir(_PROCESSES):
        if entry.isdecimal():
            try:
                text = (_PROCESSES / entry / "stat").read_text(errors="replace")
            except OSError:
                # It has ended meanwhile.
                continue
            # A program's name may hold anything, also brackets and blanks.
            words = text.rpartition(")")[2].split()
            parent, group = int(words[1]), int(words[_GROUP_FIELD])
            found[int(entry)] = (parent, group, int(words[_THREADS_FIELD]), int(words[_RESIDENT_FIELD]))
    tree = _tree(root, found)
    page = os.sysconf("SC_PAGE_SIZE")
    return Usage(sum(found[each][3] for each in tree) * page, sum(found[each][2] for each in tree), tree)


def _tree(root: int, found: Mapping[int, tuple[int, int, int, int]]) -> tuple[int, ...]:
    """The processes that belong to a bot, of all that there are."""
    children: dict[int, list[int]] = {}
    for process, (parent, group, _, _) in found.items():
        children.setdefault(root if group == root and process != root else parent, []).append(process)
    tree = [root] if root in found else []
    # The list grows while it is gone through; every process has one parent, so it comes to an end.
    for process in tree:
        tree += children.get(process, ())
    return tuple(tree)


def excess_of(usage: Usage, limits: Limits) -> str:
    """What is above the limits, in words; empty if nothing is."""
    memory_mb = usage.memory_bytes >> 20
    if memory_mb > limits.memory_mb:
        return f"it used {memory_mb} MB of memory, and {limits.memory_mb} MB are allowed"
    if usage.threads > limits.processes:
        return f"it had {usage.threads} processes and threads, and {limits.processes} are allowed"
    return ""


async def watch_usage(root: int, limits: Limits) -> str:
    """Wait until a bot uses more than it may; what that is. Waits on if it never does."""
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        # Where a bot has made thousands of processes, looking at them takes a while.
        if excess := excess_of(await asyncio.to_thread(usage_of, root), limits):
            return excess


def end_all(root: int) -> None:
    """End a bot and all that descends from it."""
    stopped: set[int] = set()
    # One that is stopped makes no further ones, and none gets lost to another parent before all are known.
    for _ in range(_LOOKS_MAX):
        fresh = set(usage_of(root).processes) - stopped
        if not fresh:
            break
        _signal_each(fresh, signal.SIGSTOP)
        stopped |= fresh
    _signal_each(stopped, signal.SIGKILL)


def _signal_each(processes: Iterable[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
