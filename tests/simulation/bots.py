"""Bots of a simulation: honest ones, and those that are late, wrong, silent, of two minds, or gone for a while.

What an honest bot answers follows from the question alone. Every bot repeats itself, dials in again wherever it may,
and holds against the service every reply that it got before.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from cutpurse.v1 import bot_pb2, errors_pb2, match_pb2
from tests.simulation.streams import Broken, Stream
from tests.simulation.witness import Witness

__all__ = ["Manner", "SimulatedBot"]

_PATIENCE_S = 1.0
"""How long a bot waits before it says again what nobody replied to."""
_PAUSE_S = 0.2
"""How long it waits if it was told to try again."""
_REPEATED = 0.05
_OF_TWO_MINDS = 0.3
_ODD = 0.15
"""Share of answers in which a bot that is not honest shows what it is."""
_TRY_AGAIN = frozenset(
    (
        errors_pb2.ERROR_REASON_LOG_UNAVAILABLE,
        errors_pb2.ERROR_REASON_DRAINING,
        errors_pb2.ERROR_REASON_RATE_LIMITED,
    )
)
_LEFT_A_TRACE = frozenset(
    (
        errors_pb2.ERROR_REASON_CHOICE_ILLEGAL,
        errors_pb2.ERROR_REASON_CHOICE_MALFORMED,
        errors_pb2.ERROR_REASON_CORRECTIONS_USED_UP,
    )
)
_TOO_LATE = frozenset(
    (
        errors_pb2.ERROR_REASON_DECISION_STALE,
        errors_pb2.ERROR_REASON_TIME_OVER,
        errors_pb2.ERROR_REASON_MATCH_OVER,
        errors_pb2.ERROR_REASON_REQUEST_ID_REUSED,
    )
)
"""What bots may hear that are not honest."""


class Manner(StrEnum):
    """How a bot behaves."""

    HONEST = "honest"
    LATE = "late"
    WRONG = "wrong"
    SILENT = "silent"
    TWO_MINDS = "of two minds"
    VANISHING = "vanishing"


@dataclass(slots=True)
class _Intent:
    """An answer that is sent until there is a reply to it."""

    choice: match_pb2.Choice
    notation: str
    """What it says, if it is legal."""
    reply: bytes | None = None
    """The first reply that must never change: kind and message."""
    given_up: bool = False


class SimulatedBot:
    """One bot in any number of matches, over one stream after the other."""

    def __init__(self, name: str, manner: Manner, chance: random.Random, witness: Witness, slowness_s: float) -> None:
        """`slowness_s` is how long it thinks at most when it is not late."""
        self.name = name
        self.manner = manner
        self.wrong: list[str] = []
        self.counted: Counter[str] = Counter()
        self._chance = chance
        self._witness = witness
        self._slowness_s = slowness_s
        self._intents: dict[tuple[str, int], _Intent] = {}
        """By match and decision: the newest answer."""
        self._known: dict[tuple[str, bytes], _Intent] = {}
        self._asked: dict[tuple[str, int], match_pb2.Decision] = {}
        self._requests = 0
        self._stream: Stream | None = None
        self._again: asyncio.TimerHandle | None = None
        self._thinking: set[asyncio.Task[None]] = set()

    async def play(self, dial: Callable[[str], Stream | None]) -> None:
        """Play for ever; `dial` gives a new stream, or None if nobody can be reached."""
        while True:
            self._stream = dial(self.name)
            if self._stream is not None:
                try:
                    await self._talk(self._stream)
                except Broken:
                    self.counted["streams broken"] += 1
                finally:
                    self._stream.cut()
            away_s = self._chance.uniform(0.01, 0.3)
            if self.manner is Manner.VANISHING and self._chance.random() < 0.5:
                away_s = self._chance.uniform(1, 20)
            await asyncio.sleep(away_s)

    async def stop(self) -> None:
        """Think no more."""
        for task in list(self._thinking):
            task.cancel()
        await asyncio.gather(*self._thinking, return_exceptions=True)

    def unanswered(self) -> list[str]:
        """What was said and got no reply."""
        intents = self._known.values()
        return [f"{self.name}: {intent.choice}" for intent in intents if not (intent.reply or intent.given_up)]

    def repeat_everything(self) -> None:
        """Say everything once more."""
        self._say(self._known.values())

    async def _talk(self, stream: Stream) -> None:
        stream.say(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1)))
        self._say_again()
        while True:
            if self.manner is Manner.VANISHING and self._chance.random() < 0.02:
                raise Broken
            try:
                frame = await stream.hear(_PATIENCE_S)
            except TimeoutError:
                self._say_again()
                continue
            self._hear(frame)
            if frame.HasField("draining"):
                stream.hang_up()

    def _hear(self, frame: bot_pb2.ConnectResponse) -> None:
        for offer in frame.offers:
            if self.manner is not Manner.SILENT or self._chance.random() < 0.7:
                self._send(bot_pb2.ConnectRequest(readies=[bot_pb2.Ready(match=offer.match)]))
        for accepted in frame.accepted:
            self._replied(accepted, b"accepted " + accepted.SerializeToString(deterministic=True), traced=True)
        for refused in frame.refused:
            self._refused(refused)
        for decision in frame.decisions:
            self._asked[decision.match, decision.decision] = decision
            self._ask(decision)
        if self._known and self._chance.random() < _REPEATED:
            self.counted["repeated"] += 1
            self._say([self._chance.choice(list(self._known.values()))])

    def _ask(self, decision: match_pb2.Decision) -> None:
        task = asyncio.create_task(self._think(decision))
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    async def _think(self, decision: match_pb2.Decision) -> None:
        """Answer a decision, in this bot's manner."""
        before = self._intents.get((decision.match, decision.decision))
        if before is not None and not (before.reply or b"").startswith(b"refused"):
            self._say([before])
            return
        odd = self._chance.random() < _ODD
        if self.manner is Manner.SILENT and odd:
            return
        left_ms = decision.decision_ms_left + decision.bank_ms_left
        late = self.manner is Manner.LATE and odd
        await asyncio.sleep(
            left_ms / 1_000 * self._chance.uniform(0.5, 1.5) if late else self._chance.uniform(0, self._slowness_s)
        )
        if self._intents.get((decision.match, decision.decision)) is not before:
            return
        intent = self._answer(decision, wrong=self.manner is Manner.WRONG and odd)
        self._say([intent])
        if self.manner is Manner.TWO_MINDS and self._chance.random() < _OF_TWO_MINDS:
            other = match_pb2.Choice(match=decision.match, decision=decision.decision, notation="nonsense")
            other.request_id = intent.choice.request_id if odd else b"%s:other" % intent.choice.request_id
            if not odd:
                self._known[decision.match, other.request_id] = _Intent(other, "")
            self._send(bot_pb2.ConnectRequest(choices=[other]))

    def _answer(self, decision: match_pb2.Decision, *, wrong: bool) -> _Intent:
        self._requests += 1
        choice = match_pb2.Choice(match=decision.match, decision=decision.decision)
        choice.request_id = f"{self.name}:{self._requests}".encode()
        said = f"{decision.match}/{decision.decision}/{decision.seat}/{'/'.join(decision.legal)}"
        index = int.from_bytes(sha256(said.encode()).digest()[:8]) % len(decision.legal)
        notation = decision.legal[index]
        if wrong:
            notation = ""
            choice.notation = "nonsense"
        elif self._requests % 2:
            choice.index = index
        else:
            choice.notation = notation
        intent = self._known[decision.match, choice.request_id] = _Intent(choice, notation)
        self._intents[decision.match, decision.decision] = intent
        return intent

    def _refused(self, refused: match_pb2.ChoiceRefused) -> None:
        reason = refused.reason
        if reason in _TRY_AGAIN:
            self.counted["told to try again"] += 1
            if self._again is None:
                self._again = asyncio.get_running_loop().call_later(_PAUSE_S, self._say_again)
        elif reason in _LEFT_A_TRACE:
            self._replied(refused, b"refused " + refused.SerializeToString(deterministic=True), traced=True)
            if refused.HasField("corrections_left"):
                self._ask(self._asked[refused.match, refused.decision])
        elif reason in _TOO_LATE and self.manner is not Manner.HONEST:
            self._replied(refused, b"", traced=False)
        else:
            name = errors_pb2.ErrorReason.Name(reason)
            self._known[refused.match, refused.request_id].given_up = True
            self._find(refused, f"was refused: {name}")

    def _replied(self, told: Any, reply: bytes, *, traced: bool) -> None:
        """Hold a reply against the store, and against the reply that there was before."""
        key = told.match, told.request_id
        intent = self._known[key]
        if not traced:
            intent.given_up = True
            if intent.reply is not None and self.manner is not Manner.TWO_MINDS:
                self._find(told, "there was another reply before")
            return
        if key not in self._witness.traces:
            self._find(told, "what was replied to is not in the log")
        elif self.manner is not Manner.TWO_MINDS and self._witness.traces[key] != intent.notation:
            self._find(told, "what is in the log was not said")
        if intent.reply is not None:
            self.counted["replies compared"] += 1
            if intent.reply != reply:
                self._find(told, "two replies differ")
        else:
            self.counted["replies"] += 1
        intent.reply = reply

    def _find(self, told: Any, what: str) -> None:
        self.wrong.append(f"{told.match}: {self.name}, {self.manner}, request {told.request_id!r}: {what}")

    def _say_again(self) -> None:
        if self._again is not None:
            self._again.cancel()
        self._again = None
        self._say(intent for intent in self._known.values() if intent.reply is None and not intent.given_up)

    def _say(self, intents: Iterable[_Intent]) -> None:
        choices = [intent.choice for intent in intents]
        for begin in range(0, len(choices), 50):
            self._send(bot_pb2.ConnectRequest(choices=choices[begin : begin + 50]))

    def _send(self, frame: bot_pb2.ConnectRequest) -> None:
        if self._stream is not None:
            self._stream.say(frame)
