"""What a bot knows across its streams: its matches, the decisions it owes, the answers that have no reply yet.

Nothing here waits or sends. Frames go in and events come out; answers go in and frames come out. So every order in
which things can be lost, doubled or cut off is a plain function call in a test.

A decision goes this way; what arrives twice or late changes nothing:

    GIVEN (the bot is thinking)  --answer-->  SENT (no reply yet)  --accepted-->  SETTLED
      ^                                         |
      +------------- refused, may be corrected -+-- refused otherwise -->  SETTLED
"""

from __future__ import annotations

import enum
import logging
import os
from collections import deque
from collections.abc import Iterable

from cutpurse.v1.bot_pb2 import ConnectRequest, ConnectResponse, MatchEnded, MatchNews, MatchOffered
from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse.v1.match_pb2 import Choice, ChoiceAccepted, ChoiceRefused
from cutpurse.v1.match_pb2 import Decision as DecisionMessage
from cutpurse_sdk.answers import Answer, write_answer
from cutpurse_sdk.decision import Decision, Randomness
from cutpurse_sdk.errors import reason_name

__all__ = ["Event", "Refusal", "Session"]

log = logging.getLogger("cutpurse_sdk")

CHOICES_PER_FRAME_MAX = 256
READIES_PER_FRAME_MAX = 256
FRAME_BYTES_MAX = 64 * 1024
RETRIES_MAX = 100
"""How often one answer is sent again because the service could not write it down just then."""

_CORRECTABLE = frozenset({ErrorReason.ERROR_REASON_CHOICE_MALFORMED, ErrorReason.ERROR_REASON_CHOICE_ILLEGAL})
_PASSING = frozenset(
    {
        ErrorReason.ERROR_REASON_LOG_UNAVAILABLE,
        ErrorReason.ERROR_REASON_INTERNAL,
        ErrorReason.ERROR_REASON_RATE_LIMITED,
        ErrorReason.ERROR_REASON_DRAINING,
    }
)
"""Refusals that say nothing about the answer: it is sent again, with the same request id."""


class Refusal:
    """A choice that was not taken."""

    __slots__ = ("correctable", "decision", "message")

    def __init__(self, decision: Decision, message: ChoiceRefused, correctable: bool) -> None:
        self.decision = decision
        """What was to be decided."""
        self.message = message
        """What the service said."""
        self.correctable = correctable
        """Whether another answer to the same decision may be given now."""


Event = MatchOffered | Decision | Refusal | MatchNews | MatchEnded
"""What a bot may have to do something about."""


class Phase(enum.Enum):
    """How far the latest decision of a match has come."""

    GIVEN = enum.auto()
    SENT = enum.auto()
    SETTLED = enum.auto()


class Intent:
    """An answer and its request id, made once and the same in every repetition."""

    __slots__ = ("choice", "retries")

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.retries = 0


class Table:
    """One running match: what was offered, and the latest decision."""

    __slots__ = ("decision", "intent", "number", "offer", "phase", "ready")

    def __init__(self, offer: MatchOffered) -> None:
        self.offer = offer
        self.ready = False
        self.number = 0
        self.phase = Phase.SETTLED
        self.decision: Decision | None = None
        self.intent: Intent | None = None


class Session:
    """The bot's side of the protocol. Not bound to a stream: it outlives them."""

    def __init__(self, randomness: Randomness) -> None:
        self._randomness = randomness
        self._tables: dict[str, Table] = {}
        self._readies: list[str] = []
        self._outbox: deque[Intent] = deque()
        # No two processes of one bot make the same id, and one process counts.
        self._id_prefix = os.urandom(8)
        self._ids = 0
        self.owed = 0
        """Decisions that were answered and have no reply yet."""
        self.accepted = 0
        """Choices that are in the log."""
        self.draining = False
        """The service is going to stop, and wants this stream to end."""
        self.frame_bytes_max = FRAME_BYTES_MAX
        """The largest frame that the service reads."""
        self.postponed: list[Intent] = []
        """Answers that the service could not write down just then: to be sent again after a pause."""

    @property
    def has_something_to_say(self) -> bool:
        """Whether `next_frame` has something."""
        return bool(self._outbox or self._readies)

    @property
    def running(self) -> list[MatchOffered]:
        """The matches that were offered and, as far as is known here, are not over."""
        return [table.offer for table in self._tables.values()]

    @property
    def is_busy(self) -> bool:
        """Whether the bot thinks about something, or something that it said has no reply yet."""
        return bool(self.owed or self._readies) or any(t.phase is Phase.GIVEN for t in self._tables.values())

    def begin_stream(self) -> None:
        """A new stream: whatever has no reply is said again, with the same request ids."""
        self.draining = False
        self.postponed.clear()
        self._readies = [match for match, table in self._tables.items() if table.ready and not table.number]
        self._outbox.clear()
        self._outbox.extend(table.intent for table in self._tables.values() if table.intent is not None)

    def receive(self, frame: ConnectResponse) -> Iterable[Event]:
        """What is new in a frame, in the order in which it matters.

        The order of the parts is the order of the protocol: a reply may stand in one frame with the decision after it.
        """
        events: list[Event] = []
        for offer in frame.offers:
            self._take_offer(offer, events)
        for accepted in frame.accepted:
            self._take_accepted(accepted)
        for refused in frame.refused:
            self._take_refused(refused, events)
        for message in frame.decisions:
            self._take_decision(message, events)
        events.extend(frame.news)
        for ended in frame.ended:
            self._take_ended(ended, events)
        if frame.HasField("draining"):
            self.draining = True
        return events

    def ready(self, match: str) -> None:
        """The bot is warm."""
        table = self._tables.get(match)
        if table is not None:
            table.ready = True
            self._readies.append(match)

    def answer(self, decision: Decision, answer: Answer) -> bool:
        """Answer a decision. False if it is over or has an answer: too late is no error. Raises `AnswerInvalid`."""
        table = self._tables.get(decision.match)
        if table is None or table.decision is not decision or table.phase is not Phase.GIVEN:
            log.debug("match %s: decision %d needs no answer any more", decision.match, decision.decision)
            return False
        self._ids += 1
        request_id = self._id_prefix + self._ids.to_bytes(8, "big")
        choice = Choice(match=decision.match, decision=table.number, request_id=request_id)
        write_answer(choice, decision, answer)
        intent = table.intent = Intent(choice)
        table.phase = Phase.SENT
        self.owed += 1
        self._outbox.append(intent)
        return True

    def is_open(self, decision: Decision) -> bool:
        """Whether a decision still waits for the bot's answer."""
        table = self._tables.get(decision.match)
        return table is not None and table.decision is decision and table.phase is Phase.GIVEN

    def next_frame(self) -> ConnectRequest | None:
        """The next frame to send with everything that is to be said, as far as it fits; None if there is nothing."""
        if not self._outbox and not self._readies:
            return None
        frame = ConnectRequest()
        for match in self._readies[:READIES_PER_FRAME_MAX]:
            frame.readies.add(match=match)
        del self._readies[:READIES_PER_FRAME_MAX]
        room = self.frame_bytes_max - frame.ByteSize()
        while self._outbox and len(frame.choices) < CHOICES_PER_FRAME_MAX:
            choice = self._outbox[0].choice
            # Two bytes or three say how long a choice is.
            room -= choice.ByteSize() + 4
            if room < 0 and frame.choices:
                break
            frame.choices.append(choice)
            self._outbox.popleft()
        return frame

    def send_postponed(self) -> None:
        """The pause is over: say again what the service could not write down."""
        self._outbox.extend(intent for intent in self.postponed if self._is_current(intent))
        self.postponed.clear()

    def _is_current(self, intent: Intent) -> bool:
        table = self._tables.get(intent.choice.match)
        return table is not None and table.intent is intent

    def _take_offer(self, offer: MatchOffered, events: list[Event]) -> None:
        table = self._tables.get(offer.match)
        if table is None:
            self._tables[offer.match] = Table(offer)
            events.append(offer)
        else:
            # Offered again after a reconnect. What the bot had said about it is in the outbox already.
            table.offer = offer

    def _take_decision(self, message: DecisionMessage, events: list[Event]) -> None:
        table = self._tables.get(message.match)
        if table is None:
            log.warning("decision %d of match %s, which was never offered or is over", message.decision, message.match)
            return
        if message.decision <= table.number:
            # Delivered twice: the bot is thinking about it, or its answer is on its way, or it is over.
            return
        if table.phase is Phase.SENT:
            # The next decision is open, so this one is over, and its reply was lost.
            self._settle(table)
        table.number = message.decision
        table.phase = Phase.GIVEN
        table.decision = Decision(message, table.offer, self._randomness)
        events.append(table.decision)

    def _take_accepted(self, accepted: ChoiceAccepted) -> None:
        table = self._tables.get(accepted.match)
        if table is not None and table.intent is not None and table.intent.choice.request_id == accepted.request_id:
            self._settle(table)
            self.accepted += 1

    def _take_refused(self, refused: ChoiceRefused, events: list[Event]) -> None:
        table = self._tables.get(refused.match)
        if table is None or table.intent is None or table.intent.choice.request_id != refused.request_id:
            return
        intent, decision = table.intent, table.decision
        assert decision is not None, "an intent belongs to a decision"
        if refused.reason in _PASSING and intent.retries < RETRIES_MAX:
            intent.retries += 1
            self.postponed.append(intent)
            return
        self._settle(table)
        # `corrections_left` counts those after the next one, so that 0 does not say whether there is a next one. Trying
        # costs nothing: an answer too many is refused without any effect.
        correctable = refused.reason in _CORRECTABLE
        if correctable:
            table.phase = Phase.GIVEN
        elif refused.reason == ErrorReason.ERROR_REASON_DECISION_STALE:
            # Usual where several streams of one bot answer, or where the reply to this very answer was lost.
            log.info("match %s: decision %d was answered already", refused.match, refused.decision)
            return
        log.debug("match %s: decision %d: %s", refused.match, refused.decision, reason_name(refused.reason))
        events.append(Refusal(decision, refused, correctable))

    def _take_ended(self, ended: MatchEnded, events: list[Event]) -> None:
        table = self._tables.pop(ended.match, None)
        if table is None:
            return
        if table.phase is Phase.SENT:
            self._settle(table)
        events.append(ended)

    def _settle(self, table: Table) -> None:
        table.intent = None
        table.phase = Phase.SETTLED
        self.owed -= 1
