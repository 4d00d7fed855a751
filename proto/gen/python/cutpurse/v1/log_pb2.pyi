from cutpurse.v1 import errors_pb2 as _errors_pb2
from cutpurse.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PublicEvent(_message.Message):
    __slots__ = ("match_begun", "seat_ready", "clocks_started", "decision_opened", "choice_made", "choice_refused", "choice_defaulted", "clock_credited", "seat_forfeited", "decision_resolved", "match_voided", "match_ended", "commitment")
    MATCH_BEGUN_FIELD_NUMBER: _ClassVar[int]
    SEAT_READY_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_STARTED_FIELD_NUMBER: _ClassVar[int]
    DECISION_OPENED_FIELD_NUMBER: _ClassVar[int]
    CHOICE_MADE_FIELD_NUMBER: _ClassVar[int]
    CHOICE_REFUSED_FIELD_NUMBER: _ClassVar[int]
    CHOICE_DEFAULTED_FIELD_NUMBER: _ClassVar[int]
    CLOCK_CREDITED_FIELD_NUMBER: _ClassVar[int]
    SEAT_FORFEITED_FIELD_NUMBER: _ClassVar[int]
    DECISION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    MATCH_VOIDED_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    match_begun: MatchBegunPublic
    seat_ready: SeatReadyPublic
    clocks_started: ClocksStartedPublic
    decision_opened: DecisionOpenedPublic
    choice_made: ChoiceMadePublic
    choice_refused: ChoiceRefusedPublic
    choice_defaulted: ChoiceDefaultedPublic
    clock_credited: ClockCreditedPublic
    seat_forfeited: SeatForfeitedPublic
    decision_resolved: DecisionResolvedPublic
    match_voided: MatchVoidedPublic
    match_ended: MatchEndedPublic
    commitment: bytes
    def __init__(self, match_begun: _Optional[_Union[MatchBegunPublic, _Mapping]] = ..., seat_ready: _Optional[_Union[SeatReadyPublic, _Mapping]] = ..., clocks_started: _Optional[_Union[ClocksStartedPublic, _Mapping]] = ..., decision_opened: _Optional[_Union[DecisionOpenedPublic, _Mapping]] = ..., choice_made: _Optional[_Union[ChoiceMadePublic, _Mapping]] = ..., choice_refused: _Optional[_Union[ChoiceRefusedPublic, _Mapping]] = ..., choice_defaulted: _Optional[_Union[ChoiceDefaultedPublic, _Mapping]] = ..., clock_credited: _Optional[_Union[ClockCreditedPublic, _Mapping]] = ..., seat_forfeited: _Optional[_Union[SeatForfeitedPublic, _Mapping]] = ..., decision_resolved: _Optional[_Union[DecisionResolvedPublic, _Mapping]] = ..., match_voided: _Optional[_Union[MatchVoidedPublic, _Mapping]] = ..., match_ended: _Optional[_Union[MatchEndedPublic, _Mapping]] = ..., commitment: _Optional[bytes] = ...) -> None: ...

class SecretEvent(_message.Message):
    __slots__ = ("match_begun", "seat_ready", "choice_made", "choice_refused", "choice_defaulted", "seat_forfeited", "decision_resolved", "match_ended")
    MATCH_BEGUN_FIELD_NUMBER: _ClassVar[int]
    SEAT_READY_FIELD_NUMBER: _ClassVar[int]
    CHOICE_MADE_FIELD_NUMBER: _ClassVar[int]
    CHOICE_REFUSED_FIELD_NUMBER: _ClassVar[int]
    CHOICE_DEFAULTED_FIELD_NUMBER: _ClassVar[int]
    SEAT_FORFEITED_FIELD_NUMBER: _ClassVar[int]
    DECISION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    match_begun: MatchBegunSecret
    seat_ready: SeatReadySecret
    choice_made: ChoiceMadeSecret
    choice_refused: ChoiceRefusedSecret
    choice_defaulted: ChoiceDefaultedSecret
    seat_forfeited: SeatForfeitedSecret
    decision_resolved: DecisionResolvedSecret
    match_ended: MatchEndedSecret
    def __init__(self, match_begun: _Optional[_Union[MatchBegunSecret, _Mapping]] = ..., seat_ready: _Optional[_Union[SeatReadySecret, _Mapping]] = ..., choice_made: _Optional[_Union[ChoiceMadeSecret, _Mapping]] = ..., choice_refused: _Optional[_Union[ChoiceRefusedSecret, _Mapping]] = ..., choice_defaulted: _Optional[_Union[ChoiceDefaultedSecret, _Mapping]] = ..., seat_forfeited: _Optional[_Union[SeatForfeitedSecret, _Mapping]] = ..., decision_resolved: _Optional[_Union[DecisionResolvedSecret, _Mapping]] = ..., match_ended: _Optional[_Union[MatchEndedSecret, _Mapping]] = ...) -> None: ...

class MatchBegunPublic(_message.Message):
    __slots__ = ("match", "configuration", "rules_version", "engine_version", "players", "rated", "at_ms", "manifest_hash", "warm_up_until_ms")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    ENGINE_VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_HASH_FIELD_NUMBER: _ClassVar[int]
    WARM_UP_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    match: str
    configuration: _match_pb2.MatchConfiguration
    rules_version: str
    engine_version: str
    players: int
    rated: bool
    at_ms: int
    manifest_hash: bytes
    warm_up_until_ms: int
    def __init__(self, match: _Optional[str] = ..., configuration: _Optional[_Union[_match_pb2.MatchConfiguration, _Mapping]] = ..., rules_version: _Optional[str] = ..., engine_version: _Optional[str] = ..., players: _Optional[int] = ..., rated: bool = ..., at_ms: _Optional[int] = ..., manifest_hash: _Optional[bytes] = ..., warm_up_until_ms: _Optional[int] = ...) -> None: ...

class MatchBegunSecret(_message.Message):
    __slots__ = ("key", "seed", "seats", "origin", "request_digest")
    KEY_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    seed: str
    seats: _containers.RepeatedCompositeFieldContainer[SeatIdentity]
    origin: MatchOrigin
    request_digest: bytes
    def __init__(self, key: _Optional[bytes] = ..., seed: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[SeatIdentity, _Mapping]]] = ..., origin: _Optional[_Union[MatchOrigin, _Mapping]] = ..., request_digest: _Optional[bytes] = ...) -> None: ...

class SeatIdentity(_message.Message):
    __slots__ = ("bot", "owner", "player")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    owner: str
    player: bool
    def __init__(self, bot: _Optional[str] = ..., owner: _Optional[str] = ..., player: bool = ...) -> None: ...

class MatchOrigin(_message.Message):
    __slots__ = ("tournament", "round", "table", "rotation", "attempt", "slot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    round: int
    table: int
    rotation: int
    attempt: int
    slot: int
    def __init__(self, tournament: _Optional[str] = ..., round: _Optional[int] = ..., table: _Optional[int] = ..., rotation: _Optional[int] = ..., attempt: _Optional[int] = ..., slot: _Optional[int] = ...) -> None: ...

class SeatReadyPublic(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SeatReadySecret(_message.Message):
    __slots__ = ("seat", "at_ms")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    at_ms: int
    def __init__(self, seat: _Optional[int] = ..., at_ms: _Optional[int] = ...) -> None: ...

class ClocksStartedPublic(_message.Message):
    __slots__ = ("at_ms",)
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    at_ms: int
    def __init__(self, at_ms: _Optional[int] = ...) -> None: ...

class DecisionOpenedPublic(_message.Message):
    __slots__ = ("number", "asked", "opened_at_ms")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    OPENED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    number: int
    asked: _containers.RepeatedScalarFieldContainer[int]
    opened_at_ms: int
    def __init__(self, number: _Optional[int] = ..., asked: _Optional[_Iterable[int]] = ..., opened_at_ms: _Optional[int] = ...) -> None: ...

class ChoiceMadePublic(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class ChoiceMadeSecret(_message.Message):
    __slots__ = ("seat", "notation", "cause", "received_at_ms", "charged_ms", "bank_charged_ms", "request_id", "signature", "request_digest")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    seat: int
    notation: str
    cause: _match_pb2.Cause
    received_at_ms: int
    charged_ms: int
    bank_charged_ms: int
    request_id: bytes
    signature: _match_pb2.ChoiceSignature
    request_digest: bytes
    def __init__(self, seat: _Optional[int] = ..., notation: _Optional[str] = ..., cause: _Optional[_Union[_match_pb2.Cause, str]] = ..., received_at_ms: _Optional[int] = ..., charged_ms: _Optional[int] = ..., bank_charged_ms: _Optional[int] = ..., request_id: _Optional[bytes] = ..., signature: _Optional[_Union[_match_pb2.ChoiceSignature, _Mapping]] = ..., request_digest: _Optional[bytes] = ...) -> None: ...

class ChoiceRefusedPublic(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class ChoiceRefusedSecret(_message.Message):
    __slots__ = ("seat", "cause", "answer", "received_at_ms", "rule", "request_id", "request_digest")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cause: _match_pb2.Cause
    answer: str
    received_at_ms: int
    rule: _errors_pb2.RuleReason
    request_id: bytes
    request_digest: bytes
    def __init__(self, seat: _Optional[int] = ..., cause: _Optional[_Union[_match_pb2.Cause, str]] = ..., answer: _Optional[str] = ..., received_at_ms: _Optional[int] = ..., rule: _Optional[_Union[_errors_pb2.RuleReason, str]] = ..., request_id: _Optional[bytes] = ..., request_digest: _Optional[bytes] = ...) -> None: ...

class ChoiceDefaultedPublic(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class ChoiceDefaultedSecret(_message.Message):
    __slots__ = ("seat", "notation", "cause", "at_ms", "bank_charged_ms", "strike")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    STRIKE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    notation: str
    cause: _match_pb2.Cause
    at_ms: int
    bank_charged_ms: int
    strike: bool
    def __init__(self, seat: _Optional[int] = ..., notation: _Optional[str] = ..., cause: _Optional[_Union[_match_pb2.Cause, str]] = ..., at_ms: _Optional[int] = ..., bank_charged_ms: _Optional[int] = ..., strike: bool = ...) -> None: ...

class ClockCreditedPublic(_message.Message):
    __slots__ = ("number", "credit_ms", "at_ms", "text")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CREDIT_MS_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    number: int
    credit_ms: int
    at_ms: int
    text: str
    def __init__(self, number: _Optional[int] = ..., credit_ms: _Optional[int] = ..., at_ms: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class SeatForfeitedPublic(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class SeatForfeitedSecret(_message.Message):
    __slots__ = ("seat", "cause", "at_ms")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cause: _match_pb2.Cause
    at_ms: int
    def __init__(self, seat: _Optional[int] = ..., cause: _Optional[_Union[_match_pb2.Cause, str]] = ..., at_ms: _Optional[int] = ...) -> None: ...

class DecisionResolvedPublic(_message.Message):
    __slots__ = ("number", "choices")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    number: int
    choices: _containers.RepeatedCompositeFieldContainer[_match_pb2.ResolvedChoice]
    def __init__(self, number: _Optional[int] = ..., choices: _Optional[_Iterable[_Union[_match_pb2.ResolvedChoice, _Mapping]]] = ...) -> None: ...

class DecisionResolvedSecret(_message.Message):
    __slots__ = ("state_hash",)
    STATE_HASH_FIELD_NUMBER: _ClassVar[int]
    state_hash: bytes
    def __init__(self, state_hash: _Optional[bytes] = ...) -> None: ...

class MatchVoidedPublic(_message.Message):
    __slots__ = ("cause", "text", "at_ms")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    cause: _match_pb2.VoidCause
    text: str
    at_ms: int
    def __init__(self, cause: _Optional[_Union[_match_pb2.VoidCause, str]] = ..., text: _Optional[str] = ..., at_ms: _Optional[int] = ...) -> None: ...

class MatchEndedPublic(_message.Message):
    __slots__ = ("result", "at_ms")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    result: _match_pb2.MatchResult
    at_ms: int
    def __init__(self, result: _Optional[_Union[_match_pb2.MatchResult, _Mapping]] = ..., at_ms: _Optional[int] = ...) -> None: ...

class MatchEndedSecret(_message.Message):
    __slots__ = ("state_hash", "bank_ms_left", "strikes")
    STATE_HASH_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    state_hash: bytes
    bank_ms_left: _containers.RepeatedScalarFieldContainer[int]
    strikes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, state_hash: _Optional[bytes] = ..., bank_ms_left: _Optional[_Iterable[int]] = ..., strikes: _Optional[_Iterable[int]] = ...) -> None: ...
