"""A whole service of one or several replicas, its store, its bots and everything that befalls them, from one seed."""

from __future__ import annotations

import asyncio
import io
import random
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from cutpurse_server.audit.auditing import audit
from cutpurse_server.audit.export import write_tournament_bundle
from cutpurse_server.identity.events import Role
from cutpurse_server.log.port import Append
from cutpurse_server.matches.events import Clock, DecisionResolved
from cutpurse_server.tournaments.events import Format, Manifest
from cutpurse_server.tournaments.store import TournamentStore
from cutpurse_server.wire import match_events, tournament_events
from tests.simulation.bots import Manner, SimulatedBot
from tests.simulation.replicas import Gone, Replica
from tests.simulation.shared_store import ReplicaLog, SharedStore, Weather
from tests.simulation.streams import Stream
from tests.simulation.surroundings import simulated_surroundings
from tests.simulation.virtual_time import VirtualTimeLoop, context_of, virtual_loop
from tests.simulation.witness import Witness

__all__ = ["Outcome", "Setting", "quiet", "setting_of", "simulate"]

OPTIONS: dict[str, dict[str, Any]] = {
    "art_robbery": {"heist_turn_limit": 6},
    "big_max": {"turn_limit": 20},
    "shadow_thief": {"deals": 1},
}
"""By game, options under which a match is over soon."""
_PATIENT = Clock(decision_ms=20_000, bank_ms=20_000, warm_up_ms=60_000, strikes_max=1)
_HASTY = Clock(decision_ms=6_000, bank_ms=4_000, warm_up_ms=10_000, strikes_max=4, corrections_max=1)
_NAMES = ("ann", "ben", "cat", "dan")
_CUP = "cup"
_LONGEST_S = 1_200.0
"""No tournament of a simulation takes so long."""
_STEPS_BEFORE_A_KILL = 60

T = TypeVar("T")


class Setting(NamedTuple):
    """What a simulation is about."""

    seed: str
    game: str
    replicas: int
    manners: tuple[Manner, ...]
    """By bot."""
    clock: Clock
    weather: Weather
    calm_s: float
    """How long nothing befalls the service at most, between two things that do; 0 if nothing ever does."""

    @property
    def is_honest(self) -> bool:
        """Whether all bots are, so that the result must not depend on what happened."""
        return all(manner is Manner.HONEST for manner in self.manners)


class Outcome(NamedTuple):
    """What came of a simulation."""

    digest: str
    """SHA-256 of all streams of the store."""
    result: object
    """Schedule, choices, scores and standings: what must not depend on what befell the service."""
    wrong: tuple[str, ...]
    """Everything that must not be; empty if all is well."""
    counted: Counter[str]


def setting_of(seed: str) -> Setting:
    """What a seed is about."""
    chance = random.Random(f"{seed}/setting")
    odd = [manner for manner in Manner if manner is not Manner.HONEST]
    honest = chance.random() < 0.5
    manners = [Manner.HONEST] * 4 if honest else [Manner.HONEST, *(chance.choice(odd) for _ in range(3))]
    return Setting(
        seed,
        chance.choice(sorted(OPTIONS)),
        chance.choice((1, 1, 2, 3)),
        tuple(manners),
        _PATIENT if honest else _HASTY._replace(decision_ms=20_000) if chance.random() < 0.5 else _HASTY,
        Weather(chance.choice((0.0, 0.01, 0.05)), chance.choice((0.001, 0.004)), 0.01, chance.choice((0.0, 0.2))),
        chance.choice((2.0, 5.0, 15.0)),
    )


def quiet(setting: Setting) -> Setting:
    """The same, with nothing that befalls it."""
    return setting._replace(replicas=1, weather=Weather(), calm_s=0.0)


def simulate(setting: Setting) -> Outcome:
    """Run a simulation from its beginning to its end."""
    loop = VirtualTimeLoop()
    with simulated_surroundings(setting.seed) as lines, asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(_World(setting, lines).run())


class _World:
    def __init__(self, setting: Setting, lines: Sequence[MutableMapping[str, Any]]) -> None:
        self._setting = setting
        self._lines = lines
        seed = setting.seed
        self._chance = random.Random(f"{seed}/world")
        names = dict(zip(_NAMES, setting.manners, strict=True))
        self._witness = Witness(frozenset(name for name, manner in names.items() if manner is Manner.HONEST))
        self._store = SharedStore(random.Random(f"{seed}/store"), self._committed)
        self._network = random.Random(f"{seed}/network")
        self._bots = {
            name: SimulatedBot(name, manner, random.Random(f"{seed}/{name}"), self._witness, 0.5)
            for name, manner in names.items()
        }
        self._tokens: dict[str, str] = {}
        self._replicas: list[Replica] = []
        self._started = 0
        self._wrong: list[str] = []
        self._counted: Counter[str] = Counter()

    async def run(self) -> Outcome:
        """Live through it; raises AssertionError if it comes to no end."""
        try:
            return await self._live()
        except TimeoutError:
            waiting = [line for bot in self._bots.values() for line in bot.unanswered()]
            finished = self._is_finished()
            raise AssertionError(f"no end; finished: {finished}; unanswered: {waiting[:5]}; {self._wrongs()}") from None

    async def _live(self) -> Outcome:
        async with asyncio.timeout(_LONGEST_S):
            for _ in range(self._setting.replicas):
                self._start()
            await self._prepare()
            self._store.weather = self._setting.weather
            playing = [
                asyncio.get_running_loop().create_task(bot.play(self._dial), context=context_of(bot.name))
                for bot in self._bots.values()
            ]
            watching = asyncio.create_task(self._watch())
            befalling = [asyncio.create_task(self._befall())] if self._setting.calm_s else []
            await self._call(lambda replica: replica.tournaments.start(_CUP))
            await self._until(self._is_finished)
            await _end(befalling)
            self._store.weather = self._setting.weather._replace(failing=0.0)
            for replica in self._replicas:
                replica.log.is_away = False
            for bot in self._bots.values():
                bot.repeat_everything()
            await self._until(lambda: all(not bot.unanswered() for bot in self._bots.values()))
            await _end([watching])
            await _end(playing)
            for bot in self._bots.values():
                await bot.stop()
            await self._close()
            return await self._judge()

    def _committed(self, append: Append) -> None:
        self._witness.committed(append, self._store.beat_ms)

    async def _prepare(self) -> None:
        """Bots, their tokens, and the tournament they enter."""
        setting = self._setting
        manifest = Manifest(
            _CUP, setting.game, OPTIONS[setting.game], setting.clock, Format.ROUND_ROBIN, 3, 1, 3, b"", 0, "deals"
        )
        for name in _NAMES:
            await self._call(partial(_register, name))
            self._tokens[name] = await self._call(partial(_issue, name))
        await self._call(lambda replica: replica.tournaments.create(manifest))
        for name in _NAMES:
            await self._call(partial(_enter, name))

    async def _call(self, made: Callable[[Replica], Awaitable[T]]) -> T:
        """What an organiser does who tries again until it is done."""
        while True:
            serving = self._serving()
            if serving:
                try:
                    return await self._chance.choice(serving).call(made)
                except Gone:
                    self._counted["calls tried again"] += 1
            await asyncio.sleep(0.1)

    def _serving(self) -> list[Replica]:
        return [replica for replica in self._replicas if replica.is_serving]

    def _dial(self, bot: str) -> Stream | None:
        serving = self._serving()
        return self._chance.choice(serving).dial(self._tokens[bot]) if serving else None

    def _start(self) -> None:
        shared = self._setting.replicas > 1
        self._started += 1
        log = ReplicaLog(self._store, shared=shared)
        self._replicas.append(Replica(f"replica {self._started}", log, self._network, self._setting.weather.way_s))

    async def _watch(self) -> None:
        """Start a replica for each that is over, after a while."""
        while True:
            await asyncio.sleep(self._chance.uniform(0.05, 0.5))
            self._replicas = [replica for replica in self._replicas if not replica.is_over]
            if len(self._replicas) < self._setting.replicas and self._chance.random() < 0.3:
                self._start()

    async def _befall(self) -> None:
        """Let things befall the service, for ever."""
        deeds = (self._kill, self._kill, self._drain, self._lose_log, self._cut_streams)
        while True:
            await asyncio.sleep(self._chance.uniform(0, self._setting.calm_s))
            # Not only when time passes: between any two steps of those that are taken at one moment.
            for _ in range(self._chance.randrange(_STEPS_BEFORE_A_KILL)):
                await asyncio.sleep(0)
            living = [replica for replica in self._replicas if not replica.is_over]
            if living:
                await self._chance.choice(deeds)(self._chance.choice(living))

    async def _kill(self, replica: Replica) -> None:
        self._counted["kills"] += 1
        replica.kill()
        # Sometimes nobody is left, for long enough to matter.
        if self._chance.random() < 0.2:
            for other in self._replicas:
                other.kill()
            await asyncio.sleep(self._chance.uniform(0, 5))

    async def _drain(self, replica: Replica) -> None:
        if replica.is_serving:
            self._counted["drained"] += 1
            await replica.drain()

    async def _lose_log(self, replica: Replica) -> None:
        self._counted["outages"] += 1
        away = self._replicas if self._chance.random() < 0.5 else [replica]
        for each in away:
            each.log.is_away = True
        await asyncio.sleep(self._chance.uniform(0, 6))
        for each in away:
            each.log.is_away = False

    async def _cut_streams(self, replica: Replica) -> None:
        self._counted["streams cut"] += 1
        replica.cut_streams()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            assert not self._witness.wrong, self._witness.wrong[:3]
            await asyncio.sleep(0.25)

    def _is_finished(self) -> bool:
        head = self._store.heads.get(f"tournament/{_CUP}")
        return head is not None and head.closed

    async def _close(self) -> None:
        """Drain everybody; a while later nothing of theirs may be left."""
        for replica in self._replicas:
            if not replica.is_over:
                await replica.drain()
        await asyncio.sleep(2)
        loop = virtual_loop()
        for number in range(1, self._started + 1):
            self._wrong += [f"left over: {each}" for each in loop.left_over(f"replica {number}")]
        for name in _NAMES:
            self._wrong += [f"left over: {each}" for each in loop.left_over(name)]

    async def _judge(self) -> Outcome:
        log = ReplicaLog(self._store, shared=False)
        file = io.BytesIO()
        await write_tournament_bundle(log, _CUP, file)
        verdict = audit(file.getvalue())
        wrong = [*self._wrongs(), *(f"audit: {finding}" for finding in verdict.findings)]
        for bot in self._bots.values():
            self._counted += bot.counted
        self._counted += self._store.counted + self._witness.counted
        self._counted["virtual seconds"] = int(virtual_loop().time())
        self._counted["steps"] = virtual_loop().steps
        return Outcome(self._digest(), await self._result(log), tuple(wrong), self._counted)

    def _wrongs(self) -> list[str]:
        """What was seen so far and must not be."""
        wrong = [*self._wrong, *self._witness.wrong, *virtual_loop().complaints]
        for bot in self._bots.values():
            wrong += bot.wrong
        known = (
            "log unavailable",
            "tournaments were not looked for",
            "a seat's being ready was not written",
            "a command of the desk's own failed",
        )
        for line in self._lines:
            if line["log_level"] in ("error", "critical", "warning") and line["event"] not in known:
                wrong.append(f"the service said: {dict(line)}")
        return wrong

    def _digest(self) -> str:
        kept = sha256()
        for stream, events in sorted(self._store.events.items()):
            kept.update(repr((stream, events)).encode())
        return kept.hexdigest()

    async def _result(self, log: ReplicaLog) -> object:
        record = await TournamentStore(log, tournament_events).read(_CUP)
        assert record is not None
        assert record.finished is not None
        assert record.schedule is not None
        matches = {}
        for stream, stored in sorted(self._store.events.items()):
            if stream.startswith("match/"):
                events = [match_events.decode(each) for each in stored]
                choices = [event.choices for event in events if isinstance(event, DecisionResolved)]
                matches[stream] = choices, repr(self._witness.ended.get(stream.removeprefix("match/"), (None,))[0])
        return list(record.schedule.blocks), repr(record.finished.standings), matches


async def _register(name: str, replica: Replica) -> None:
    await replica.registry.register_bot(name, f"{name}-owner")


async def _issue(name: str, replica: Replica) -> str:
    token, _ = await replica.registry.issue_token(Role.BOT, name)
    return token


async def _enter(name: str, replica: Replica) -> None:
    await replica.tournaments.enter(_CUP, name)


async def _end(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
