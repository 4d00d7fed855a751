"""What was done to a tournament, in words for people."""

from __future__ import annotations

from cutpurse_server.tournaments.events import (
    BlockVoided,
    BotsLaunched,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    TournamentCutShort,
    TournamentPaused,
    TournamentResumed,
    Verdict,
)
from cutpurse_server.tournaments.record import Told

__all__ = ["VERDICTS", "in_words"]

VERDICTS = {
    Verdict.STRONGER: "stronger than the field",
    Verdict.WEAKER: "weaker than the field",
    Verdict.UNDECIDED: "neither stronger nor weaker than the field, as far as was shown",
}
"""What a gauntlet has shown of its challenger."""


def in_words(told: Told) -> str:
    """What was done, and why. It names no bot of a block, since a bot must not learn whom it plays."""
    match told:
        case EntrantEntered():
            return f"{told.entrant.bot} was entered late"
        case EntrantLeft():
            return _because(f"{told.bot} was {told.cause.name.lower()}", told.text)
        case EntrantQuarantined():
            return _because(f"{told.bot} is in quarantine", told.text)
        case EntrantReleased():
            return _because(f"{told.bot} is out of quarantine", told.text)
        case BotsLaunched():
            return f"bots are launched: {told.text}"
        case BlockVoided():
            why = told.text or told.cause.name.lower().replace("_", " ")
            return f"round {told.round}, table {told.table} was voided: {why}"
        case TournamentPaused():
            return _because("paused", told.text)
        case TournamentResumed():
            return "it goes on"
        case TournamentCutShort():
            return f"the organiser has ended it: {told.text}"


def _because(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what
