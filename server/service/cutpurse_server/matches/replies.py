"""What was replied to a match's answers, so that one that comes again gets the same reply.

A record is copied for every decision, and this would be the largest part of it. So only the latest are copied; what is
earlier is never changed, and shared by all copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutpurse_rules.contract import Seat
from cutpurse_server.errors import ErrorReason

__all__ = ["Accepted", "Answered", "Refused", "Replies", "Reply"]

_LATEST_MAX = 16


class Accepted(NamedTuple):
    """The reply to a choice that is in the log."""

    decision: int
    """As the seat counts its decisions."""
    request_id: bytes


class Refused(NamedTuple):
    """The reply to a choice that was not taken."""

    decision: int
    request_id: bytes
    reason: ErrorReason
    rule: str
    """Name of the rules' reason, or empty."""
    corrections_left: int | None


Reply = Accepted | Refused


class Answered(NamedTuple):
    """An answer that left a trace in the log."""

    digest: bytes
    """Of the whole request."""
    reply: Reply


class Replies:
    """Replies to all answers of a match that left a trace in the log, by seat and request id."""

    __slots__ = ("_earlier", "_latest")

    def __init__(self, like: Replies | None = None) -> None:
        """None yet, or those of another one, which will not notice what is added here."""
        self._earlier: dict[tuple[Seat, bytes], Answered] = {} if like is None else like._earlier
        self._latest: dict[tuple[Seat, bytes], Answered] = {} if like is None else like._latest.copy()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replies) and {key: self.get(*key) for key in self} == {
            key: other.get(*key) for key in other
        }

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __iter__(self) -> Iterator[tuple[Seat, bytes]]:
        yield from self._earlier
        yield from self._latest

    def get(self, seat: Seat, request_id: bytes) -> Answered | None:
        """What is known of a seat's request; None if nothing is."""
        key = (seat, request_id)
        return self._latest.get(key) or self._earlier.get(key)

    def add(self, seat: Seat, request_id: bytes, answered: Answered) -> None:
        """Remember a reply."""
        if len(self._latest) >= _LATEST_MAX:
            # Others may share it, so another one takes its place.
            self._earlier = {**self._earlier, **self._latest}
            self._latest = {}
        self._latest[seat, request_id] = answered
