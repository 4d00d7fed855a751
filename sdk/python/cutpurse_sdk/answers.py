"""From what `choose` returns to what is sent."""

from __future__ import annotations

from google.protobuf.message import Message

from cutpurse.v1.game_pb2 import Action
from cutpurse.v1.match_pb2 import Choice
from cutpurse_sdk.decision import Decision
from cutpurse_sdk.errors import AnswerInvalid
from cutpurse_sdk.games import GameAction

__all__ = ["Answer"]

Answer = str | int | Action | GameAction
"""One of the legal notations, an index into them, or an action: wrapped, or the game's own message."""

_GAMES = {field.message_type.full_name: field.name for field in Action.DESCRIPTOR.fields if field.message_type}
"""By the name of a game's own action message: the field of `Action` that holds it."""


def write_answer(choice: Choice, decision: Decision, answer: object) -> None:
    """Put an answer into a choice. Raises `AnswerInvalid` for what cannot be an answer to this decision.

    Whether notation or an action is legal is for the service to say: it knows the reason, too.
    """
    if isinstance(answer, str):
        choice.notation = answer
    elif isinstance(answer, int) and not isinstance(answer, bool):
        if not 0 <= answer < len(decision.message.legal):
            raise AnswerInvalid(
                f"index {answer} is outside the {len(decision.message.legal)} legal actions: {decision}"
            )
        choice.index = answer
    elif isinstance(answer, Action):
        choice.action.CopyFrom(answer)
    elif isinstance(answer, Message) and (field := _GAMES.get(answer.DESCRIPTOR.full_name)):
        getattr(choice.action, field).CopyFrom(answer)
    else:
        raise AnswerInvalid(
            f"{answer!r} ({type(answer).__name__}) is no answer to {decision}: "
            "return one of decision.legal, its index, or an action message"
        )
