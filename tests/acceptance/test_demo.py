"""`make demo`, at a small scale: real bots, a verdict that bites, and what happens when somebody interferes."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutpurse_rules.catalogue import GAMES
from cutpurse_server.audit import audit
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import PATIENCE_S, Marked, cutpurse, until
from tests.repository.tree import ROOT

MATCHES_MIN = 30
PROCESSES_MIN = 3


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


def demo_words(game: str = "art_robbery") -> list[str]:
    """What `make demo` gives to `cutpurse` for a game."""
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    found = re.search(r"^\t\$\(BIN\)/cutpurse (tournament run .*)$", makefile, re.MULTILINE)
    assert found is not None
    return shlex.split(found[1].replace("$*", game))


def option(words: list[str], name: str) -> str:
    """The value of an option of a command line."""
    return words[words.index(name) + 1]


def smaller(words: list[str], folder: Path, rounds: int = 1) -> list[str]:
    """The same command line in another folder, with other rounds."""
    changed = list(words)
    changed[words.index("--out") + 1] = str(folder)
    changed[words.index("--rounds") + 1] = str(rounds)
    return changed


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small demo that was played to its end, with how many bots were seen in `bots-seen`."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    marked = Marked()
    process = marked.start(cutpurse(*smaller(demo_words(), folder)), folder.with_suffix(".log"))
    most = 0
    while process.poll() is None:
        most = max(most, len([line for line in marked.alive().values() if "-m cutpurse_bots" in line]))
    assert process.returncode == 0, folder.with_suffix(".log").read_text()
    assert marked.alive() == {}
    (folder / "bots-seen").write_text(str(most))
    return folder


def verdict_of(marked: Marked, bundle: Path) -> subprocess.CompletedProcess[str]:
    """What a process says that is given this file and nothing else."""
    return marked.run(cutpurse("audit", bundle))


def test_the_demo_plays_every_game() -> None:
    listed = re.search(r"^GAMES := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert listed is not None
    assert listed[1].split() == list(GAMES)


def test_the_demo_is_as_large_as_promised() -> None:
    words = demo_words()
    bots, players, rounds = words.count("--bot"), int(option(words, "--players")), int(option(words, "--rounds"))

    tables = {(4, 3): 4, (3, 3): 1, (5, 3): 10}[bots, players]
    assert tables * players * rounds >= MATCHES_MIN
    assert bots >= PROCESSES_MIN


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of other processes' environment")
def test_the_demos_bots_are_processes(demo: Path) -> None:
    assert int((demo / "bots-seen").read_text()) >= PROCESSES_MIN
    assert len(list((demo / "bots").iterdir())) >= PROCESSES_MIN


@pytest.mark.slow
def test_the_demo_ends_with_standings_whereabouts_and_a_verdict(demo: Path) -> None:
    printed = demo.with_suffix(".log").read_text()

    for told in ("greedy-2", "95 %", str(demo / "log.sqlite"), str(demo / "bundle"), "internally consistent"):
        assert told in printed.replace("\n", "") or told in printed, printed
    assert len(json.loads((demo / "standings.json").read_text())["standings"]) == 4


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in GAMES if game != "art_robbery"])
def test_every_other_game_is_played_to_its_verdict_too(marked: Marked, game: str, tmp_path: Path) -> None:
    # With a seed of its own, so that who wins so few matches is no luck of the day.
    ran = marked.run(cutpurse(*smaller(demo_words(game), tmp_path / "cup"), "--seed", "demo"))

    assert ran.returncode == 0, ran.stderr
    assert "internally consistent" in verdict_of(marked, tmp_path / "cup" / "bundle").stdout
    (before, after) = (json.loads((tmp_path / "cup" / "standings.json").read_text())["standings"][at] for at in (0, -1))
    assert before["bot"].startswith("greedy")
    assert not after["bot"].startswith("greedy")


@pytest.mark.slow
def test_the_verdict_needs_the_bundle_alone(marked: Marked, demo: Path, tmp_path: Path) -> None:
    shutil.copy(demo / "bundle", tmp_path / "elsewhere")

    ran = verdict_of(marked, tmp_path / "elsewhere")

    assert ran.returncode == 0, ran.stdout
    assert "internally consistent" in ran.stdout


@pytest.mark.slow
def test_any_flipped_byte_makes_the_audit_fail(marked: Marked, demo: Path, tmp_path: Path) -> None:
    data = (demo / "bundle").read_bytes()
    chance = random.Random(5)
    places = [0, 1, len(data) // 2, len(data) - 1, *(chance.randrange(len(data)) for _ in range(12))]
    for number, place in enumerate(places):
        changed = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
        if number >= 5:
            assert not audit(changed).consistent, place
            continue
        (tmp_path / "flipped").write_bytes(changed)
        ran = verdict_of(marked, tmp_path / "flipped")
        assert ran.returncode in (1, 2), (place, ran.stdout, ran.stderr)
        assert "internally consistent" not in ran.stdout
        assert "Traceback" not in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("cut", [0, 17, 90, -1])
def test_a_bundle_cut_short_or_made_longer_makes_the_audit_fail(demo: Path, cut: int) -> None:
    data = (demo / "bundle").read_bytes()

    assert not audit(data[:cut]).consistent
    assert not audit(data + data[-abs(cut) - 1 :]).consistent


@pytest.mark.slow
async def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(marked: Marked, tmp_path: Path) -> None:
    folder, output = tmp_path / "cup", tmp_path / "output"
    words = smaller(demo_words(), folder, rounds=4)
    process = marked.start(cutpurse(*words), output)
    until(lambda: "0/48 matches" in output.read_text() or process.poll() is not None, "it plays")
    # On a terminal the whole foreground group gets the signal.
    signal_group(process, signal.SIGINT)
    assert process.wait(PATIENCE_S) == 130, output.read_text()
    assert "run the same command again to go on" in output.read_text()
    assert "Traceback" not in output.read_text()
    # The kernel ends what is isolated, a moment after whoever launched it.
    until(lambda: marked.alive() == {}, "no bot is left", 5)
    begun = set(await read_matches(folder / "log.sqlite"))
    assert begun

    again = marked.run(cutpurse(*words))

    assert again.returncode == 0, again.stderr
    logs = await read_matches(folder / "log.sqlite")
    assert begun <= logs.keys()
    assert len(logs) == 48
    assert all(log.record.outcome is not None and not log.defaulted for log in logs.values())
    # And once more: nothing is left to be played.
    assert marked.run(cutpurse(*words)).returncode == 0
    assert (await read_matches(folder / "log.sqlite")).keys() == logs.keys()


@pytest.mark.slow
def test_ctrl_c_during_the_audit_is_no_verdict(marked: Marked, demo: Path, tmp_path: Path) -> None:
    folder, output = tmp_path / "cup", tmp_path / "output"
    shutil.copytree(demo, folder)
    process = marked.start(cutpurse(*smaller(demo_words(), folder)), output)
    until(lambda: any(" audit " in line for line in marked.alive().values()) or process.poll() is not None, "audit")
    signal_group(process, signal.SIGINT)

    assert process.wait(PATIENCE_S) == 130, output.read_text()
    assert "run the same command again for the verdict" in output.read_text()
    assert "verdict:" not in output.read_text()
    until(lambda: marked.alive() == {}, "the audit ends", 5)


def signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    """Signal a process and the members of its group, as a terminal does."""
    subprocess.run(["kill", f"-{number}", "--", f"-{process.pid}"], check=True)


@pytest.mark.slow
def test_another_tournament_in_the_same_folder_is_refused(marked: Marked, demo: Path) -> None:
    before = (demo / "plan.json").read_text()

    ran = marked.run(cutpurse(*smaller(demo_words(), demo, rounds=2)))

    assert ran.returncode == 2
    assert "another tournament" in ran.stderr
    assert "choose another folder" in ran.stderr
    assert (demo / "plan.json").read_text() == before
