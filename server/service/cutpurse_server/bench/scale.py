"""A tournament of very many matches through the real log and reconciler, with only the play faked.

    python -m cutpurse_server.bench.scale --entrants 1000 --matches 100000

Prints time and memory per match for every tenth of the tournament. What must not happen is that they grow: the
tournament's record holds what has ended, but nobody may walk through it for every match.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cutpurse_rules.contract import EndReason
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import Append, Log, Version
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.deciding import Draft
from cutpurse_server.matches.desk import Observer, stream_of
from cutpurse_server.matches.events import Clock, MatchBegun, MatchEnded, MatchOutcome
from cutpurse_server.matches.record import MatchRecord, Phase
from cutpurse_server.tournaments import Tournaments
from cutpurse_server.tournaments.events import Format, FormatSettings, Manifest
from cutpurse_server.wire import match_events, tournament_events

__all__ = ["Tenth", "play_scale"]

_PLAYERS = 2
_KEPT = 256
_BYTES_PER_PAGE = os.sysconf("SC_PAGE_SIZE")
_NAME = "scale"


class Tenth(NamedTuple):
    """A tenth of the tournament."""

    matches: int
    seconds: float
    processor_seconds: float
    """Of the whole process."""
    memory_bytes: int
    """Of the process at its end."""


class PlayedDesk:
    """A desk whose matches are over once they are begun; who wins follows from the key. Their logs are written."""

    def __init__(self, log: Log, ended: Callable[[], None]) -> None:
        self._log = log
        self._ended = ended
        self._observers: list[Observer] = []
        self._recent: OrderedDict[str, MatchRecord] = OrderedDict()

    def observe(self, observer: Observer) -> None:
        """See `Desk`."""
        self._observers.append(observer)

    async def begin(self, begun: MatchBegun) -> bool:
        """See `Desk`."""
        places = random.Random(begun.key).sample(range(1, begun.players + 1), begun.players)
        outcome = MatchOutcome((0,) * begun.players, tuple(places), EndReason.COMPLETED, (), tuple(places))
        ended = MatchEnded(outcome, begun.at_ms, bytes(32), (0,) * begun.players, (0,) * begun.players)
        stored = [match_events.encode(event) for event in (begun, ended)]
        chain = links(first_link(begun.match, begun.manifest_hash), stored)
        append = Append(stream_of(begun.match), Version(0), tuple(stored), chain, closed=True)
        (new,) = await self._log.flush([append])
        record = MatchRecord(begun)
        record.phase, record.outcome, record.chain = Phase.ENDED, outcome, chain
        record.version = Version(len(stored))
        self._recent[begun.match] = record
        if len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        asyncio.get_running_loop().call_soon(self._tell, record)
        return new

    async def record(self, match: str) -> MatchRecord | None:
        """See `Desk`."""
        return self._recent.get(match)

    async def ask(self, match: str, command: Callable[[Draft, int], Any]) -> None:
        """See `Desk`; nothing runs that could be asked."""

    def running(self) -> Sequence[MatchRecord]:
        """See `Desk`."""
        return ()

    def _tell(self, record: MatchRecord) -> None:
        self._ended()
        for observer in self._observers:
            observer.moved(record, record, ())


class _Owners:
    async def owner_of(self, bot: str) -> str | None:
        return bot


class _Counted:
    """Cuts the run into tenths."""

    def __init__(self, matches: int) -> None:
        self.tenths: list[Tenth] = []
        self._each = max(1, matches // 10)
        self._done = 0
        self._since = (time.perf_counter(), time.process_time())

    def begin(self) -> None:
        """From now on time counts."""
        self._since = (time.perf_counter(), time.process_time())

    def __call__(self) -> None:
        """A match is over."""
        self._done += 1
        if self._done % self._each == 0:
            wall, processor = time.perf_counter(), time.process_time()
            self.tenths.append(Tenth(self._each, wall - self._since[0], processor - self._since[1], _memory_bytes()))
            self._since = (wall, processor)


async def play_scale(log: Log, entrants: int, matches: int, format_: Format = Format.SWISS) -> list[Tenth]:
    """Play a tournament of about so many matches to its end; the log must be open."""
    tables = entrants // _PLAYERS
    rounds = max(1, round(matches / (tables * _PLAYERS)))
    settings = FormatSettings(tables=tables) if format_ is Format.ROUND_ROBIN else FormatSettings()
    manifest = Manifest(
        _NAME, "art_robbery", {}, Clock(), format_, _PLAYERS, rounds, 64, b"", 0, "scale", settings=settings
    )
    counted = _Counted(rounds * tables * _PLAYERS)
    tournaments = Tournaments(log, tournament_events, PlayedDesk(log, counted), _Owners())
    await tournaments.open()
    try:
        await tournaments.create(manifest)
        for number in range(entrants):
            await tournaments.enter(_NAME, f"bot-{number:04}")
        counted.begin()
        await tournaments.start(_NAME)
        async for _ in tournaments.watch(_NAME):
            pass
    finally:
        await tournaments.close()
    return counted.tenths


def _memory_bytes() -> int:
    """What the process holds in memory now."""
    resident = Path("/proc/self/statm").read_text().split()[1]
    return int(resident) * _BYTES_PER_PAGE


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Play a very large tournament whose play is faked.")
    parser.add_argument("--entrants", type=int, default=1_000)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--format", choices=["swiss", "ladder", "round-robin"], default="swiss")
    given = parser.parse_args()
    format_ = Format[given.format.upper().replace("-", "_")]
    tenths = asyncio.run(_in_a_folder(given.entrants, given.matches, format_))
    for tenth in tenths:
        line = {
            "matches": tenth.matches,
            "us_per_match": round(tenth.seconds / tenth.matches * 1e6),
            "processor_us_per_match": round(tenth.processor_seconds / tenth.matches * 1e6),
            "memory_mb": round(tenth.memory_bytes / 1e6, 1),
        }
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


async def _in_a_folder(entrants: int, matches: int, format_: Format) -> list[Tenth]:
    with tempfile.TemporaryDirectory(prefix="cutpurse-scale-") as folder:
        log = SQLiteLog(Path(folder) / "log.sqlite")
        await log.open()
        try:
            return await play_scale(log, entrants, matches, format_)
        finally:
            await log.close()


if __name__ == "__main__":
    main()
