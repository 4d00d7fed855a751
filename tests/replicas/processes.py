"""Several `cutpurse serve` as processes on one database."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, free_port, until

__all__ = ["Replica", "three_replicas"]


_NO_LOG = 2
"""The exit code of a service that cannot have its log."""


class Replica:
    """`cutpurse serve` at one port, through any number of processes."""

    def __init__(self, marked: Marked, folder: Path, log: str, name: str) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self._marked = marked
        self._log = log
        self._folder = folder
        self._output = folder / f"replica-{name}.log"
        self.start()

    def start(self) -> None:
        """Start it, and do not wait."""
        self._printed_before = len(self.printed) if self._output.exists() else 0
        token_file = self._folder / "organiser-token"
        command = cutpurse("serve", "--listen", self.address, "--token-file", token_file)
        self.process: subprocess.Popen[bytes] = self._marked.start(command, self._output, CUTPURSE_LOG=self._log)

    @property
    def printed(self) -> str:
        """What all its processes printed."""
        return self._output.read_text()

    def until_it_serves(self) -> None:
        """Wait until it has said that it serves; if it found no database, it is started again as a supervisor does."""

        def serves() -> bool:
            if self.process.poll() == _NO_LOG:
                self.start()
            assert not self.has_ended(), self.printed
            return "cutpurse serves on" in self.printed[self._printed_before :]

        until(serves, "serving")

    def has_ended(self) -> bool:
        """Whether its process has ended."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """Kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Let it drain."""
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0, self.printed


def three_replicas(marked: Marked, folder: Path, log: str) -> tuple[Sequence[Replica], str]:
    """Three of them, all serving, and an organiser's token."""
    replicas = [Replica(marked, folder, log, "1")]
    replicas[0].until_it_serves()
    token = (folder / "organiser-token").read_text().strip()
    replicas += [Replica(marked, folder, log, name) for name in ("2", "3")]
    for replica in replicas:
        replica.until_it_serves()
    return replicas, token
