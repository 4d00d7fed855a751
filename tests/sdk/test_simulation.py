"""`simulate` with a stand-in for the service: who is seated, what is summed up, what comes out when a bot fails."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import cutpurse_sdk
from cutpurse.v1 import match_pb2, tournament_log_pb2
from cutpurse_sdk import simulation
from tests.sdk.scripted import Line, decision, first, scripted_service

Placements = Callable[[int], Sequence[int]]


class StandIn:
    """A simulator whose every bot is asked one decision, and whose matches end as `placements` says."""

    def __init__(self, folder: Path, placements: Placements) -> None:
        self._folder = folder
        self._placements = placements
        self.bots: list[str] = []
        self.configuration = match_pb2.MatchConfiguration()
        self.answers: list[str] = []
        self.waits = False
        """Let no match end."""
        self._all_answered = asyncio.Event()

    @asynccontextmanager
    async def __call__(
        self,
        configuration: match_pb2.MatchConfiguration,
        bots: Sequence[str],
        *,
        seed: str,
        matches: int,
        concurrency: int,
    ) -> AsyncIterator[simulation.Arena]:
        """See `Simulator`."""
        if configuration.game != "art_robbery":
            raise ValueError("there is no such game")
        self.bots, self.configuration = list(bots), configuration

        async def ask(line: Line) -> None:
            await line.begin("m")
            await line.say(decisions=[decision("m", 1, "play GD", "play BS", "play N0", "play N1")])
            choice = await line.hear()
            if choice is not None:
                self.answers.append(choice.choices[0].notation)
                if len(self.answers) == len(bots) and not self.waits:
                    self._all_answered.set()
                await line.silence()

        async def ends() -> AsyncIterator[tournament_log_pb2.CompletedMatch]:
            await self._all_answered.wait()
            for number in range(matches):
                seated = [bots[(seat - number) % len(bots)] for seat in range(len(bots))]
                result = match_pb2.MatchResult(placements=self._placements(number))
                yield tournament_log_pb2.CompletedMatch(match=f"{seed}-{number}", bots=seated, result=result)

        async with scripted_service(self._folder, *[ask] * len(bots)) as address:
            yield address, dict.fromkeys(bots, "token"), ends()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Placements], StandIn]:
    def install(placements: Placements) -> StandIn:
        stand = StandIn(tmp_path, placements)

        def found(**query: Any) -> Any:
            if query.get("group") == "cutpurse.simulators":
                return [SimpleNamespace(load=lambda: stand)]
            return entry_points(**query)

        monkeypatch.setattr(simulation, "entry_points", found)
        return stand

    return install


def test_points_are_the_part_of_the_others_that_was_beaten(stand_in: Callable[[Placements], StandIn]) -> None:
    # The author's bot sits in seats 0, 1, 2: first; last with another; second.
    stand = stand_in(lambda number: [(1, 2, 3), (1, 2, 2), (1, 3, 2)][number])

    done = cutpurse_sdk.simulate(first, opponents=["random", "random"], matches=3, seed="s")

    assert stand.bots == ["me", "random", "random-2"]
    assert [match.seat for match in done.matches] == [0, 1, 2]
    assert [match.points for match in done.matches] == [1.0, 0.25, 0.5]
    assert [match.match for match in done.matches] == ["s-0", "s-1", "s-2"]
    assert done.points_mean == pytest.approx(1.75 / 3)
    # One block says nothing about how much blocks differ.
    assert (done.points_low, done.points_high) == (0.0, 1.0)
    assert str(done).startswith("3 matches, 0.583 points a match")


def test_the_interval_is_taken_over_whole_blocks(stand_in: Callable[[Placements], StandIn]) -> None:
    # Always the same seat wins: every block of two has mean one half, so that nothing is uncertain.
    stand_in(lambda number: (1, 2))

    done = cutpurse_sdk.simulate(first, opponents=["first"], matches=10)

    assert (done.points_low, done.points_mean, done.points_high) == (0.5, 0.5, 0.5)
    assert done.seed


def test_options_travel_as_json_and_functions_may_be_opponents(stand_in: Callable[[Placements], StandIn]) -> None:
    stand = stand_in(lambda number: (1, 2))

    cutpurse_sdk.simulate(first, opponents=[lambda decision: 1], matches=2, options={"heist_turn_limit": 9})

    assert stand.bots == ["me", "opponent"]
    assert dict(stand.configuration.options) == {"heist_turn_limit": "9"}


def test_the_same_seed_draws_the_same_lots(stand_in: Callable[[Placements], StandIn]) -> None:
    def by_lot(decision: cutpurse_sdk.Decision) -> str:
        return decision.random.choice(decision.legal)

    answers = set()
    for seed in ("a", "a", "b", "c", "d"):
        stand = stand_in(lambda number: (1, 2))
        cutpurse_sdk.simulate(by_lot, opponents=["random"], matches=2, seed=seed)
        answers.add((seed, tuple(sorted(stand.answers))))

    assert len({seed for seed, _ in answers}) == len(answers) == 4
    assert len({lots for _, lots in answers}) > 1


def test_an_exception_in_a_bot_comes_out_and_ends_everything(stand_in: Callable[[Placements], StandIn]) -> None:
    stand = stand_in(lambda number: (1, 2))
    stand.waits = True

    def fail(decision: cutpurse_sdk.Decision) -> str:
        raise ZeroDivisionError("the author's mistake")

    with pytest.raises(ZeroDivisionError, match="the author's mistake"):
        cutpurse_sdk.simulate(fail, opponents=["random"], matches=2)


def test_what_cannot_be_played_is_said_clearly(stand_in: Callable[[Placements], StandIn]) -> None:
    stand_in(lambda number: (1, 2))

    with pytest.raises(cutpurse_sdk.SettingsInvalid, match="no such game"):
        cutpurse_sdk.simulate(first, game="chess")
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match=r"no house bot 'nobody'; there are first, greedy, random"):
        cutpurse_sdk.simulate(first, opponents=["nobody"])
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match="at least one match"):
        cutpurse_sdk.simulate(first, matches=0)


def test_without_the_service_installed_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "entry_points", lambda **query: [])

    with pytest.raises(cutpurse_sdk.SimulatorMissing, match=r"pip install 'cutpurse-sdk\[simulate\]'"):
        cutpurse_sdk.simulate(first, opponents=[first])
    with pytest.raises(cutpurse_sdk.SimulatorMissing, match=r"pip install 'cutpurse-sdk\[simulate\]'"):
        cutpurse_sdk.simulate(first)
