"""The bot's process: launched as tournaments launch bots, its output kept, ended with all that it began."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence

from cutpurse_server.arena import leash

__all__ = ["Program"]

_OUTPUT_BYTES_MAX = 64 * 1024
_FILE_BYTES_MAX = 1 << 30
_SHOWN_LINES = 12
_LAST_WORDS_S = 2.0


class Program:
    """One process of the bot."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._output = bytearray()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def launch(cls, command: Sequence[str], environment: Mapping[str, str]) -> Program:
        """Begin; the bot gets its own credentials and none that are set for somebody else."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CUTPURSE_")}
        leashed = (sys.executable, "-S", "-E", leash.__file__, str(os.getpid()), str(_FILE_BYTES_MAX))
        launching = asyncio.create_task(
            asyncio.create_subprocess_exec(
                *leashed,
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**inherited, "PYTHONUNBUFFERED": "1", **environment},
                start_new_session=True,
            )
        )
        try:
            return cls(await asyncio.shield(launching))
        except asyncio.CancelledError:
            # Cut off here, what the process had begun would live on.
            await cls(await launching).end()
            raise

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        assert self.code is not None, "it has ended"
        return f"signal {signal.Signals(-self.code).name}" if self.code < 0 else f"exit code {self.code}"

    @property
    def output(self) -> str:
        """The last lines that it printed."""
        lines = bytes(self._output).decode(errors="replace").splitlines()[-_SHOWN_LINES:]
        return "\n".join(line[:400] for line in lines)

    def terminate(self) -> None:
        """Ask it to end, as tournaments do: all its processes get SIGTERM."""
        self._signal(signal.SIGTERM)

    async def end(self) -> None:
        """End it by force, with whatever it has begun."""
        self._signal(signal.SIGKILL)
        await self._process.wait()
        # What has left its process group may hold the pipe open.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._reading, _LAST_WORDS_S)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while piece := await self._process.stdout.read(65_536):
            self._output += piece
            del self._output[:-_OUTPUT_BYTES_MAX]
