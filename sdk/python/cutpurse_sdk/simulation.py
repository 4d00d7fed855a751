"""`simulate`: many matches at home, on the same service as in the arena, against house bots or bots of one's own.

The service is not part of the SDK; `cutpurse-sdk[simulate]` installs it beside. It is found by its entry point: the
group `cutpurse.simulators` holds under `local` a function of the form of `Simulator`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import secrets
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeVar

from cutpurse.v1.match_pb2 import Decision as DecisionMessage
from cutpurse.v1.match_pb2 import MatchConfiguration, MatchResult
from cutpurse.v1.tournament_log_pb2 import CompletedMatch
from cutpurse_sdk.decision import Decision
from cutpurse_sdk.errors import SettingsInvalid, SimulatorMissing
from cutpurse_sdk.play import Choose, fastest_loop, play

__all__ = ["SimulatedMatch", "Simulation", "Simulator", "simulate"]

T = TypeVar("T")

NAME = "me"
"""The name of the author's bot in a simulation."""

Arena = tuple[str, Mapping[str, str], AsyncIterator[CompletedMatch]]
"""The address of a service; by bot its token; the matches in the order of the schedule, each once it is over."""


class Simulator(Protocol):
    """What the service offers for local play: a service in memory with a schedule of matches."""

    def __call__(
        self, configuration: MatchConfiguration, bots: Sequence[str], *, seed: str, matches: int, concurrency: int
    ) -> AbstractAsyncContextManager[Arena]:
        """Start a service on a unix socket and register `bots`, each of an owner of its own.

        The matches are those that a round robin of these bots at one table plays with this seed, in blocks in which
        every bot sits in every seat once; identifiers, deals and seats follow from `seed`, the names and the position
        alone. The first ones begin when all bots are connected; no more than `concurrency` run at once. Clocks are the
        configuration's, else generous. Nothing is kept on disk. On leaving, everything is stopped, whatever the state.

        Raises `ValueError` for a configuration that the game does not allow, with a text for people.
        """


@dataclass(frozen=True, slots=True)
class SimulatedMatch:
    """One match, as the author's bot saw it end."""

    match: str
    """Its identifier."""
    seat: int
    """Where the author's bot sat."""
    bots: tuple[str, ...]
    """Who sat where."""
    points: float
    """The part of the other seats that ended below, those on the same place counting half: from 0 to 1."""
    result: MatchResult
    """Scores and placements by seat."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a simulation showed."""

    seed: str
    """With it the same simulation can be had again, if the bots draw their lots from `Decision.random` alone."""
    matches: tuple[SimulatedMatch, ...]
    """In the order of the schedule."""
    points_mean: float
    """Mean points per match of the author's bot."""
    points_low: float
    """The lower end of its 95 % interval, over blocks of matches in which every bot sits in every seat once."""
    points_high: float
    """The upper end."""

    def __str__(self) -> str:
        return (
            f"{len(self.matches)} matches, {self.points_mean:.3f} points a match "
            f"(95 %: {self.points_low:.3f} to {self.points_high:.3f}), seed {self.seed}"
        )


def simulate(
    choose: Choose,
    *,
    game: str = "art_robbery",
    opponents: Sequence[str | Choose] = ("random",),
    matches: int = 100,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    concurrency: int = 16,
) -> Simulation:
    """Play `matches` matches against `opponents`, house bots by name or functions like `choose`, and sum up.

    Seats rotate within blocks of matches; `options` are the game's. Without a seed one is drawn; with the same one the
    matches are those of `cutpurse tournament run` with this seed, the author's bot entered as `me`. What a bot raises
    comes out. Raises `SimulatorMissing` where the service is not installed, `SettingsInvalid` for what cannot be
    played.
    """
    drawn = seed or secrets.token_hex(8)
    configuration = MatchConfiguration(
        game=game, options={name: json.dumps(value) for name, value in (options or {}).items()}
    )
    if matches < 1 or concurrency < 1 or not opponents:
        raise SettingsInvalid("a simulation needs at least one match, one opponent, and a concurrency of at least 1")
    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        return runner.run(_simulate(choose, configuration, opponents, matches, drawn, concurrency))


async def _simulate(
    choose: Choose,
    configuration: MatchConfiguration,
    opponents: Sequence[str | Choose],
    matches: int,
    seed: str,
    concurrency: int,
) -> Simulation:
    players = _named_players(choose, opponents, seed)
    simulator = _installed_simulator()
    async with AsyncExitStack() as stack:
        try:
            arena = simulator(configuration, list(players), seed=seed, matches=matches, concurrency=concurrency)
            address, tokens, completed = await stack.enter_async_context(arena)
        except ValueError as error:
            raise SettingsInvalid(str(error)) from error
        # The bots leave before the service does.
        tasks = await stack.enter_async_context(_Tasks())
        for name, player in players.items():
            _ = tasks.start(play(player, address=address, token=tokens[name], seed=_seed_of(seed, name)))
        collecting = tasks.start(_collect(completed))
        await asyncio.wait(tasks.all, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks.all:
            if task.done() and task is not collecting:
                # A bot ends before the last match only by an exception of its own: what the author wants to see.
                task.result()
        return _sum_up(seed, await collecting, len(players))


class _Tasks:
    """Tasks that end with the block."""

    def __init__(self) -> None:
        self.all: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> _Tasks:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.all:
            task.cancel()
        await asyncio.gather(*self.all, return_exceptions=True)

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(coroutine)
        self.all.add(task)
        return task


async def _collect(completed: AsyncIterator[CompletedMatch]) -> list[SimulatedMatch]:
    """All matches, as the author's bot saw them."""
    return [_as_seen(match) async for match in completed]


def _as_seen(match: CompletedMatch) -> SimulatedMatch:
    bots = tuple(match.bots)
    seat = bots.index(NAME)
    return SimulatedMatch(match.match, seat, bots, _points(match.result.placements, seat), match.result)


def _points(placements: Sequence[int], seat: int) -> float:
    """What a place is worth: the seats placed below and half of those beside, of all others."""
    below = sum(place > placements[seat] for place in placements)
    beside = sum(place == placements[seat] for place in placements) - 1
    return (below + beside / 2) / (len(placements) - 1)


def _sum_up(seed: str, matches: Sequence[SimulatedMatch], seats: int) -> Simulation:
    mean = statistics.fmean(match.points for match in matches)
    blocks = [
        statistics.fmean(match.points for match in matches[first : first + seats])
        for first in range(0, len(matches) - seats + 1, seats)
    ]
    low, high = 0.0, 1.0
    if len(blocks) > 1:
        reach = statistics.NormalDist().inv_cdf(0.975) * statistics.stdev(blocks) / math.sqrt(len(blocks))
        low, high = max(0.0, mean - reach), min(1.0, mean + reach)
    return Simulation(seed, tuple(matches), mean, low, high)


def _named_players(choose: Choose, opponents: Sequence[str | Choose], seed: str) -> dict[str, Choose]:
    """All bots by name, the author's first; a repeated name becomes `random-2`, then `random-3`."""
    players: dict[str, Choose] = {NAME: choose}
    counts: Counter[str] = Counter()
    for opponent in opponents:
        kind = opponent if isinstance(opponent, str) else "opponent"
        counts[kind] += 1
        name = kind if counts[kind] == 1 else f"{kind}-{counts[kind]}"
        players[name] = _house_bot(kind, _seed_of(seed, name)) if isinstance(opponent, str) else opponent
    return players


def _seed_of(seed: str, name: str) -> str:
    """The seed of one bot's lots: the same as the organiser of a tournament with this seed gives to the bot."""
    return hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()


def _house_bot(kind: str, seed: str) -> Choose:
    """An installed house bot as a function like the author's."""
    found = {point.name: point for point in entry_points(group="cutpurse.bots")}
    if not found:
        raise SimulatorMissing("no house bots are installed: pip install 'cutpurse-sdk[simulate]'")
    if kind not in found:
        raise SettingsInvalid(f"there is no house bot {kind!r}; there are {', '.join(sorted(found))}")
    bot: Callable[[DecisionMessage, bytes], str] = found[kind].load()
    key = hashlib.sha256(seed.encode()).digest()

    def choose(decision: Decision) -> str:
        return bot(decision.message, key)

    return choose


def _installed_simulator() -> Simulator:
    """The service's side of it."""
    for point in entry_points(group="cutpurse.simulators", name="local"):
        simulator: Simulator = point.load()
        return simulator
    raise SimulatorMissing("local play needs the service, which is not installed: pip install 'cutpurse-sdk[simulate]'")
