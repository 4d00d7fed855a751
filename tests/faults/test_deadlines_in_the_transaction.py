"""Whether somebody's time is over is decided when it is written, on what stands there then, not when it is noticed."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from cutpurse_rules.contract import Seat
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Append
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Cause, ChoiceDefaulted, Clock, SeatIdentity
from cutpurse_server.matches.presence import Presence
from cutpurse_server.matches.replies import Accepted
from cutpurse_server.wire import match_events

CLOCK = Clock(decision_ms=1_000, bank_ms=0, delivery_ms=0, settle_ms=100, strikes_max=5)
BEGUN_MS = 1_000_000


class HeldLog(MemoryLog):
    """A log with a time that the test sets, and flushes that wait until they may go on."""

    def __init__(self) -> None:
        super().__init__(lambda: self.at_ms)
        self.at_ms = BEGUN_MS
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
        """See the port."""
        await self.may_go_on.wait()
        return await super().flush(appends)


def ready(seat: int, draft: Draft, now_ms: int) -> None:
    """A seat is ready."""
    get_ready(draft, Seat(seat), now_ms)


def first_choice(seat: int, received_at_ms: int, draft: Draft, now_ms: int) -> Any:
    """A seat answers its first decision with the first legal action."""
    return choose(draft, Seat(seat), Answer(1, b"choice", bytes(32), 0, None), received_at_ms, now_ms)


async def test_a_choice_in_time_wins_over_a_deadline_that_was_noticed_before() -> None:
    log = HeldLog()
    desk = MatchDesk(log, match_events, Presence().fault_of)
    await log.open()
    await desk.open()
    # All seats choose at the same time in the first decision, so that it stays open after two of three choices.
    seats = [SeatIdentity(f"bot-{seat}", "owner") for seat in range(3)]
    await desk.begin(begin_match("m", "shadow_thief", {}, CLOCK, seats, BEGUN_MS, seed="m"))
    for seat in range(3):
        await desk.ask("m", partial(ready, seat))
    replies: list[Any] = []

    # While one choice is on its way into the log, another comes in time and has to wait, and then the time is over.
    log.may_go_on.clear()
    desk.submit("m", partial(first_choice, 0, BEGUN_MS), lambda reply, _: replies.append(reply))
    await asyncio.sleep(0.01)
    desk.submit("m", partial(first_choice, 1, BEGUN_MS + 999), lambda reply, _: replies.append(reply))
    log.at_ms = BEGUN_MS + CLOCK.decision_ms + CLOCK.settle_ms + 1
    desk._notice("m")
    desk._notice("m")
    log.may_go_on.set()
    await asyncio.sleep(0.05)

    events = await desk.events_of("m")
    await desk.close()
    assert [type(reply) for reply in replies] == [Accepted, Accepted]
    # Only whoever did not choose pays, and once.
    defaulted = [(event.seat, event.cause) for event in events if isinstance(event, ChoiceDefaulted)]
    assert defaulted == [(2, Cause.DISCONNECTED)]
