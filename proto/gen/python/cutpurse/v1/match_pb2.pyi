from cutpurse.v1 import errors_pb2 as _errors_pb2
from cutpurse.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CAUSE_UNSPECIFIED: _ClassVar[Cause]
    CAUSE_CHOSEN: _ClassVar[Cause]
    CAUSE_FORCED: _ClassVar[Cause]
    CAUSE_TIMEOUT: _ClassVar[Cause]
    CAUSE_ILLEGAL: _ClassVar[Cause]
    CAUSE_MALFORMED: _ClassVar[Cause]
    CAUSE_DISCONNECTED: _ClassVar[Cause]
    CAUSE_CRASHED: _ClassVar[Cause]
    CAUSE_FORFEITED: _ClassVar[Cause]

class MatchPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_PHASE_UNSPECIFIED: _ClassVar[MatchPhase]
    MATCH_PHASE_WARM_UP: _ClassVar[MatchPhase]
    MATCH_PHASE_RUNNING: _ClassVar[MatchPhase]
    MATCH_PHASE_ENDED: _ClassVar[MatchPhase]
    MATCH_PHASE_VOIDED: _ClassVar[MatchPhase]

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_REASON_UNSPECIFIED: _ClassVar[EndReason]
    END_REASON_COMPLETED: _ClassVar[EndReason]
    END_REASON_WON: _ClassVar[EndReason]
    END_REASON_STALLED: _ClassVar[EndReason]

class VoidCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VOID_CAUSE_UNSPECIFIED: _ClassVar[VoidCause]
    VOID_CAUSE_ABORTED: _ClassVar[VoidCause]
    VOID_CAUSE_PLATFORM: _ClassVar[VoidCause]
    VOID_CAUSE_ENTRANT_GONE: _ClassVar[VoidCause]
    VOID_CAUSE_NOBODY_READY: _ClassVar[VoidCause]
CAUSE_UNSPECIFIED: Cause
CAUSE_CHOSEN: Cause
CAUSE_FORCED: Cause
CAUSE_TIMEOUT: Cause
CAUSE_ILLEGAL: Cause
CAUSE_MALFORMED: Cause
CAUSE_DISCONNECTED: Cause
CAUSE_CRASHED: Cause
CAUSE_FORFEITED: Cause
MATCH_PHASE_UNSPECIFIED: MatchPhase
MATCH_PHASE_WARM_UP: MatchPhase
MATCH_PHASE_RUNNING: MatchPhase
MATCH_PHASE_ENDED: MatchPhase
MATCH_PHASE_VOIDED: MatchPhase
END_REASON_UNSPECIFIED: EndReason
END_REASON_COMPLETED: EndReason
END_REASON_WON: EndReason
END_REASON_STALLED: EndReason
VOID_CAUSE_UNSPECIFIED: VoidCause
VOID_CAUSE_ABORTED: VoidCause
VOID_CAUSE_PLATFORM: VoidCause
VOID_CAUSE_ENTRANT_GONE: VoidCause
VOID_CAUSE_NOBODY_READY: VoidCause

class MatchConfiguration(_message.Message):
    __slots__ = ("game", "options", "clock")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    game: str
    options: _containers.ScalarMap[str, str]
    clock: ClockSettings
    def __init__(self, game: _Optional[str] = ..., options: _Optional[_Mapping[str, str]] = ..., clock: _Optional[_Union[ClockSettings, _Mapping]] = ...) -> None: ...

class ClockSettings(_message.Message):
    __slots__ = ("decision_ms", "bank_ms", "delivery_ms", "settle_ms", "warm_up_ms", "strikes_max", "corrections_max")
    DECISION_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_MS_FIELD_NUMBER: _ClassVar[int]
    SETTLE_MS_FIELD_NUMBER: _ClassVar[int]
    WARM_UP_MS_FIELD_NUMBER: _ClassVar[int]
    STRIKES_MAX_FIELD_NUMBER: _ClassVar[int]
    CORRECTIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    decision_ms: int
    bank_ms: int
    delivery_ms: int
    settle_ms: int
    warm_up_ms: int
    strikes_max: int
    corrections_max: int
    def __init__(self, decision_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., delivery_ms: _Optional[int] = ..., settle_ms: _Optional[int] = ..., warm_up_ms: _Optional[int] = ..., strikes_max: _Optional[int] = ..., corrections_max: _Optional[int] = ...) -> None: ...

class MatchResult(_message.Message):
    __slots__ = ("scores", "placements", "reason", "forfeited", "table_placements")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    TABLE_PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    placements: _containers.RepeatedScalarFieldContainer[int]
    reason: EndReason
    forfeited: _containers.RepeatedScalarFieldContainer[int]
    table_placements: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, scores: _Optional[_Iterable[int]] = ..., placements: _Optional[_Iterable[int]] = ..., reason: _Optional[_Union[EndReason, str]] = ..., forfeited: _Optional[_Iterable[int]] = ..., table_placements: _Optional[_Iterable[int]] = ...) -> None: ...

class ResolvedChoice(_message.Message):
    __slots__ = ("seat", "notation", "cause")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    notation: str
    cause: Cause
    def __init__(self, seat: _Optional[int] = ..., notation: _Optional[str] = ..., cause: _Optional[_Union[Cause, str]] = ...) -> None: ...

class ResolvedDecision(_message.Message):
    __slots__ = ("number", "choices", "happenings")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    HAPPENINGS_FIELD_NUMBER: _ClassVar[int]
    number: int
    choices: _containers.RepeatedCompositeFieldContainer[ResolvedChoice]
    happenings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, number: _Optional[int] = ..., choices: _Optional[_Iterable[_Union[ResolvedChoice, _Mapping]]] = ..., happenings: _Optional[_Iterable[str]] = ...) -> None: ...

class Choice(_message.Message):
    __slots__ = ("match", "decision", "request_id", "index", "notation", "action", "signature")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision: int
    request_id: bytes
    index: int
    notation: str
    action: _game_pb2.Action
    signature: ChoiceSignature
    def __init__(self, match: _Optional[str] = ..., decision: _Optional[int] = ..., request_id: _Optional[bytes] = ..., index: _Optional[int] = ..., notation: _Optional[str] = ..., action: _Optional[_Union[_game_pb2.Action, _Mapping]] = ..., signature: _Optional[_Union[ChoiceSignature, _Mapping]] = ...) -> None: ...

class ChoiceSignature(_message.Message):
    __slots__ = ("public_key", "signature", "salt")
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    public_key: bytes
    signature: bytes
    salt: bytes
    def __init__(self, public_key: _Optional[bytes] = ..., signature: _Optional[bytes] = ..., salt: _Optional[bytes] = ...) -> None: ...

class ChoiceAccepted(_message.Message):
    __slots__ = ("match", "decision", "request_id", "receipt")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision: int
    request_id: bytes
    receipt: ChoiceReceipt
    def __init__(self, match: _Optional[str] = ..., decision: _Optional[int] = ..., request_id: _Optional[bytes] = ..., receipt: _Optional[_Union[ChoiceReceipt, _Mapping]] = ...) -> None: ...

class ChoiceReceipt(_message.Message):
    __slots__ = ("counter", "choice_hash", "signature")
    COUNTER_FIELD_NUMBER: _ClassVar[int]
    CHOICE_HASH_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    counter: int
    choice_hash: bytes
    signature: bytes
    def __init__(self, counter: _Optional[int] = ..., choice_hash: _Optional[bytes] = ..., signature: _Optional[bytes] = ...) -> None: ...

class ChoiceRefused(_message.Message):
    __slots__ = ("match", "decision", "request_id", "reason", "rule", "text", "corrections_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CORRECTIONS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision: int
    request_id: bytes
    reason: _errors_pb2.ErrorReason
    rule: _errors_pb2.RuleReason
    text: str
    corrections_left: int
    def __init__(self, match: _Optional[str] = ..., decision: _Optional[int] = ..., request_id: _Optional[bytes] = ..., reason: _Optional[_Union[_errors_pb2.ErrorReason, str]] = ..., rule: _Optional[_Union[_errors_pb2.RuleReason, str]] = ..., text: _Optional[str] = ..., corrections_left: _Optional[int] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("match", "decision", "seat", "view", "legal", "legal_actions", "decision_ms_left", "bank_ms_left", "last_charged_ms", "corrections_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    DECISION_MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    LAST_CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    CORRECTIONS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: str
    decision: int
    seat: int
    view: _game_pb2.View
    legal: _containers.RepeatedScalarFieldContainer[str]
    legal_actions: _containers.RepeatedCompositeFieldContainer[_game_pb2.Action]
    decision_ms_left: int
    bank_ms_left: int
    last_charged_ms: int
    corrections_left: int
    def __init__(self, match: _Optional[str] = ..., decision: _Optional[int] = ..., seat: _Optional[int] = ..., view: _Optional[_Union[_game_pb2.View, _Mapping]] = ..., legal: _Optional[_Iterable[str]] = ..., legal_actions: _Optional[_Iterable[_Union[_game_pb2.Action, _Mapping]]] = ..., decision_ms_left: _Optional[int] = ..., bank_ms_left: _Optional[int] = ..., last_charged_ms: _Optional[int] = ..., corrections_left: _Optional[int] = ...) -> None: ...

class CreateMatchRequest(_message.Message):
    __slots__ = ("configuration", "bots", "seed", "request_id")
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    configuration: MatchConfiguration
    bots: _containers.RepeatedScalarFieldContainer[str]
    seed: str
    request_id: bytes
    def __init__(self, configuration: _Optional[_Union[MatchConfiguration, _Mapping]] = ..., bots: _Optional[_Iterable[str]] = ..., seed: _Optional[str] = ..., request_id: _Optional[bytes] = ...) -> None: ...

class CreateMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match", "configuration", "players", "phase", "view", "result", "void_cause", "bots")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    VOID_CAUSE_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    match: str
    configuration: MatchConfiguration
    players: int
    phase: MatchPhase
    view: _game_pb2.PublicView
    result: MatchResult
    void_cause: VoidCause
    bots: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, match: _Optional[str] = ..., configuration: _Optional[_Union[MatchConfiguration, _Mapping]] = ..., players: _Optional[int] = ..., phase: _Optional[_Union[MatchPhase, str]] = ..., view: _Optional[_Union[_game_pb2.PublicView, _Mapping]] = ..., result: _Optional[_Union[MatchResult, _Mapping]] = ..., void_cause: _Optional[_Union[VoidCause, str]] = ..., bots: _Optional[_Iterable[str]] = ...) -> None: ...

class GetViewRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class GetViewResponse(_message.Message):
    __slots__ = ("seat", "view", "decision")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    view: _game_pb2.View
    decision: Decision
    def __init__(self, seat: _Optional[int] = ..., view: _Optional[_Union[_game_pb2.View, _Mapping]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ...) -> None: ...

class ListLegalActionsRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class ListLegalActionsResponse(_message.Message):
    __slots__ = ("decision", "legal", "legal_actions")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    decision: int
    legal: _containers.RepeatedScalarFieldContainer[str]
    legal_actions: _containers.RepeatedCompositeFieldContainer[_game_pb2.Action]
    def __init__(self, decision: _Optional[int] = ..., legal: _Optional[_Iterable[str]] = ..., legal_actions: _Optional[_Iterable[_Union[_game_pb2.Action, _Mapping]]] = ...) -> None: ...

class SubmitChoiceRequest(_message.Message):
    __slots__ = ("choice",)
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    choice: Choice
    def __init__(self, choice: _Optional[_Union[Choice, _Mapping]] = ...) -> None: ...

class SubmitChoiceResponse(_message.Message):
    __slots__ = ("accepted",)
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    accepted: ChoiceAccepted
    def __init__(self, accepted: _Optional[_Union[ChoiceAccepted, _Mapping]] = ...) -> None: ...

class WatchMatchRequest(_message.Message):
    __slots__ = ("match", "after_cursor")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    AFTER_CURSOR_FIELD_NUMBER: _ClassVar[int]
    match: str
    after_cursor: int
    def __init__(self, match: _Optional[str] = ..., after_cursor: _Optional[int] = ...) -> None: ...

class WatchMatchResponse(_message.Message):
    __slots__ = ("cursor", "resolved", "view", "phase", "result", "void_cause")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    VOID_CAUSE_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    resolved: _containers.RepeatedCompositeFieldContainer[ResolvedDecision]
    view: _game_pb2.PublicView
    phase: MatchPhase
    result: MatchResult
    void_cause: VoidCause
    def __init__(self, cursor: _Optional[int] = ..., resolved: _Optional[_Iterable[_Union[ResolvedDecision, _Mapping]]] = ..., view: _Optional[_Union[_game_pb2.PublicView, _Mapping]] = ..., phase: _Optional[_Union[MatchPhase, str]] = ..., result: _Optional[_Union[MatchResult, _Mapping]] = ..., void_cause: _Optional[_Union[VoidCause, str]] = ...) -> None: ...

class AbortMatchRequest(_message.Message):
    __slots__ = ("match", "text")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    match: str
    text: str
    def __init__(self, match: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class AbortMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
