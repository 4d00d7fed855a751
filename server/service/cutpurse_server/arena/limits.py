"""How much of the machine a bot may use, and the watch that ends those that take more.

Memory is watched and not limited by address space, for programs of Node, Go and Java reserve far more than they use.
Processor time is watched as well: who takes more than its share is stopped until that is paid back, and then goes on.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "Allowance",
    "Limits",
    "Usage",
    "can_be_watched",
    "end_all",
    "excess_of",
    "stop_all",
    "usage_of",
    "watch_usage",
]

_PROCESSES = Path("/proc")
_LOOK_EVERY_S = 0.25
_LOOKS_MAX = 50
_SOCKETS_MAX = 512
"""Open sockets of all processes of a bot, connections among them: a service has some thousands for everybody."""
_GROUP_FIELD, _TICKS_FIELDS, _THREADS_FIELD, _RESIDENT_FIELD = 2, slice(11, 15), 17, 21
"""Places in /proc/PID/stat, counted from the state; the ticks are the process's own and those of its ended children."""
_FRESH_S = 0.2
"""So long one look at all processes serves the watches of all bots."""
_BURST_S = 5.0
"""Processor time that a bot may take at once, as programs do that are being started."""
_PAUSE_S_MAX = 2.0


class Limits(NamedTuple):
    """What one bot may use."""

    memory_mb: int = 512
    """Resident memory of all its processes together."""
    processes: int = 256
    """Its processes and their threads."""
    tmp_mb: int = 64
    """What it may store in /tmp, which is its home as well; no file of it may be larger."""
    processor_percent: int = 100
    """Processor time of all its processes together, on average; 100 is one processor."""


class Usage(NamedTuple):
    """What a bot uses now."""

    memory_bytes: int
    threads: int
    processes: tuple[int, ...]
    """Their ids."""
    processor_s: float = 0.0
    """Processor time since their beginnings, that of ended children included."""
    sockets: int = 0
    """Open sockets, or a number that is above that and not too many."""


class _Process(NamedTuple):
    """What /proc tells of one process."""

    parent: int
    group: int
    ticks: int
    threads: int
    pages: int


class Allowance:
    """How much processor time a bot has left: it grows with time up to a burst, and shrinks by what is used."""

    def __init__(self, percent: int, now_s: float) -> None:
        self._share = percent / 100
        self._left_s = _BURST_S
        self._seen_s = now_s
        self._used_s = 0.0

    def pause_s(self, used_s: float, now_s: float) -> float:
        """How long the bot has to be stopped, given what it has used altogether; 0: not at all."""
        grown = min(_BURST_S, self._left_s + self._share * (now_s - self._seen_s))
        # The time of a child that nobody has waited for is gone with it.
        self._left_s = grown - max(0.0, used_s - self._used_s)
        self._seen_s, self._used_s = now_s, used_s
        return min(_PAUSE_S_MAX, max(0.0, -self._left_s / self._share))


def can_be_watched() -> bool:
    """Whether this machine tells what processes use; only Linux does."""
    return (_PROCESSES / "self" / "stat").exists()


def usage_of(root: int) -> Usage:
    """What a process, all that descends from it, and the rest of its process group use together."""
    return _usage_in(_all_processes(), root)


def _all_processes() -> dict[int, _Process]:
    """All processes of this machine, by id."""
    found: dict[int, _Process] = {}
    for entry in os.listdir(_PROCESSES):
        if entry.isdecimal():
            try:
                text = (_PROCESSES / entry / "stat").read_text(errors="replace")
            except OSError:
                # It has ended meanwhile.
                continue
            # A program's name may hold anything, also brackets and blanks.
            words = text.rpartition(")")[2].split()
            parent, group, ticks = int(words[1]), int(words[_GROUP_FIELD]), sum(map(int, words[_TICKS_FIELDS]))
            found[int(entry)] = _Process(parent, group, ticks, int(words[_THREADS_FIELD]), int(words[_RESIDENT_FIELD]))
    return found


class _Looks:
    """Looks at all processes, shared by all who watch: with hundreds of bots each look is dear."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_s = -_FRESH_S
        self._found: dict[int, _Process] = {}

    def usage(self, root: int) -> Usage:
        """As `usage_of`, a moment ago perhaps."""
        with self._lock:
            if time.monotonic() - self._at_s >= _FRESH_S:
                self._found = _all_processes()
                self._at_s = time.monotonic()
            found = self._found
        return _usage_in(found, root)


_LOOKS = _Looks()


def _usage_in(found: Mapping[int, _Process], root: int) -> Usage:
    tree = _tree(root, found)
    memory = sum(found[each].pages for each in tree) * os.sysconf("SC_PAGE_SIZE")
    processor_s = sum(found[each].ticks for each in tree) / os.sysconf("SC_CLK_TCK")
    return Usage(memory, sum(found[each].threads for each in tree), tree, processor_s, _sockets_of(tree))


def _sockets_of(tree: Iterable[int]) -> int:
    """How many sockets processes have open, one that several share counted once: see `Usage.sockets`."""
    files: list[str] = []
    for process in tree:
        # It may have ended, or be somebody else's.
        with suppress(OSError):
            files += (f"{_PROCESSES}/{process}/fd/{name}" for name in os.listdir(f"{_PROCESSES}/{process}/fd"))
    if len(files) <= _SOCKETS_MAX:
        # Whatever they are, they are not too many, and looking at each would be dear.
        return len(files)
    sockets: set[str] = set()
    for file in files:
        with suppress(OSError):
            what = os.readlink(file)
            if what.startswith("socket:"):
                sockets.add(what)
    return len(sockets)


def _tree(root: int, found: Mapping[int, _Process]) -> tuple[int, ...]:
    """The processes that belong to a bot, of all that there are."""
    children: dict[int, list[int]] = {}
    for process, each in found.items():
        children.setdefault(root if each.group == root and process != root else each.parent, []).append(process)
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
    if usage.sockets > _SOCKETS_MAX:
        return f"it had {usage.sockets} sockets open, and {_SOCKETS_MAX} are allowed"
    return ""


async def watch_usage(root: int, limits: Limits, note: Callable[[str], None]) -> str:
    """Wait until a bot uses more than it may; what that is. Waits on if it never does.

    A bot that takes more processor time than its share is stopped again and again; `note` hears of it once.
    """
    allowance = Allowance(limits.processor_percent, time.monotonic())
    held_back = False
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        # Where a bot has made thousands of processes, looking at them takes a while.
        usage = await asyncio.to_thread(_LOOKS.usage, root)
        if excess := excess_of(usage, limits):
            return excess
        pause_s = allowance.pause_s(usage.processor_s, time.monotonic())
        if pause_s:
            if not held_back:
                held_back = True
                note(f"held back: it takes more than {limits.processor_percent} % of a processor")
            await _hold(root, pause_s)


async def _hold(root: int, pause_s: float) -> None:
    """Stop a bot for a while; however this ends, it goes on."""
    stopped: set[int] = set()
    try:
        stopped = await asyncio.to_thread(stop_all, root)
        await asyncio.sleep(pause_s)
    finally:
        _signal_each(stopped, signal.SIGCONT)


def stop_all(root: int) -> set[int]:
    """Stop a bot and all that descends from it; their ids."""
    stopped: set[int] = set()
    # One that is stopped makes no further ones, and none gets lost to another parent before all are known.
    for _ in range(_LOOKS_MAX):
        fresh = set(usage_of(root).processes) - stopped
        if not fresh:
            break
        _signal_each(fresh, signal.SIGSTOP)
        stopped |= fresh
    return stopped


def end_all(root: int) -> None:
    """End a bot and all that descends from it."""
    _signal_each(stop_all(root), signal.SIGKILL)


def _signal_each(processes: Iterable[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
