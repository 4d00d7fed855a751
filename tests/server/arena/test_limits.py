"""What a bot may use of the machine: counted over all its processes, and ended when it is too much."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cutpurse_server.arena import limits
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.isolation import Means, Room
from cutpurse_server.arena.limits import Allowance, Limits, Usage, excess_of, usage_of
from cutpurse_server.arena.plan import Entry
from cutpurse_server.matches.events import Cause
from cutpurse_server.matches.presence import Presence
from tests.server.arena.test_children import gone, run_for_a_while

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes use")

HOG = "import time\nheld = bytearray(200_000_000)\nheld[::4096] = b'x' * len(held[::4096])\ntime.sleep(60)"
# Reserves a lot (MAP_NORESERVE, for which Python has no name), as programs of Node, Go and Java do, and uses little.
RESERVING = "import mmap\nheld = mmap.mmap(-1, 64 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
FORKING = """
import os, time
for _ in range(60):
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
print('pids', os.getpid(), flush=True)
time.sleep(60)
"""


# Each of three processes holds 200 connections of its own, and 300 files that count for nothing.
HOARDING = """
import os, socket, time
files = [os.open('/dev/null', os.O_RDONLY) for _ in range(300)]
os.fork() and os.fork()
held = [socket.socket(socket.AF_UNIX) for _ in range(200)]
print('holds', len(held), flush=True)
time.sleep(60)
"""


def limited(tmp_path: Path, code: str, limits: Limits, presence: Presence | None = None) -> Child:
    (tmp_path / "bot.py").write_text(code)
    entry = Entry("bot", f"{sys.executable} {tmp_path / 'bot.py'}", "owner")
    room = Room(Means("", "as was asked for"), limits)
    return Child(entry, {}, tmp_path / "bot.log", presence or Presence(), room)


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(100 << 20, 20, (1,)), ""),
        (Usage(101 << 20, 20, (1,)), "101 MB of memory, and 100 MB are allowed"),
        (Usage(1, 21, (1,)), "21 processes and threads, and 20 are allowed"),
        (Usage(1, 1, (1,), sockets=512), ""),
        (Usage(1, 1, (1,), sockets=513), "513 sockets open, and 512 are allowed"),
    ],
)
def test_what_is_above_a_limit_is_said_and_what_is_at_it_is_not(usage: Usage, said: str) -> None:
    excess = excess_of(usage, Limits(100, 20, 1))

    assert said in excess
    assert bool(said) is bool(excess)


def test_a_bot_may_take_its_share_for_ever_and_a_burst_at_once() -> None:
    allowance = Allowance(50, now_s=0.0)

    steady = [allowance.pause_s(0.5 * now, float(now)) for now in range(1, 100)]
    burst = allowance.pause_s(49.5 + 5.0, 100.0)

    assert not any(steady)
    assert burst == 0


def test_who_takes_more_than_its_share_is_stopped_until_it_is_paid_back_and_not_for_long_at_once() -> None:
    allowance = Allowance(50, now_s=0.0)

    slight = allowance.pause_s(5.0 + 0.25, 1.0)
    paid = allowance.pause_s(5.0 + 0.25, 1.5)
    great = allowance.pause_s(500.0, 2.0)

    assert slight == pytest.approx(0.5)
    assert paid == 0
    assert great == limits._PAUSE_S_MAX


def test_time_of_children_that_vanished_is_not_credited() -> None:
    allowance = Allowance(100, now_s=0.0)
    allowance.pause_s(4.0, 0.0)

    # A child that had used three seconds is gone; what its like use next counts in full.
    allowance.pause_s(1.0, 0.0)

    assert allowance.pause_s(3.0, 0.0) == pytest.approx(1.0)


async def test_a_bot_that_takes_all_processors_is_held_back_and_told_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_BURST_S", 0.05)
    # Measured in its own time, so that a machine that is busy with other things changes nothing.
    code = (
        "import os, time\nbegun = time.monotonic()\nother = os.fork()\n"
        "while time.process_time() < 1: pass\n"
        "if other: os.wait(); print('took', time.monotonic() - begun, flush=True); time.sleep(60)"
    )

    text = await run_for_a_while(limited(tmp_path, code, Limits(processor_percent=20)), "took ", 60)

    assert "held back: it takes more than 20 % of a processor" in text
    # Two seconds of processor time at 20 % are ten, less what is taken between two looks.
    assert float(text.split("took ")[1].split()[0]) > 5


async def test_a_bot_that_is_held_back_is_stopped_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_BURST_S", 0.0)
    code = "import os\nprint('pid', os.getpid(), flush=True)\nwhile True: pass"
    launched = limited(tmp_path, code, Limits(processor_percent=2))

    text = await run_for_a_while(launched, "pid ", 60)

    assert gone(int(text.split("pid ")[1].split()[0]))


def test_all_that_descends_from_a_bot_is_counted_and_nothing_else() -> None:
    script = "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '60'])\nsubprocess.run(['sleep', '60'])"
    with subprocess.Popen([sys.executable, "-c", script], start_new_session=True) as bot:
        while len(usage_of(bot.pid).processes) < 3:
            assert bot.poll() is None
        usage = usage_of(bot.pid)
        for process in usage.processes:
            os.kill(process, 9)

    assert os.getpid() not in usage.processes
    assert usage.threads >= 3
    assert usage.memory_bytes > 5_000_000


async def test_a_bot_that_uses_too_much_memory_is_ended_and_has_crashed(tmp_path: Path) -> None:
    presence = Presence()

    text = await run_for_a_while(limited(tmp_path, HOG, Limits(memory_mb=100), presence), "launched again")

    assert "ended by force: it used" in text
    assert "signal SIGKILL" in text
    assert presence.fault_of("bot") is Cause.CRASHED


async def test_a_bot_that_only_reserves_memory_is_left_alone(tmp_path: Path) -> None:
    code = f"{RESERVING}import time\ntime.sleep(1)\nprint('still here', flush=True)\ntime.sleep(60)"

    text = await run_for_a_while(limited(tmp_path, code, Limits(memory_mb=100)), "still here")

    assert "by force" not in text


async def test_a_bot_that_forks_too_much_is_ended_with_all_that_left_its_group(tmp_path: Path) -> None:
    launched = limited(tmp_path, FORKING, Limits(processes=30))
    seen: set[int] = set()
    running = asyncio.create_task(run_for_a_while(launched, "processes and threads"))
    while not running.done():
        if launched._process is not None:
            seen |= set(usage_of(launched._process.pid).processes)
        await asyncio.sleep(0.02)

    assert "by force" in await running
    assert len(seen) > 30
    assert all(gone(process) for process in seen)


async def test_a_bot_cannot_make_a_file_larger_than_it_may_store(tmp_path: Path) -> None:
    target = tmp_path / "large"
    code = f"with open({str(target)!r}, 'wb') as file:\n    for _ in range(40): file.write(bytes(1 << 20))\n"

    await run_for_a_while(limited(tmp_path, code, Limits(tmp_mb=2)), "File too large")

    assert target.stat().st_size <= 2 << 20


@pytest.mark.slow
async def test_a_bot_that_leaves_others_no_connections_is_ended(tmp_path: Path) -> None:
    text = await run_for_a_while(limited(tmp_path, HOARDING, Limits()), "ended by force")

    assert "sockets open, and 512 are allowed" in text


@pytest.mark.slow
async def test_files_that_are_no_sockets_are_not_counted_and_one_process_has_a_thousand_at_most(tmp_path: Path) -> None:
    code = (
        "import os, time\nheld = []\n"
        "try:\n    while True: held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "except OSError as error: print('held', len(held), error.strerror, flush=True)\n"
        "time.sleep(1)\nprint('still here', flush=True)\ntime.sleep(60)"
    )

    text = await run_for_a_while(limited(tmp_path, code, Limits()), "still here")

    held = int(text.split("held ")[1].split()[0])
    assert 900 < held < 1_024
    assert "ended" not in text


def test_the_service_may_have_as_many_connections_as_the_system_allows_it() -> None:
    script = (
        "import resource\nfrom cutpurse_server.loops import run_on_fast_loop\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 512))\n"
        "async def allowed(): return resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "print(run_on_fast_loop(allowed()))"
    )

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said == "(512, 512)\n"
