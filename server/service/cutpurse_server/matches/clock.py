"""The clock of a seat (design: bots and clocks). All of it follows from the log, so anyone can check it.

opened          + delivery        + decision          + bank               + settle
|----------------|------------------|------------------|-------------------|
never charged     charged, free      charged, from      a choice received before
the bank           the deadline still wins
"""

from __future__ import annotations

from typing import NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.record import MatchRecord, Phase

__all__ = ["Charge", "TimeLeft", "charge", "deadline_ms", "next_due_ms", "time_left"]


class Charge(NamedTuple):
    """What a choice costs, in milliseconds."""

    charged_ms: int
    bank_charged_ms: int


_NOTHING = Charge(0, 0)
"""What most choices cost: they come within the allowance for delivery."""


class TimeLeft(NamedTuple):
    """What a seat has left in the open decision, in milliseconds."""

    decision_ms: int
    bank_ms: int


def deadline_ms(record: MatchRecord, seat: Seat) -> int:
    """The last millisecond, in store time, at which the seat's answer to the open decision may be received."""
    clock = record.begun.clock
    return record.opened_at_ms + record.credit_ms + clock.delivery_ms + clock.decision_ms + record.bank_ms[seat]


def charge(record: MatchRecord, received_at_ms: int, seat: Seat) -> Charge:
    """What an answer costs that is received now and in time."""
    clock = record.begun.clock
    charged = received_at_ms - record.opened_at_ms - record.credit_ms - clock.delivery_ms
    if charged <= 0:
        return _NOTHING
    from_bank = max(0, charged - clock.decision_ms)
    assert from_bank <= record.bank_ms[seat], "an answer that costs more than the bank holds is late"
    return Charge(charged, from_bank)


def time_left(record: MatchRecord, seat: Seat, now_ms: int) -> TimeLeft:
    """What the seat has left at a moment of store time."""
    clock = record.begun.clock
    used = now_ms - record.opened_at_ms - record.credit_ms - clock.delivery_ms
    if used <= 0:
        return TimeLeft(clock.decision_ms, record.bank_ms[seat])
    from_bank = max(0, used - clock.decision_ms)
    return TimeLeft(max(0, clock.decision_ms - used), max(0, record.bank_ms[seat] - from_bank))


def next_due_ms(record: MatchRecord) -> int | None:
    """When somebody's time has to be looked at next, in store time; None if nobody's runs."""
    if record.phase is Phase.WARM_UP:
        return record.begun.warm_up_until_ms
    chosen, bank_ms = record.chosen, record.bank_ms
    banks_ms = [bank_ms[seat] for seat in record.asked if seat not in chosen]
    if not banks_ms:
        return None
    clock = record.begun.clock
    deadline = record.opened_at_ms + record.credit_ms + clock.delivery_ms + clock.decision_ms + min(banks_ms)
    # The first millisecond in which a time-out may be written is the one after the settling time.
    return deadline + clock.settle_ms + 1
