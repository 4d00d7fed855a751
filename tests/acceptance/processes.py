"""The command as people run it: processes of their own, killed and counted from outside."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.repository.tree import ROOT

__all__ = ["PATIENCE_S", "Marked", "cutpurse", "free_port", "house_bots", "program", "until"]

PATIENCE_S = 30.0
"""How long anything may take before a test gives up; far more than is ever needed."""

PROCESSES = Path("/proc")
# Not CUTPURSE_…: variables of that name are kept from bots.
_MARK = "MARK_OF_AN_ACCEPTANCE_TEST"


def cutpurse(*arguments: object) -> list[str]:
    """The command line of `cutpurse`."""
    return [sys.executable, "-m", "cutpurse_server", *(str(each) for each in arguments)]


def house_bots(*bots: str) -> list[str]:
    """The options that name bots."""
    return [word for bot in bots for word in ("--bot", bot)]


def program(*words: str | Path) -> str:
    """A Python program as `NAME=COMMAND` takes it."""
    return shlex.join([sys.executable, *(str(word) for word in words)])


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as lot:
        lot.bind(("127.0.0.1", 0))
        port: int = lot.getsockname()[1]
    return port


def until(holds: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    give_up_at = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < give_up_at, f"not within {patience_s:g} s: {what}"
        time.sleep(0.01)


class Marked:
    """Processes that bear a mark in their environment, and hand it on to whatever they start: none is overlooked."""

    def __init__(self) -> None:
        self._mark = uuid.uuid4().hex
        self._started: list[subprocess.Popen[bytes]] = []
        # What is imported here is imported there: a tree may be tested that is not the one that is installed.
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        # Bots inherit little, but the mark.
        inherit = {"CUTPURSE_BOTS_INHERIT": f"{_MARK},PYTHONPATH"}
        self.environment = {**os.environ, **inherit, _MARK: self._mark, "PYTHONPATH": path}

    def start(self, command: Sequence[str], output: Path | None = None, **environment: str) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own; what it prints is added to a file, or read from `stdout`."""
        file = subprocess.PIPE if output is None else os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            started = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment | environment,
                start_new_session=True,
            )
            self._started.append(started)
            return started
        finally:
            if output is not None:
                os.close(file)

    def run(self, command: Sequence[str], timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a process to its end."""
        return subprocess.run(
            command, capture_output=True, text=True, env=self.environment, timeout=timeout_s, check=False
        )

    def alive(self) -> dict[int, str]:
        """All marked processes that have not ended: process id → command line. Only Linux tells; elsewhere none."""
        found = {}
        for entry in PROCESSES.iterdir() if PROCESSES.is_dir() else ():
            if not entry.name.isdigit():
                continue
            try:
                if f"{_MARK}={self._mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                # It has ended meanwhile, or is somebody else's.
                continue
        return found

    def kill_all(self) -> None:
        """Leave nothing behind."""
        for process in self.alive():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        # Those that a failed test did not wait for would be complained of in the next one.
        for started in self._started:
            started.kill()
            started.wait(PATIENCE_S)
            if started.stdout is not None:
                started.stdout.close()
