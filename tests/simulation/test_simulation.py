"""A deterministic simulation of the whole service: replicas, scheduler, bots, store, all from one seed in one thread.

Prints its seeds. CUTPURSE_SIMULATION_SEED gives one again, which then is all that is simulated; CUTPURSE_SIMULATIONS
says how many seeds the long form takes. Not simulated: gRPC, processes, files, the databases themselves.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import pytest

from tests.simulation.planted import PLANTED, Plant
from tests.simulation.world import Outcome, quiet, setting_of, simulate

SEED = os.environ.get("CUTPURSE_SIMULATION_SEED")
LONG_SEEDS = int(os.environ.get("CUTPURSE_SIMULATIONS", "100"))
SHORT_SEEDS = ("1", "2005", "3033")
PLANTED_SEEDS = 12
DIGEST = "from tests.simulation.world import simulate, setting_of; print(simulate(setting_of({seed!r})).digest)"

_undisturbed: dict[object, object] = {}
"""Results of runs that nothing befell, by what they depend on."""


def simulated(seed: str) -> Outcome:
    """One simulation, with what is wrong about its result added."""
    print(f"CUTPURSE_SIMULATION_SEED={seed}")
    setting = setting_of(seed)
    outcome = simulate(setting)
    if setting.is_honest:
        calm = quiet(setting)
        key = calm._replace(seed="")
        if key not in _undisturbed:
            _undisturbed[key] = simulate(calm._replace(seed="undisturbed")).result
        if outcome.result != _undisturbed[key]:
            outcome = outcome._replace(wrong=(*outcome.wrong, "the result is not that of the undisturbed run"))
    return outcome


def seeds(short: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Those asked for."""
    return (SEED,) if SEED else short()


@pytest.mark.parametrize("seed", seeds(lambda: SHORT_SEEDS))
def test_whatever_befalls_the_service_its_promises_hold(seed: str) -> None:
    outcome = simulated(seed)

    print(dict(outcome.counted))
    assert outcome.wrong == ()
    assert outcome.counted["replies"] > 100
    assert outcome.counted["replies compared"] > 0


def test_a_seed_gives_the_same_logs_in_every_process() -> None:
    seed = SEED or "4"
    here = simulate(setting_of(seed)).digest

    command = [sys.executable, "-c", DIGEST.format(seed=seed)]
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    there = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert there.strip() == here


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_fault_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)

    for seed in range(PLANTED_SEEDS):
        wrong = found(str(seed))
        if wrong:
            print(f"found with seed {seed}: {wrong[0]}")
            return
    raise AssertionError(f"not found with {PLANTED_SEEDS} seeds")


def found(seed: str) -> tuple[str, ...]:
    """What is wrong in a simulation, even if it does not come to its end."""
    try:
        return simulated(seed).wrong
    except (AssertionError, TimeoutError) as error:
        return (f"{type(error).__name__}: {error}",)


@pytest.mark.long
def test_whatever_befalls_the_service_its_promises_hold_for_many_seeds() -> None:
    counted: Counter[str] = Counter()
    for seed in seeds(lambda: tuple(f"long {number}" for number in range(LONG_SEEDS))):
        outcome = simulated(seed)
        assert outcome.wrong == ()
        counted += outcome.counted + Counter(seeds=1)
    print(dict(counted))
