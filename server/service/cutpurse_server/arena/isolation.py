"""Bots kept from each other, from the tournament's folder, from the network and from their organiser's files.

bubblewrap (`bwrap`) starts the bot in namespaces of its own. It sees the system's programs, its own program and the
working directory, all of them read-only, and the service's socket; it writes to a small /tmp alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cutpurse_server.arena import doorstep
from cutpurse_server.arena.limits import Limits, can_be_watched
from cutpurse_server.arena.plan import BadPlan

__all__ = ["Isolation", "Means", "Room", "means_of_isolation"]

_NAMESPACES = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    # Without capabilities and without namespaces of its own a bot cannot mount anything away.
    *("--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--hostname", "bot"),
)
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
# What programs need of /etc to start; the rest may hold secrets.
_SETTINGS = (
    *("alternatives", "ca-certificates", "fonts", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime"),
    *("nsswitch.conf", "passwd", "timezone"),
    # Of these folders only what is public: private keys lie beside it.
    *("pki/ca-trust", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf"),
)
# Its source and not its file, which the room does not show.
_AT_THE_DOOR = (sys.executable, "-S", "-E", "-c", Path(doorstep.__file__).read_text(encoding="utf-8"))
_SHARED_MEMORY_BYTES = 16 << 20
_SOCKET = "/run/cutpurse/arena"
_HOME = "/tmp"
_PATIENCE_S = 10.0
# Files that a service's organiser may have left in the directory that the bots run in.
_SECRETS = ("*.organiser-token", "*.sqlite", "*.sqlite-wal")


class Isolation(StrEnum):
    """Whether bots that are launched here are isolated."""

    AUTO = "auto"
    """Where it can be done."""
    NONE = "none"
    REQUIRED = "required"
    """It is an error where it cannot be done."""


@dataclass(frozen=True, slots=True)
class Means:
    """How bots are isolated on this machine."""

    bwrap: str
    """The program; empty: they are not isolated."""
    why_not: str
    """Why they are not."""

    def described(self, limits: Limits) -> str:
        """One line about what is active, for people."""
        watched = (
            f"watched: {limits.memory_mb} MB of memory, {limits.processes} processes and threads, "
            f"{limits.processor_percent} % of a processor"
        )
        if not can_be_watched():
            watched = "memory, processes and processor time are not watched on this system"
        if not self.bwrap:
            return f"isolation: none ({self.why_not}); {watched}"
        return f"isolation: bwrap, no network, all read-only but {limits.tmp_mb} MB of /tmp; {watched}"


def means_of_isolation(wanted: Isolation) -> Means:
    """Find out what this machine can do, by trying. Raises `BadPlan` if isolation is required and there is none."""
    if wanted is Isolation.NONE:
        return Means("", "as was asked for")
    program = shutil.which("bwrap")
    why_not = "bwrap is not there; install bubblewrap" if program is None else _trouble_with(program)
    if why_not and wanted is Isolation.REQUIRED:
        raise BadPlan(f"--isolation required: {why_not}")
    return Means("" if why_not or program is None else program, why_not)


def _trouble_with(program: str) -> str:
    """Why bwrap cannot be used here; empty if it can."""
    command = [program, *_NAMESPACES, *_system(Limits().tmp_mb), "--remount-ro", "/", "--", "/bin/sh", "-c", ":"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work here: {error}"
    said = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
    return f"bwrap does not work here: {said[0]}" if tried.returncode else ""


@dataclass(frozen=True, slots=True)
class Room:
    """What one bot finds around itself."""

    means: Means
    limits: Limits
    hidden: tuple[Path, ...] = ()
    """Folders that it must not see, wherever they lie."""
    socket: Path | None = None
    """The service's, for a bot that has no network."""

    def environment(self) -> Mapping[str, str]:
        """What the bot's environment says otherwise inside."""
        if not self.means.bwrap:
            return {}
        inside = {"HOME": _HOME, "TMPDIR": _HOME}
        return inside if self.socket is None else {**inside, "CUTPURSE_ADDRESS": f"unix:{_SOCKET}"}

    @property
    def has_lifeline(self) -> bool:
        """Whether the command's input is to be a pipe of the launcher's, and a sign of its life."""
        return bool(self.means.bwrap)

    def command(self, words: Sequence[str]) -> list[str]:
        """The command line that runs a command in this room."""
        if not self.means.bwrap:
            return list(words)
        here = Path.cwd().resolve()
        hidden = {folder.resolve() for folder in self.hidden}
        wanted = {*_needed(words), *([] if _is_too_wide(here) else [here])}
        shown = sorted(path for path in wanted if not any(path.is_relative_to(folder) for folder in hidden))
        line = [self.means.bwrap, *_NAMESPACES, *_system(self.limits.tmp_mb)]
        for path in shown:
            line += ["--ro-bind", str(path), str(path)]
        for path in shown:
            # Also what other tournaments and services have left there.
            hidden |= {found.parent.resolve() for found in path.glob("*/bots.secret")}
            for found in (found for pattern in _SECRETS for found in path.glob(pattern)):
                line += ["--ro-bind", "/dev/null", str(found)]
        for folder in sorted(hidden):
            if any(folder.is_relative_to(path) for path in shown):
                line += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
        if self.socket is not None:
            line += ["--bind", str(self.socket), _SOCKET]
        # The kernel heeds this for everybody but root, whose processes are only watched.
        program = shutil.which("prlimit")
        bound = [] if program is None else [program, f"--nproc={self.limits.processes}"]
        # The working directory is there even if it is not shown.
        line += ["--dir", str(here), "--remount-ro", "/", "--chdir", str(here)]
        return [*line, "--", *_AT_THE_DOOR, *bound, words[0], *(_as_seen(word, shown) for word in words[1:])]


def _system(tmp_mb: int) -> Iterator[str]:
    """A root of its own with the system's programs in it."""
    yield from ("--size", str(tmp_mb << 20), "--tmpfs", _HOME)
    # A bot of root's has no capabilities, and yet may write what lies in /proc/sys, which is the whole machine's.
    yield from ("--proc", "/proc", "--remount-ro", "/proc")
    # What is written to /dev would be memory that nobody counts.
    yield from ("--dev", "/dev", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")
    yield from ("--remount-ro", "/dev")
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), name)
        elif path.exists():
            yield from ("--ro-bind", name, name)
    for name in _SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    # Debian's Java does not start without its settings, which lie there; those of its remote management hold passwords.
    for settings in sorted(Path("/etc").glob("java-*")):
        yield from ("--ro-bind", str(settings), str(settings))
        if (settings / "management").is_dir():
            yield from ("--tmpfs", str(settings / "management"), "--remount-ro", str(settings / "management"))


def _needed(words: Sequence[str]) -> Iterator[Path]:
    """What a command needs to see: its program with its installation, Python's packages, and files that it names."""
    program = shutil.which(words[0])
    programs = [Path(sys.executable)] if program is None else [Path(sys.executable), Path(program)]
    for each in programs:
        for place in (each.absolute(), each.resolve()):
            yield from _installation(place)
    for entry in (sys.prefix, sys.base_prefix, *filter(None, sys.path)):
        path = Path(entry).resolve()
        if path.exists() and not _is_too_wide(path):
            yield path
    for word in words[1:]:
        # Any word might name a file; one that cannot be a name does not.
        with suppress(OSError, ValueError):
            path = Path(word).resolve()
            if path.is_file():
                yield path if _is_too_wide(path.parent) else path.parent


def _as_seen(word: str, shown: Sequence[Path]) -> str:
    """A word of a command; if it names a file by way of a link that is not shown, then by where the file lies."""
    with suppress(OSError, ValueError):
        way = Path(os.path.abspath(word))
        if way.is_file() and not any(way.is_relative_to(folder) for folder in shown):
            return str(way.resolve())
    return word


def _installation(program: Path) -> Iterator[Path]:
    """The folder that a program is installed in, as far as it can be told: with its libraries, if it has any."""
    folder = program.parent
    with_libraries = folder.name in ("bin", "shims") and any(
        (folder.parent / each).exists() for each in ("lib", "libexec", "pyvenv.cfg")
    )
    for each in ([folder.parent] if with_libraries else []) + [folder, program]:
        if not _is_too_wide(each):
            yield each
            return


def _is_too_wide(path: Path) -> bool:
    """Whether a folder holds more than a bot may see: all of somebody's home, of /tmp, of the system."""
    home = Path.home().resolve()
    wide = (home, home / ".local" / "share", Path(tempfile.gettempdir()).resolve(), Path("/etc"), Path("/run"))
    return path == Path("/home") or any(each.is_relative_to(path) for each in (*wide, Path("/var/lib")))
