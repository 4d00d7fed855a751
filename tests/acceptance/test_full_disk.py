"""A full disk: nothing that was acknowledged is lost, the user is told what to do, and play goes on when it is done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance import hostile_bot
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, house_bots, program, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="only root on Linux can make a disk that is soon full"
    ),
]


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


FULL = "disk is full. Free some space."


class SmallDisk:
    """A disk in memory that can be made larger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(folder)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("this machine lets not even root mount anything")

    def grow(self) -> None:
        """Free space."""
        subprocess.run(["mount", "-o", "remount,size=64m", str(self.folder)], check=True)

    def remove(self) -> None:
        """Unmount it, whoever uses it."""
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A disk on which there is hardly room for a log."""
    disk = SmallDisk(tmp_path / "disk")
    yield disk
    disk.remove()


async def test_a_tournament_on_a_full_disk_says_what_to_do_and_goes_on_when_it_is_done(
    marked: Marked, disk: SmallDisk, tmp_path: Path
) -> None:
    folder = disk.folder / "cup"
    # What this bot prints would fill the disk alone.
    bots = house_bots("greedy", "first", f"chatty={program(hostile_bot.__file__, 'chatty')}")
    command = cutpurse("tournament", "run", "--game", "art_robbery", *bots, "--rounds", "40", "--out", folder)
    killed, going_on = tmp_path / "killed", tmp_path / "going-on"
    process = marked.start(command, killed)
    until(lambda: FULL in killed.read_text(), "it says that the disk is full", 60)
    assert process.poll() is None
    process.kill()
    process.wait()
    until(lambda: marked.alive() == {}, "all bots end", 5)

    process = marked.start(command, going_on)
    until(lambda: FULL in going_on.read_text(), "it says so again", 60)
    disk.grow()
    if process.wait(PATIENCE_S * 2) == 2:
        # It could not even begin. Said again, as it says, the same command goes on.
        process = marked.start(command, going_on)

    assert process.wait(PATIENCE_S * 2) == 0, going_on.read_text()
    assert "internally consistent" in going_on.read_text()
    assert "Traceback" not in killed.read_text() + going_on.read_text()
    logs = await read_matches(folder / "log.sqlite")
    assert len(logs) == 120
    for name, log in logs.items():
        # The time in which nothing could be written is nobody's fault.
        assert not log.defaulted, (name, log.defaulted)
    until(lambda: marked.alive() == {}, "all bots end", 5)
