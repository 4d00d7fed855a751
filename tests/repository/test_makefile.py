"""`make` explains itself: every target that people may call is listed with what it does."""

import re
import shutil
import subprocess
from pathlib import Path

from tests.repository.tree import ROOT, ours


def listed(folder: Path) -> set[str]:
    """The targets that `make help` lists with a description."""
    done = subprocess.run(["make", "help"], cwd=folder, capture_output=True, text=True, check=True, timeout=30)
    return set(re.findall(r"^  ([a-z-]+) +\S", done.stdout, re.MULTILINE))


def targets(folder: Path) -> set[str]:
    """The targets of the Makefile that are no files."""
    text = (folder / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^\.PHONY: (\S+)$", text, re.MULTILINE))


def test_help_lists_every_target() -> None:
    assert listed(ROOT) == targets(ROOT)
    assert {"help", "install", "demo", "test", "test-all", "lint", "types", "proto", "bench"} <= listed(ROOT)


def test_help_is_what_make_does_when_nothing_is_asked() -> None:
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)

    assert "Show these targets" in done.stdout


def test_a_target_without_a_description_is_noticed(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    with (tmp_path / "Makefile").open("a", encoding="utf-8") as makefile:
        makefile.write("\n.PHONY: planted\nplanted:\n\ttrue\n")

    assert targets(tmp_path) - listed(tmp_path) == {"planted"}


def test_whoever_names_a_target_names_one_that_exists() -> None:
    named = {
        (path.name, target)
        for path in ours(ROOT)
        if path.suffix == ".md" or path.parts[-2:] == (".ci", "run")
        for target in re.findall(
            r"(?:`|\$ |phase [a-z]+ )make (?:--silent )?(?:-C \S+ )?([a-z][a-z-]*)", path.read_text(encoding="utf-8")
        )
    }

    assert {target for name, target in named if name == "run"} >= {"install", "lint", "types", "test", "demo"}
    # Documents for bot authors speak of the Makefile of a bot's project as well.
    of_projects = ROOT / "server/service/cutpurse_server/bot_projects/python/Makefile.template"
    known = targets(ROOT) | set(re.findall(r"^\.PHONY: (\S+)$", of_projects.read_text(encoding="utf-8"), re.MULTILINE))
    assert {each for each in named if each[1] not in known} == set()
