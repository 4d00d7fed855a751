"""A match on its own, for tests: begun, ready, and driven by commands at moments that the test chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, count_time, get_ready
from cutpurse_server.matches.events import Cause, Clock, MatchEvent, SeatIdentity
from cutpurse_server.matches.record import MatchRecord, fold
from cutpurse_server.matches.replies import Reply

__all__ = ["BEGUN_MS", "CLOCK", "Table"]

BEGUN_MS = 1_000_000
CLOCK = Clock(decision_ms=1_000, bank_ms=2_000, delivery_ms=100, settle_ms=50, warm_up_ms=5_000)


class Table:
    """Decides commands one after another and keeps all events."""

    def __init__(
        self,
        players: int = 3,
        *,
        clock: Clock = CLOCK,
        seed: str = "table",
        game: str = "art_robbery",
        player: bool = False,
    ) -> None:
        seats = [SeatIdentity(f"bot-{seat}", "owner", player) for seat in range(players)]
        begun = begin_match("table", game, {}, clock, seats, BEGUN_MS, seed=seed)
        self.events: list[MatchEvent] = [begun]
        self.record: MatchRecord = fold(self.events)
        self.now_ms = BEGUN_MS
        self._requests = 0

    def decide(self, command: Callable[[Draft], object]) -> Sequence[MatchEvent]:
        """Let a command decide; the events it added."""
        draft = Draft(self.record)
        command(draft)
        self.record = draft.record
        self.events.extend(draft.events)
        return draft.events

    def start(self) -> Table:
        """Let all seats be ready."""
        for seat in range(self.record.begun.players):
            self.decide(lambda draft, seat=seat: get_ready(draft, Seat(seat), self.now_ms))  # type: ignore[misc]
        return self

    def answer(
        self,
        notation: str | None = None,
        *,
        index: int | None = None,
        seat: Seat | None = None,
        decision: int | None = None,
        at_ms: int | None = None,
        request: bytes | None = None,
        digest: bytes = b"d" * 32,
    ) -> tuple[Reply, Sequence[MatchEvent]]:
        """Answer for a seat, by default the first that is waited for: the reply and the events."""
        seat = self.record.waiting()[0] if seat is None else seat
        self._requests += 1
        answer = Answer(
            self.record.decisions[seat] if decision is None else decision,
            request or self._requests.to_bytes(4, "big"),
            digest,
            index,
            notation,
        )
        at_ms = self.now_ms if at_ms is None else at_ms
        replies: list[Reply] = []
        events = self.decide(lambda draft: replies.append(choose(draft, seat, answer, at_ms, max(at_ms, self.now_ms))))
        return replies[0], events

    def time_passes(self, until_ms: int, fault: Cause = Cause.TIMEOUT) -> Sequence[MatchEvent]:
        """Look at the clocks at a moment."""
        self.now_ms = until_ms
        return self.decide(lambda draft: count_time(draft, until_ms, lambda _: fault))

    def play_out(self) -> MatchRecord:
        """Answer with the first legal action until the match is over."""
        while not self.record.over:
            self.answer(index=0)
        return self.record
