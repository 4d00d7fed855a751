"""Bots as child processes: launched, their output kept, launched again, and never left behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cutpurse_server.arena import children
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.plan import Entry
from cutpurse_server.matches.events import Cause
from cutpurse_server.matches.presence import Presence

LEASH_PARENT = """
import subprocess, sys, time
from cutpurse_server.arena import leash
import os
child = subprocess.Popen([sys.executable, leash.__file__, str(os.getpid()), "1000000", "sleep", "60"])
print(child.pid, flush=True)
time.sleep(60)
"""


def child(tmp_path: Path, code: str, presence: Presence | None = None, heard: list[str] | None = None) -> Child:
    script = tmp_path / "bot.py"
    script.write_text(code)
    entry = Entry("bot", f"{sys.executable} {script}", "owner")
    said = [] if heard is None else heard
    return Child(entry, {"CUTPURSE_TOKEN": "t"}, tmp_path / "bot.log", presence or Presence(), hear=said.append)


async def run_for_a_while(launched: Child, until: str, within_s: float = 20.0) -> str:
    """Keep the child running until its output holds a text."""
    running = asyncio.create_task(launched.keep_running())
    try:
        async with asyncio.timeout(within_s):
            # A file cannot be awaited.
            while until not in (text := read(launched)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return text
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await launched.stop()


def read(launched: Child) -> str:
    path = launched._output
    return path.read_text(errors="replace") if path.exists() else ""


async def test_a_bot_gets_its_environment_and_its_output_is_kept(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\nprint('token', os.environ['CUTPURSE_TOKEN'])\n"
        "sys.stderr.write('oops\\n')\ntime.sleep(60)"
    )

    text = await run_for_a_while(child(tmp_path, code), "oops")

    assert "token t" in text


async def test_of_the_environment_a_bot_inherits_what_programs_need_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of whoever runs it")
    monkeypatch.setenv("CUTPURSE_CA", "the organiser's")
    monkeypatch.setenv("JAVA_HOME", "/opt/java")
    monkeypatch.setenv("CUTPURSE_BOTS_INHERIT", "JAVA_HOME, CUTPURSE_CA")
    code = "import os, time\nprint('has', *sorted(os.environ), 'end', flush=True)\ntime.sleep(60)"

    text = await run_for_a_while(child(tmp_path, code), " end")

    has = set(text.split())
    assert {"PATH", "JAVA_HOME", "CUTPURSE_TOKEN"} <= has
    assert not has & {"AWS_SECRET_ACCESS_KEY", "CUTPURSE_CA", "CUTPURSE_BOTS_INHERIT"}
    assert has - {"has", "end"} <= children._INHERITED | {"JAVA_HOME", "CUTPURSE_TOKEN", "PYTHONUNBUFFERED"}


async def test_a_bot_that_ends_is_noted_as_crashed_and_launched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_BACK_OFF_S", 0.01)
    presence = Presence()
    heard: list[str] = []
    launched = child(tmp_path, "raise SystemExit(7)", presence, heard)

    text = await run_for_a_while(launched, "launched again")

    assert "exit code 7" in text
    assert heard[0] == "ended with exit code 7; launched again in 0.01 s"
    assert presence.fault_of("bot") is Cause.CRASHED


async def test_a_bot_that_ends_again_and_again_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_BACK_OFF_S", 0.001)
    monkeypatch.setattr(children, "_LAUNCHES_MAX", 3)
    launched = child(tmp_path, "raise SystemExit(7)")

    await run_for_a_while(launched, "not launched any more")

    assert launched.given_up
    assert launched.launches == 3


async def test_a_bot_whose_program_is_away_for_a_moment_is_launched_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_BACK_OFF_S", 0.1)
    launched = child(tmp_path, "")
    program = tmp_path / "program"
    launched.entry = replace(launched.entry, run=str(program))
    running = asyncio.create_task(run_for_a_while(launched, "here I am"))
    async with asyncio.timeout(20):
        while "could not be launched (bot bot: run: there is no program" not in read(launched):  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    program.touch(0o755)
    program.write_text("#!/bin/sh\necho here I am\nsleep 60\n")

    await running


async def test_what_a_bot_printed_last_steers_no_terminal_and_fills_none(tmp_path: Path) -> None:
    code = (
        "import time\nprint('first')\nprint('\\x1b[2Jcleared\\u202e\\tby ' + 'x' * 1000)\n"
        "print('last', flush=True)\ntime.sleep(60)"
    )
    launched = child(tmp_path, code)

    await run_for_a_while(launched, "last")

    cleared, last = launched.last_words(2)
    assert cleared.startswith("\\x1b[2Jcleared\\u202e")
    assert (" by x" in cleared, len(cleared) < 500, last) == (True, True, "last")
    (tmp_path / "bot.log").unlink()
    assert launched.last_words(2) == []


async def test_output_without_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_OUTPUT_BYTES_MAX", 10_000)
    code = "import sys, time\nfor _ in range(1000): sys.stdout.write('x' * 1000)\nsys.stdout.flush()\ntime.sleep(60)"

    text = await run_for_a_while(child(tmp_path, code), "not kept")

    assert len(text) < 11_000


async def test_a_bot_that_does_not_listen_is_stopped_with_its_own_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_GOODBYE_S", 0.2)
    code = (
        "import signal, subprocess, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "other = subprocess.Popen(['sleep', '60'])\nprint('pid', other.pid, flush=True)\ntime.sleep(60)"
    )
    text = await run_for_a_while(child(tmp_path, code), "pid ")

    grandchild = int(text.split("pid ")[1].split()[0])
    assert gone(grandchild)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_a_bot_does_not_outlive_a_parent_that_was_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", LEASH_PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())

    parent.kill()
    parent.wait()
    parent.stdout.close()

    assert gone(pid)


def gone(pid: int) -> bool:
    """Whether a process is no more, within some seconds; a zombie that nobody waits for counts as gone."""
    for _ in range(250):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    os.kill(pid, 9)
    return False
