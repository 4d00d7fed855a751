from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ArtRobberyCard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ART_ROBBERY_CARD_UNSPECIFIED: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N0: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N1: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N2: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N3: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N4: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_N5: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_GUARD_DOG: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_GREEDY_THIEF: _ClassVar[ArtRobberyCard]
    ART_ROBBERY_CARD_BOSS: _ClassVar[ArtRobberyCard]

class ArtRobberyTile(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ART_ROBBERY_TILE_UNSPECIFIED: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_0_3: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_0_2: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_1_1: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_2_1: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_3_0: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_4_0: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_5_0: _ClassVar[ArtRobberyTile]
    ART_ROBBERY_TILE_BOSS: _ClassVar[ArtRobberyTile]

class ArtRobberyStep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ART_ROBBERY_STEP_UNSPECIFIED: _ClassVar[ArtRobberyStep]
    ART_ROBBERY_STEP_TURN: _ClassVar[ArtRobberyStep]
    ART_ROBBERY_STEP_ANSWER: _ClassVar[ArtRobberyStep]
    ART_ROBBERY_STEP_OVER: _ClassVar[ArtRobberyStep]
ART_ROBBERY_CARD_UNSPECIFIED: ArtRobberyCard
ART_ROBBERY_CARD_N0: ArtRobberyCard
ART_ROBBERY_CARD_N1: ArtRobberyCard
ART_ROBBERY_CARD_N2: ArtRobberyCard
ART_ROBBERY_CARD_N3: ArtRobberyCard
ART_ROBBERY_CARD_N4: ArtRobberyCard
ART_ROBBERY_CARD_N5: ArtRobberyCard
ART_ROBBERY_CARD_GUARD_DOG: ArtRobberyCard
ART_ROBBERY_CARD_GREEDY_THIEF: ArtRobberyCard
ART_ROBBERY_CARD_BOSS: ArtRobberyCard
ART_ROBBERY_TILE_UNSPECIFIED: ArtRobberyTile
ART_ROBBERY_TILE_0_3: ArtRobberyTile
ART_ROBBERY_TILE_0_2: ArtRobberyTile
ART_ROBBERY_TILE_1_1: ArtRobberyTile
ART_ROBBERY_TILE_2_1: ArtRobberyTile
ART_ROBBERY_TILE_3_0: ArtRobberyTile
ART_ROBBERY_TILE_4_0: ArtRobberyTile
ART_ROBBERY_TILE_5_0: ArtRobberyTile
ART_ROBBERY_TILE_BOSS: ArtRobberyTile
ART_ROBBERY_STEP_UNSPECIFIED: ArtRobberyStep
ART_ROBBERY_STEP_TURN: ArtRobberyStep
ART_ROBBERY_STEP_ANSWER: ArtRobberyStep
ART_ROBBERY_STEP_OVER: ArtRobberyStep

class ArtRobberyAction(_message.Message):
    __slots__ = ("play", "give_tile", "give_dog")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    GIVE_TILE_FIELD_NUMBER: _ClassVar[int]
    GIVE_DOG_FIELD_NUMBER: _ClassVar[int]
    play: ArtRobberyPlay
    give_tile: ArtRobberyGiveTile
    give_dog: ArtRobberyGiveDog
    def __init__(self, play: _Optional[_Union[ArtRobberyPlay, _Mapping]] = ..., give_tile: _Optional[_Union[ArtRobberyGiveTile, _Mapping]] = ..., give_dog: _Optional[_Union[ArtRobberyGiveDog, _Mapping]] = ...) -> None: ...

class ArtRobberyPlay(_message.Message):
    __slots__ = ("card", "tile", "from_seat")
    CARD_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    FROM_SEAT_FIELD_NUMBER: _ClassVar[int]
    card: ArtRobberyCard
    tile: ArtRobberyTile
    from_seat: int
    def __init__(self, card: _Optional[_Union[ArtRobberyCard, str]] = ..., tile: _Optional[_Union[ArtRobberyTile, str]] = ..., from_seat: _Optional[int] = ...) -> None: ...

class ArtRobberyGiveTile(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ArtRobberyGiveDog(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ArtRobberyTaking(_message.Message):
    __slots__ = ("card", "seat", "from_seat", "tile")
    CARD_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FROM_SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    card: ArtRobberyCard
    seat: int
    from_seat: int
    tile: ArtRobberyTile
    def __init__(self, card: _Optional[_Union[ArtRobberyCard, str]] = ..., seat: _Optional[int] = ..., from_seat: _Optional[int] = ..., tile: _Optional[_Union[ArtRobberyTile, str]] = ...) -> None: ...

class ArtRobberyTable(_message.Message):
    __slots__ = ("heist", "turn", "turn_seat", "step", "asked", "hand_sizes", "middle", "front", "front_seats", "safe", "safe_seats", "out", "dog", "taking", "discards", "pile_size")
    HEIST_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_SEAT_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    MIDDLE_FIELD_NUMBER: _ClassVar[int]
    FRONT_FIELD_NUMBER: _ClassVar[int]
    FRONT_SEATS_FIELD_NUMBER: _ClassVar[int]
    SAFE_FIELD_NUMBER: _ClassVar[int]
    SAFE_SEATS_FIELD_NUMBER: _ClassVar[int]
    OUT_FIELD_NUMBER: _ClassVar[int]
    DOG_FIELD_NUMBER: _ClassVar[int]
    TAKING_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    PILE_SIZE_FIELD_NUMBER: _ClassVar[int]
    heist: int
    turn: int
    turn_seat: int
    step: ArtRobberyStep
    asked: _containers.RepeatedScalarFieldContainer[int]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    middle: _containers.RepeatedScalarFieldContainer[ArtRobberyTile]
    front: _containers.RepeatedScalarFieldContainer[ArtRobberyTile]
    front_seats: _containers.RepeatedScalarFieldContainer[int]
    safe: _containers.RepeatedScalarFieldContainer[ArtRobberyTile]
    safe_seats: _containers.RepeatedScalarFieldContainer[int]
    out: _containers.RepeatedScalarFieldContainer[ArtRobberyTile]
    dog: int
    taking: ArtRobberyTaking
    discards: _containers.RepeatedScalarFieldContainer[ArtRobberyCard]
    pile_size: int
    def __init__(self, heist: _Optional[int] = ..., turn: _Optional[int] = ..., turn_seat: _Optional[int] = ..., step: _Optional[_Union[ArtRobberyStep, str]] = ..., asked: _Optional[_Iterable[int]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., middle: _Optional[_Iterable[_Union[ArtRobberyTile, str]]] = ..., front: _Optional[_Iterable[_Union[ArtRobberyTile, str]]] = ..., front_seats: _Optional[_Iterable[int]] = ..., safe: _Optional[_Iterable[_Union[ArtRobberyTile, str]]] = ..., safe_seats: _Optional[_Iterable[int]] = ..., out: _Optional[_Iterable[_Union[ArtRobberyTile, str]]] = ..., dog: _Optional[int] = ..., taking: _Optional[_Union[ArtRobberyTaking, _Mapping]] = ..., discards: _Optional[_Iterable[_Union[ArtRobberyCard, str]]] = ..., pile_size: _Optional[int] = ...) -> None: ...

class ArtRobberyView(_message.Message):
    __slots__ = ("seat", "hand", "table")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[ArtRobberyCard]
    table: ArtRobberyTable
    def __init__(self, seat: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[ArtRobberyCard, str]]] = ..., table: _Optional[_Union[ArtRobberyTable, _Mapping]] = ...) -> None: ...
