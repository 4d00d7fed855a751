"""CI fails when anything it runs fails, and says where."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repository.tree import ROOT

TARGETS = re.findall(r"^phase \S+ make (\S+).*$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
"""What CI makes, in order."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the real CI script and a Makefile whose targets only say their names."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    rules = "".join(f"{target}:\n\t@echo made {target}\n" for target in TARGETS)
    (tmp_path / "Makefile").write_text(f".PHONY: {' '.join(TARGETS)}\n{rules}", encoding="utf-8")
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "All of it"]):
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def run_ci(checkout: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the CI script of a checkout as CI does, without standard input."""
    bash = shutil.which("bash")
    assert bash is not None
    environment = os.environ | {"CI": "true", "PATH": path or os.environ["PATH"]}
    command = [bash, str(checkout / ".ci" / "run")]
    return subprocess.run(
        command,
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_every_phase_runs_and_is_timed(checkout: Path) -> None:
    done = run_ci(checkout)

    assert done.returncode == 0, done.stderr
    assert re.findall(r"^made (\S+)$", done.stdout, re.MULTILINE) == TARGETS
    assert len(re.findall(r"^ +\d+  \S+$", done.stdout, re.MULTILINE)) == len(TARGETS) + 1


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_failure_ends_the_run_and_is_named(target: str, checkout: Path) -> None:
    makefile = checkout / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    makefile.write_text(text.replace(f"@echo made {target}\n", "@exit 3\n"), encoding="utf-8")

    done = run_ci(checkout)

    assert done.returncode != 0
    assert "FAILED in: " in done.stderr
    assert re.findall(r"^made (\S+)$", done.stdout, re.MULTILINE) == TARGETS[: TARGETS.index(target)]


def test_a_missing_tool_fails_the_run(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in ("dirname", "python3", "git"):
        found = shutil.which(tool)
        assert found is not None
        (programs / tool).symlink_to(found)

    done = run_ci(checkout, path=str(programs))

    assert done.returncode == 1
    assert "missing: make" in done.stderr


def test_a_run_that_leaves_something_behind_fails(checkout: Path) -> None:
    with (checkout / "Makefile").open("a", encoding="utf-8") as makefile:
        makefile.write("\nlint: left\nleft:\n\t@touch left\n")

    done = run_ci(checkout)

    assert done.returncode != 0
    assert "?? left" in done.stderr
    assert "FAILED in: untouched" in done.stderr
