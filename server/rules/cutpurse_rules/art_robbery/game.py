"""Art Robbery as the contract wants it: the facts of the game, and each question handed to the file that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, ClassVar, Final

from cutpurse_rules.art_robbery import turn
from cutpurse_rules.art_robbery.actions import (
    ACTIONS,
    ANSWERS,
    GIVE_TILE,
    MAX_SEATS,
    REACH,
    REACH_IN_MIDDLE,
    ArtRobberyAction,
    Give,
    Play,
    legal_plays,
)
from cutpurse_rules.art_robbery.cards import CARD_COUNTS, CARDS, HAND_SIZE
from cutpurse_rules.art_robbery.happenings import happenings_between
from cutpurse_rules.art_robbery.names import NAMES
from cutpurse_rules.art_robbery.scoring import score
from cutpurse_rules.art_robbery.state import ANSWER, MIDDLE, OVER, TURN, Setup, State
from cutpurse_rules.art_robbery.tiles import TILE_COUNTS, TILES
from cutpurse_rules.art_robbery.view import ArtRobberyView, view_for
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Config, Game, Happening, Option, OptionKind, Result, Seat
from cutpurse_rules.errors import BadConfiguration, Illegal, Malformed, Reason
from cutpurse_rules.multisets import multiset_of

__all__ = ["ArtRobbery"]

_ASKED: Final = tuple((Seat(seat),) for seat in range(MAX_SEATS))
_SHOWN_OF_A_BAD_TEXT: Final = 60
_CONFIGURATION: Final = Struct(">B?I")
"""Players, `auto_play_forced`, `heist_turn_limit` in the state's canonical bytes."""


class ArtRobbery(Game[State, ArtRobberyAction, ArtRobberyView]):
    """Four heists; most points win, but whoever has the fewest alibis is caught."""

    id: ClassVar = "art_robbery"
    name: ClassVar = "Art Robbery"
    min_players: ClassVar = 2
    max_players: ClassVar = MAX_SEATS
    options: ClassVar = (
        Option(
            "auto_play_forced", OptionKind.BOOLEAN, "The engine plays what the page lets it play; here, nothing.", True
        ),
        Option(
            "heist_turn_limit",
            OptionKind.INTEGER,
            "A heist ends after so many turns (R9).",
            60,
            per_player=True,
            minimum=1,
        ),
        Option("deck", OptionKind.COUNTS, "How many there are of each card.", CARD_COUNTS, maximum=100),
        Option("tiles", OptionKind.COUNTS, "How many there are of each tile in every heist.", TILE_COUNTS, maximum=100),
    )
    components: ClassVar[Mapping[str, tuple[str, ...]]] = {"cards": CARDS, "tiles": TILES}
    names: ClassVar = NAMES

    def check(self, config: Config) -> None:
        """Every seat is dealt five cards, a heist begins with a tile in the middle, and there is one Boss at most."""
        needed = HAND_SIZE * config.players
        if (held := sum(self.composition(config, "deck").values())) < needed:
            raise BadConfiguration("deck", f"needs at least {needed} cards for {config.players} players, not {held}")
        tiles = self.composition(config, "tiles")
        if not sum(tiles.values()):
            raise BadConfiguration("tiles", "needs at least one tile")
        if tiles["BOSS"] > 1:
            raise BadConfiguration("tiles", f"has at most one BOSS, not {tiles['BOSS']}")

    def begin(self, config: Config, chance: Chance) -> State:
        """Shuffle, deal, lay out the first heist; seat 0 begins it (R1)."""
        state = State()
        state.setup = self._setup(config)
        state.heist = state.turn = 1
        state.turn_seat = Seat(0)
        state.step = TURN
        state.dog = MIDDLE
        state.taking = None
        state.discards = state.out = b""
        state.reshuffles = 0
        state.front = [b""] * config.players
        state.safe = ()
        state.lay_out_tiles()
        turn.deal(state, chance)
        return state

    def asked(self, state: State) -> tuple[Seat, ...]:
        """The seat whose turn it is, or the one that owes the dog's answer."""
        if state.step is TURN:
            return _ASKED[state.turn_seat]
        return () if state.taking is None else _ASKED[state.taking.from_seat]

    def legal(self, state: State, seat: Seat) -> Sequence[ArtRobberyAction]:
        """See `Game.legal`; any card may be played (page: *Play*)."""
        if state.step is TURN:
            return legal_plays(state.hands[seat], seat, state.lying) if seat == state.turn_seat else ()
        return ANSWERS if seat == state.asked_seat() else ()

    def verify(self, state: State, seat: Seat, action: ArtRobberyAction) -> None:
        """See `Game.verify`; looks at nothing but the seat's own hand and what lies openly."""
        if seat != state.asked_seat():
            raise Illegal(Reason.NOT_ASKED)
        if isinstance(action, Give) is not (state.step is ANSWER):
            raise Illegal(Reason.WRONG_STEP)
        if isinstance(action, Play):
            _verify_play(state, seat, action)

    def resolve(self, state: State, chosen: Mapping[Seat, ArtRobberyAction], chance: Chance) -> State:
        """See `Game.resolve`."""
        return self.advance(state.copy(), chosen, chance)

    def advance(self, state: State, chosen: Mapping[Seat, ArtRobberyAction], chance: Chance) -> State:
        """See `Game.advance`; a verified choice is of the step's own kind."""
        choices: Mapping[Seat, Any] = chosen
        if state.step is TURN:
            turn.take_turn(state, choices[state.turn_seat], chance)
        else:
            assert state.taking is not None
            turn.answer(state, choices[state.taking.from_seat], chance)
        return state

    def default(self, state: State, seat: Seat) -> ArtRobberyAction:
        """The first legal play; as the dog's answer, to give the tile."""
        return GIVE_TILE if state.step is ANSWER else self.legal(state, seat)[0]

    def view(self, state: State, seat: Seat | None, choice: ArtRobberyAction | None = None) -> ArtRobberyView:
        """See `Game.view`; one seat is asked at a time, so that no view ever holds a choice."""
        return view_for(state, seat)

    def happenings(self, before: State, chosen: Mapping[Seat, ArtRobberyAction], after: State) -> tuple[Happening, ...]:
        """See `Game.happenings`."""
        ((seat, action),) = chosen.items()
        return tuple(happenings_between(before, seat, action, after))

    def result(self, state: State) -> Result | None:
        """See `Game.result`; also a match whose heists ended by their limit is COMPLETED (R9)."""
        if state.step is not OVER:
            return None
        return score(state.safe_by_seat())

    def parse(self, text: str) -> ArtRobberyAction:
        """See `Game.parse`; the 60 notations are known by heart, so nothing else can slip through."""
        action = ACTIONS.get(text)
        if action is None:
            raise Malformed(f"{text[:_SHOWN_OF_A_BAD_TEXT]!r} is no action of {self.id}")
        return action

    def fingerprint(self, state: State) -> bytes:
        """See `Game.fingerprint`."""
        return state.fingerprint()

    def _setup(self, config: Config) -> Setup:
        deck = multiset_of(self.composition(config, "deck"), CARDS)
        tiles = multiset_of(self.composition(config, "tiles"), TILES)
        limit: int = config.options["heist_turn_limit"]
        numbers = _CONFIGURATION.pack(config.players, config.options["auto_play_forced"], limit)
        # A zero byte, which no component is, ends each multiset.
        fingerprint = b"".join((numbers, deck, b"\x00", tiles, b"\x00"))
        next_seat = tuple(Seat((seat + 1) % config.players) for seat in range(config.players))
        return Setup(config.players, deck, tiles, limit, next_seat, fingerprint)


def _verify_play(state: State, seat: Seat, play: Play) -> None:
    if play.card not in state.hands[seat]:
        raise Illegal(Reason.CARD_NOT_HELD)
    if play.tile is None:
        if state.lying & REACH[seat][play.card]:
            raise Illegal(Reason.TAKING_IS_MANDATORY)
    elif play.source == seat or not play.bit & state.lying:
        raise Illegal(Reason.NOTHING_TO_TAKE)
    elif play.source is not None and state.lying & REACH_IN_MIDDLE[play.card]:
        # The middle comes first: another seat's tile is taken only when the middle has none of its value.
        raise Illegal(Reason.NOT_ALLOWED_NOW)
