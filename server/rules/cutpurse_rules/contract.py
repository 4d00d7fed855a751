"""The contract that every game fulfils, and the types that all games share.

A match is a pure function of its configuration, its chance and the sequence of accepted actions (G2):

    state = game.begin(config, chance)
    while asked := game.asked(state):
        chosen = {seat: one of game.legal(state, seat) for seat in asked}
        state = game.resolve(state, chosen, chance)
    result = game.result(state)

States are values: no method but `advance` changes its arguments. A game may keep mutable state inside for speed,
behind this face.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, NewType, Protocol, TypeVar

from cutpurse_rules.chance import Chance
from cutpurse_rules.errors import BadConfiguration

__all__ = [
    "LANGUAGES", "Action", "Config", "EndReason", "Game", "Happening", "Names", "Option", "OptionKind", "Result",
    "Seat", "View",
]  # fmt: skip

Seat = NewType("Seat", int)
"""A place at the table, from 0, clockwise (G1)."""

LANGUAGES: Final = ("en", "de", "vi")
"""BCP 47 tags of the languages in which every game has names."""


class EndReason(StrEnum):
    """For which reason a match ended (G9)."""

    COMPLETED = "COMPLETED"
    WON = "WON"
    STALLED = "STALLED"


class OptionKind(StrEnum):
    """What values an option takes."""

    BOOLEAN = "BOOLEAN"
    INTEGER = "INTEGER"
    COUNTS = "COUNTS"
    """A composition: how many there are of each component, `{notation: count}`; what is not named is not there."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing about a game that can be configured."""

    name: str
    kind: OptionKind
    meaning: str
    """One sentence for people."""
    default: bool | int | Mapping[str, int]
    """For an integer that depends on the players: its value per player."""
    per_player: bool = False
    """The default is multiplied by the number of players."""
    minimum: int = 0
    """Of an integer, or of each count."""
    maximum: int = 1_000_000
    """Of an integer, or of each count."""


@dataclass(frozen=True, slots=True)
class Config:
    """A game's configuration, every option with its resolved value."""

    game: str
    players: int
    options: Mapping[str, Any]
    """Resolved values by name; a composition only where it differs from the page."""


@dataclass(frozen=True, slots=True)
class Names:
    """What people who speak one language call a game and its components; Unicode, in normalization form C.

    For people's eyes alone: logs, bots and signatures know components by their notation.
    """

    game: str
    kinds: Mapping[str, str]
    """By kind of component (`cards`, `tiles`), the kind's own name."""
    components: Mapping[str, tuple[str, ...]]
    """By kind, the name of each component, parallel to `Game.components`."""


class Action(Protocol):
    """Something that a seat may choose; equal actions have equal notation, and only they."""

    @property
    def notation(self) -> str:
        """The one canonical text, which parses back to the same action."""
        ...


class View(Protocol):
    """What one seat, or a spectator, may know: built field by field, never redacted (G11)."""

    def to_json(self) -> dict[str, Any]:
        """The view as rules/trace.md gives it, key by key."""
        ...


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that everybody at the table saw happen, for narration."""

    seat: Seat | None
    """Who did it or whom it befell; None for the table."""
    text: str
    """A sentence part in English that follows the seat's name: `plays N3 and takes 3.0 from the middle`."""


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match (G9), by seat."""

    scores: tuple[int, ...]
    placements: tuple[int, ...]
    """1 is best; equal seats share the better place (1, 1, 3)."""
    reason: EndReason


S = TypeVar("S")
A = TypeVar("A", bound=Action)
V = TypeVar("V", bound=View)


class Game(ABC, Generic[S, A, V]):
    """One game: its facts as class attributes, its rules as pure methods over a state of type S."""

    id: ClassVar[str]
    name: ClassVar[str]
    """For people, in English."""
    rules_version: ClassVar[str] = "1"
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    options: ClassVar[tuple[Option, ...]]
    components: ClassVar[Mapping[str, tuple[str, ...]]]
    """Kinds of components (`cards`, `tiles`) with the notation of each, in canonical order."""
    names: ClassVar[Mapping[str, Names]]
    """By language, for each of `LANGUAGES`, what all that is called."""

    def configure(self, players: int, options: Mapping[str, Any] | None = None) -> Config:
        """Check and resolve a configuration; raises `BadConfiguration` naming the option and what is allowed."""
        if not self.min_players <= players <= self.max_players:
            allowed = f"{self.min_players} to {self.max_players}"
            raise BadConfiguration("players", f"{self.id} is for {allowed} players, not {players}")
        given = dict(options or {})
        resolved: dict[str, Any] = {}
        for option in self.options:
            value = _resolve(option, players, given.pop(option.name, None))
            if option.kind is not OptionKind.COUNTS or value != dict(_counts(option)):
                resolved[option.name] = value
        if given:
            known = ", ".join(option.name for option in self.options)
            raise BadConfiguration(sorted(given)[0], f"{self.id} has no such option; it has {known}")
        config = Config(self.id, players, MappingProxyType(resolved))
        self.check(config)
        return config

    def check(self, config: Config) -> None:
        """What a configuration must fulfil beyond its single options; raises `BadConfiguration`."""

    def composition(self, config: Config, name: str) -> Mapping[str, int]:
        """The counts of a composition option, whether configured or the page's."""
        for option in self.options:
            if option.name == name:
                chosen: Mapping[str, int] = config.options.get(name, _counts(option))
                return chosen
        raise KeyError(name)

    @abstractmethod
    def begin(self, config: Config, chance: Chance) -> S:
        """The state in which the first decision is open."""

    @abstractmethod
    def asked(self, state: S) -> tuple[Seat, ...]:
        """The seats that have to choose now, ascending; several: a simultaneous decision; none: the match is over."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Sequence[A]:
        """The seat's legal actions in canonical order (G6); empty for a seat that is not asked."""

    @abstractmethod
    def verify(self, state: S, seat: Seat, action: A) -> None:
        """Raise `Illegal` with its reason unless the seat may choose the action now."""

    @abstractmethod
    def resolve(self, state: S, chosen: Mapping[Seat, A], chance: Chance) -> S:
        """The state after all asked seats have chosen, up to the next decision or the end; `chosen` is verified."""

    def advance(self, state: S, chosen: Mapping[Seat, A], chance: Chance) -> S:
        """As `resolve`, for those who only go on: uses up the given state, at which nobody may look any more.

        The one method that may change its argument. Games override it where that costs less than a new state.
        """
        return self.resolve(state, chosen, chance)

    @abstractmethod
    def default(self, state: S, seat: Seat) -> A:
        """What is played for a seat whose time is over (G6)."""

    def forced(self, state: S) -> Mapping[Seat, A]:
        """The choices that the engine makes itself in the open decision (G5), none unless the page lists some."""
        return {}

    @abstractmethod
    def view(self, state: S, seat: Seat | None, choice: A | None = None) -> V:
        """What the seat may know, or what all seats know in common (None: a spectator).

        `choice` is the seat's own in the open simultaneous decision, if it has made one (G11): it is no part of the
        state yet, and nobody else's view is ever given it.
        """

    @abstractmethod
    def happenings(self, before: S, chosen: Mapping[Seat, A], after: S) -> tuple[Happening, ...]:
        """What everybody saw between two states, in order."""

    @abstractmethod
    def result(self, state: S) -> Result | None:
        """The result once the match is over, None before."""

    @abstractmethod
    def parse(self, text: str) -> A:
        """The action of a notation; raises `Malformed` for a text that is no action of this game."""

    @abstractmethod
    def fingerprint(self, state: S) -> bytes:
        """The whole state, hidden cards included, as canonical bytes: equal exactly for equal states.

        What the state hash of the log covers. Independent of platform, hash seed and Python version (G2).
        """


def _counts(option: Option) -> Mapping[str, int]:
    assert isinstance(option.default, Mapping)
    return option.default


def _resolve(option: Option, players: int, given: Any) -> Any:
    """The value of one option, or its default; raises `BadConfiguration`."""
    match option.kind:
        case OptionKind.BOOLEAN:
            if given is not None and not isinstance(given, bool):
                raise BadConfiguration(option.name, f"must be true or false, not {given!r}")
            return option.default if given is None else given
        case OptionKind.INTEGER:
            assert isinstance(option.default, int)
            if given is None:
                return option.default * players if option.per_player else option.default
            _check_number(option, given)
            return given
        case OptionKind.COUNTS:
            known = _counts(option)
            if given is None:
                return dict(known)
            if not isinstance(given, Mapping):
                raise BadConfiguration(option.name, f"must give counts by notation, not {given!r}")
            for component in given:
                if component not in known:
                    raise BadConfiguration(option.name, f"has no {component!r}; it has {', '.join(known)}")
                _check_number(option, given[component])
            # Zeros are spelled out, so that nobody has to know what an omission means.
            return {component: given.get(component, 0) for component in known}


def _check_number(option: Option, given: Any) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or not option.minimum <= given <= option.maximum:
        allowed = f"a whole number from {option.minimum} to {option.maximum}"
        raise BadConfiguration(option.name, f"must be {allowed}, not {given!r}")
