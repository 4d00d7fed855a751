"""`cutpurse bot simulate`, ended from outside: at once, and with all that it began."""

import os
import signal
from collections.abc import Iterator

import pytest

from tests.acceptance.processes import Marked, cutpurse, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PRACTICE = cutpurse("bot", "simulate", "greedy", "--matches", "60000", "--seed", "the same")
BOTS = "cutpurse_bots"


@pytest.fixture
def marked() -> Iterator[Marked]:
    marked = Marked()
    yield marked
    marked.kill_all()


def bots(marked: Marked) -> list[int]:
    return [process for process, command in marked.alive().items() if BOTS in command]


@pytest.mark.parametrize(
    ("processes", "number"), [(2, signal.SIGINT), (1, signal.SIGINT), (1, signal.SIGTERM)], ids=str
)
def test_a_signal_to_the_command_alone_ends_it_with_its_processes_and_bots(
    processes: int, number: signal.Signals, marked: Marked
) -> None:
    with marked.start([*PRACTICE, "--processes", str(processes)]) as practice:
        until(lambda: len(bots(marked)) == 3 * processes, "all bots are there")
        practice.send_signal(number)
        said, _ = practice.communicate(timeout=30)

    assert practice.returncode == 130
    assert said.splitlines()[-1:] == [b"cutpurse bot simulate: interrupted"]
    until(lambda: not marked.alive(), "nothing is left behind")


def test_a_process_that_is_killed_ends_the_command_with_a_remedy(marked: Marked) -> None:
    with marked.start([*PRACTICE, "--processes", "2"]) as practice:
        until(lambda: len(bots(marked)) == 6, "all bots are there")
        own = next(process for process, command in marked.alive().items() if "spawn_main" in command)
        os.kill(own, signal.SIGKILL)
        said, _ = practice.communicate(timeout=30)

    assert practice.returncode == 1
    assert b"try --processes 1" in said
    until(lambda: not marked.alive(), "nothing is left behind")
