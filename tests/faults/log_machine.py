"""A log against a model of it: a dictionary of streams, and whatever order of calls hypothesis finds."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append, Head, Log, LogUnavailable, StoredEvent, Version
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.log.sqlite import SQLiteLog
from tests.faults.ledger import Stream

__all__ = ["InFile", "InMemory", "LogMachine", "Place", "Shared"]

_T = TypeVar("_T")

STREAMS = 5
_examples = count(1)


class Place(ABC):
    """Where the logs of one example are kept."""

    openers = 1
    """How many may have it open at the same time."""
    can_be_killed = False

    @abstractmethod
    def log(self) -> Log:
        """A log over the place, still closed."""

    def kill(self) -> None:
        """Leave what a killed process would leave, for the next log to open."""
        raise AssertionError("what is kept here is not a process' own")

    def remove(self) -> None:  # noqa: B027  # most leave nothing behind
        """Clean up."""


class InMemory(Place):
    """Kept by one object."""

    def __init__(self) -> None:
        self._log = MemoryLog()

    def log(self) -> Log:
        """The same object, whatever happens."""
        return self._log


class InFile(Place):
    """Kept in an SQLite file."""

    can_be_killed = True

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="cutpurse-log-")))
        self._lives = count(1)
        self._path = self._folder / "log.sqlite"

    def log(self) -> Log:
        """Another object over the file."""
        return SQLiteLog(self._path)

    def kill(self) -> None:
        """Copy the files as they stand: that is what other processes find after a kill."""
        life = self._folder / f"life-{next(self._lives)}"
        life.mkdir()
        for path in (self._path, Path(f"{self._path}-wal")):
            copy2(path, life / path.name)
        self._path = life / self._path.name

    def remove(self) -> None:
        """Remove the files."""
        self._stack.close()


class Shared(Place):
    """Kept in a PostgreSQL database, which all examples share."""

    openers = 2

    def __init__(self, address: str) -> None:
        self._address = address

    def log(self) -> Log:
        """Another replica's log."""
        return PostgreSQLLog(self._address)


class _Asked(NamedTuple):
    """An append as hypothesis draws it."""

    stream: int
    beside: int
    """How far from where the stream stands."""
    sizes: list[int]
    """Of its events."""
    closed: bool


_appends = st.lists(
    st.builds(
        _Asked,
        st.integers(0, STREAMS - 1),
        st.sampled_from((0, 0, 0, 0, 0, -2, -1, 1)),
        st.lists(st.sampled_from((0, 1, 40, 3_000)), min_size=1, max_size=3),
        st.sampled_from((False, False, False, False, True)),
    ),
    max_size=STREAMS,
    unique_by=lambda asked: asked.stream,
)
_stream = st.integers(0, STREAMS)
"""One more than there may be."""
_opener = st.integers(0, 1)


class LogMachine(RuleBasedStateMachine):
    """Calls to the openers of one log."""

    def __init__(self, make_place: Callable[[], Place]) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._place = make_place()
        # Examples that share a database have streams of kinds of their own.
        self._kind = f"kind-{next(_examples)}"
        self._model: dict[str, Stream] = {}
        self._numbers = count(1)
        self._openers: list[Log] = []
        self._beat_ms: int | None = None

    @initialize()
    def open_all(self) -> None:
        """Every opener opens the log."""
        for _ in range(self._place.openers):
            self._open_one()

    def _open_one(self) -> None:
        log = self._place.log()
        self._run(log.open())
        self._openers.append(log)

    @rule(asked=_appends, opener=_opener)
    def flush(self, asked: Sequence[_Asked], opener: int) -> None:
        """One flush over several streams: exactly what stands where it is expected takes place."""
        appends = [self._append(each) for each in asked]
        expected = [self._takes_place(append) for append in appends]
        note(f"flush {[(append.stream, append.expected, len(append.events)) for append in appends]} → {expected}")

        assert list(self._run(self._opener(opener).flush(appends))) == expected

        for append, took_place in zip(appends, expected, strict=True):
            if took_place:
                self._take(append)

    @rule(first=_appends, second=_appends)
    def flush_twice_at_the_same_time(self, first: Sequence[_Asked], second: Sequence[_Asked]) -> None:
        """Two flushes race: of two appends at one version one takes place, and the others do not mind."""
        # What is ahead of its stream could take place after the other flush, and it should be clear what may.
        flushes = [
            [self._append(each._replace(beside=min(0, each.beside))) for each in asked] for asked in (first, second)
        ]
        before = {append: self._takes_place(append) for flush in flushes for append in map(_Key.of, flush)}
        note(f"race {[[(append.stream, append.expected) for append in flush] for flush in flushes]}")

        outcomes = self._run(_both([self._opener(opener).flush(each) for opener, each in enumerate(flushes)]))

        taken = [
            append
            for flush, outcome in zip(flushes, outcomes, strict=True)
            for append, took_place in zip(flush, outcome, strict=True)
            if took_place
        ]
        assert len({append.stream for append in taken}) == len(taken), "one version of a stream was decided twice"
        assert {append.stream for append in taken} == {append.stream for append, could in before.items() if could}
        for append in taken:
            assert self._takes_place(append)
            self._take(append)

    @rule(stream=_stream, after=st.integers(0, 8), opener=_opener)
    def read(self, stream: int, after: int, opener: int) -> None:
        """What stands after a version."""
        name = self._name(stream)

        found = self._run(self._opener(opener).read(name, after))

        assert tuple(found) == self._model.get(name, Stream()).events[after:]

    @rule(after=st.dictionaries(_stream, st.integers(0, 8)), opener=_opener)
    def read_each(self, after: dict[int, int], opener: int) -> None:
        """What stands after versions of several streams."""
        found = self._run(self._opener(opener).read_each({self._name(each): at for each, at in after.items()}))

        expected = {each: self._model.get(self._name(each), Stream()).events[at:] for each, at in after.items()}
        assert {each: tuple(found.get(self._name(each), ())) for each in after} == expected
        assert found.keys() <= {self._name(each) for each in after}

    @rule(opener=_opener)
    def look_at_everything(self, opener: int) -> None:
        """Heads and lists."""
        log = self._opener(opener)
        for stream in range(STREAMS + 1):
            name = self._name(stream)
            assert self._run(log.head(name)) == self._head(name)
        open_streams = {name: each.version for name, each in self._model.items() if not each.closed}
        assert list(self._run(log.streams(self._kind))) == sorted(self._model)
        assert list(self._run(log.streams(self._kind, open_only=True))) == sorted(open_streams)
        assert dict(self._run(log.open_versions(self._kind))) == open_streams

    @rule(opener=_opener)
    def beat(self, opener: int) -> None:
        """A note is there, and never goes back."""
        log = self._opener(opener)
        earliest_ms = log.now_ms()
        self._run(log.beat())
        at_ms = self._run(log.last_beat())
        assert at_ms is not None
        # Another replica's clock may be a little ahead, and its note stays then.
        assert earliest_ms <= at_ms
        self._beat_ms = max(at_ms, self._beat_ms or 0)

    @rule(opener=_opener)
    def last_beat(self, opener: int) -> None:
        """The last note is told by everybody."""
        at_ms = self._run(self._opener(opener).last_beat())
        if self._beat_ms is not None:
            assert at_ms is not None
            assert at_ms >= self._beat_ms

    @rule(opener=_opener)
    def close_and_open_again(self, opener: int) -> None:
        """A closed log refuses everything, and the next one finds everything."""
        number = opener % self._place.openers
        log = self._openers[number]
        self._run(log.close())
        try:
            self._run(log.flush([self._append(_Asked(0, 0, [1], False))]))
        except LogUnavailable:
            pass
        else:
            raise AssertionError("a closed log was written")
        self._openers[number] = self._place.log()
        self._run(self._openers[number].open())

    @precondition(lambda self: self._place.can_be_killed)
    @rule()
    def be_killed(self) -> None:
        """The owner is killed, and the next one finds everything."""
        self._place.kill()
        for log in self._openers:
            self._run(log.close())
        self._openers.clear()
        self._open_one()

    def teardown(self) -> None:
        """Everything is there at the end, for everybody."""
        try:
            for opener in range(len(self._openers)):
                self.look_at_everything(opener)
                for stream in range(STREAMS):
                    self.read(stream, 0, opener)
        finally:
            for log in self._openers:
                self._run(log.close())
            self._runner.close()
            self._place.remove()

    def _run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        return self._runner.run(coroutine)

    def _opener(self, number: int) -> Log:
        return self._openers[number % len(self._openers)]

    def _name(self, stream: int) -> str:
        return f"{self._kind}/{stream}"

    def _head(self, name: str) -> Head | None:
        stream = self._model.get(name)
        if stream is None:
            return None
        return Head(stream.version, links(first_link(name), stream.events), stream.closed)

    def _append(self, asked: _Asked) -> Append:
        name = self._name(asked.stream)
        stream = self._model.get(name, Stream())
        events = [self._event(size) for size in asked.sizes]
        expected = Version(max(0, stream.version + asked.beside))
        chain = links(first_link(name), (*stream.events, *events))
        return Append(name, expected, events, chain, asked.closed)

    def _event(self, size: int) -> StoredEvent:
        """No two are alike."""
        number = next(self._numbers)
        secret = b"s" * size
        return StoredEvent(f"{number}".encode() + b"p" * size, secret, number.to_bytes(32, "big") if secret else b"")

    def _takes_place(self, append: Append | _Key) -> bool:
        stream = self._model.get(append.stream, Stream())
        return append.expected == stream.version and not stream.closed

    def _take(self, append: Append) -> None:
        stream = self._model.get(append.stream, Stream())
        self._model[append.stream] = Stream((*stream.events, *append.events), append.closed)


class _Key(NamedTuple):
    """What decides whether an append can take place."""

    stream: str
    expected: Version

    @classmethod
    def of(cls, append: Append) -> _Key:
        """The key of an append."""
        return cls(append.stream, append.expected)


async def _both(coroutines: Sequence[Coroutine[Any, Any, Any]]) -> Sequence[Any]:
    return await asyncio.gather(*coroutines)
