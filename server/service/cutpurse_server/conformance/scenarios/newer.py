"""A service of tomorrow: fields, cases and values that this version of the protocol does not know, and odd names."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from cutpurse.v1 import bot_pb2, game_pb2, match_pb2
from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse_server.conformance.relay import Line, Script
from cutpurse_server.conformance.scenario import Scenario
from cutpurse_server.conformance.scenarios.refusals import InItsPlace, refusal_of
from cutpurse_server.conformance.stage import Stage

__all__ = ["NEWER"]

_UNKNOWN = b"\xf8\x7c\x2a" + b"\x82\x7d\x06" + b"future" + b"\x8d\x7d\x01\x00\x00\x00" + b"\x91\x7d" + bytes(8)
"""Fields 1999 to 2002, of every wire type that there is."""
_NEW_VALUE: Any = 97
_NAMES = (
    "Ωmega-дверь-扒手-🦊🃏",
    "é̂́̈ combining, and עברית from the right",
    "long " + "🂡" * 300,
    "zero\u200bwidth, a line\u2028separator and a\ttab",
)


class _NewFields(Script):
    """Adds unknown fields to every message of every frame, and sends frames that hold nothing else."""

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        first = frame.HasField("welcome")
        _add_unknown(frame)
        await line.tell_bot(frame)
        if not first:
            await line.tell_bot(bot_pb2.ConnectResponse.FromString(_UNKNOWN))


def _add_unknown(message: Message) -> None:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            each: Any
            for each in value if not isinstance(value, Message) else (value,):
                _add_unknown(each)
    message.MergeFromString(_UNKNOWN)


async def _new_fields(stage: Stage) -> None:
    stage.relay.script = _NewFields()
    await stage.arrive()
    await stage.play()


class _NewValues(InItsPlace):
    """Refuses for a reason of tomorrow, and ends matches for one."""

    def __init__(self) -> None:
        super().__init__({2: ErrorReason.ERROR_REASON_UNSPECIFIED})

    def refusal(self, choice: match_pb2.Choice, reason: ErrorReason.ValueType) -> match_pb2.ChoiceRefused:
        refused = refusal_of(choice, reason)
        refused.reason, refused.rule = _NEW_VALUE, _NEW_VALUE
        return refused

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        for ended in frame.ended:
            ended.result.reason, ended.void_cause = _NEW_VALUE, _NEW_VALUE
        for news in frame.news:
            for resolved in news.resolved:
                for choice in resolved.choices:
                    choice.cause = _NEW_VALUE
        await super().from_service(line, frame)


async def _new_values(stage: Stage) -> None:
    stage.relay.script = _NewValues()
    await stage.arrive()
    await stage.play()
    await stage.play()


class _NewGame(Script):
    """Offers a match of a game that there is not, and asks for a decision in it if the bot gets ready."""

    match = "match-of-tomorrow"

    def __init__(self) -> None:
        self.offered = False
        self.over = False

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        await line.tell_bot(frame)
        if frame.HasField("welcome"):
            configuration = match_pb2.MatchConfiguration(game="pickpocket_2", options={"crowd": '{"size": 7}'})
            offer = bot_pb2.MatchOffered(
                match=self.match, seat=1, players=9, configuration=configuration, warm_up_ms_left=60_000
            )
            offer.seat_names.extend(f"player {number}" for number in range(1, 10))
            self.offered = True
            await line.tell_bot(bot_pb2.ConnectResponse(offers=[offer]))

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        passed = bot_pb2.ConnectRequest()
        passed.CopyFrom(frame)
        del passed.readies[:], passed.choices[:]
        passed.readies.extend(ready for ready in frame.readies if ready.match != self.match)
        passed.choices.extend(choice for choice in frame.choices if choice.match != self.match)
        if len(passed.readies) < len(frame.readies):
            await line.tell_bot(bot_pb2.ConnectResponse(decisions=[self._decision()]))
        if len(passed.choices) < len(frame.choices) and not self.over:
            self.over = True
            ended = bot_pb2.MatchEnded(match=self.match, seat=1)
            ended.result.placements.extend(range(1, 10))
            ended.result.scores.extend(range(9))
            await line.tell_bot(bot_pb2.ConnectResponse(ended=[ended]))
        await line.tell_service(passed)

    def _decision(self) -> match_pb2.Decision:
        """Its view and its typed actions are of cases that nobody knows yet."""
        decision = match_pb2.Decision(match=self.match, decision=1, seat=1, decision_ms_left=60_000)
        decision.legal.extend(["lift watch", "lift purse", "walk on"])
        decision.view.MergeFromString(_UNKNOWN)
        decision.legal_actions.extend(game_pb2.Action.FromString(_UNKNOWN) for _ in decision.legal)
        return decision


async def _new_game(stage: Stage) -> None:
    script = _NewGame()
    stage.relay.script = script
    await stage.arrive()
    await stage.until(lambda: script.offered, "it had no Welcome")
    await stage.stays(0.5, "it was offered a game that it does not know")
    await stage.play()
    stage.behaved()


class _OddNames(Script):
    """Gives every seat a name in letters of all kinds."""

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        for offer in frame.offers:
            names = [_NAMES[seat % len(_NAMES)] for seat in range(offer.players)]
            del offer.seat_names[:]
            offer.seat_names.extend(names)
        if frame.HasField("welcome"):
            frame.welcome.server = "cutpurse-server/2.0 «🦝 Diebesgut»"
        await line.tell_bot(frame)


async def _odd_names(stage: Stage) -> None:
    stage.relay.script = _OddNames()
    await stage.arrive()
    for seat in range(stage.quick.players):
        await stage.play(seat=seat)


NEWER = (
    Scenario(
        "unknown-fields",
        "skips fields that it does not know, and frames with nothing that it knows",
        "A newer service says more than an older bot was built for, and a bot must not stop playing for that.",
        "Let protobuf skip them, as it does by itself; do not refuse a frame in which you find nothing.",
        _new_fields,
        ("plays-on",),
    ),
    Scenario(
        "unknown-values",
        "takes enum values that it does not know for unspecified ones",
        "New reasons and causes are added in later versions: of refusals, of the end of a match, of a choice.",
        "Give every switch over an enum a default branch that goes on. A refusal for an unknown reason ends that "
        "decision, as far as the bot is concerned.",
        _new_values,
        ("too-late",),
    ),
    Scenario(
        "unknown-game",
        "survives the offer of a game that it does not know, with a view and actions of unknown cases",
        "A oneof gets new cases when there are new games. Such a match may be left alone, but the others go on.",
        "If the game is not one of yours, say no Ready; if the view has no known case, answer with any of `legal`, or "
        "not at all. Never end the program.",
        _new_game,
        ("unknown-fields",),
    ),
    Scenario(
        "odd-names",
        "copes with long names in all alphabets",
        "Names of seats are for people, and people write them as they like. They are often printed or logged.",
        'Take them as UTF-8 of any length, and print them so that no character can fail (errors="replace").',
        _odd_names,
        ("plays-on",),
    ),
)
