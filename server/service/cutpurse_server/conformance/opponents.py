"""The other seats: they play any legal action by lot, at once, inside the service's own process."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import MatchBegun, MatchEvent
from cutpurse_server.matches.record import MatchRecord, Phase

__all__ = ["Opponents"]


class Opponents:
    """Observes the desk, and answers for every seat that is not the bot's."""

    def __init__(self, desk: MatchDesk, bot: str) -> None:
        self._desk = desk
        self._bot = bot
        self._answered: set[tuple[str, int, Seat]] = set()
        self.last = False
        """Whether they choose only when the bot has, where it is asked at the same time."""
        self.pause_s = 0.0
        """How long they think."""
        self.silent: set[str] = set()
        """Matches in which they get ready and then never choose."""
        desk.observe(self)
        for record in desk.running():
            self.moved(None, record, ())

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """See `Observer.moved`."""
        if after.over:
            return
        if after.phase is Phase.WARM_UP:
            if any(isinstance(event, MatchBegun) for event in events):
                for bot, seat in after.seat_of.items():
                    if bot != self._bot:
                        self._later(after.match, partial(_get_ready, seat))
            return
        waiting = after.waiting()
        if after.match in self.silent:
            return
        if self.last and after.seat_of[self._bot] in waiting:
            return
        for seat in waiting:
            key = (after.match, after.number, seat)
            if seat != after.seat_of[self._bot] and key not in self._answered:
                self._answered.add(key)
                self._later(after.match, partial(_choose, seat, _by_lot(after, seat)), self.pause_s)

    def _later(self, match: str, command: Any, pause_s: float = 0.0) -> None:
        """Have a command decided, though not while others are being told of the last one."""
        asyncio.get_running_loop().call_later(pause_s, self._desk.submit, match, command, _told)


def _by_lot(record: MatchRecord, seat: Seat) -> Answer:
    lot = random.Random(f"{record.match}/{record.number}/{seat}")
    request_id = f"opponent/{seat}/{record.number}".encode()
    position = lot.randrange(len(record.legal_of(seat)))
    digest = sha256(request_id + position.to_bytes(4, "big")).digest()
    return Answer(record.decisions[seat], request_id, digest, position, None)


def _get_ready(seat: Seat, draft: Draft, now_ms: int) -> None:
    get_ready(draft, seat, now_ms)


def _choose(seat: Seat, answer: Answer, draft: Draft, now_ms: int) -> Any:
    return choose(draft, seat, answer, now_ms, now_ms)


def _told(_: Any, error: Exception | None) -> None:
    """What becomes of it is seen in the match."""
