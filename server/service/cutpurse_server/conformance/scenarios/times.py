"""The clock: answers in time, also where there is less of it than usual."""

from __future__ import annotations

import asyncio

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.relay import Line, Script
from cutpurse_server.conformance.scenario import Scenario
from cutpurse_server.conformance.stage import UNHURRIED, Stage

__all__ = ["TIMES"]

_DECISION_MS = 4_000
_HELD_S = 2.5


async def _in_time(stage: Stage) -> None:
    await stage.arrive()
    decision_ms = round(_DECISION_MS * stage.patience)
    await stage.play(clock=UNHURRIED._replace(decision_ms=decision_ms, bank_ms=0, strikes_max=1_000))


class _Held(Script):
    """Keeps the second decision back until little of its time is left, as a reconnect would."""

    def __init__(self, patience: float) -> None:
        self._hold_s = _HELD_S * patience
        self._decisions = 0

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        self._decisions += len(frame.decisions)
        if frame.decisions and self._decisions == 2:
            await asyncio.sleep(self._hold_s)
            for decision in frame.decisions:
                decision.decision_ms_left -= round(self._hold_s * 1_000)
        await line.tell_bot(frame)


async def _little_time(stage: Stage) -> None:
    stage.relay.script = _Held(stage.patience)
    await stage.arrive()
    decision_ms = round(_DECISION_MS * stage.patience)
    await stage.play(clock=UNHURRIED._replace(decision_ms=decision_ms, bank_ms=0, strikes_max=1_000))


async def _with_bank(stage: Stage) -> None:
    await stage.arrive()
    bank_ms = round(60_000 * stage.patience)
    await stage.play(clock=UNHURRIED._replace(decision_ms=1, bank_ms=bank_ms, delivery_ms=0))


TIMES = (
    Scenario(
        "in-time",
        f"answers within {_DECISION_MS // 1_000} seconds where there is no bank",
        "When the time of a decision and the bank are used up, the default is played with a strike; three strikes "
        "forfeit the seat.",
        "Look at decision_ms_left and bank_ms_left, and answer before they are over; have a good action at hand early.",
        _in_time,
        ("plays-a-match",),
    ),
    Scenario(
        "little-time",
        "answers in time where a decision comes late",
        "The clock runs from the moment at which the service asks. A decision that comes again after a reconnect has "
        "less time left than others.",
        "Do not think for a fixed time, or for what the configuration says: think for less than decision_ms_left.",
        _little_time,
        ("in-time",),
    ),
    Scenario(
        "from-the-bank",
        "plays on when every answer is taken from the bank",
        "Decisions may be so short that the bank pays for all of them; decision_ms_left is then 0 or nearly so.",
        "Do not take decision_ms_left = 0 for `too late`: while bank_ms_left is above 0 an answer counts.",
        _with_bank,
        ("in-time",),
    ),
)
