"""Projects as `cutpurse bot new` makes them, built and asked as their authors would."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cutpurse_server.bot_projects import LANGUAGES

__all__ = ["Project", "cutpurse", "succeeded"]

SECONDS = 800
"""How long a step may take: the first build of a language fetches what it needs."""


def succeeded(*command: str, folder: Path) -> str:
    """Run a command that must succeed; what it printed, errors included."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout[-6_000:]}"
    return done.stdout


def cutpurse(*arguments: str, folder: Path) -> str:
    """Run `cutpurse` with success; what it printed."""
    return succeeded(sys.executable, "-m", "cutpurse_server", *arguments, folder=folder)


@dataclass(frozen=True)
class Project:
    """A project of `cutpurse bot new`."""

    folder: Path

    @classmethod
    def new(cls, language: str, game: str, folder: Path) -> Project:
        """Make one. Fails where a tool is missing that the language needs."""
        assert LANGUAGES[language].missing_tools() == []
        cutpurse("bot", "new", "--language", language, "--game", game, str(folder), folder=folder.parent)
        return cls(folder)

    def make(self, target: str) -> str:
        """Make a target; what was printed."""
        return succeeded("make", "--no-print-directory", target, folder=self.folder)

    @property
    def command(self) -> str:
        """How the bot is run."""
        asked = ("--silent", "--no-print-directory", "--eval", "asked: ; @printf %s '$(RUN)'", "asked")
        return succeeded("make", *asked, folder=self.folder)
