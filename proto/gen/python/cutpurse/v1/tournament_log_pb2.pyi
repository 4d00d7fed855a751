from cutpurse.v1 import match_pb2 as _match_pb2
from cutpurse.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentPublicEvent(_message.Message):
    __slots__ = ("created", "entrant_entered", "started", "block_completed", "block_voided", "finished", "commitment")
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_ENTERED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    BLOCK_COMPLETED_FIELD_NUMBER: _ClassVar[int]
    BLOCK_VOIDED_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    created: TournamentCreatedPublic
    entrant_entered: EntrantEnteredPublic
    started: TournamentStartedPublic
    block_completed: BlockCompletedPublic
    block_voided: BlockVoidedPublic
    finished: TournamentFinishedPublic
    commitment: bytes
    def __init__(self, created: _Optional[_Union[TournamentCreatedPublic, _Mapping]] = ..., entrant_entered: _Optional[_Union[EntrantEnteredPublic, _Mapping]] = ..., started: _Optional[_Union[TournamentStartedPublic, _Mapping]] = ..., block_completed: _Optional[_Union[BlockCompletedPublic, _Mapping]] = ..., block_voided: _Optional[_Union[BlockVoidedPublic, _Mapping]] = ..., finished: _Optional[_Union[TournamentFinishedPublic, _Mapping]] = ..., commitment: _Optional[bytes] = ...) -> None: ...

class TournamentSecretEvent(_message.Message):
    __slots__ = ("created",)
    CREATED_FIELD_NUMBER: _ClassVar[int]
    created: TournamentCreatedSecret
    def __init__(self, created: _Optional[_Union[TournamentCreatedSecret, _Mapping]] = ...) -> None: ...

class TournamentCreatedPublic(_message.Message):
    __slots__ = ("manifest", "at_ms")
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    manifest: bytes
    at_ms: int
    def __init__(self, manifest: _Optional[bytes] = ..., at_ms: _Optional[int] = ...) -> None: ...

class TournamentCreatedSecret(_message.Message):
    __slots__ = ("deals_secret",)
    DEALS_SECRET_FIELD_NUMBER: _ClassVar[int]
    deals_secret: bytes
    def __init__(self, deals_secret: _Optional[bytes] = ...) -> None: ...

class EntrantEnteredPublic(_message.Message):
    __slots__ = ("entrant", "at_ms")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    entrant: _tournament_pb2.Entrant
    at_ms: int
    def __init__(self, entrant: _Optional[_Union[_tournament_pb2.Entrant, _Mapping]] = ..., at_ms: _Optional[int] = ...) -> None: ...

class TournamentStartedPublic(_message.Message):
    __slots__ = ("at_ms",)
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    at_ms: int
    def __init__(self, at_ms: _Optional[int] = ...) -> None: ...

class CompletedMatch(_message.Message):
    __slots__ = ("match", "head", "version", "result", "bots")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    match: str
    head: bytes
    version: int
    result: _match_pb2.MatchResult
    bots: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, match: _Optional[str] = ..., head: _Optional[bytes] = ..., version: _Optional[int] = ..., result: _Optional[_Union[_match_pb2.MatchResult, _Mapping]] = ..., bots: _Optional[_Iterable[str]] = ...) -> None: ...

class BlockCompletedPublic(_message.Message):
    __slots__ = ("round", "table", "attempt", "matches", "at_ms")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    round: int
    table: int
    attempt: int
    matches: _containers.RepeatedCompositeFieldContainer[CompletedMatch]
    at_ms: int
    def __init__(self, round: _Optional[int] = ..., table: _Optional[int] = ..., attempt: _Optional[int] = ..., matches: _Optional[_Iterable[_Union[CompletedMatch, _Mapping]]] = ..., at_ms: _Optional[int] = ...) -> None: ...

class BlockVoidedPublic(_message.Message):
    __slots__ = ("round", "table", "attempt", "cause", "at_ms")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    round: int
    table: int
    attempt: int
    cause: _match_pb2.VoidCause
    at_ms: int
    def __init__(self, round: _Optional[int] = ..., table: _Optional[int] = ..., attempt: _Optional[int] = ..., cause: _Optional[_Union[_match_pb2.VoidCause, str]] = ..., at_ms: _Optional[int] = ...) -> None: ...

class TournamentFinishedPublic(_message.Message):
    __slots__ = ("standings", "at_ms")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[_tournament_pb2.Standing]
    at_ms: int
    def __init__(self, standings: _Optional[_Iterable[_Union[_tournament_pb2.Standing, _Mapping]]] = ..., at_ms: _Optional[int] = ...) -> None: ...
