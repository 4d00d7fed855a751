"""What is measured, against which floor, and with which goal. Floors are measured in turn with what stands on them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cutpurse_rules import GAMES
from cutpurse_server.bench.appends import bare_appends_per_s, log_appends_per_s
from cutpurse_server.bench.compiled import COMPILED, compiled_decisions_per_s, is_compiled
from cutpurse_server.bench.playouts import open_spiel_decisions_per_s, rules_decisions_per_s
from cutpurse_server.bench.processes import result_of, server
from cutpurse_server.bench.replays import replayed_decisions_per_s

__all__ = ["MEASURES", "Figure", "Measure", "measure"]

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the report."""

    name: str
    floor_name: str
    goal: float | None
    """What the ratio should reach, or, for latencies, not exceed; None where it is only shown."""
    take: Callable[[float], Figures | None]
    """Measure it for about so many seconds; None where it cannot be measured here."""
    floor: Callable[[float], Figures | None]
    key: str = "per_s"
    """Which figure the ratio is taken of."""
    latency: bool = False
    """Smaller is better."""
    needs: str = "cutpurse-server[bench]"
    """What has to be installed where it cannot be measured."""


@dataclass(slots=True)
class Figure:
    """What was measured, over all rounds."""

    measure: Measure
    values: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Median of the rounds' ratios."""
        return statistics.median(value / floor for value, floor in zip(self.values, self.floors, strict=True))

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.measure.goal is None:
            return None
        return self.ratio <= self.measure.goal if self.measure.latency else self.ratio >= self.measure.goal

    def to_json(self) -> dict[str, Any]:
        """The line as data."""
        return {
            "name": self.measure.name,
            "floor": self.measure.floor_name,
            "figure": self.measure.key,
            "values": [round(value, 1) for value in self.values],
            "floors": [round(value, 1) for value in self.floors],
            "ratio": round(self.ratio, 3),
            "goal": self.measure.goal,
            "smaller_is_better": self.measure.latency,
            "met": self.met,
        }


def _echo(streams: int, seconds: float) -> Figures:
    with server("cutpurse_server.bench.echo") as facts:
        return result_of("cutpurse_server.bench.echo", "measure", facts["address"], str(streams), str(seconds))


def _service(matches: int, seconds: float, log: str = "", replicas: int = 1, code: Path | None = None) -> Figures:
    module = "cutpurse_server.bench.service"
    with ExitStack() as running:
        facts = [
            running.enter_context(
                server(module, log, "art_robbery", str(matches), str(replica), str(replicas), first_from=code)
            )
            for replica in range(replicas)
        ]
        assert all(each["code"] == (".so" if code else ".py") for each in facts), "other code was asked for"
        addresses, tokens = json.dumps([each["address"] for each in facts]), json.dumps(facts[0]["tokens"])
        return result_of(module, "measure", addresses, tokens, str(seconds))


def _compiled_service(matches: int, seconds: float) -> Figures | None:
    return _service(matches, seconds, code=COMPILED) if is_compiled(COMPILED) else None


def _service_on_postgresql(matches: int, replicas: int, seconds: float, code: Path | None = None) -> Figures | None:
    address = _from_database("fresh_database")
    return None if address is None else _service(matches, seconds, address, replicas, code)


def _compiled_service_on_postgresql(matches: int, seconds: float) -> Figures | None:
    return _service_on_postgresql(matches, 1, seconds, COMPILED) if is_compiled(COMPILED) else None


def _appends_to_postgresql(function: str, seconds: float) -> Figures | None:
    value = _from_database(function, seconds)
    return None if value is None else {"per_s": value}


def _from_database(function: str, *arguments: float) -> Any:
    """What a function of `database` returns; None without the driver, which is an extra."""
    try:
        from cutpurse_server.bench import database
    except ModuleNotFoundError:
        return None
    return getattr(database, function)(*arguments)


def _per_s(take: Callable[[float], float | None], seconds: float) -> Figures | None:
    value = take(seconds)
    return None if value is None else {"per_s": value}


_COMPILED = "cutpurse-server[bench], and compile by `make compiled`"
_POSTGRESQL = "PostgreSQL and cutpurse-server[postgresql]"
_echo_16 = partial(_echo, 16)
_hearts = partial(_per_s, partial(open_spiel_decisions_per_s, "hearts"))

_TABLES = [(game.id, players) for game in GAMES.values() for players in range(game.min_players, game.max_players + 1)]


def _rules_at(game: str, players: int) -> Iterator[Measure]:
    """What is measured of a game's rules at a table: playouts, the same of the compiled rules, audits."""
    playouts = partial(_per_s, partial(rules_decisions_per_s, game, players))
    compiled = partial(_per_s, partial(compiled_decisions_per_s, game, players))
    audits = partial(_per_s, partial(replayed_decisions_per_s, game, players))
    table = f"{game}, {players} players"
    yield Measure(f"random playouts of {table}", "OpenSpiel's hearts", 0.3, playouts, _hearts)
    yield Measure(
        f"random playouts of {table}, compiled", "OpenSpiel's hearts", 1.0, compiled, _hearts, needs=_COMPILED
    )
    yield Measure(f"replay with full checking of {table}", "our own playouts", 0.4, audits, playouts)


MEASURES: tuple[Measure, ...] = (
    Measure(
        "decisions through the service, 16 matches", "bare echo, 16 streams", 0.35, partial(_service, 16), _echo_16
    ),
    Measure("decisions through the service, 64 matches", "bare echo, 16 streams", 0.6, partial(_service, 64), _echo_16),
    *(
        Measure(
            f"decisions through the service, {matches} matches, compiled",
            "bare echo, 16 streams",
            goal,
            partial(_compiled_service, matches),
            _echo_16,
            needs="a C compiler, and compile by `make compiled`",
        )
        for matches, goal in ((16, 0.35), (64, 0.6))
    ),
    Measure(
        "turn to turn, one match, median",
        "echo round trip",
        2.5,
        partial(_service, 1),
        partial(_echo, 1),
        "p50_us",
        True,
    ),
    Measure(
        "turn to turn, 16 matches, 99th percentile",
        "echo, 16 streams",
        2.0,
        partial(_service, 16),
        _echo_16,
        "p99_us",
        True,
    ),
    Measure(
        "log appends in groups of 16, synchronous=FULL",
        "bare SQLite",
        0.7,
        partial(_per_s, log_appends_per_s),
        partial(_per_s, bare_appends_per_s),
    ),
    Measure(
        "decisions through the service on PostgreSQL, 64 matches",
        "bare echo, 16 streams",
        0.5,
        partial(_service_on_postgresql, 64, 1),
        _echo_16,
        needs=_POSTGRESQL,
    ),
    Measure(
        "decisions through the service on PostgreSQL, 64 matches, compiled",
        "bare echo, 16 streams",
        0.5,
        partial(_compiled_service_on_postgresql, 64),
        _echo_16,
        needs=f"{_POSTGRESQL}, and compile by `make compiled`",
    ),
    # What replicas add depends on the processor cores there are for them, so it is shown and not judged.
    Measure(
        "decisions through the service on PostgreSQL, 64 matches, three replicas",
        "the same, one replica",
        None,
        partial(_service_on_postgresql, 64, 3),
        partial(_service_on_postgresql, 64, 1),
        needs=_POSTGRESQL,
    ),
    Measure(
        "appends to PostgreSQL in groups of 16, synchronous_commit=on",
        "bare asyncpg",
        0.7,
        partial(_appends_to_postgresql, "database_appends_per_s"),
        partial(_appends_to_postgresql, "bare_database_appends_per_s"),
        needs=_POSTGRESQL,
    ),
    *(measure for table in _TABLES for measure in _rules_at(*table)),
)


def measure(measures: tuple[Measure, ...], rounds: int, seconds: float) -> Iterator[tuple[Figure, int]]:
    """Measure everything once a round; after each measurement, the line's figure so far and the round's number.

    A measurement and its floor follow upon each other, so that a neighbour who slows the machine down slows both.
    """
    figures = {each.name: Figure(each) for each in measures}
    for number in range(1, rounds + 1):
        for each in measures:
            floor = each.floor(seconds)
            taken = each.take(seconds) if floor is not None else None
            if floor is None or taken is None:
                continue
            figure = figures[each.name]
            figure.floors.append(floor[each.key])
            figure.values.append(taken[each.key])
            yield figure, number
