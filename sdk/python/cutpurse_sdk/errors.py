"""What can go wrong for a bot, and nothing else.

CutpurseError
├── SettingsInvalid       an address, token or certificate that is missing or cannot be used; nothing was sent
├── AnswerInvalid         what `choose` returned is no answer: neither notation, index nor action
├── ServiceRefused        the service said no for good: token, role, protocol version, …; carries the reason
├── ServiceUnreachable    the service could not be reached, or not kept, until the patience was over
├── ChoiceNotTaken        a choice was refused and `on_refused="raise"`; carries the refusal
├── DecisionUnreadable    the decision has no form that this SDK knows or that was asked for
└── SimulatorMissing      `simulate` without the service installed
"""

from __future__ import annotations

import grpc

from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse.v1.match_pb2 import ChoiceRefused

__all__ = [
    "AnswerInvalid",
    "ChoiceNotTaken",
    "CutpurseError",
    "DecisionUnreadable",
    "ServiceRefused",
    "ServiceUnreachable",
    "SettingsInvalid",
    "SimulatorMissing",
    "reason_name",
]

_PREFIX = "ERROR_REASON_"

_REASON_KEY = "cutpurse-reason"
"""The trailing metadata in which the service names the reason as text, beside the ErrorInfo of richer clients."""

_PASSING = frozenset({"READER_TOO_SLOW", "TOO_MANY_STREAMS", "RATE_LIMITED", "DRAINING", "LOG_UNAVAILABLE", "INTERNAL"})
"""Reasons that may be gone a moment later, so that it is worth dialling in again."""

_PASSING_STATUS = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
"""The same for errors that name no reason, because they come from the connection or from something in between."""


class CutpurseError(Exception):
    """The root of everything that the SDK raises on purpose."""


class SettingsInvalid(CutpurseError, ValueError):
    """An address, a token or a certificate is missing or cannot be used. The text says what to set."""


class AnswerInvalid(CutpurseError, TypeError):
    """What `choose` returned is no answer to the decision."""


class ServiceRefused(CutpurseError):
    """The service refused the stream, and trying again would not help."""

    def __init__(self, status: grpc.StatusCode, reason: ErrorReason.ValueType, text: str) -> None:
        super().__init__(f"the service refused ({status.name}, {reason_name(reason)}): {text}")
        self.status = status
        """The gRPC status."""
        self.reason = reason
        """Why; unspecified where the service named no reason, or one that this SDK does not know."""
        self.text = text
        """One sentence for people, from the service."""


class ServiceUnreachable(CutpurseError):
    """The service could not be reached, or not be kept, until the patience was over."""


class ChoiceNotTaken(CutpurseError):
    """The service refused a choice."""

    def __init__(self, refusal: ChoiceRefused) -> None:
        super().__init__(
            f"match {refusal.match}, decision {refusal.decision}: {reason_name(refusal.reason)}: {refusal.text}"
        )
        self.refusal = refusal
        """What the service said."""


class DecisionUnreadable(CutpurseError):
    """The decision has no form that this SDK knows or that was asked for. The text says what to do."""


class SimulatorMissing(CutpurseError):
    """Local play needs the service, which is not installed."""


def reason_name(reason: ErrorReason.ValueType) -> str:
    """The short text of a reason, such as `DECISION_STALE`; the number of one that this SDK does not know."""
    try:
        return ErrorReason.Name(reason).removeprefix(_PREFIX)
    except ValueError:
        return str(reason)


def reason_from_name(name: str) -> ErrorReason.ValueType:
    """The reason of a short text; unspecified where it is not known."""
    return dict(ErrorReason.items()).get(_PREFIX + name, ErrorReason.ERROR_REASON_UNSPECIFIED)


def refused_for_good(error: grpc.aio.AioRpcError) -> ServiceRefused | None:
    """What a failed call means: a refusal that will not change, or nothing if dialling in again may help."""
    named = next((value for key, value in error.trailing_metadata() or () if key == _REASON_KEY), "")
    name = named if isinstance(named, str) else named.decode("ascii", "replace")
    if name in _PASSING or (not name and error.code() in _PASSING_STATUS):
        return None
    if not name and error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return None
    return ServiceRefused(error.code(), reason_from_name(name), error.details() or "no details")
