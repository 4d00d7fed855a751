"""Everything that the service refuses, as one closed list and one catalogue.

ServiceError            a refusal with its `ErrorReason` and a text that is safe to show to the caller
(LogUnavailable         lives with the log's port; the servicers translate it to LOG_UNAVAILABLE)

Texts never name cards, other seats' choices, or anything that the caller may not know.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["CATALOGUE", "ErrorReason", "ServiceError", "StatusName"]


class ErrorReason(IntEnum):
    """Why something was refused; names, numbers and meanings as in errors.proto."""

    MALFORMED = 1
    TOKEN_INVALID = 2
    ROLE_FORBIDDEN = 3
    MATCH_UNKNOWN = 4
    GAME_UNKNOWN = 5
    BOT_UNKNOWN = 6
    TOURNAMENT_UNKNOWN = 7
    CONFIGURATION_INVALID = 8
    CHOICE_MALFORMED = 9
    CHOICE_ILLEGAL = 10
    DECISION_STALE = 11
    DECISION_NOT_OPEN = 12
    TIME_OVER = 13
    CORRECTIONS_USED_UP = 14
    REQUEST_ID_REUSED = 15
    MATCH_OVER = 16
    TOO_LARGE = 17
    RATE_LIMITED = 18
    TOO_MANY_STREAMS = 19
    READER_TOO_SLOW = 20
    PROTOCOL_UNSUPPORTED = 21
    HELLO_EXPECTED = 22
    DRAINING = 23
    LOG_UNAVAILABLE = 24
    NOT_IMPLEMENTED = 25
    INTERNAL = 26
    NAME_TAKEN = 27
    WRONG_PHASE = 28
    NOT_OPENED_YET = 29


StatusName = str
"""The name of a gRPC status code; the servicers turn it into the library's own."""

CATALOGUE: dict[ErrorReason, tuple[StatusName, str]] = {
    ErrorReason.MALFORMED: ("INVALID_ARGUMENT", "The request misses something or cannot be read."),
    ErrorReason.TOKEN_INVALID: (
        "UNAUTHENTICATED",
        "The token is missing, unknown, revoked or expired. A bot takes it from CUTPURSE_TOKEN, and its organiser "
        "gives out new ones; on the wire it is metadata, `authorization: Bearer TOKEN`.",
    ),
    ErrorReason.ROLE_FORBIDDEN: ("PERMISSION_DENIED", "The token's role may not use this method."),
    ErrorReason.MATCH_UNKNOWN: ("NOT_FOUND", "There is no such match for you."),
    ErrorReason.GAME_UNKNOWN: ("NOT_FOUND", "There is no such game; ListGames names them."),
    ErrorReason.BOT_UNKNOWN: ("NOT_FOUND", "There is no such bot; an organiser registers bots."),
    ErrorReason.TOURNAMENT_UNKNOWN: ("NOT_FOUND", "There is no such tournament."),
    ErrorReason.CONFIGURATION_INVALID: ("INVALID_ARGUMENT", "The game does not allow this configuration."),
    ErrorReason.CHOICE_MALFORMED: ("INVALID_ARGUMENT", "The answer is no index, notation or action of this game."),
    ErrorReason.CHOICE_ILLEGAL: ("FAILED_PRECONDITION", "The action is not legal now."),
    ErrorReason.DECISION_STALE: ("ABORTED", "The decision is over or was answered already."),
    ErrorReason.DECISION_NOT_OPEN: ("FAILED_PRECONDITION", "You have no open decision of that number."),
    ErrorReason.TIME_OVER: ("ABORTED", "The time for this decision is over."),
    ErrorReason.CORRECTIONS_USED_UP: ("FAILED_PRECONDITION", "The answer was refused, and no correction is left."),
    ErrorReason.REQUEST_ID_REUSED: ("ALREADY_EXISTS", "This request id was used before with other content."),
    ErrorReason.MATCH_OVER: ("FAILED_PRECONDITION", "The match is over."),
    ErrorReason.TOO_LARGE: ("RESOURCE_EXHAUSTED", "The message is larger than the service reads."),
    ErrorReason.RATE_LIMITED: ("RESOURCE_EXHAUSTED", "Too many requests at once: wait for the replies to some."),
    ErrorReason.TOO_MANY_STREAMS: ("RESOURCE_EXHAUSTED", "Too many open streams of this bot; close one."),
    ErrorReason.READER_TOO_SLOW: ("RESOURCE_EXHAUSTED", "Frames were not read in time; dial in again."),
    ErrorReason.PROTOCOL_UNSUPPORTED: ("FAILED_PRECONDITION", "This service speaks protocol version 1."),
    ErrorReason.HELLO_EXPECTED: ("FAILED_PRECONDITION", "The first frame must carry a Hello, and no later one."),
    ErrorReason.DRAINING: ("UNAVAILABLE", "The service is stopping; dial in again."),
    ErrorReason.LOG_UNAVAILABLE: ("UNAVAILABLE", "The log cannot be used now; try again with the same request id."),
    ErrorReason.NOT_IMPLEMENTED: ("UNIMPLEMENTED", "This part of the contract is not in this version."),
    ErrorReason.INTERNAL: ("INTERNAL", "Something failed inside the service."),
    ErrorReason.NAME_TAKEN: ("ALREADY_EXISTS", "The name is taken."),
    ErrorReason.WRONG_PHASE: ("FAILED_PRECONDITION", "The tournament is not in a phase that allows this."),
    ErrorReason.NOT_OPENED_YET: ("FAILED_PRECONDITION", "Its hidden parts are not open yet."),
}
"""Each reason's status and public text. The one place where either is decided."""


class ServiceError(Exception):
    """A refusal; `text` (the catalogue's unless given) may be shown to the caller."""

    def __init__(self, reason: ErrorReason, text: str | None = None) -> None:
        self.reason = reason
        self.text = text or CATALOGUE[reason][1]
        super().__init__(f"{reason.name}: {self.text}")
