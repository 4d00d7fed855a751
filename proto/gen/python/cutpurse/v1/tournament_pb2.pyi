from cutpurse.v1 import match_pb2 as _match_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_FORMAT_UNSPECIFIED: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_ROUND_ROBIN: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_SWISS: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_SINGLE_ELIMINATION: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_LADDER: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_GAUNTLET: _ClassVar[TournamentFormat]

class TournamentPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_PHASE_UNSPECIFIED: _ClassVar[TournamentPhase]
    TOURNAMENT_PHASE_ENTRIES: _ClassVar[TournamentPhase]
    TOURNAMENT_PHASE_RUNNING: _ClassVar[TournamentPhase]
    TOURNAMENT_PHASE_FINISHED: _ClassVar[TournamentPhase]
TOURNAMENT_FORMAT_UNSPECIFIED: TournamentFormat
TOURNAMENT_FORMAT_ROUND_ROBIN: TournamentFormat
TOURNAMENT_FORMAT_SWISS: TournamentFormat
TOURNAMENT_FORMAT_SINGLE_ELIMINATION: TournamentFormat
TOURNAMENT_FORMAT_LADDER: TournamentFormat
TOURNAMENT_FORMAT_GAUNTLET: TournamentFormat
TOURNAMENT_PHASE_UNSPECIFIED: TournamentPhase
TOURNAMENT_PHASE_ENTRIES: TournamentPhase
TOURNAMENT_PHASE_RUNNING: TournamentPhase
TOURNAMENT_PHASE_FINISHED: TournamentPhase

class TournamentManifest(_message.Message):
    __slots__ = ("tournament", "configuration", "format", "players", "rounds", "concurrency", "deals_root", "deal_slots", "seed")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    DEALS_ROOT_FIELD_NUMBER: _ClassVar[int]
    DEAL_SLOTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    configuration: _match_pb2.MatchConfiguration
    format: TournamentFormat
    players: int
    rounds: int
    concurrency: int
    deals_root: bytes
    deal_slots: int
    seed: str
    def __init__(self, tournament: _Optional[str] = ..., configuration: _Optional[_Union[_match_pb2.MatchConfiguration, _Mapping]] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., players: _Optional[int] = ..., rounds: _Optional[int] = ..., concurrency: _Optional[int] = ..., deals_root: _Optional[bytes] = ..., deal_slots: _Optional[int] = ..., seed: _Optional[str] = ...) -> None: ...

class Entrant(_message.Message):
    __slots__ = ("bot", "owner")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    owner: str
    def __init__(self, bot: _Optional[str] = ..., owner: _Optional[str] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("place", "bot", "matches", "points_mean", "points_low", "points_high", "firsts", "forfeits", "points_by_seat")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    POINTS_MEAN_FIELD_NUMBER: _ClassVar[int]
    POINTS_LOW_FIELD_NUMBER: _ClassVar[int]
    POINTS_HIGH_FIELD_NUMBER: _ClassVar[int]
    FIRSTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    POINTS_BY_SEAT_FIELD_NUMBER: _ClassVar[int]
    place: int
    bot: str
    matches: int
    points_mean: float
    points_low: float
    points_high: float
    firsts: int
    forfeits: int
    points_by_seat: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, place: _Optional[int] = ..., bot: _Optional[str] = ..., matches: _Optional[int] = ..., points_mean: _Optional[float] = ..., points_low: _Optional[float] = ..., points_high: _Optional[float] = ..., firsts: _Optional[int] = ..., forfeits: _Optional[int] = ..., points_by_seat: _Optional[_Iterable[float]] = ...) -> None: ...

class TournamentProgress(_message.Message):
    __slots__ = ("phase", "matches_done", "matches_running", "matches_total", "decisions")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_DONE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_RUNNING_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    phase: TournamentPhase
    matches_done: int
    matches_running: int
    matches_total: int
    decisions: int
    def __init__(self, phase: _Optional[_Union[TournamentPhase, str]] = ..., matches_done: _Optional[int] = ..., matches_running: _Optional[int] = ..., matches_total: _Optional[int] = ..., decisions: _Optional[int] = ...) -> None: ...

class CreateTournamentRequest(_message.Message):
    __slots__ = ("manifest",)
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    manifest: TournamentManifest
    def __init__(self, manifest: _Optional[_Union[TournamentManifest, _Mapping]] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("manifest",)
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    manifest: TournamentManifest
    def __init__(self, manifest: _Optional[_Union[TournamentManifest, _Mapping]] = ...) -> None: ...

class EnterTournamentRequest(_message.Message):
    __slots__ = ("tournament", "bot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class EnterTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StartTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class StartTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("manifest", "entrants", "progress")
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    manifest: TournamentManifest
    entrants: _containers.RepeatedCompositeFieldContainer[Entrant]
    progress: TournamentProgress
    def __init__(self, manifest: _Optional[_Union[TournamentManifest, _Mapping]] = ..., entrants: _Optional[_Iterable[_Union[Entrant, _Mapping]]] = ..., progress: _Optional[_Union[TournamentProgress, _Mapping]] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("progress", "standings")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    progress: TournamentProgress
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    def __init__(self, progress: _Optional[_Union[TournamentProgress, _Mapping]] = ..., standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ...) -> None: ...

class GetStandingsRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetStandingsResponse(_message.Message):
    __slots__ = ("standings",)
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ...) -> None: ...

class WithdrawEntrantRequest(_message.Message):
    __slots__ = ("tournament", "bot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class WithdrawEntrantResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PauseTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class PauseTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ResumeTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class ResumeTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VoidBlockRequest(_message.Message):
    __slots__ = ("tournament", "round", "table", "text")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    round: int
    table: int
    text: str
    def __init__(self, tournament: _Optional[str] = ..., round: _Optional[int] = ..., table: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class VoidBlockResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
