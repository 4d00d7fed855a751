"""Keeping in step with other replicas: what they append is heard of, or noticed at the next look at all matches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.matches.record import MatchRecord

__all__ = ["Following"]

_LOOK_S = 2.0
"""How often all matches are looked at, whatever was heard: notifications are only hints."""
_RETRY_S = 0.25
_PREFIX = "match/"
_READ_AT_ONCE = 64
"""So many matches are read by one query, which holds all their news in memory."""


class Following:
    """Has those matches read that have moved elsewhere, if anybody here has to know; doubts the others."""

    def __init__(
        self,
        log: Log,
        held: Mapping[str, MatchRecord],
        over: Collection[str],
        is_needed: Callable[[MatchRecord], bool],
        doubt: Callable[[str], None],
        load: Callable[[Sequence[str]], Awaitable[None]],
        heard: Callable[[], None],
    ) -> None:
        """`held` and `over` are the matches that the desk knows, running or not; `is_needed` says whether anybody here
        has to know of a match's moves. `doubt` marks a match that was not read, `load` reads some; `heard` is called
        before anything is made of news.
        """
        self._log = log
        self._held = held
        self._over = over
        self._is_needed = is_needed
        self._doubt = doubt
        self._load = load
        self._heard_of = heard
        self._names: set[str] = set()
        self._all = False
        self._behind: dict[str, int] = {}
        """By match: the version that its log had at the last look, if that was not the one held."""
        self._wake = asyncio.Event()

    def heard(self, streams: Collection[str] | None) -> None:
        """See `Heard`."""
        if streams is None:
            self._all = True
        else:
            self._names.update(stream.removeprefix(_PREFIX) for stream in streams if stream.startswith(_PREFIX))
        self._wake.set()

    async def follow(self) -> None:
        """Follow for ever."""
        while True:
            try:
                async with asyncio.timeout(_LOOK_S):
                    await self._wake.wait()
            except TimeoutError:
                self._all = True
            self._wake.clear()
            self._heard_of()
            try:
                await self._catch_up()
            except LogUnavailable:
                # Whoever writes notices it too; here only the look at everything must not be forgotten.
                self._all = True
                await asyncio.sleep(_RETRY_S)

    async def _catch_up(self) -> None:
        names, self._names = self._names, set()
        if self._all:
            self._all = False
            await self._look_at_all()
        await self._moved(names)

    async def _moved(self, matches: Iterable[str], needed: Collection[str] = ()) -> None:
        """Others have added to matches. What only concerns others is read only when somebody asks, or they are gone."""
        to_read = []
        for match in sorted(matches):
            if match in self._over:
                continue
            self._doubt(match)
            record = self._held.get(match)
            if record is None or match in needed or self._is_needed(record):
                to_read.append(match)
        await self.read(to_read)

    async def read(self, matches: Sequence[str]) -> None:
        """Read matches, many at once."""
        for begin in range(0, len(matches), _READ_AT_ONCE):
            await self._load(matches[begin : begin + _READ_AT_ONCE])

    async def _look_at_all(self) -> None:
        """Compare all open matches with those held. A match that is behind twice in a row is nobody else's work."""
        streams = await self._log.open_versions("match")
        versions = {stream.removeprefix(_PREFIX): version for stream, version in streams.items()}
        held = {match: record.version for match, record in self._held.items()}
        before = self._behind
        self._behind = {match: version for match, version in versions.items() if held.get(match) != version}
        left = {match for match, version in self._behind.items() if before.get(match) == version}
        over = held.keys() - versions.keys()
        await self._moved(self._behind.keys() | over, needed=left | over)
