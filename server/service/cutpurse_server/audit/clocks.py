"""The clocks of a match as an auditor reads them: store time, deadlines, charges, banks. All in milliseconds."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.matches.events import MatchBegun
from cutpurse_server.wire.decision_events import ReadDecision

__all__ = ["SKEW_MS", "SeatClocks"]

SKEW_MS = 1_000
"""By how much, or by the clock's settling time if that is longer, a replica's stamp may differ from store time."""


class SeatClocks:
    """Store time, and what each seat has left. Everything raises `Wrong`."""

    __slots__ = (
        "_decision_ms",
        "_delivery_ms",
        "_free_until_ms",
        "_received_ms",
        "_settle_ms",
        "_tolerance_ms",
        "bank_ms",
        "now_ms",
        "opened_ms",
    )

    def __init__(self, begun: MatchBegun) -> None:
        self._delivery_ms = begun.clock.delivery_ms
        self._decision_ms = begun.clock.decision_ms
        self._settle_ms = begun.clock.settle_ms
        self._tolerance_ms = max(begun.clock.settle_ms, SKEW_MS)
        self.bank_ms = [begun.clock.bank_ms] * begun.players
        """By seat."""
        self.now_ms = begun.at_ms
        """Store time of the last event that has one."""
        self._received_ms = begun.at_ms
        """The latest stamp of an answer so far."""
        self.opened_ms = 0
        """When the open decision was opened."""
        self._free_until_ms = 0
        """Until then nothing is charged in the open decision."""

    def pass_to(self, at_ms: int) -> None:
        """The next store time. It never goes back, and no stamp is later than the event after it."""
        if at_ms < self.now_ms:
            raise Wrong(f"store time goes back by {self.now_ms - at_ms} ms")
        if self._received_ms > at_ms + self._tolerance_ms:
            raise Wrong("an answer is stamped with a time that had not come")
        self.now_ms = at_ms

    def open(self, at_ms: int) -> None:
        """A decision is opened: the clocks of the asked seats run from here."""
        self.pass_to(at_ms)
        self.opened_ms = at_ms
        self._free_until_ms = at_ms + self._delivery_ms

    def credit(self, credit_ms: int) -> None:
        """Everybody's deadline is moved."""
        self._free_until_ms += credit_ms

    def charge(self, seat: int, received_ms: int) -> tuple[int, int]:
        """What an answer costs that is received then: altogether, and from the bank; it must be in time."""
        if received_ms < self.opened_ms - self._tolerance_ms:
            raise Wrong("an answer came before its decision was opened")
        if received_ms > self._received_ms:
            self._received_ms = received_ms
        charged = received_ms - self._free_until_ms
        if charged <= 0:
            return 0, 0
        from_bank = charged - self._decision_ms
        if from_bank <= 0:
            return charged, 0
        if from_bank > self.bank_ms[seat]:
            raise Wrong(f"an answer came {from_bank - self.bank_ms[seat]} ms too late")
        return charged, from_bank

    def pass_by(self, decisions: Sequence[ReadDecision]) -> int:
        """Decisions were opened and are over, one after the other: how many of them, until one has a wrong time.

        In time is only what costs the bank nothing. Raises nothing.
        """
        tolerance_ms, delivery_ms, decision_ms = self._tolerance_ms, self._delivery_ms, self._decision_ms
        now_ms, last_ms = self.now_ms, self._received_ms
        passed = 0
        for opened_ms, _, choices, _, _ in decisions:
            if not now_ms <= opened_ms >= last_ms - tolerance_ms:
                break
            latest_ms = last_ms
            for choice in choices:
                received_ms = choice.received_ms
                charged_ms = received_ms - opened_ms - delivery_ms
                if charged_ms > decision_ms or received_ms < opened_ms - tolerance_ms:
                    break
                if choice.charged_ms != (charged_ms if charged_ms > 0 else 0):
                    break
                if received_ms > latest_ms:
                    latest_ms = received_ms
            else:
                now_ms, last_ms = opened_ms, latest_ms
                passed += 1
                continue
            break
        if passed:
            self.open(decisions[passed - 1].opened_ms)
            self._received_ms = last_ms
        return passed

    def copy(self) -> SeatClocks:
        """Clocks that stand as these do."""
        return copy.copy(self)

    def time_out(self, seat: int, at_ms: int) -> None:
        """A time-out is written only after the deadline and the settling time."""
        last_ms = self._free_until_ms + self._decision_ms + self.bank_ms[seat] + self._settle_ms
        if at_ms <= last_ms:
            raise Wrong(f"the default is played {last_ms + 1 - at_ms} ms too early")
