"""What must hold of an answer that was refused."""

from __future__ import annotations

from typing import Any

from cutpurse_rules.errors import Illegal, Malformed
from cutpurse_server.audit.verdict import Wrong, check
from cutpurse_server.matches.events import Cause, ChoiceRefused

__all__ = ["check_refusal"]

_ANSWER_KEPT_CHARACTERS = 256


def check_refusal(game: Any, state: Any, event: ChoiceRefused) -> None:
    """An answer that was refused as illegal was illegal, for that reason; one as malformed could not be read."""
    if len(event.answer) >= _ANSWER_KEPT_CHARACTERS:
        # It was cut, and no game has an action of that length.
        check(event.cause is Cause.MALFORMED, "an answer longer than any action is malformed")
        return
    try:
        game.verify(state, event.seat, game.parse(event.answer))
    except Malformed:
        check(event.cause is Cause.MALFORMED, f"{event.answer!r} cannot be read, and was refused as illegal")
        check(event.rule is None, "no rule is broken by an answer that cannot be read")
    except Illegal as illegal:
        check(event.cause is Cause.ILLEGAL, f"{event.answer!r} can be read, and was refused as malformed")
        check(event.rule is illegal.reason, f"{event.answer!r} is refused for {illegal.reason.name}, if at all")
    else:
        raise Wrong(f"{event.answer!r} is legal for seat {event.seat}, and was refused")
