"""A practice in several processes: each has a service and the bots of its own, and plays every so many-th match."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from typing import Any

from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.practice.parts import ATTACHED, PlayedMatch, Practice, Tell, play_part
from cutpurse_server.practice.summary import worst_first
from cutpurse_server.whereabouts import configure_logs

__all__ = ["play_in_processes"]

_PARENT_POLL_S = 0.5
_GOODBYE_S = 8.0
"""How long a process that is told to end may take to end its bots."""


def play_in_processes(
    practice: Practice, numbers: Sequence[int], processes: int, kept: int, tell: Tell
) -> list[PlayedMatch]:
    """Play the matches of these numbers (from 1), and return them in order; of the `kept` worst with their logs.

    Results do not depend on `processes`, since every match depends on the seed and its number alone. A bot that its
    author runs is one, so all is played in this process then. Raises `BotGone`, and `BrokenExecutor` if one of them is
    ended from outside. However this ends, none of them is left behind.
    """
    processes = max(1, min(processes, len(numbers)))
    parts = [numbers[first::processes] for first in range(processes)]
    if processes == 1 or any(entry.run == ATTACHED for entry in practice.entries):
        return run_on_fast_loop(_until_terminated(play_part(practice, numbers, partial(_worst, kept), tell)))
    # A fresh interpreter for each: gRPC does not survive a fork.
    context = multiprocessing.get_context("spawn")
    played: list[PlayedMatch] = []
    with ProcessPoolExecutor(processes, context, initializer=_end_with, initargs=(os.getpid(),)) as pool:
        futures = [pool.submit(_play_part, practice, part, kept) for part in parts]
        try:
            for future in as_completed(futures):
                matches, notes = future.result()
                played += matches
                for note in notes:
                    tell(note)
        except BaseException:
            # The pool would wait for all that was begun, hours perhaps.
            for process in multiprocessing.active_children():
                process.terminate()
            raise
    worst = set(_worst(kept, played))
    return [each if each.number in worst else each._replace(bundle=b"") for each in sorted(played)]


def _play_part(practice: Practice, numbers: Sequence[int], kept: int) -> tuple[list[PlayedMatch], list[str]]:
    configure_logs("error")
    notes: list[str] = []
    part = play_part(practice, numbers, partial(_worst, kept), notes.append)
    return run_on_fast_loop(_until_terminated(part)), notes


async def _until_terminated(part: Coroutine[Any, Any, list[PlayedMatch]]) -> list[PlayedMatch]:
    """Play a part so that SIGTERM, like Ctrl-C, ends it in good order, as KeyboardInterrupt."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await part
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _worst(kept: int, played: Sequence[PlayedMatch]) -> list[int]:
    return [each.number for each in worst_first(played)[:kept]]


def _end_with(parent: int) -> None:
    """End this process, and with it its bots, when its parent is gone, even if that was killed."""
    # Ctrl-C is heard by all processes of a terminal. The parent tells this one, and only once: told again, it would
    # break off its tidying up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_POLL_S)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GOODBYE_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
