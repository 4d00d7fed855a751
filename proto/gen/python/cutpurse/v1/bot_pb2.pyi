from cutpurse.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ConnectRequest(_message.Message):
    __slots__ = ("hello", "readies", "choices")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    READIES_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    readies: _containers.RepeatedCompositeFieldContainer[Ready]
    choices: _containers.RepeatedCompositeFieldContainer[_match_pb2.Choice]
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., readies: _Optional[_Iterable[_Union[Ready, _Mapping]]] = ..., choices: _Optional[_Iterable[_Union[_match_pb2.Choice, _Mapping]]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("protocol_version", "bot", "sdk", "concurrency", "wants_legal_actions", "wants_resolved", "wants_receipts")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    WANTS_LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    WANTS_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    WANTS_RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    bot: str
    sdk: str
    concurrency: int
    wants_legal_actions: bool
    wants_resolved: bool
    wants_receipts: bool
    def __init__(self, protocol_version: _Optional[int] = ..., bot: _Optional[str] = ..., sdk: _Optional[str] = ..., concurrency: _Optional[int] = ..., wants_legal_actions: bool = ..., wants_resolved: bool = ..., wants_receipts: bool = ...) -> None: ...

class ConnectResponse(_message.Message):
    __slots__ = ("welcome", "offers", "decisions", "accepted", "refused", "news", "ended", "draining")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    offers: _containers.RepeatedCompositeFieldContainer[MatchOffered]
    decisions: _containers.RepeatedCompositeFieldContainer[_match_pb2.Decision]
    accepted: _containers.RepeatedCompositeFieldContainer[_match_pb2.ChoiceAccepted]
    refused: _containers.RepeatedCompositeFieldContainer[_match_pb2.ChoiceRefused]
    news: _containers.RepeatedCompositeFieldContainer[MatchNews]
    ended: _containers.RepeatedCompositeFieldContainer[MatchEnded]
    draining: Draining
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., offers: _Optional[_Iterable[_Union[MatchOffered, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[_match_pb2.Decision, _Mapping]]] = ..., accepted: _Optional[_Iterable[_Union[_match_pb2.ChoiceAccepted, _Mapping]]] = ..., refused: _Optional[_Iterable[_Union[_match_pb2.ChoiceRefused, _Mapping]]] = ..., news: _Optional[_Iterable[_Union[MatchNews, _Mapping]]] = ..., ended: _Optional[_Iterable[_Union[MatchEnded, _Mapping]]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol_version", "bot", "server", "frame_bytes_max")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    FRAME_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    bot: str
    server: str
    frame_bytes_max: int
    def __init__(self, protocol_version: _Optional[int] = ..., bot: _Optional[str] = ..., server: _Optional[str] = ..., frame_bytes_max: _Optional[int] = ...) -> None: ...

class MatchOffered(_message.Message):
    __slots__ = ("match", "seat", "players", "configuration", "warm_up_ms_left", "seat_names", "rated")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    WARM_UP_MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    SEAT_NAMES_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    match: str
    seat: int
    players: int
    configuration: _match_pb2.MatchConfiguration
    warm_up_ms_left: int
    seat_names: _containers.RepeatedScalarFieldContainer[str]
    rated: bool
    def __init__(self, match: _Optional[str] = ..., seat: _Optional[int] = ..., players: _Optional[int] = ..., configuration: _Optional[_Union[_match_pb2.MatchConfiguration, _Mapping]] = ..., warm_up_ms_left: _Optional[int] = ..., seat_names: _Optional[_Iterable[str]] = ..., rated: bool = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class MatchNews(_message.Message):
    __slots__ = ("match", "resolved")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_FIELD_NUMBER: _ClassVar[int]
    match: str
    resolved: _containers.RepeatedCompositeFieldContainer[_match_pb2.ResolvedDecision]
    def __init__(self, match: _Optional[str] = ..., resolved: _Optional[_Iterable[_Union[_match_pb2.ResolvedDecision, _Mapping]]] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("match", "result", "void_cause", "seat")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    VOID_CAUSE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match: str
    result: _match_pb2.MatchResult
    void_cause: _match_pb2.VoidCause
    seat: int
    def __init__(self, match: _Optional[str] = ..., result: _Optional[_Union[_match_pb2.MatchResult, _Mapping]] = ..., void_cause: _Optional[_Union[_match_pb2.VoidCause, str]] = ..., seat: _Optional[int] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
