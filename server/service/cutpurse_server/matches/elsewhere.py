"""What one replica leaves to others: a bot's silence is put down to its cause by who is connected to the bot."""

from __future__ import annotations

from collections.abc import Callable

from cutpurse_server.matches.clock import next_due_ms
from cutpurse_server.matches.record import MatchRecord, Phase

__all__ = ["ELSEWHERE_MS", "is_left_to_others"]

ELSEWHERE_MS = 500
"""How much longer a replica waits with a time that is over if the bot in question is not connected to it."""


def is_left_to_others(record: MatchRecord, now_ms: int, patience_ms: Callable[[str], int]) -> bool:
    """Whether somebody's time that is over is to be acted on by another replica first.

    `patience_ms` says how much longer than others this replica waits for a bot.
    """
    seats = record.begun.seats
    if record.phase is Phase.WARM_UP:
        # Its end is one event for all, so it waits for the bot of which this replica knows least.
        wait_ms = max(patience_ms(each.bot) for seat, each in enumerate(seats) if seat not in record.ready)
    else:
        wait_ms = min((patience_ms(seats[seat].bot) for seat in record.waiting()), default=0)
    return now_ms < (next_due_ms(record) or 0) + wait_ms
