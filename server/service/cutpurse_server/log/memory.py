"""The log in memory: for tests and for matches at home. Nothing survives the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutpurse_server.log.clock import StoreClock
from cutpurse_server.log.one_owner import OneOwner
from cutpurse_server.log.port import Append, Head, LogUnavailable, StoredEvent, Version, is_sound

__all__ = ["MemoryLog"]


class MemoryLog(OneOwner):
    """A `Log` that keeps its streams in a dictionary. Closing keeps them, so that it can be opened again."""

    def __init__(self, now_ms: Callable[[], int] | None = None) -> None:
        """A closed and empty log; tests give it a time of their own."""
        self._now_ms = now_ms or StoreClock().now_ms
        self._events: dict[str, list[StoredEvent]] = {}
        self._heads: dict[str, Head] = {}
        self._beat_ms: int | None = None
        self._open = False

    async def open(self) -> None:
        """Get ready."""
        self._open = True

    async def close(self) -> None:
        """Refuse everything until it is opened again."""
        self._open = False

    def now_ms(self) -> int:
        """Store time."""
        return self._now_ms()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """Append to every stream that stands where its command expects it."""
        assert is_sound(appends)
        self._check_open()
        return [self._append(append) for append in appends]

    def _append(self, append: Append) -> bool:
        head = self._heads.get(append.stream)
        if append.expected != (head.version if head else 0) or (head and head.closed):
            return False
        self._events.setdefault(append.stream, []).extend(append.events)
        version = Version(append.expected + len(append.events))
        self._heads[append.stream] = Head(version, append.chain, append.closed)
        return True

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version."""
        assert after >= 0
        self._check_open()
        return self._events.get(stream, [])[after:]

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands."""
        self._check_open()
        return self._heads.get(stream)

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """The streams of a kind."""
        self._check_open()
        return sorted(
            stream
            for stream, head in self._heads.items()
            if stream.partition("/")[0] == kind and not (open_only and head.closed)
        )

    async def beat(self) -> None:
        """Note that the service is alive."""
        self._check_open()
        self._beat_ms = self._now_ms()

    async def last_beat(self) -> int | None:
        """When it was noted last."""
        self._check_open()
        return self._beat_ms

    def _check_open(self) -> None:
        if not self._open:
            raise LogUnavailable("The log is closed.")
