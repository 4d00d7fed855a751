"""Play with a function: `run` for programs, `play` for those that have an event loop already."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal, TypedDict, Unpack

from cutpurse.v1.bot_pb2 import MatchEnded, MatchNews, MatchOffered
from cutpurse_sdk.answers import Answer
from cutpurse_sdk.client import Backoff, Client, Ending
from cutpurse_sdk.decision import Decision
from cutpurse_sdk.errors import ChoiceNotTaken, reason_name
from cutpurse_sdk.session import Refusal
from cutpurse_sdk.settings import Settings
from cutpurse_sdk.stream import Wishes

__all__ = ["Choose", "Options", "Summary", "play", "run"]

log = logging.getLogger("cutpurse_sdk")

Choose = Callable[[Decision], Answer | Awaitable[Answer]]
"""The bot: from a decision to an answer, at once or awaited."""

RESULTS_KEPT_MAX = 10_000
"""A bot that plays for weeks keeps the results of its latest matches only."""


class Options(TypedDict, total=False):
    """How to play; everything may be left out."""

    address: str | None
    """`host:port` or `unix:/path`; else CUTPURSE_ADDRESS."""
    token: str | None
    """The bot's token; else CUTPURSE_TOKEN."""
    seed: str | None
    """Makes `Decision.random` repeatable; else CUTPURSE_SEED; else every process plays differently."""
    ca: str | os.PathLike[str] | None
    """The file with the service's certificate authority, PEM; else CUTPURSE_CA. Needed for other machines."""
    bot: str
    """The registered name; left out: the token says it."""
    matches: int | None
    """Come to an end after so many matches, at least 1; left out: never."""
    legal_actions: bool
    """Ask for `Decision.legal_actions`; default False."""
    on_match: Callable[[MatchOffered], Awaitable[None] | None] | None
    """Called once for every match before the bot says that it is ready: to warm up, outside the clock."""
    on_news: Callable[[MatchNews], None] | None
    """Called with what everybody may know, as it happens; asked for only if this is given."""
    on_ended: Callable[[MatchEnded], None] | None
    """Called when a match is over."""
    on_refused: Literal["default", "raise"]
    """A refused answer: log it and, once, answer with the first legal action instead (`default`); or raise."""
    on_error: Literal["default", "raise"]
    """An exception in `choose`: let it end the program (`raise`, the default); or log it and answer as above."""
    patience_s: float
    """How long the service may be out of reach before `ServiceUnreachable`; default 60 seconds."""
    backoff: Backoff
    """The pauses between attempts to reach it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of a bot's time at the tables."""

    bot: str
    """The bot's name as the service knows it."""
    ending: Ending
    """Why it came to an end."""
    matches: int
    """Matches that are over."""
    decisions: int
    """Choices of the bot that are in the log."""
    refused: int
    """Choices that were not taken, those included that were put right."""
    results: tuple[MatchEnded, ...]
    """The ends of the latest matches, at most 10,000, in the order in which they came."""


def run(choose: Choose, **options: Unpack[Options]) -> Summary:
    """Play until the matches asked for are over, or SIGINT or SIGTERM, or the service stops for good.

    A first signal ends in good order: what was answered is brought home. A second one interrupts whatever is going on.
    Uses uvloop where it is installed. Raises what `choose` raises (unless `on_error="default"`), `SettingsInvalid`,
    `ServiceRefused`, `ServiceUnreachable`, `AnswerInvalid`; with `on_refused="raise"` also `ChoiceNotTaken`.
    """
    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        player = _Player(choose, options)
        with _stopped_by_signals(runner.get_loop(), player):
            return runner.run(player.play())


async def play(choose: Choose, **options: Unpack[Options]) -> Summary:
    """The same inside an event loop; signals are left alone. Cancelling it ends it at once."""
    return await _Player(choose, options).play()


class _Player:
    """Carries decisions to `choose` and its answers back."""

    def __init__(self, choose: Choose, options: Options) -> None:
        self._choose = choose
        self._matches_max = options.get("matches")
        if self._matches_max is not None and self._matches_max < 1:
            raise ValueError(f"matches is {self._matches_max}: at least 1, or None for no end")
        self._default_if_refused = _is_default(options, "on_refused", otherwise=True)
        self._default_on_error = _is_default(options, "on_error", otherwise=False)
        self._on_match = options.get("on_match")
        self._on_news = options.get("on_news")
        self._on_ended = options.get("on_ended")
        settings = Settings.resolve(
            options.get("address"), options.get("token"), options.get("seed"), options.get("ca")
        )
        wishes = Wishes(
            bot=options.get("bot", ""),
            legal_actions=options.get("legal_actions", False),
            news=self._on_news is not None,
        )
        self._client = Client(settings, wishes, options.get("patience_s", 60.0), options.get("backoff", Backoff()))
        self._thinking: dict[str, asyncio.Task[None]] = {}
        # The match and decision in which the default was sent already: one refusal of it is enough.
        self._defaulted: dict[str, int] = {}
        self._matches = 0
        self._refused = 0
        self._results: deque[MatchEnded] = deque(maxlen=RESULTS_KEPT_MAX)

    async def play(self) -> Summary:
        """Play to the end."""
        try:
            async with self._client as client:
                async for event in client:
                    # By far the most frequent first.
                    if isinstance(event, Decision):
                        self._decide(event)
                    elif isinstance(event, MatchOffered):
                        self._prepare(event)
                    elif isinstance(event, MatchEnded):
                        self._end(event)
                    elif isinstance(event, Refusal):
                        self._mend(event)
                    elif self._on_news is not None:
                        self._on_news(event)
        finally:
            for task in self._thinking.values():
                task.cancel()
            await asyncio.gather(*self._thinking.values(), return_exceptions=True)
        assert client.ending is not None, "iteration ends for a reason"
        results = tuple(self._results)
        return Summary(client.bot, client.ending, self._matches, client.accepted, self._refused, results)

    def stop(self) -> None:
        """Come to an end in good order."""
        self._client.stop()

    def _decide(self, decision: Decision) -> None:
        try:
            answer = self._choose(decision)
            if inspect.isawaitable(answer):
                self._start(decision.match, self._decide_later(decision, answer))
            else:
                self._client.answer(decision, answer)
        except Exception as error:
            self._failed(decision, error)

    async def _decide_later(self, decision: Decision, answer: Awaitable[Answer]) -> None:
        try:
            self._client.answer(decision, await answer)
        except Exception as error:
            self._failed(decision, error)

    def _failed(self, decision: Decision, error: Exception) -> None:
        """`choose` raised, or returned something that is no answer."""
        error.add_note(f"raised in choose for {decision}")
        if self._default_on_error:
            log.error("answering with the first legal action instead", exc_info=error)
            self._client.answer(decision, 0)
        else:
            self._client.stop(error=error)

    def _prepare(self, offer: MatchOffered) -> None:
        warming = None if self._on_match is None else self._on_match(offer)
        if warming is not None:
            self._start(offer.match, self._prepare_later(offer, warming))
        else:
            self._client.ready(offer)

    async def _prepare_later(self, offer: MatchOffered, warming: Awaitable[None]) -> None:
        try:
            await warming
        except Exception as error:
            self._client.stop(error=error)
        else:
            self._client.ready(offer)

    def _mend(self, refusal: Refusal) -> None:
        """A choice was not taken."""
        self._refused += 1
        message, decision = refusal.message, refusal.decision
        if not self._default_if_refused:
            self._client.stop(error=ChoiceNotTaken(message))
            return
        log.warning(
            "match %s, decision %d was refused: %s: %s",
            message.match, message.decision, reason_name(message.reason), message.text,
        )  # fmt: skip
        if refusal.correctable and self._defaulted.get(decision.match) != decision.decision:
            self._defaulted[decision.match] = decision.decision
            self._client.answer(decision, 0)

    def _end(self, ended: MatchEnded) -> None:
        self._matches += 1
        self._results.append(ended)
        self._defaulted.pop(ended.match, None)
        if (task := self._thinking.pop(ended.match, None)) is not None:
            task.cancel()
        if self._on_ended is not None:
            self._on_ended(ended)
        if self._matches == self._matches_max:
            self._client.stop(Ending.MATCHES_PLAYED)

    def _start(self, match: str, thinking: Any) -> None:
        """Think about a match; what was being thought about it is out of date."""
        if (task := self._thinking.get(match)) is not None:
            task.cancel()
        task = self._thinking[match] = asyncio.ensure_future(thinking)
        task.add_done_callback(lambda done: self._forget(match, done))

    def _forget(self, match: str, task: asyncio.Future[None]) -> None:
        if self._thinking.get(match) is task:
            del self._thinking[match]


def _is_default(options: Options, name: Literal["on_refused", "on_error"], otherwise: bool) -> bool:
    """Whether such an option is `default`; `otherwise` where it is left out."""
    value = options.get(name, "default" if otherwise else "raise")
    if value not in ("default", "raise"):
        raise ValueError(f"{name} is {value!r}: 'default' or 'raise'")
    return value == "default"


def fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop of uvloop where it is installed; it is no requirement, so it is looked up by its name."""
    if importlib.util.find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module("uvloop").new_event_loop
    return factory


@contextmanager
def _stopped_by_signals(loop: asyncio.AbstractEventLoop, player: _Player) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM stop the player; a second one interrupts, even an endless loop in `choose`."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may handle signals; whoever runs us elsewhere handles them there.
        yield
        return
    stopping = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        if stopping:
            raise KeyboardInterrupt
        stopping = True
        loop.call_soon_threadsafe(player.stop)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
