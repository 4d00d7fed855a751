"""Isolated bots: what a hostile one tries, and what comes of it. Each is shown to succeed where nothing isolates it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cutpurse_server.arena import leash
from cutpurse_server.arena.children import Child
from cutpurse_server.arena.isolation import Isolation, Means, Room, means_of_isolation
from cutpurse_server.arena.limits import Limits, usage_of
from cutpurse_server.arena.plan import BadPlan, Entry
from cutpurse_server.matches.presence import Presence
from tests.acceptance.processes import Marked, cutpurse, house_bots
from tests.server.arena.test_children import gone, run_for_a_while

NOT_ISOLATED = Means("", "as was asked for")
END = "\nprint('done', flush=True)\nimport time\ntime.sleep(60)\n"

HAS_CERTIFICATES = Path("/etc/ssl/certs").is_dir()
SECRETS = ("log.sqlite", "organiser.token", "bots.secret", "bots/other.log")


@pytest.fixture
def means() -> Means:
    """What isolates here; CI brings it, so there it is never missing."""
    found = means_of_isolation(Isolation.AUTO)
    if not found.bwrap and not os.environ.get("CI"):
        pytest.skip(found.why_not)
    assert found.bwrap, found.why_not
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament's folder that lies beside the bot's program, as it does for people who run one at home."""
    folder = tmp_path / "cup"
    (folder / "bots").mkdir(parents=True)
    for name in SECRETS:
        (folder / name).write_text("secret")
    return folder


def bot(tmp_path: Path, code: str, room: Room) -> Child:
    (tmp_path / "bot.py").write_text(code + END)
    entry = Entry("bot", f"{sys.executable} {tmp_path / 'bot.py'}", "owner")
    return Child(entry, {}, tmp_path / "printed.log", Presence(), room)


def both(means: Means) -> Iterator[tuple[Means, bool]]:
    """With isolation and without it: what the second shows is that the attempt is a real one."""
    yield means, True
    yield NOT_ISOLATED, False


@pytest.mark.slow
async def test_a_bot_reads_neither_log_nor_token_nor_what_another_printed(
    means: Means, tmp_path: Path, folder: Path
) -> None:
    paths = [str(folder / name) for name in SECRETS]
    code = (
        f"for path in {paths}:\n    try: print(open(path).read())\n"
        "    except OSError as error: print(type(error).__name__)"
    )
    for each, isolated in both(means):
        text = await run_for_a_while(bot(tmp_path, code, Room(each, Limits(), (folder,))), "done")

        assert text.count("FileNotFoundError" if isolated else "secret") == len(paths) == 4
        (tmp_path / "printed.log").unlink()


@pytest.mark.slow
async def test_a_bot_does_not_see_its_organisers_home_nor_other_events(
    means: Means, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "bots" / "earlier").mkdir(parents=True)
    (home / "bots" / "earlier" / "bots.secret").write_text("secret")
    (home / "bots" / "service.organiser-token").write_text("secret")
    (home / "diary").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    code = (
        "for path in ('diary', 'bots/earlier/bots.secret', 'bots/service.organiser-token'):\n"
        f"    try: print('[' + open({str(home)!r} + '/' + path).read() + ']')\n"
        "    except OSError as error: print('[]')\n"
    )
    for working_directory in (home, home / "bots"):
        monkeypatch.chdir(working_directory)
        for each, isolated in both(means):
            text = await run_for_a_while(bot(home / "bots", code, Room(each, Limits())), "done")

            assert text.count("[]" if isolated else "[secret]") == 3, text
            (home / "bots" / "printed.log").unlink()


@pytest.mark.slow
async def test_a_bot_that_is_named_by_way_of_a_link_is_found(
    means: Means, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bots", "links", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "links" / "mine").symlink_to(tmp_path / "bots")
    monkeypatch.chdir(tmp_path / "elsewhere")
    launched = bot(tmp_path / "bots", "print('found')", Room(means, Limits()))
    launched.entry = replace(launched.entry, run=f"{sys.executable} ../links/mine/bot.py")

    await run_for_a_while(launched, "found")


@pytest.mark.slow
async def test_a_bot_sees_certificates_but_neither_private_keys_nor_passwords_of_java(
    means: Means, tmp_path: Path
) -> None:
    code = (
        "import glob, os\n"
        "print('certificates', os.path.isdir('/etc/ssl/certs'))\n"
        "patterns = ('/etc/ssl/private', '/etc/pki/*/private', '/etc/java-*/management/*')\n"
        "print('hidden', [place for pattern in patterns for place in glob.glob(pattern)])\n"
    )

    text = await run_for_a_while(bot(tmp_path, code, Room(means, Limits())), "hidden")

    assert f"certificates {HAS_CERTIFICATES}" in text
    assert "hidden []" in text


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["alive", "gone"])
def test_a_bot_does_not_begin_whose_launcher_is_gone_though_its_room_was_too_young_to_hear_of_it(
    means: Means, launcher: str
) -> None:
    read, write = os.pipe()
    if launcher == "gone":
        os.close(write)
    code = "import sys; print('begun', repr(sys.stdin.read()))"
    command = Room(means, Limits()).command([sys.executable, "-c", code])

    begun = subprocess.run(command, stdin=read, capture_output=True, text=True, check=False, timeout=60)

    os.close(read)
    if launcher == "alive":
        os.close(write)
    assert begun.stderr == ""
    # What it is launched with is no input of the bot's own.
    assert begun.stdout == ("begun ''\n" if launcher == "alive" else "")


@pytest.mark.slow
async def test_a_bot_reaches_no_network(means: Means, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as service:
        code = (
            "import socket\ntry:\n"
            f"    socket.create_connection(('127.0.0.1', {service.getsockname()[1]}), 5)\n    print('reached')\n"
            "except OSError as error:\n    print('refused')"
        )
        for each, isolated in both(means):
            text = await run_for_a_while(bot(tmp_path, code, Room(each, Limits())), "done")

            assert ("refused" if isolated else "reached") in text
            (tmp_path / "printed.log").unlink()


@pytest.mark.slow
async def test_a_bot_writes_to_its_own_small_tmp_alone_and_it_is_empty_the_next_time(
    means: Means, tmp_path: Path
) -> None:
    code = (
        "import os\n"
        "print('home', os.listdir(os.environ['HOME']))\n"
        f"for place in ({str(tmp_path)!r}, os.getcwd(), '/', '/dev', '/etc', '/usr', '/run', '/proc/sys/kernel'):\n"
        "    try: open(place + '/left-behind', 'w').close(); print('WRITTEN', place)\n"
        "    except OSError: pass\n"
        "for place in ('/tmp', '/dev/shm'):\n"
        "    stored = 0\n"
        "    try:\n"
        "        for number in range(100):\n"
        "            with open(f'{place}/{number}', 'wb', buffering=0) as file: stored += file.write(bytes(1 << 20))\n"
        "    except OSError as error: print(place, stored, error.strerror, flush=True)\n"
    )
    launched = bot(tmp_path, code, Room(means, Limits(tmp_mb=20)))

    text = await run_for_a_while(launched, "done")
    assert "WRITTEN" not in text
    for place in ("/tmp", "/dev/shm"):
        (stored,) = (line.split()[1] for line in text.splitlines() if line.startswith(f"{place} "))
        assert 10_000_000 < int(stored) <= 20 << 20
    first = next(line for line in text.splitlines() if line.startswith("home"))
    assert ".log" not in first

    (tmp_path / "printed.log").unlink()
    again = await run_for_a_while(launched, "done")
    assert first in again.splitlines()


@pytest.mark.slow
async def test_a_bot_changes_no_setting_of_the_machine_and_finds_no_further_place_to_store_things(
    means: Means, tmp_path: Path
) -> None:
    # Opening says whether it could be written; a name or a swappiness of the machine's is not changed by that.
    code = (
        "import os\n"
        "for path in ('/proc/sys/kernel/core_pattern', '/proc/sys/vm/swappiness', '/proc/self/oom_score_adj'):\n"
        "    try: os.close(os.open(path, os.O_WRONLY)); print('OPEN', path)\n"
        "    except OSError as error: print('closed', error.strerror)\n"
        "for line in open('/proc/self/mounts'):\n"
        "    _, place, kind, how, *_ = line.split()\n"
        "    storing = how.startswith('rw') and kind != 'devpts' and os.path.isdir(place)\n"
        "    if storing: print('STORES', place)\n"
    )
    for each, isolated in both(means):
        text = await run_for_a_while(bot(tmp_path, code, Room(each, Limits())), "done")

        assert text.count("OPEN") == (0 if isolated else 3 if os.geteuid() == 0 else 1), text
        if isolated:
            stores = {line.split()[1] for line in text.splitlines() if line.startswith("STORES")}
            assert stores == {"/tmp", "/dev/shm"}
        (tmp_path / "printed.log").unlink()


@pytest.mark.slow
async def test_a_bot_makes_no_memory_that_belongs_to_no_process(means: Means, tmp_path: Path) -> None:
    code = (
        "import ctypes, os\n"
        "system = ctypes.CDLL(None, use_errno=True)\n"
        "private, create = 0, 0o1600\n"
        "segment = system.shmget(private, 4096, create)\n"
        "print('segment', 'MADE' if segment >= 0 else os.strerror(ctypes.get_errno()))\n"
        "if segment >= 0: system.shmctl(segment, 0, None)\n"
        "queue = system.msgget(private, create)\n"
        "print('queue', 'MADE' if queue >= 0 else os.strerror(ctypes.get_errno()))\n"
        "if queue >= 0: system.msgctl(queue, 0, None)\n"
        "try: print('file', 'MADE' if os.memfd_create('uncounted') else '')\n"
        "except OSError as error: print('file', error.strerror)\n"
        # Processes and their threads go on as ever.
        "import threading\n"
        "thread = threading.Thread(target=lambda: print('child', os.waitpid(os.fork() or os._exit(0), 0)[1]))\n"
        "thread.start(); thread.join()\n"
    )
    for each, isolated in both(means):
        text = await run_for_a_while(bot(tmp_path, code, Room(each, Limits())), "done")

        said = "Function not implemented" if isolated else "MADE"
        assert text.splitlines()[:4] == [f"segment {said}", f"queue {said}", f"file {said}", "child 0"]
        (tmp_path / "printed.log").unlink()


@pytest.mark.slow
async def test_a_bot_neither_sees_nor_harms_other_processes(means: Means, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as victim:  # noqa: ASYNC220
        code = (
            f"import os\ntry:\n    os.kill({victim.pid}, 9)\nexcept OSError: print('spared')\n"
            "print('sees', len([each for each in os.listdir('/proc') if each.isdecimal()]))"
        )
        text = await run_for_a_while(bot(tmp_path, code, Room(means, Limits())), "done")

        assert victim.poll() is None
        victim.kill()
    assert "spared" in text
    # Itself, and the first process of its namespace.
    assert "sees 2" in text


@pytest.mark.slow
async def test_an_isolated_bot_that_forks_or_takes_memory_ends_as_a_whole(means: Means, tmp_path: Path) -> None:
    # Their number doubles ten times a second.
    forking = "import os, time\nwhile True:\n    os.fork()\n    time.sleep(0.1)\n"
    hungry = "import os, time\nif os.fork():\n    held = b'x' * 200_000_000\ntime.sleep(60)"
    for code, said in ((forking, "processes and threads"), (hungry, "MB of memory")):
        launched = bot(tmp_path, code, Room(means, Limits(memory_mb=150 if code == hungry else 100_000, processes=60)))

        text = await run_for_a_while(launched, "launched again")

        assert said in text
        assert launched._process is not None
        assert usage_of(launched._process.pid).processes == ()
        (tmp_path / "printed.log").unlink()


@pytest.mark.slow
async def test_an_isolated_bot_that_hangs_on_is_stopped_with_what_left_its_session(
    means: Means, tmp_path: Path
) -> None:
    code = (
        "import signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "subprocess.Popen(['setsid', 'sleep', '60'])"
    )
    launched = bot(tmp_path, code, Room(means, Limits()))
    seen: list[int] = []
    stop = launched.stop

    async def stop_and_tell() -> None:
        assert launched._process is not None
        seen.extend(usage_of(launched._process.pid).processes)
        await stop()

    launched.stop = stop_and_tell  # type: ignore[method-assign]
    await run_for_a_while(launched, "done")

    assert len(seen) >= 3
    assert all(gone(process) for process in seen)


@pytest.mark.slow
def test_nothing_isolated_outlives_a_parent_that_was_killed(means: Means) -> None:
    command = Room(means, Limits()).command(["sh", "-c", "setsid sleep 60 & sleep 60"])
    script = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, {leash.__file__!r}, str(os.getpid()), '1000000', *{command!r}])\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        give_up_at = time.monotonic() + 20
        # This parent, two of bubblewrap, the shell and its two.
        while len(seen := usage_of(parent.pid).processes) < 6:
            assert time.monotonic() < give_up_at, seen
            time.sleep(0.02)
        parent.kill()

    assert all(gone(process) for process in seen)


@pytest.mark.slow
def test_a_tournament_of_isolated_bots_ends_as_one_of_free_bots(means: Means, tmp_path: Path) -> None:
    marked = Marked()
    standings = []
    for isolation in ("required", "none"):
        out = tmp_path / isolation
        words = ["--game", "art_robbery", *house_bots("greedy", "random", "first"), "--seed", "7", "--rounds", "1"]

        ran = marked.run(cutpurse("tournament", "run", *words, "--out", out, "--isolation", isolation))

        assert ran.returncode == 0, ran.stderr
        assert ("isolation: bwrap, no network" in ran.stderr) is (isolation == "required")
        assert marked.alive() == {}
        standings.append(json.loads((out / "standings.json").read_text()))
    assert means.bwrap
    assert standings[0] == standings[1]
    assert all(each["forfeits"] == 0 for each in standings[0]["standings"])


def test_where_bwrap_is_missing_it_is_said_and_is_an_error_if_it_is_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    found = means_of_isolation(Isolation.AUTO)

    assert found.described(Limits()).startswith("isolation: none (bwrap is not there; install bubblewrap)")
    with pytest.raises(BadPlan, match="install bubblewrap"):
        means_of_isolation(Isolation.REQUIRED)


def test_where_bwrap_does_not_work_its_reason_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'no namespaces for you' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "none (bwrap does not work here: no namespaces for you)" in means_of_isolation(Isolation.AUTO).described(
        Limits()
    )
    assert means_of_isolation(Isolation.NONE) == NOT_ISOLATED
