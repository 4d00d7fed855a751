"""Who wants to know what has become durable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import structlog

from cutpurse_server.matches.events import MatchEvent
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.whereabouts import failure

__all__ = ["Observer", "Observers"]

logger = structlog.get_logger(__name__)


class Observer(Protocol):
    """Somebody who wants to know."""

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """A match has moved. Called on the loop, in the order of the match's versions; must not wait or raise."""
        ...


class Observers:
    """All of them."""

    def __init__(self) -> None:
        self._observers: list[Observer] = []

    def add(self, observer: Observer) -> None:
        """Tell somebody of everything from now on."""
        self._observers.append(observer)

    def tell(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[MatchEvent]) -> None:
        """Tell all."""
        for observer in self._observers:
            try:
                observer.moved(before, after, events)
            except Exception as error:
                # What is durable stays durable, whoever cannot bear to hear of it.
                logger.error("an observer failed", match=after.match, **failure(error))
