"""A layer between bots and a service that delivers every answer several times, in any order, on any way there is.

Every bot has several streams to each replica, and unary calls besides. Copies of an answer go out beside those of other
answers and of other matches, early ones and late ones, long after the decision is over; some are lost on the way, and
some with the reply to them. What comes back is kept and compared.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from types import TracebackType
from typing import Self

import grpc

from cutpurse.v1 import bot_pb2, errors_pb2, match_pb2
from tests.acceptance.logs import MatchLog
from tests.server.service.arena import Arena, BotStream, eventually, refusal_of

__all__ = ["BOTS", "Post", "Violation"]

BOTS = ("ann", "ben", "cat")
COPIES = (3, 8)
"""How often an answer is delivered, at least and at most, when nothing is lost."""
_BATCH = 96
_IN_FLIGHT_MAX = 24
"""Copies of one bot and match that may be under way on one stream: below the place that a bot has in a queue."""
_STREAMS_EACH = 2
_UNARY = 0.05
_LOST = 0.03
_TORN = 0.02
_STUMBLES = 0.05
_NOT_LOOKED_AT = (errors_pb2.ERROR_REASON_DECISION_STALE, errors_pb2.ERROR_REASON_MATCH_OVER)
"""Refusals that leave no trace, so that the next one may have another reason."""


class Violation(AssertionError):
    """An answer had another number of effects than one, or two replies."""


class _Way:
    """One stream of a bot to one replica, read all the time; dialled anew when it was torn."""

    def __init__(self, arena: Arena, bot: str, post: Post) -> None:
        self.arena = arena
        self._bot = bot
        self._post = post
        self._stream: BotStream | None = None
        self._reading: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self.under_way: Counter[str] = Counter()
        """By match: copies that were sent and have no reply yet."""

    async def dial(self) -> None:
        """Open the stream."""
        self._stream = await self.arena.dial(self._bot)
        self._reading = asyncio.create_task(self._read(self._stream))

    async def hang_up(self) -> None:
        """Tear the stream, with whatever is under way on it."""
        assert self._stream is not None
        assert self._reading is not None
        self._stream.cancel()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self.under_way.clear()
        await eventually(self._may_dial)

    def _may_dial(self) -> bool:
        return self.arena.service.presence.streams(self._bot) < _STREAMS_EACH

    async def send(self, choices: Sequence[match_pb2.Choice]) -> None:
        """Send copies in one frame, in their order."""
        assert self._stream is not None
        self.under_way.update(choice.match for choice in choices)
        async with self._writing:
            await self._stream.say(choices=choices)

    async def _read(self, stream: BotStream) -> None:
        while True:
            for kind, part in stream.parts:
                if kind in ("accepted", "refused"):
                    self.under_way[part.match] -= 1
                    kind = "not looked at" if kind == "refused" and part.reason in _NOT_LOOKED_AT else kind
                    self._post.keep_reply(kind, part.request_id, part.SerializeToString(deterministic=True))
                elif kind == "offers":
                    async with self._writing:
                        await stream.say(readies=[bot_pb2.Ready(match=part.match)])
                elif kind == "decisions":
                    self._post.keep_decision(self._bot, part)
                elif kind == "ended":
                    self._post.over.add(part.match)
            stream.parts.clear()
            stream.transcript.clear()
            if not await stream.read():
                return


class Post:
    """Delivers the answers of all bots in some matches; to be used in `async with`."""

    def __init__(self, arenas: Sequence[Arena], seed: str) -> None:
        self._lot = random.Random(seed)
        self._ways = {bot: [_Way(arena, bot, self) for arena in arenas for _ in range(_STREAMS_EACH)] for bot in BOTS}
        self._newest: dict[tuple[str, str], int] = {}
        self._bag: list[tuple[str, match_pb2.Choice]] = []
        self._open: dict[tuple[str, str], match_pb2.Choice] = {}
        """By bot and match: the answer to the decision that was asked last."""
        self.over: set[str] = set()
        """Matches that are over."""
        self.intents: dict[bytes, match_pb2.Choice] = {}
        """All answers that can have an effect."""
        self._replies: dict[tuple[str, bytes], bytes] = {}
        self.counted: Counter[str] = Counter()

    async def __aenter__(self) -> Self:
        for ways in self._ways.values():
            for way in ways:
                await way.dial()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for ways in self._ways.values():
            for way in ways:
                await way.hang_up()

    def keep_decision(self, bot: str, decision: match_pb2.Decision) -> None:
        """Make the answer to a decision that was not seen before, and its copies."""
        key = (bot, decision.match)
        if decision.decision <= self._newest.get(key, 0):
            return
        self._newest[key] = decision.decision
        name = f"{bot}/{decision.match}/{decision.decision}"
        if self._lot.random() < _STUMBLES:
            self._bag += [(bot, _answer(decision, f"stumbled/{name}", "no notation"))] * self._lot.randint(*COPIES)
        choice = _answer(decision, name, self._lot.choice(decision.legal))
        self._open[key] = self.intents[choice.request_id] = choice
        self._bag += [(bot, choice)] * self._lot.randint(*COPIES)

    def keep_reply(self, kind: str, request_id: bytes, reply: bytes) -> None:
        """Hold a reply against those to the same request."""
        self.counted["replies"] += 1
        known = self._replies.setdefault((kind, request_id), reply)
        if kind == "not looked at":
            # First because the decision is over, then because the match is.
            known = self._replies.get(("refused", request_id), reply)
        if known != reply or (kind != "accepted" and request_id in self.intents):
            raise Violation(f"one request was answered {known.hex()} and {kind} {reply.hex()}")

    async def deliver(self, matches: Sequence[str]) -> None:
        """Deliver until all matches are over and all copies gone."""
        while self._bag or not self.over.issuperset(matches):
            self._say_again()
            await self._deliver_some()
            self._raise_violations()
            await asyncio.sleep(0 if self._bag else 0.001)
        await eventually(lambda: not any(way.under_way.total() for ways in self._ways.values() for way in ways))
        self._raise_violations()

    def _raise_violations(self) -> None:
        for ways in self._ways.values():
            for way in ways:
                if way._reading is not None and way._reading.done():
                    way._reading.result()

    def _say_again(self) -> None:
        """Whatever has no reply, and of which no copy is left, was lost: it is said again."""
        waiting = {choice.request_id for _, choice in self._bag}
        for (bot, match), choice in self._open.items():
            if match not in self.over and choice.request_id not in waiting:
                known = ("accepted", choice.request_id) in self._replies
                quiet = not any(way.under_way[match] for way in self._ways[bot])
                if not known and quiet:
                    self._bag.append((bot, choice))

    async def _deliver_some(self) -> None:
        self._lot.shuffle(self._bag)
        batch, self._bag = self._bag[:_BATCH], self._bag[_BATCH:]
        frames: dict[_Way, list[match_pb2.Choice]] = {}
        calls = []
        for bot, choice in batch:
            way = self._lot.choice(self._ways[bot])
            frame = frames.setdefault(way, [])
            self.counted["deliveries"] += 1
            if self._lot.random() < _LOST:
                self.counted["lost"] += 1
            elif self._lot.random() < _UNARY:
                calls.append(self._call(way.arena, bot, choice))
            elif way.under_way[choice.match] + len(frame) < _IN_FLIGHT_MAX:
                frame.append(choice)
            else:
                self.counted["deliveries"] -= 1
                self._bag.append((bot, choice))
        sends = [self._send(way, frame) for way, frame in frames.items() if frame]
        for outcome in await asyncio.gather(*calls, *sends, return_exceptions=True):
            if outcome is not None:
                raise outcome

    async def _send(self, way: _Way, frame: list[match_pb2.Choice]) -> None:
        await way.send(frame)
        if self._lot.random() < _TORN:
            self.counted["torn"] += 1
            await way.hang_up()
            await way.dial()

    async def _call(self, arena: Arena, bot: str, choice: match_pb2.Choice) -> None:
        request = match_pb2.SubmitChoiceRequest(choice=choice)
        self.counted["calls"] += 1
        try:
            reply = await arena.ask(bot, "SubmitChoice", request)
        except grpc.aio.AioRpcError as error:
            refused = refusal_of(error)
            late = refused.reason in ("DECISION_STALE", "MATCH_OVER")
            kind = "not looked at" if late else "refused by a call"
            self.keep_reply(kind, choice.request_id, f"{refused.reason}: {refused.text}".encode())
        else:
            self.keep_reply("accepted", choice.request_id, reply.accepted.SerializeToString(deterministic=True))

    def check(self, logs: Sequence[MatchLog]) -> None:
        """Every answer stands in the logs once, and nothing else does."""
        made: Counter[bytes] = Counter()
        for log in logs:
            log.check_order()
            assert log.record.outcome is not None
            assert not any(log.faults_of(bot) for bot in BOTS)
            for each in log.made:
                if each.request_id:
                    made[each.request_id] += 1
                    if self.intents[each.request_id].notation != each.notation:
                        raise Violation(f"{each.notation} was made of {self.intents[each.request_id]}")
        if made != Counter(dict.fromkeys(self.intents, 1)):
            raise Violation(f"{len(self.intents)} answers had {made.total()} effects")
        self.counted["intents"] = len(self.intents)


def _answer(decision: match_pb2.Decision, name: str, notation: str) -> match_pb2.Choice:
    request_id = sha256(name.encode()).digest()[:16]
    return match_pb2.Choice(match=decision.match, decision=decision.decision, request_id=request_id, notation=notation)
