"""Keeping in step with other replicas: what they append is heard of, or noticed at the next look at all matches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping

from cutpurse_server.log.port import Log, LogUnavailable

__all__ = ["Following"]

_LOOK_S = 2.0
"""How often all matches are looked at, whatever was heard: notifications are only hints."""
_RETRY_S = 0.25
_PREFIX = "match/"


class Following:
    """Tells which matches have moved elsewhere."""

    def __init__(
        self,
        log: Log,
        known: Callable[[], Mapping[str, int]],
        moved: Callable[[str, bool], Awaitable[None]],
        heard: Callable[[], None],
    ) -> None:
        """`known` gives the version of every match that is held; `moved` is called with a match and whether its log
        has to be read at once, since nobody else may be at work on it; `heard` before anything is made of news.
        """
        self._log = log
        self._known = known
        self._moved = moved
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
        for name in sorted(names):
            await self._moved(name, False)

    async def _look_at_all(self) -> None:
        """Compare all open matches with those held. A match that is behind twice in a row is nobody else's work."""
        versions = {
            stream.removeprefix(_PREFIX): version
            for stream, version in (await self._log.open_versions("match")).items()
        }
        known = dict(self._known())
        before, self._behind = self._behind, {}
        for match, version in versions.items():
            if known.get(match) != version:
                self._behind[match] = version
                await self._moved(match, match not in known or before.get(match) == version)
        for match in known.keys() - versions.keys():
            # It is over.
            await self._moved(match, True)
