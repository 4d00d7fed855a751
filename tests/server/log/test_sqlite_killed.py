"""kill -9 at any moment: nothing that was acknowledged is lost, nothing is torn, and the file can be owned again."""

import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cutpurse_server.log.sqlite import SQLiteLog
from tests.repository.tree import ROOT
from tests.server.log.backends import chain_at, event
from tests.server.log.killed_writer import STREAMS, events_of_flush


def acknowledged_until_killed(path: Path, after_s: float) -> int:
    """Let the writer write for some time after its first word, kill it, and return the last version that it told."""
    arguments = [sys.executable, "-m", "tests.server.log.killed_writer", str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline()]
        threading.Timer(after_s, writer.kill).start()
        told += writer.stdout.readlines()
    assert writer.returncode == -signal.SIGKILL
    # A last line may be cut short; then it was not told.
    return int([line for line in told if line.endswith(b"\n")][-1])


async def check_after_kill(path: Path, acknowledged: int) -> int:
    """The file can be opened and holds what it must; how many events each stream holds."""
    log = SQLiteLog(path)
    await log.open()
    try:
        heads = [await log.head(stream) for stream in STREAMS]
        versions = {head.version for head in heads if head}
        assert len(versions) == 1
        (version,) = versions
        # At most the flush that was under way is there besides.
        assert version in (acknowledged, acknowledged + events_of_flush(acknowledged))
        assert {head.chain for head in heads if head} == {chain_at(version)}
        for stream in STREAMS:
            assert await log.read(stream) == [event(number) for number in range(1, version + 1)]
    finally:
        await log.close()
    return version


async def kill_often(path: Path, kills: int, chance: random.Random) -> None:
    before = 0
    for _ in range(kills):
        acknowledged = acknowledged_until_killed(path, chance.uniform(0, 0.1))
        assert acknowledged > before
        before = await check_after_kill(path, acknowledged)


async def test_kills_lose_and_tear_nothing(tmp_path: Path) -> None:
    await kill_often(tmp_path / "log.sqlite", 10, random.Random(1))


@pytest.mark.long
async def test_many_kills_lose_and_tear_nothing(tmp_path: Path) -> None:
    # Several files, since everything is read again after every kill.
    for number in range(20):
        await kill_often(tmp_path / f"{number}.sqlite", 15, random.Random(number))


async def test_a_lost_event_would_be_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    acknowledged = acknowledged_until_killed(path, 0.02)

    with pytest.raises(AssertionError):
        await check_after_kill(path, acknowledged + 3)
