"""Bots as child processes that dial in like any other: launched, their output kept, taken up again when they end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from cutpurse_server.arena import leash
from cutpurse_server.arena.isolation import Means, Room
from cutpurse_server.arena.limits import Limits, can_be_watched, end_all, watch_usage
from cutpurse_server.arena.plan import BadPlan, Entry
from cutpurse_server.matches.presence import Presence
from cutpurse_server.printable import printable

__all__ = ["Child"]

_OUTPUT_BYTES_MAX = 8 * 1024 * 1024
_LINE_CHARACTERS_SHOWN = 400
_LAUNCHES_MAX = 8
_BACK_OFF_S = 0.5
_INHERITED = frozenset({"HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ"})
"""What a bot inherits of the environment. The rest may hold secrets of whoever runs the tournament."""
_INHERIT_TOO = "CUTPURSE_BOTS_INHERIT"
"""Names of more such variables, separated by commas; for whoever runs the tournament to set."""
_CALM_S = 60.0
"""A bot that ran so long before it ended is launched again as if for the first time."""
_GOODBYE_S = 3.0
_OPEN_ROOM = Room(Means("", "as was asked for"), Limits())


def _nobody_hears(_: str) -> None:
    """For bots whose endings are told otherwise."""


class Child:
    """One bot's process, and the ones that follow upon it."""

    def __init__(
        self,
        entry: Entry,
        environment: Mapping[str, str],
        output: Path,
        presence: Presence,
        room: Room = _OPEN_ROOM,
        hear: Callable[[str], None] = _nobody_hears,
        launches_max: int | None = None,
    ) -> None:
        """`hear` is told in words how it ended, and why it was ended or held back, as it happens.

        A bot that ended `launches_max` times (None: eight) is given up.
        """
        self.entry = entry
        self.launches = 0
        self.given_up = False
        """It ended too often and is not launched any more."""
        self._environment = {**_inherited(), "PYTHONUNBUFFERED": "1", **environment, **room.environment()}
        self._room = room
        self._output = output
        self._presence = presence
        self._hear = hear
        self._launches_max = _LAUNCHES_MAX if launches_max is None else launches_max
        self._written = 0
        self._process: asyncio.subprocess.Process | None = None

    async def keep_running(self) -> None:
        """Launch the bot, and again whenever it ends, with longer and longer pauses; until cancelled, or given up."""
        failures = 0
        self.given_up = False
        while True:
            begun = time.monotonic()
            self.launches += 1
            how = await self._run_once()
            self._presence.crashed(self.entry.name)
            failures = 1 if time.monotonic() - begun > _CALM_S else failures + 1
            if failures >= self._launches_max:
                self.given_up = True
                self._note(f"{how}, {failures} times now; it is not launched any more")
                return
            pause_s = _BACK_OFF_S * 2 ** (failures - 1)
            self._note(f"{how}; launched again in {pause_s:g} s")
            await asyncio.sleep(pause_s)

    async def stop(self) -> None:
        """Ask it to end, then make it and its own children."""
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            _signal_group(process.pid, signal.SIGTERM)
            # One that is held back hears nothing.
            _signal_group(process.pid, signal.SIGCONT)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GOODBYE_S):
                    await process.wait()
        # Its children may live on when it has ended.
        _signal_group(process.pid, signal.SIGKILL)
        await process.wait()
        # Nobody reads its output any more, and a pipe that is not read to its end is never closed.
        assert process.stdout is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_S):
                while await process.stdout.read(65_536):
                    pass

    def last_words(self, lines: int) -> list[str]:
        """The last lines that it printed, as they may be shown on a terminal."""
        if not self._output.exists():
            return []
        printed = self._output.read_text(errors="replace").splitlines()
        return [printable(line.expandtabs()[:_LINE_CHARACTERS_SHOWN]) for line in printed[-lines:]]

    async def _run_once(self) -> str:
        """Launch it and wait until it has ended; how it did, or why it did not begin, in words."""
        launching = asyncio.create_task(self._launch())
        try:
            process = await asyncio.shield(launching)
        except asyncio.CancelledError:
            # Cut off here, asyncio would kill the first process alone, and what that had begun would live on.
            await launching
            raise
        except (OSError, BadPlan) as problem:
            # The machine has no room for another process, or the program is being built anew: that passes.
            return f"could not be launched ({problem})"
        assert process.stdout is not None
        # Also of a bot that prints nothing there is a file, so that nobody looks for it in vain.
        self._keep(b"")
        watch = asyncio.create_task(self._watch(process.pid))
        try:
            await self._read(process.stdout)
            code = await process.wait()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            if process.stdin is not None:
                process.stdin.close()
        return f"ended with signal {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    async def _launch(self) -> asyncio.subprocess.Process:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-S",
            "-E",
            leash.__file__,
            str(os.getpid()),
            str(self._room.limits.tmp_mb << 20),
            *self._room.command(self.entry.command()),
            stdin=asyncio.subprocess.PIPE if self._room.has_lifeline else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,
        )
        return self._process

    async def _read(self, output: asyncio.StreamReader) -> None:
        """Read all that it prints, and keep the first of it."""
        while piece := await output.read(65_536):
            room = _OUTPUT_BYTES_MAX - self._written
            self._written += len(piece)
            if room > 0:
                self._keep(piece[:room])
                if len(piece) >= room:
                    self._keep(b"\n[cutpurse] the rest of the output is not kept\n")

    async def _watch(self, process: int) -> None:
        """End it when it uses more than it may."""
        if not can_be_watched():
            return
        excess = await watch_usage(process, self._room.limits, self._note)
        self._note(f"ended by force: {excess}")
        if self._room.means.bwrap:
            # All of them end with the first.
            _signal_group(process, signal.SIGKILL)
        else:
            ending = asyncio.create_task(asyncio.to_thread(end_all, process))
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                # Whoever ends it meanwhile would end the first of its processes, and lose the others.
                await ending
                raise

    def _note(self, text: str) -> None:
        self._keep(f"[cutpurse] {text}\n".encode())
        self._hear(text)

    def _keep(self, output: bytes) -> None:
        """Add to what is kept. On a full disk it is lost: the bot must be read and launched again all the same."""
        with contextlib.suppress(OSError), self._output.open("ab", buffering=0) as file:
            file.write(output)


def _inherited() -> dict[str, str]:
    """The part of our environment that bots get."""
    more = {name.strip() for name in os.environ.get(_INHERIT_TOO, "").split(",")}
    # Of ours they get their own, and not those that their organiser has set for itself.
    names = {name for name in _INHERITED | more if not name.startswith("CUTPURSE_")}
    return {name: value for name, value in os.environ.items() if name in names}


def _signal_group(group: int, number: int) -> None:
    """Signal a process and its children; nothing happens if they are gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
