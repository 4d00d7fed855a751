"""Every backend of the log does what a dictionary of streams would do, in whatever order it is asked.

hypothesis prints the steps of what fails; CUTPURSE_LOG_MACHINE_EXAMPLES says how long the long form is.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from cutpurse_server.log import sqlite_file
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append
from tests.faults.log_machine import InFile, InMemory, LogMachine, Place, Shared
from tests.server.log.postgresql_cluster import Cluster

LONG_EXAMPLES = int(os.environ.get("CUTPURSE_LOG_MACHINE_EXAMPLES", "2000"))
UNHURRIED = [HealthCheck.too_slow, HealthCheck.data_too_large]


def examples(number: int, steps: int = 30) -> settings:
    """So many examples; hypothesis prints what a failing one did."""
    return settings(
        max_examples=number, stateful_step_count=steps, deadline=None, suppress_health_check=UNHURRIED, database=None
    )


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def make_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Place]]:
    """Makes a place for each example."""
    if request.param == "memory":
        yield InMemory
    elif request.param == "sqlite":
        monkeypatch.setattr(sqlite_file, "WAL_BYTES", 100_000)
        yield InFile
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        address = cluster.address(asyncio.run(cluster.create_database()))
        yield lambda: Shared(address)


def run_machine(make_place: Callable[[], Place], how: settings) -> None:
    """Run the machine over places of one kind."""

    class Machine(LogMachine):
        def __init__(self) -> None:
            super().__init__(make_place)

    run_state_machine_as_test(Machine, settings=how)


def test_every_backend_does_as_the_model(make_place: Callable[[], Place]) -> None:
    run_machine(make_place, examples(15))


@pytest.mark.long
def test_every_backend_does_as_the_model_for_very_long(make_place: Callable[[], Place]) -> None:
    run_machine(make_place, examples(LONG_EXAMPLES, 50))


class _ForgetsTheClosing(MemoryLog):
    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """Never closes a stream."""
        return await super().flush([append._replace(closed=False) for append in appends])


class _TakesWhatIsAhead(MemoryLog):
    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """Takes what was decided on a version that is not there yet, if the stream exists."""
        took_place: list[bool] = []
        for append in appends:
            head = await self.head(append.stream)
            moved = append._replace(expected=head.version) if head and append.expected > head.version else append
            took_place += await super().flush([moved])
        return took_place


class _ForgetsWhatIsClosed(MemoryLog):
    async def close(self) -> None:
        """Loses its last stream when it is closed."""
        await super().close()
        if self._heads:
            self._heads.popitem()


@pytest.mark.parametrize("wrong", [_ForgetsTheClosing, _TakesWhatIsAhead, _ForgetsWhatIsClosed])
def test_a_backend_that_does_otherwise_is_noticed(wrong: type[MemoryLog]) -> None:
    class Wrong(InMemory):
        def __init__(self) -> None:
            self._log = wrong()

    with pytest.raises(AssertionError):
        # That it is found is enough; how little it takes is nobody's question.
        run_machine(Wrong, settings(examples(100), phases=[Phase.generate]))
