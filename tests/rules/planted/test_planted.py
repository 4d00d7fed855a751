"""Every planted fault is caught by its test, and the runner would notice if one were not."""

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from tests.rules.planted.fault import Fault, MisfitPatch

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
RULES = Path(str(find_spec("cutpurse_rules").origin)).parent  # type: ignore[union-attr]
TABLES: dict[str, tuple[Fault, ...]] = {
    path.stem.removesuffix("_faults"): import_module(f"tests.rules.planted.{path.stem}").FAULTS
    for path in sorted(FOLDER.glob("*_faults.py"))
}
HARMLESS = Fault(
    "only a docstring changes",
    "art_robbery/heist.py",
    '"""The end of a heist (page: *End of a heist*)."""',
    '"""The end."""',
    "none",
    "art_robbery/test_play.py::test_r1_seat_0_begins_the_first_heist",
)
"""What no test can notice."""


@pytest.mark.parametrize("game", TABLES)
def test_every_fault_of_a_table_fits_the_shipped_code(game: str) -> None:
    for fault in TABLES[game]:
        assert (RULES / fault.file).read_text(encoding="utf-8").count(fault.old) == 1, fault.name
        assert fault.file.startswith(game)
        path, _, test = fault.caught_by.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / "tests/rules" / path).read_text(encoding="utf-8"), fault.name


@pytest.mark.parametrize("game", TABLES)
def test_a_table_has_at_least_twenty_faults_each_with_its_own_name(game: str) -> None:
    assert len({fault.name for fault in TABLES[game]}) == len(TABLES[game]) >= 20


def test_every_game_has_a_table() -> None:
    assert set(TABLES) == set(GAMES)


@pytest.mark.parametrize("old", ["no such text", "state"])
def test_a_fault_whose_text_does_not_stand_exactly_once_is_refused(tmp_path: Path, old: str) -> None:
    module = tmp_path / "module.py"
    module.write_text("state = state\n", encoding="utf-8")

    with pytest.raises(MisfitPatch):
        Fault("misfit", "module.py", old, "new", "none", "").plant(tmp_path)

    assert module.read_text(encoding="utf-8") == "state = state\n"


def run(program: str) -> str:
    """Run a program in a process of its own, since this one has imported the rules; return what it prints."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_fault_that_no_test_notices_is_not_called_caught() -> None:
    program = f"""
from tests.rules.planted.running import run_trials
from tests.rules.planted.fault import Fault
harmless = {HARMLESS!r}
broken = Fault("", harmless.file, harmless.old, "undefined_name", "", harmless.caught_by)
unfinished = Fault("", harmless.file, harmless.old, "(", "", harmless.caught_by)
trials = [(fault, [harmless.caught_by]) for fault in (harmless, broken, unfinished)]
trials.append((None, ["art_robbery/test_play.py::test_that_does_not_exist"]))
print([(outcome.passed, outcome.caught) for outcome in run_trials(trials, 2)])
"""

    assert run(program) == "[(True, False), (False, False), (False, False), (False, False)]\n"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("game", TABLES)
def test_every_fault_is_caught_by_its_test(game: str) -> None:
    command = [sys.executable, "-m", "tests.rules.planted", "--game", game]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(TABLES[game])} caught, 0 missed" in done.stdout
