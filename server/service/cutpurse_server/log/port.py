"""What the service needs of a log, and nothing that betrays how a backend keeps it.

A *stream* is one append-only sequence of events with a version (the number of its events), the head of its hash chain,
and a flag that says whether anything may still be added. Streams are named by kind and id: `match/…`, `tournament/…`,
or by the kind alone where there is only one: `identity`. There is no order between streams.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple, NewType, Protocol

__all__ = [
    "Append",
    "Head",
    "Heard",
    "LastSign",
    "Log",
    "LogUnavailable",
    "StoredEvent",
    "UnreadableEvent",
    "Version",
    "is_sound",
]

Version = NewType("Version", int)
"""How many events a stream holds."""


class LogUnavailable(Exception):
    """The backend could not read or write. What was being written is *unknown*: read the log again, never assume.

    The text says in one or two sentences what happened and what can be done; it is for operators, never for callers.
    """


class UnreadableEvent(Exception):
    """Bytes of a log that are no event of this version: of a newer one, damaged, or made up; or some are missing.

    Raised by the codecs, and by backends that notice.
    """


class StoredEvent(NamedTuple):
    """One event exactly as it is kept, hashed and verified."""

    public: bytes
    secret: bytes
    """Empty where the event has no secret part."""
    salt: bytes
    """32 bytes, or empty with `secret`."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a stream stands."""

    version: Version
    chain: bytes
    """h_version, 32 bytes."""
    closed: bool
    """Nothing is ever added any more: the match or tournament is over."""


class Append(NamedTuple):
    """What one command adds to one stream: all of it or nothing."""

    stream: str
    expected: Version
    """The version that the command was decided on; 0 for a new stream."""
    events: Sequence[StoredEvent]
    """At least one."""
    chain: bytes
    """The chain's head after the last event, 32 bytes."""
    closed: bool = False


class LastSign(NamedTuple):
    """When the service was known to be alive last."""

    at_ms: int | None
    """Store time of the last note (`beat`), or None before the first."""
    alone: bool
    """No other replica has the log open now."""


Heard = Callable[[Collection[str] | None], None]
"""Told, on the loop, of streams to which another replica has appended; None stands for any of them.

Only a hint: it may come late, twice or never. Whoever hears it reads the log; whoever does not, looks now and then.
"""


class Log(Protocol):
    """A backend. All methods run on the service's event loop; a fast backend need not suspend."""

    @property
    def shared(self) -> bool:
        """Whether other replicas may append to the same streams; if not, what was read last is the newest."""
        ...

    async def open(self) -> None:
        """Get ready; raises `LogUnavailable` with a sentence that says what to do (such as another owner of a file)."""
        ...

    async def close(self) -> None:
        """Let go of everything; idempotent."""
        ...

    def now_ms(self) -> int:
        """Store time, in milliseconds since 1970; never goes back within a process."""
        ...

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """One durable transaction over different streams: which appends took place.

        An append takes place if its stream stands at the expected version and is not closed; the others of the flush
        are not affected. When this returns, what took place survives a crash. Raises `LogUnavailable` if the outcome
        is not known: then none or all of what could take place did, as a later read will tell. Flushes may be called
        at the same time. Appends that are not sound (`is_sound`) are a fault of the caller and fail an assertion.
        """
        ...

    async def read(self, stream: str, after: int = 0) -> Sequence[StoredEvent]:
        """The events after a version, in order; empty for an unknown stream. Raises `LogUnavailable`."""
        ...

    async def read_each(self, after: Mapping[str, int]) -> Mapping[str, Sequence[StoredEvent]]:
        """The events of several streams, each after a version of its own, as `read` gives them."""
        ...

    async def head(self, stream: str) -> Head | None:
        """Where a stream stands, or None if it does not exist. Raises `LogUnavailable`."""
        ...

    async def streams(self, kind: str, *, open_only: bool = False) -> Sequence[str]:
        """Names of all streams of a kind, sorted by code point; on request only those not closed.

        The kind is the name up to its first slash, or all of it (`match` for `match/…`). Raises `LogUnavailable`.
        """
        ...

    async def beat(self) -> None:
        """Note durably that the service is alive now. Raises `LogUnavailable`.

        A long time between two notes is a gap in which no replica was alive.
        """
        ...

    async def last_beat(self) -> int | None:
        """The store time of the last such note, or None before the first. Raises `LogUnavailable`."""
        ...

    def listen(self, heard: Heard) -> None:
        """Have somebody told of what other replicas append from now on."""
        ...

    async def open_versions(self, kind: str) -> Mapping[str, Version]:
        """Where all streams of a kind stand that are not closed, for a look at all of them. Raises `LogUnavailable`."""
        ...

    def taking_up(self) -> AbstractAsyncContextManager[LastSign]:
        """The block in which a replica gives back the time in which there was none, and then notes that it lives.

        Replicas are in it one after the other, so that each gap is given back once. Raises `LogUnavailable`.
        """
        ...


_CHAIN_BYTES = 32


def is_sound(appends: Sequence[Append]) -> bool:
    """Whether a flush names each stream once, and every append has events and a chain value."""
    return len({append.stream for append in appends}) == len(appends) and all(
        append.expected >= 0 and append.events and len(append.chain) == _CHAIN_BYTES for append in appends
    )
