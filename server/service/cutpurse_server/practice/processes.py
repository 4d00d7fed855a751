"""A practice in several processes: each has a service and the bots of its own, and plays every so many-th match."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from cutpurse_server.loops import run_on_fast_loop
from cutpurse_server.practice.parts import ATTACHED, PlayedMatch, Practice, Tell, play_part
from cutpurse_server.practice.summary import worst_first
from cutpurse_server.whereabouts import configure_logs

__all__ = ["play_in_processes"]

_PARENT_POLL_S = 0.5


def play_in_processes(
    practice: Practice, numbers: Sequence[int], processes: int, kept: int, tell: Tell
) -> list[PlayedMatch]:
    """Play the matches of these numbers (from 1), and return them in order; of the `kept` worst with their logs.

    Results do not depend on `processes`, since every match depends on the seed and its number alone. A bot that its
    author runs is one, so all is played in this process then. Raises `BotGone`.
    """
    processes = max(1, min(processes, len(numbers)))
    parts = [numbers[first::processes] for first in range(processes)]
    if processes == 1 or any(entry.run == ATTACHED for entry in practice.entries):
        return run_on_fast_loop(play_part(practice, numbers, partial(_worst, kept), tell))
    # A fresh interpreter for each: gRPC does not survive a fork.
    context = multiprocessing.get_context("spawn")
    played: list[PlayedMatch] = []
    with ProcessPoolExecutor(processes, context, initializer=_end_with, initargs=(os.getpid(),)) as pool:
        futures = [pool.submit(_play_part, practice, part, kept) for part in parts]
        for future in as_completed(futures):
            matches, notes = future.result()
            played += matches
            for note in notes:
                tell(note)
    worst = set(_worst(kept, played))
    return [each if each.number in worst else each._replace(bundle=b"") for each in sorted(played)]


def _play_part(practice: Practice, numbers: Sequence[int], kept: int) -> tuple[list[PlayedMatch], list[str]]:
    configure_logs("error")
    notes: list[str] = []
    return run_on_fast_loop(play_part(practice, numbers, partial(_worst, kept), notes.append)), notes


def _worst(kept: int, played: Sequence[PlayedMatch]) -> list[int]:
    return [each.number for each in worst_first(played)[:kept]]


def _end_with(parent: int) -> None:
    """End this process, and with it its bots, when its parent is gone, even if that was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_POLL_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
