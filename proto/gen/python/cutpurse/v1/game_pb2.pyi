from cutpurse.v1 import art_robbery_pb2 as _art_robbery_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OptionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPTION_KIND_UNSPECIFIED: _ClassVar[OptionKind]
    OPTION_KIND_BOOLEAN: _ClassVar[OptionKind]
    OPTION_KIND_INTEGER: _ClassVar[OptionKind]
    OPTION_KIND_COUNTS: _ClassVar[OptionKind]
OPTION_KIND_UNSPECIFIED: OptionKind
OPTION_KIND_BOOLEAN: OptionKind
OPTION_KIND_INTEGER: OptionKind
OPTION_KIND_COUNTS: OptionKind

class View(_message.Message):
    __slots__ = ("art_robbery",)
    ART_ROBBERY_FIELD_NUMBER: _ClassVar[int]
    art_robbery: _art_robbery_pb2.ArtRobberyView
    def __init__(self, art_robbery: _Optional[_Union[_art_robbery_pb2.ArtRobberyView, _Mapping]] = ...) -> None: ...

class PublicView(_message.Message):
    __slots__ = ("art_robbery",)
    ART_ROBBERY_FIELD_NUMBER: _ClassVar[int]
    art_robbery: _art_robbery_pb2.ArtRobberyTable
    def __init__(self, art_robbery: _Optional[_Union[_art_robbery_pb2.ArtRobberyTable, _Mapping]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("art_robbery",)
    ART_ROBBERY_FIELD_NUMBER: _ClassVar[int]
    art_robbery: _art_robbery_pb2.ArtRobberyAction
    def __init__(self, art_robbery: _Optional[_Union[_art_robbery_pb2.ArtRobberyAction, _Mapping]] = ...) -> None: ...

class OptionDescription(_message.Message):
    __slots__ = ("name", "kind", "meaning", "default_json", "per_player", "minimum", "maximum")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_JSON_FIELD_NUMBER: _ClassVar[int]
    PER_PLAYER_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: OptionKind
    meaning: str
    default_json: str
    per_player: bool
    minimum: int
    maximum: int
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[OptionKind, str]] = ..., meaning: _Optional[str] = ..., default_json: _Optional[str] = ..., per_player: bool = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ...) -> None: ...

class ComponentKind(_message.Message):
    __slots__ = ("name", "notations")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NOTATIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    notations: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., notations: _Optional[_Iterable[str]] = ...) -> None: ...

class GameDescription(_message.Message):
    __slots__ = ("game", "name", "rules_version", "min_players", "max_players", "options", "components")
    GAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    MIN_PLAYERS_FIELD_NUMBER: _ClassVar[int]
    MAX_PLAYERS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    game: str
    name: str
    rules_version: str
    min_players: int
    max_players: int
    options: _containers.RepeatedCompositeFieldContainer[OptionDescription]
    components: _containers.RepeatedCompositeFieldContainer[ComponentKind]
    def __init__(self, game: _Optional[str] = ..., name: _Optional[str] = ..., rules_version: _Optional[str] = ..., min_players: _Optional[int] = ..., max_players: _Optional[int] = ..., options: _Optional[_Iterable[_Union[OptionDescription, _Mapping]]] = ..., components: _Optional[_Iterable[_Union[ComponentKind, _Mapping]]] = ...) -> None: ...

class ListGamesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGamesResponse(_message.Message):
    __slots__ = ("games",)
    GAMES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[GameDescription]
    def __init__(self, games: _Optional[_Iterable[_Union[GameDescription, _Mapping]]] = ...) -> None: ...

class GetGameRequest(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class GetGameResponse(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: GameDescription
    def __init__(self, game: _Optional[_Union[GameDescription, _Mapping]] = ...) -> None: ...
