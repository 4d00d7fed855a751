"""What was said on all streams of one bot, and what no bot may ever do, whatever the scenario."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse_server.servicers.bots import FRAME_BYTES_MAX

__all__ = ["Answered", "Ledger"]

_PARTS_MAX = 256
_REQUEST_ID_BYTES_MAX = 64
_CORRECTABLE = frozenset({ErrorReason.ERROR_REASON_CHOICE_MALFORMED, ErrorReason.ERROR_REASON_CHOICE_ILLEGAL})


class Answered(NamedTuple):
    """An answer that the bot sent."""

    at_s: float
    """Monotonic."""
    line: int
    """On which of its streams, from 1."""
    choice: match_pb2.Choice


class _Decision:
    """What has been said about one decision."""

    def __init__(self) -> None:
        self.choices: dict[bytes, match_pb2.Choice] = {}
        self.refused: set[bytes] = set()
        """The answers that may be corrected."""


class Ledger:
    """Written by the relay, read by scenarios."""

    def __init__(self) -> None:
        self.hellos: list[bot_pb2.Hello] = []
        self.credentials: list[str] = []
        """What the bot gave as such, by stream."""
        self.dials: list[float] = []
        """When each stream was opened, monotonic seconds."""
        self.readies: list[str] = []
        """Matches, in the order and as often as the bot said it was ready for them."""
        self.answers: list[Answered] = []
        self.open_lines: set[int] = set()
        """Streams that have not ended."""
        self.told_decisions: list[match_pb2.Decision] = []
        self.told_accepted = 0
        """How many acknowledgements the bot has heard."""
        self.told_refused: dict[tuple[str, int], match_pb2.ChoiceRefused] = {}
        """The latest refusal that the bot has heard, by match and decision."""
        self.told_ends: list[str] = []
        """Matches of which the bot has heard that they are over."""
        self.complaints: list[str] = []
        """What the bot must not have done, as sentences without their subject."""
        self._frames_of: dict[int, int] = {}
        self._decisions: dict[tuple[str, int], _Decision] = {}

    def dialled(self, line: int, authorization: str) -> None:
        """A stream was opened."""
        self.dials.append(time.monotonic())
        self.credentials.append(authorization)
        self.open_lines.add(line)

    def ended(self, line: int) -> None:
        """A stream is over."""
        self.open_lines.discard(line)

    def complain(self, text: str) -> None:
        """Note what the bot must not have done."""
        if text not in self.complaints:
            self.complaints.append(text)

    def said(self, line: int, frame: bot_pb2.ConnectRequest, size: int) -> None:
        """The bot said something."""
        number = self._frames_of[line] = self._frames_of.get(line, 0) + 1
        self._look_at_frame(number, frame, size)
        if frame.HasField("hello"):
            self.hellos.append(frame.hello)
        self.readies.extend(ready.match for ready in frame.readies)
        for choice in frame.choices:
            self.answers.append(Answered(time.monotonic(), line, choice))
            self._look_at(choice)

    def heard(self, line: int, frame: bot_pb2.ConnectResponse) -> None:
        """The bot was told something."""
        self.told_decisions.extend(frame.decisions)
        self.told_accepted += len(frame.accepted)
        self.told_ends.extend(ended.match for ended in frame.ended)
        for refused in frame.refused:
            self.told_refused[refused.match, refused.decision] = refused
            if refused.reason in _CORRECTABLE:
                self._decision(refused.match, refused.decision).refused.add(refused.request_id)

    def answers_to(self, match: str, decision: int) -> list[match_pb2.Choice]:
        """All that the bot answered to a decision, repetitions included."""
        return [each.choice for each in self.answers if (each.choice.match, each.choice.decision) == (match, decision)]

    def _look_at_frame(self, number: int, frame: bot_pb2.ConnectRequest, size: int) -> None:
        for text in _wrong_with(number, frame, size):
            self.complain(text)

    def _look_at(self, choice: match_pb2.Choice) -> None:
        """One intent for a decision, and a further one for each refusal that may be corrected."""
        said = self._decision(choice.match, choice.decision)
        if not 1 <= len(choice.request_id) <= _REQUEST_ID_BYTES_MAX:
            self.complain(f"sent a request_id of {len(choice.request_id)} bytes; it has 1 to {_REQUEST_ID_BYTES_MAX}")
        known = said.choices.setdefault(choice.request_id, choice)
        if known != choice:
            self.complain(
                f"answered decision {choice.decision} twice with one request_id and different answers: "
                f"{_shown(known)}, then {_shown(choice)}"
            )
        elif len(said.choices) > 1 + len(said.refused):
            first = next(iter(said.choices.values()))
            self.complain(
                f"answered decision {choice.decision} with {len(said.choices)} different request_ids "
                f"({_shown(first)}, then {_shown(choice)}), though no refusal asked for another answer"
            )

    def _decision(self, match: str, decision: int) -> _Decision:
        return self._decisions.setdefault((match, decision), _Decision())


def _wrong_with(number: int, frame: bot_pb2.ConnectRequest, size: int) -> Iterator[str]:
    """What the service would refuse a bot's frame for; it is the stream's `number`th."""
    hello = frame.HasField("hello")
    if number == 1 and (not hello or frame.choices or frame.readies):
        yield "did not say Hello first: the first frame of every stream holds a Hello and nothing else"
    if number > 1 and hello:
        yield "said Hello again on the same stream"
    if size > FRAME_BYTES_MAX:
        yield f"sent a frame of {size:,} bytes; the service reads up to {FRAME_BYTES_MAX:,}"
    if len(frame.choices) > _PARTS_MAX or len(frame.readies) > _PARTS_MAX:
        yield f"sent more than {_PARTS_MAX} choices or readies in one frame"


def _shown(choice: match_pb2.Choice) -> str:
    """An answer, for people."""
    kind = choice.WhichOneof("answer")
    return "no answer" if kind is None else f"{kind} {str(getattr(choice, kind))[:60]!r}"
