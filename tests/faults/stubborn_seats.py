"""Seats of matches that talk to desks which come and go, repeat themselves, and remember every reply.

What they remember is held against the log at the end: every acknowledged choice stands there once, and every request
got one reply, however often it was repeated and to whichever desk.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from cutpurse_rules.contract import Seat
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.desk import Command, MatchDesk
from cutpurse_server.matches.events import ChoiceMade, ChoiceRefused, Clock, SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Accepted, Refused, Reply
from cutpurse_server.wire import match_events
from cutpurse_server.wire.matches import accepted_to_proto, refused_to_proto
from tests.acceptance.logs import read_matches
from tests.faults.faulty_store import FaultyStore

__all__ = ["CLOCK", "House", "Intent", "StubbornSeats"]

CLOCK = Clock(decision_ms=60_000, bank_ms=60_000, warm_up_ms=600_000, strikes_max=1)
_T = TypeVar("_T")
_PAUSE_S = 0.002
_MISTAKES = 0.1
_REPEATED = 0.3
_SENT_TWICE = 0.2
# A desk that was given old heads to read may say so of what it has not read yet.
_TRY_AGAIN = (ErrorReason.LOG_UNAVAILABLE, ErrorReason.DECISION_NOT_OPEN, ErrorReason.MATCH_UNKNOWN)


class House:
    """One log, and one desk after the other in front of it, each behind a faulty store of its own."""

    def __init__(self, log: Log, chance: random.Random, share: float, again: Callable[[], Log] | None = None) -> None:
        """`log` is open already; `again` makes another over the same place, where every desk has a log of its own."""
        self.log = log
        self._again = again
        self.counted: Counter[str] = Counter()
        self._chance = chance
        self._share = share
        self._asking: set[asyncio.Future[Any]] = set()
        self._store = FaultyStore(log, chance, share)
        self._desk = self._new_desk()

    async def open(self) -> None:
        """Open the first desk, whatever fails."""
        self._store.is_faulty = True
        await self._open_desk()

    async def kill(self) -> None:
        """End the desk as a kill ends a process, and open another one."""
        self._give_up()
        await self._take_a_new_log()
        self._store = FaultyStore(self.log, self._chance, self._share)
        self._store.is_faulty = True
        self._desk = self._new_desk()
        for asking in self._asking:
            asking.cancel()
        await self._open_desk()
        self.counted["kills"] += 1

    async def close(self) -> None:
        """End the desk, whatever it is doing, and close the log."""
        self._give_up()
        await self.log.close()

    async def record(self, match: str) -> MatchRecord | None:
        """What a desk knows of a match; whoever asks is patient."""
        return await self._patiently(lambda: self._desk.record(match))

    async def begin(self, begun: Any) -> bool:
        """Begin a match, patiently."""
        return bool(await self._patiently(lambda: self._desk.begin(begun)))

    async def ask(self, match: str, command: Command) -> Any:
        """Have a command decided, patiently."""
        return await self._patiently(lambda: self._desk.ask(match, command))

    async def _patiently(self, made: Callable[[], Awaitable[_T]]) -> _T:
        """Ask again and again, until a desk replies with more than that it cannot."""
        while True:
            asking = asyncio.ensure_future(made())
            self._asking.add(asking)
            try:
                await asyncio.wait({asking})
                return asking.result()
            except ServiceError as error:
                if error.reason not in _TRY_AGAIN:
                    raise
            except asyncio.CancelledError:
                # The desk is gone; if it is we who are to stop, the question was not cancelled.
                if not asking.cancelled():
                    raise
            finally:
                self._asking.discard(asking)
            await asyncio.sleep(_PAUSE_S)

    def _new_desk(self) -> MatchDesk:
        return MatchDesk(self._store, match_events, Presence().fault_of)

    async def _open_desk(self) -> None:
        while True:
            try:
                await self._desk.open()
            except LogUnavailable:
                self._give_up()
                await self._take_a_new_log()
                self._store = FaultyStore(self.log, self._chance, self._share)
                self._store.is_faulty = True
                self._desk = self._new_desk()
            else:
                return

    async def _take_a_new_log(self) -> None:
        if self._again is not None:
            await self.log.close()
            taken = self._again()
            await taken.open()
            # Not before: seats ask it for the time meanwhile, and one that is not open yet cannot tell.
            self.log = taken

    def _give_up(self) -> None:
        """Leave a desk as a killed process leaves it: nothing of it goes on."""
        self._store.is_cut = True
        self.counted.update(self._store.counted)
        self._store.counted.clear()
        desk = self._desk
        for task in desk._tasks:
            task.remove_done_callback(desk._ended)
            task.cancel()
        desk._deadlines.stop()
        desk._stalls.stop()
        desk._waiting.stop()


class Intent(NamedTuple):
    """An answer that a seat means to give, under an id that it keeps."""

    decision: int
    request_id: bytes
    notation: str

    @property
    def answer(self) -> Answer:
        """As the desk gets it."""
        digest = sha256(repr(self).encode()).digest()
        return Answer(self.decision, self.request_id, digest, None, self.notation)


class StubbornSeats:
    """All seats of a few matches, one of each game, in one house."""

    def __init__(self, house: House, chance: random.Random, games: Sequence[tuple[str, int]]) -> None:
        """`games` are names and numbers of players."""
        self._house = house
        self._chance = chance
        self._games = games
        self.replies: dict[tuple[str, Seat, Intent], bytes] = {}
        """What was replied to each intent, as it goes over the wire."""
        self.counted = house.counted

    async def play(self) -> None:
        """Play all matches to their end."""
        matches = []
        for number, (game, players) in enumerate(self._games):
            match = f"m{number}"
            seats = [SeatIdentity(f"bot-{seat}", "owner") for seat in range(players)]
            begun = begin_match(match, game, {}, CLOCK, seats, self._house.log.now_ms(), seed=f"seed {match}")
            await self._house.begin(begun)
            # Asked for once more, it is the same match, or was it before.
            assert not await self._house.begin(begun), f"{match} was begun twice"
            matches += [(match, Seat(seat)) for seat in range(players)]
        async with asyncio.TaskGroup() as group:
            for match, seat in matches:
                group.create_task(self._play(match, seat))

    async def _play(self, match: str, seat: Seat) -> None:
        await self._house.ask(match, partial(_ready, seat))
        said: list[Intent] = []
        while (record := await self._house.record(match)) is None or not record.over:
            # A desk may not have read of the beginning, or of the seat's last answer, yet.
            if record is None or seat not in record.waiting():
                await asyncio.sleep(_PAUSE_S)
                continue
            for intent in self._intents(record, seat):
                said.append(intent)
                await self._say(match, seat, intent)
            if self._chance.random() < _REPEATED:
                self.counted["repeated"] += 1
                await self._say(match, seat, self._chance.choice(said))

    def _intents(self, record: MatchRecord, seat: Seat) -> list[Intent]:
        """The answer to the open decision, and perhaps a mistake before it: the same ones whenever it is asked."""
        number = record.decisions[seat]
        lot = random.Random(f"{record.match}/{seat}/{number}")
        notation = lot.choice(list(record.legal_of(seat))).notation
        mistakes = [Intent(number, b"mistake %d" % number, "nonsense")] if lot.random() < _MISTAKES else []
        return [*mistakes, Intent(number, b"choice %d" % number, notation)]

    async def _say(self, match: str, seat: Seat, intent: Intent) -> None:
        times = 2 if self._chance.random() < _SENT_TWICE else 1
        for reply in await asyncio.gather(*(self._one_reply(match, seat, intent) for _ in range(times))):
            before = self.replies.setdefault((match, seat, intent), reply)
            assert before == reply, f"seat {seat} of {match} got two replies to {intent}"

    async def _one_reply(self, match: str, seat: Seat, intent: Intent) -> bytes:
        while True:
            reply = await self._house.ask(match, partial(_answer, seat, intent.answer, self._house.log.now_ms()))
            if isinstance(reply, Accepted):
                self.counted["accepted"] += 1
                return accepted_to_proto(match, reply).SerializeToString(deterministic=True)
            assert isinstance(reply, Refused)
            if reply.reason not in _TRY_AGAIN:
                assert intent.notation == "nonsense", f"seat {seat} of {match} was refused {intent}: {reply}"
                return refused_to_proto(match, reply).SerializeToString(deterministic=True)
            await asyncio.sleep(_PAUSE_S)

    async def check(self) -> None:
        """Hold all replies against the log of a house that was closed."""
        logs = await read_matches(self._house.log)
        assert len(logs) == len(self._games)
        stand: Counter[tuple[str, Seat, bytes, str]] = Counter()
        for match, log in logs.items():
            assert log.record.outcome is not None, f"{match} is not over"
            assert not log.defaulted, f"somebody pays in {match} for what the store did: {log.defaulted}"
            for event in log.events:
                if isinstance(event, ChoiceMade) and event.request_id:
                    stand[match, event.seat, event.request_id, event.notation] += 1
                elif isinstance(event, ChoiceRefused):
                    stand[match, event.seat, event.request_id, event.answer] += 1
        asked = {(match, seat, intent.request_id, intent.notation) for match, seat, intent in self.replies}
        assert asked - stand.keys() == set(), "an acknowledged choice is lost"
        assert stand.keys() - asked == set(), "a choice stands in the log of which nobody was told"
        assert set(stand.values()) == {1}, "a choice stands in the log twice"


def _ready(seat: Seat, draft: Draft, now_ms: int) -> None:
    get_ready(draft, seat, now_ms)


def _answer(seat: Seat, answer: Answer, received_at_ms: int, draft: Draft, now_ms: int) -> Reply:
    return choose(draft, seat, answer, received_at_ms, now_ms)
