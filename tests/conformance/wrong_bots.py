"""Bots that do one thing wrong: `python -m tests.conformance.wrong_bots FAULT`.

All else is the example bot from the protocol alone.
"""

import os
import sys
import time
import uuid
from typing import Any

from cutpurse.v1 import bot_pb2, errors_pb2, match_pb2
from tests.conformance.right_bot import example
from tests.conformance.wrong_streams import PLAYS, Play

Frames = list[bot_pb2.ConnectRequest]


class NeverReady(example.Bot):  # type: ignore[misc]
    """Forgets to say that it is ready."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        del frame.offers[:]
        return list(super().receive(frame))


class IllegalAnswers(example.Bot):  # type: ignore[misc]
    """Answers with an action that is never legal."""

    def answer(self, decision: match_pb2.Decision, index: int) -> match_pb2.Choice:
        """The choice to send."""
        choice: match_pb2.Choice = super().answer(decision, index)
        choice.notation = "steal everything"
        return choice


class AnswersTwice(example.Bot):  # type: ignore[misc]
    """Sends a second thought after every answer."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        frames: Frames = super().receive(frame)
        for said in list(frames):
            for choice in said.choices:
                again = match_pb2.Choice(match=choice.match, decision=choice.decision, request_id=uuid.uuid4().bytes)
                again.index = len(self.asked[choice.match].legal) - 1
                frames.append(bot_pb2.ConnectRequest(choices=[again]))
        return frames


class EndsAfterOne(example.Bot):  # type: ignore[misc]
    """Ends with its first match."""

    matches = 1


class NewIdPerRetry(example.Bot):  # type: ignore[misc]
    """Makes a new request id whenever it repeats an answer."""

    def said_again(self) -> Frames:
        """What to say on a new stream."""
        for choice in self.unanswered.values():
            choice.request_id = uuid.uuid4().bytes
        return list(super().said_again())

    def refused(self, refused: match_pb2.ChoiceRefused) -> list[match_pb2.Choice]:
        """What to say to a refusal."""
        choices: list[match_pb2.Choice] = super().refused(refused)
        for choice in choices:
            choice.request_id = uuid.uuid4().bytes
        return choices


class NewThoughtPerRetry(example.Bot):  # type: ignore[misc]
    """Thinks again whenever it repeats an answer, under the same request id."""

    def said_again(self) -> Frames:
        """What to say on a new stream."""
        for choice in self.unanswered.values():
            choice.index += 1
        return list(super().said_again())


class IgnoresRefusals(example.Bot):  # type: ignore[misc]
    """Does not read refusals."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        del frame.refused[:]
        return list(super().receive(frame))


class CorrectsTwice(example.Bot):  # type: ignore[misc]
    """Takes every refusal for that of its latest answer."""

    def is_waited_for(self, match: str, request_id: bytes) -> bool:
        """Whether a refusal is heeded."""
        return match in self.unanswered


class EndsWhenRefused(example.Bot):  # type: ignore[misc]
    """Ends when an answer came too late or cannot be corrected."""

    def refused(self, refused: match_pb2.ChoiceRefused) -> list[match_pb2.Choice]:
        """What to say to a refusal."""
        choices: list[match_pb2.Choice] = super().refused(refused)
        assert choices, "refused for good"
        return choices


class RepeatsWithoutPause(example.Bot):  # type: ignore[misc]
    """Sends an answer again at once that could not be written down."""

    def refused(self, refused: match_pb2.ChoiceRefused) -> list[match_pb2.Choice]:
        """What to say to a refusal."""
        if refused.reason in example.PASSING:
            return [self.unanswered[refused.match]]
        return list(super().refused(refused))


class RepeatsAtASteadyPace(example.Bot):  # type: ignore[misc]
    """Sends an answer that could not be written down again and again, with a pause that does not grow."""

    def refused(self, refused: match_pb2.ChoiceRefused) -> list[match_pb2.Choice]:
        """What to say to a refusal."""
        if refused.reason in example.PASSING:
            time.sleep(0.01)
            return [self.unanswered[refused.match]]
        return list(super().refused(refused))


class CountsRequestIds(example.Bot):  # type: ignore[misc]
    """Makes its request ids by counting from 1, in every process."""

    made = 0

    def answer(self, decision: match_pb2.Decision, index: int) -> match_pb2.Choice:
        """A new answer."""
        choice: match_pb2.Choice = super().answer(decision, index)
        self.made += 1
        choice.request_id = str(self.made).encode()
        return choice


class AnswersWhateverComes(example.Bot):  # type: ignore[misc]
    """Answers every decision that comes, also one that came before."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for decision in frame.decisions:
            self.asked.pop(decision.match, None)
        return list(super().receive(frame))


class AnswersOldDecisions(example.Bot):  # type: ignore[misc]
    """Knows a repetition of the latest decision, and of no earlier one."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for decision in frame.decisions:
            before = self.asked.get(decision.match)
            if before is not None and decision.decision < before.decision:
                del self.asked[decision.match]
        return list(super().receive(frame))


class CountsOffers(example.Bot):  # type: ignore[misc]
    """Cannot stand an offer, an acknowledgement or an end that it had before."""

    def __init__(self) -> None:
        super().__init__()
        self.over: set[str] = set()

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for ended in frame.ended:
            assert ended.match not in self.over, "that is over already"
            self.over.add(ended.match)
        return list(super().receive(frame))


class CrashesOnVoid(example.Bot):  # type: ignore[misc]
    """Takes for granted that a match has a result."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for ended in frame.ended:
            assert ended.result.placements, "no place"
        return list(super().receive(frame))


class CrashesOnUnknownValue(example.Bot):  # type: ignore[misc]
    """Looks up every value in the list that it was built with."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for refused in frame.refused:
            errors_pb2.ErrorReason.Name(refused.reason)
        for ended in frame.ended:
            match_pb2.EndReason.Name(ended.result.reason)
        return list(super().receive(frame))


class CrashesOnUnknownFields(example.Bot):  # type: ignore[misc]
    """Thinks that it knows all that a frame may hold."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        assert frame.ListFields(), "an empty frame"
        return list(super().receive(frame))


class CrashesOnUnknownGame(example.Bot):  # type: ignore[misc]
    """Knows three games for good."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for offer in frame.offers:
            {"art_robbery": 1, "big_max": 2, "shadow_thief": 3}[offer.configuration.game]
        return list(super().receive(frame))


class AsciiOnly(example.Bot):  # type: ignore[misc]
    """Writes down names in ASCII."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for offer in frame.offers:
            for name in offer.seat_names:
                name.encode("ascii")
        return list(super().receive(frame))


class OneMatchAtATime(example.Bot):  # type: ignore[misc]
    """Gets ready for a match only when the one before is over."""

    def __init__(self) -> None:
        super().__init__()
        self.playing = ""
        self.later: list[bot_pb2.MatchOffered] = []

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        self.later += [offer for offer in frame.offers if offer.match != self.playing]
        again = [offer for offer in frame.offers if offer.match == self.playing]
        if any(ended.match == self.playing for ended in frame.ended):
            self.playing = ""
        del frame.offers[:]
        frame.offers.extend(again)
        if not self.playing and self.later:
            self.playing = self.later[0].match
            frame.offers.append(self.later.pop(0))
        return list(super().receive(frame))


class TooManyInAFrame(example.Bot):  # type: ignore[misc]
    """Saves its readies up, and sends them all in one frame."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[bot_pb2.Ready] = []

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        frames: Frames = super().receive(frame)
        crowded = any(offer.match.startswith("crowd") for offer in frame.offers)
        for said in frames:
            if crowded:
                self.saved += said.readies
                del said.readies[:]
        if len(self.saved) > 256:
            frames.append(bot_pb2.ConnectRequest(readies=self.saved))
            self.saved = []
        return [said for said in frames if said.readies or said.choices]


class Thinker(example.Bot):  # type: ignore[misc]
    """Thinks for a fixed time about one decision where the time is short."""

    thinks_s = 2.2
    """Less than such a decision has, and more than one that comes late has left."""

    def __init__(self) -> None:
        super().__init__()
        self.short: set[str] = set()

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for offer in frame.offers:
            clock = offer.configuration.clock
            if clock.decision_ms + clock.bank_ms < 10_000:
                self.short.add(offer.match)
        return list(super().receive(frame))

    def answer(self, decision: match_pb2.Decision, index: int) -> match_pb2.Choice:
        """The choice to send."""
        time.sleep(self.thinks_s if decision.match in self.short and decision.decision == 2 else 0)
        choice: match_pb2.Choice = super().answer(decision, index)
        return choice


class SleepsOverTheTime(Thinker):
    """Thinks for longer than it has."""

    thinks_s = 6.0


class ForgetsMatches(example.Bot):  # type: ignore[misc]
    """Takes a match that is offered again for one that it need not play any more."""

    def __init__(self) -> None:
        super().__init__()
        self.offered: set[str] = set()
        self.forgotten: set[str] = set()

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for offer in frame.offers:
            if offer.match in self.offered:
                self.forgotten.add(offer.match)
            self.offered.add(offer.match)
        kept = [decision for decision in frame.decisions if decision.match not in self.forgotten]
        del frame.decisions[:]
        frame.decisions.extend(kept)
        return list(super().receive(frame))

    def said_again(self) -> Frames:
        """What to say on a new stream."""
        return []


class ExpectsBeginnings(example.Bot):  # type: ignore[misc]
    """Cannot play a match that runs already."""

    def receive(self, frame: bot_pb2.ConnectResponse) -> Frames:
        """What to say to a frame."""
        for decision in frame.decisions:
            assert decision.match in self.asked or decision.decision == 1, "where is the first?"
        return list(super().receive(frame))


BOTS: dict[str, type[Any]] = {
    "never-ready": NeverReady,
    "illegal-answers": IllegalAnswers,
    "answers-twice": AnswersTwice,
    "ends-after-one": EndsAfterOne,
    "new-id-per-retry": NewIdPerRetry,
    "new-thought-per-retry": NewThoughtPerRetry,
    "ignores-refusals": IgnoresRefusals,
    "corrects-twice": CorrectsTwice,
    "ends-when-refused": EndsWhenRefused,
    "repeats-without-pause": RepeatsWithoutPause,
    "repeats-at-a-steady-pace": RepeatsAtASteadyPace,
    "counts-request-ids": CountsRequestIds,
    "answers-whatever-comes": AnswersWhateverComes,
    "answers-old-decisions": AnswersOldDecisions,
    "counts-offers": CountsOffers,
    "crashes-on-void": CrashesOnVoid,
    "crashes-on-unknown-value": CrashesOnUnknownValue,
    "crashes-on-unknown-fields": CrashesOnUnknownFields,
    "crashes-on-unknown-game": CrashesOnUnknownGame,
    "ascii-only": AsciiOnly,
    "one-match-at-a-time": OneMatchAtATime,
    "too-many-in-a-frame": TooManyInAFrame,
    "thinks-for-a-fixed-time": Thinker,
    "sleeps-over-the-time": SleepsOverTheTime,
    "forgets-matches": ForgetsMatches,
    "expects-beginnings": ExpectsBeginnings,
}
FAULTS = (*BOTS, *PLAYS)

if __name__ == "__main__":
    fault = sys.argv[1]
    kind = BOTS.get(fault, example.Bot)
    played: Play = PLAYS.get(fault, example.play)
    found = (os.environ["CUTPURSE_ADDRESS"], os.environ["CUTPURSE_TOKEN"])
    sys.exit(played(kind(), *found, getattr(kind, "matches", sys.maxsize)))
