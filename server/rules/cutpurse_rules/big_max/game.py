"""Big Max's Inheritance as the contract wants it: its facts, and each question handed to the file that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, ClassVar, Final

from cutpurse_rules.big_max import turn
from cutpurse_rules.big_max.actions import (
    ACTIONS,
    DECLINE,
    DISCARDS,
    MAX_SEATS,
    BigMaxAction,
    Counter,
    Decline,
    Gunman,
)
from cutpurse_rules.big_max.cards import CARD_COUNTS, CARDS, COUNT_MAX, HAND_SIZE
from cutpurse_rules.big_max.drawing import deal
from cutpurse_rules.big_max.happenings import happenings_between
from cutpurse_rules.big_max.legality import legal_replies, legal_turn, verify_reply, verify_turn
from cutpurse_rules.big_max.names import NAMES
from cutpurse_rules.big_max.state import OVER, REPLY, TURN, Setup, State
from cutpurse_rules.big_max.view import BigMaxView, view_for
from cutpurse_rules.big_max.winning import result_of
from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Config, Game, Happening, Option, OptionKind, Result, Seat
from cutpurse_rules.errors import BadConfiguration, Illegal, Malformed, Reason
from cutpurse_rules.multisets import multiset_of

__all__ = ["BigMax"]

_ASKED: Final = tuple((Seat(seat),) for seat in range(MAX_SEATS))
# Written out at the place of use, the union of the three would be built anew in every decision.
_REPLIES: Final = (Counter, Gunman, Decline)
_SHOWN_OF_A_BAD_TEXT: Final = 60
_CONFIGURATION: Final = Struct(">B??I")
"""Players, `auto_play_forced`, `master_thief_must_be_laid`, `turn_limit` in the state's canonical bytes."""


class BigMax(Game[State, BigMaxAction, BigMaxView]):
    """Five suitcases on display and a Master Thief in hand win; thieves carry suitcases off."""

    id: ClassVar = "big_max"
    name: ClassVar = "Big Max's Inheritance"
    names: ClassVar = NAMES
    min_players: ClassVar = 3
    max_players: ClassVar = MAX_SEATS
    options: ClassVar = (
        Option(
            "auto_play_forced",
            OptionKind.BOOLEAN,
            "The engine plays what the page lets it play: it declines for a target whose hand is empty.",
            True,
        ),
        Option(
            "turn_limit",
            OptionKind.INTEGER,
            "The match ends without a winner after so many turns (R8).",
            100,
            per_player=True,
            minimum=1,
        ),
        Option(
            "master_thief_must_be_laid",
            OptionKind.BOOLEAN,
            "To win, the Master Thief must be laid as the card of a turn; holding it is not enough.",
            False,
        ),
        Option("deck", OptionKind.COUNTS, "How many there are of each card.", CARD_COUNTS, maximum=COUNT_MAX),
    )
    components: ClassVar[Mapping[str, tuple[str, ...]]] = {"cards": CARDS}

    def check(self, config: Config) -> None:
        """Every seat is dealt six cards."""
        needed = HAND_SIZE * config.players
        if (held := sum(self.composition(config, "deck").values())) < needed:
            raise BadConfiguration("deck", f"needs at least {needed} cards for {config.players} players, not {held}")

    def begin(self, config: Config, chance: Chance) -> State:
        """Shuffle and deal; seat 0 begins."""
        state = State()
        state.setup = self._setup(config)
        state.turn = 1
        state.turn_seat = Seat(0)
        state.step = TURN
        state.discards = b""
        state.reshuffles = 0
        state.displays = (0,) * config.players
        state.standing = ((),) * config.players
        state.challenge = None
        state.sharp_record = b""
        state.winner = None
        deal(state, chance)
        return state

    def asked(self, state: State) -> tuple[Seat, ...]:
        """The seat whose turn it is, or the target of the running challenge."""
        if state.step is TURN:
            return _ASKED[state.turn_seat]
        return _ASKED[state.challenge.target] if state.step is REPLY and state.challenge is not None else ()

    def legal(self, state: State, seat: Seat) -> Sequence[BigMaxAction]:
        """See `Game.legal`."""
        if state.step is TURN:
            return legal_turn(state, seat) if seat == state.turn_seat else ()
        return legal_replies(state, seat) if seat == state.asked_seat() else ()

    def verify(self, state: State, seat: Seat, action: BigMaxAction) -> None:
        """See `Game.verify`; looks at nothing but the seat's own hand and what lies openly."""
        if seat != state.asked_seat():
            raise Illegal(Reason.NOT_ASKED)
        if isinstance(action, _REPLIES):
            if state.step is not REPLY:
                raise Illegal(Reason.WRONG_STEP)
            verify_reply(state, seat, action)
        else:
            if state.step is not TURN:
                raise Illegal(Reason.WRONG_STEP)
            verify_turn(state, seat, action)

    def resolve(self, state: State, chosen: Mapping[Seat, BigMaxAction], chance: Chance) -> State:
        """See `Game.resolve`."""
        return self.advance(state.copy(), chosen, chance)

    def advance(self, state: State, chosen: Mapping[Seat, BigMaxAction], chance: Chance) -> State:
        """See `Game.advance`; a verified choice is of the step's own kind."""
        choices: Mapping[Seat, Any] = chosen
        if state.step is TURN:
            turn.take_turn(state, choices[state.turn_seat], chance)
        else:
            assert state.challenge is not None
            turn.reply(state, choices[state.challenge.target], chance)
        return state

    def default(self, state: State, seat: Seat) -> BigMaxAction:
        """The last discard; as a reply, to decline."""
        return DECLINE if state.step is REPLY else DISCARDS[state.hands[seat][-1]]

    def forced(self, state: State) -> Mapping[Seat, BigMaxAction]:
        """A target whose hand is empty declines, as everybody can see (G5)."""
        if state.step is not REPLY:
            return {}
        assert state.challenge is not None
        target = state.challenge.target
        return {} if state.hands[target] else {target: DECLINE}

    def view(self, state: State, seat: Seat | None, choice: BigMaxAction | None = None) -> BigMaxView:
        """See `Game.view`; one seat is asked at a time, so that no view ever holds a choice."""
        return view_for(state, seat)

    def happenings(self, before: State, chosen: Mapping[Seat, BigMaxAction], after: State) -> tuple[Happening, ...]:
        """See `Game.happenings`."""
        ((seat, action),) = chosen.items()
        return tuple(happenings_between(before, seat, action, after))

    def result(self, state: State) -> Result | None:
        """See `Game.result`: WON, or STALLED by the turn limit (R8)."""
        return result_of(state) if state.step is OVER else None

    def parse(self, text: str) -> BigMaxAction:
        """See `Game.parse`; all notations are in a table, so nothing else can slip through."""
        action = ACTIONS.get(text)
        if action is None:
            raise Malformed(f"{text[:_SHOWN_OF_A_BAD_TEXT]!r} is no action of {self.id}")
        return action

    def fingerprint(self, state: State) -> bytes:
        """See `Game.fingerprint`."""
        return state.fingerprint()

    def _setup(self, config: Config) -> Setup:
        deck = multiset_of(self.composition(config, "deck"), CARDS)
        limit: int = config.options["turn_limit"]
        must_be_laid: bool = config.options["master_thief_must_be_laid"]
        numbers = _CONFIGURATION.pack(config.players, config.options["auto_play_forced"], must_be_laid, limit)
        # A zero byte, which no card is, ends the multiset.
        next_seat = tuple(Seat((seat + 1) % config.players) for seat in range(config.players))
        return Setup(config.players, deck, limit, must_be_laid, next_seat, numbers + deck + b"\x00")
