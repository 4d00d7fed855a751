from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_BOT: _ClassVar[Role]
    ROLE_PLAYER: _ClassVar[Role]
    ROLE_ORGANISER: _ClassVar[Role]
    ROLE_SPECTATOR: _ClassVar[Role]
    ROLE_AUDITOR: _ClassVar[Role]
ROLE_UNSPECIFIED: Role
ROLE_BOT: Role
ROLE_PLAYER: Role
ROLE_ORGANISER: Role
ROLE_SPECTATOR: Role
ROLE_AUDITOR: Role

class BotDescription(_message.Message):
    __slots__ = ("bot", "owner")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    owner: str
    def __init__(self, bot: _Optional[str] = ..., owner: _Optional[str] = ...) -> None: ...

class GetIdentityRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetIdentityResponse(_message.Message):
    __slots__ = ("role", "bot")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    role: Role
    bot: BotDescription
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., bot: _Optional[_Union[BotDescription, _Mapping]] = ...) -> None: ...

class RegisterBotRequest(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: BotDescription
    def __init__(self, bot: _Optional[_Union[BotDescription, _Mapping]] = ...) -> None: ...

class RegisterBotResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class IssueTokenRequest(_message.Message):
    __slots__ = ("role", "bot", "valid_s")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VALID_S_FIELD_NUMBER: _ClassVar[int]
    role: Role
    bot: str
    valid_s: int
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., bot: _Optional[str] = ..., valid_s: _Optional[int] = ...) -> None: ...

class IssueTokenResponse(_message.Message):
    __slots__ = ("token", "token_id")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    token: str
    token_id: str
    def __init__(self, token: _Optional[str] = ..., token_id: _Optional[str] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("token_id",)
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    token_id: str
    def __init__(self, token_id: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[BotDescription]
    def __init__(self, bots: _Optional[_Iterable[_Union[BotDescription, _Mapping]]] = ...) -> None: ...
