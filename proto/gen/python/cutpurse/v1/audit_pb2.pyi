from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExportBundleRequest(_message.Message):
    __slots__ = ("tournament", "match")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    match: str
    def __init__(self, tournament: _Optional[str] = ..., match: _Optional[str] = ...) -> None: ...

class ExportBundleResponse(_message.Message):
    __slots__ = ("piece",)
    PIECE_FIELD_NUMBER: _ClassVar[int]
    piece: bytes
    def __init__(self, piece: _Optional[bytes] = ...) -> None: ...

class Bundle(_message.Message):
    __slots__ = ("engine_version", "tournament", "matches")
    ENGINE_VERSION_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    engine_version: str
    tournament: ExportedLog
    matches: _containers.RepeatedCompositeFieldContainer[ExportedLog]
    def __init__(self, engine_version: _Optional[str] = ..., tournament: _Optional[_Union[ExportedLog, _Mapping]] = ..., matches: _Optional[_Iterable[_Union[ExportedLog, _Mapping]]] = ...) -> None: ...

class ExportedLog(_message.Message):
    __slots__ = ("id", "events")
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    events: _containers.RepeatedCompositeFieldContainer[ExportedEvent]
    def __init__(self, id: _Optional[str] = ..., events: _Optional[_Iterable[_Union[ExportedEvent, _Mapping]]] = ...) -> None: ...

class ExportedEvent(_message.Message):
    __slots__ = ("public_bytes", "secret_bytes", "salt")
    PUBLIC_BYTES_FIELD_NUMBER: _ClassVar[int]
    SECRET_BYTES_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    public_bytes: bytes
    secret_bytes: bytes
    salt: bytes
    def __init__(self, public_bytes: _Optional[bytes] = ..., secret_bytes: _Optional[bytes] = ..., salt: _Optional[bytes] = ...) -> None: ...
