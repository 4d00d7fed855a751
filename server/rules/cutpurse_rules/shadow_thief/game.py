"""The Shadow Thief as the contract wants it: the facts of the game; each question goes to the file that answers it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, ClassVar, Final

from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Config, Game, Happening, Option, OptionKind, Result, Seat
from cutpurse_rules.errors import BadConfiguration, Illegal, Malformed, Reason
from cutpurse_rules.multisets import multiset_of, notations
from cutpurse_rules.shadow_thief import round as steps
from cutpurse_rules.shadow_thief.actions import (
    ACTIONS,
    ADD_NOTHING,
    MAX_SEATS,
    PLAYS,
    STEALS,
    WAYS_TO_ADD,
    Add,
    Play,
    ShadowThiefAction,
    Steal,
)
from cutpurse_rules.shadow_thief.cards import (
    CARD_COUNTS,
    CARDS,
    FIRST_OF_TYPE,
    HAND_SIZE,
    LAST_OF_TYPE,
    THIEVES,
    TYPE,
)
from cutpurse_rules.shadow_thief.happenings import happenings_between
from cutpurse_rules.shadow_thief.names import NAMES
from cutpurse_rules.shadow_thief.scoring import score
from cutpurse_rules.shadow_thief.state import ADD, OVER, PLAY, STEAL, Setup, State, Step
from cutpurse_rules.shadow_thief.thieves import loot_for
from cutpurse_rules.shadow_thief.view import ShadowThiefView, view_for

__all__ = ["ShadowThief"]

_SHOWN_OF_A_BAD_TEXT: Final = 60
_CONFIGURATION: Final = Struct(">B?H")
"""Players, `auto_play_forced`, `deals` in the state's canonical bytes."""

_STEP_OF: Final[Mapping[type[Any], Step]] = {Play: PLAY, Steal: STEAL, Add: ADD}


class ShadowThief(Game[State, ShadowThiefAction, ShadowThiefView]):
    """Several deals; whoever locks its safe in time scores the Jewelry in it."""

    id: ClassVar = "shadow_thief"
    name: ClassVar = "The Shadow Thief"
    min_players: ClassVar = 3
    max_players: ClassVar = MAX_SEATS
    options: ClassVar = (
        Option(
            "auto_play_forced",
            OptionKind.BOOLEAN,
            "The engine steals the only card that can be stolen, and adds nothing from an empty hand (G5).",
            True,
        ),
        Option("deals", OptionKind.INTEGER, "How many deals a match has.", 3, minimum=1, maximum=100),
        Option("deck", OptionKind.COUNTS, "How many there are of each card.", CARD_COUNTS, maximum=100),
    )
    components: ClassVar[Mapping[str, tuple[str, ...]]] = {"cards": CARDS}
    names: ClassVar = NAMES

    def check(self, config: Config) -> None:
        """Every seat is dealt four cards, and of each thief there is one at most (R3)."""
        deck = self.composition(config, "deck")
        needed = HAND_SIZE * config.players
        if (held := sum(deck.values())) < needed:
            raise BadConfiguration("deck", f"needs at least {needed} cards for {config.players} players, not {held}")
        for thief in THIEVES:
            if deck[thief] > 1:
                raise BadConfiguration("deck", f"has at most one {thief}, not {deck[thief]}")

    def begin(self, config: Config, chance: Chance) -> State:
        """The first deal, up to its first decision."""
        state = State()
        state.setup = self._setup(config)
        state.deal = 0
        state.scores = (0,) * config.players
        steps.begin_deal(state, chance)
        return state

    def asked(self, state: State) -> tuple[Seat, ...]:
        """The seats that reveal a card or add to it together, or the owner of a thief."""
        return state.asked

    def legal(self, state: State, seat: Seat) -> Sequence[ShadowThiefAction]:
        """See `Game.legal`."""
        if seat not in state.asked:
            return ()
        hand = state.hands[seat]
        if state.step is PLAY:
            # Equal cards stand together, and are one action (G4).
            return list(map(PLAYS.__getitem__, dict.fromkeys(hand)))
        front = state.front[seat][0]
        if state.step is ADD:
            kind = TYPE[front]
            return WAYS_TO_ADD[hand[bisect_left(hand, FIRST_OF_TYPE[kind]) : bisect_right(hand, LAST_OF_TYPE[kind])]]
        return [STEALS[card] for card in loot_for(front, state.front)]

    def verify(self, state: State, seat: Seat, action: ShadowThiefAction) -> None:
        """See `Game.verify`; looks at nothing but the seat's own hand and what lies openly."""
        if seat not in state.asked:
            raise Illegal(Reason.NOT_ASKED)
        if state.step is not _STEP_OF[type(action)]:
            raise Illegal(Reason.WRONG_STEP)
        if isinstance(action, Play):
            if action.card not in state.hands[seat]:
                raise Illegal(Reason.CARD_NOT_HELD)
        elif isinstance(action, Steal):
            _verify_steal(state, seat, action)
        else:
            _verify_add(state, seat, action)

    def resolve(self, state: State, chosen: Mapping[Seat, ShadowThiefAction], chance: Chance) -> State:
        """See `Game.resolve`."""
        return self.advance(state.copy(), chosen, chance)

    def advance(self, state: State, chosen: Mapping[Seat, ShadowThiefAction], chance: Chance) -> State:
        """See `Game.advance`; verified choices are all of the step's own kind."""
        choices: Mapping[Seat, Any] = chosen
        if state.step is PLAY:
            steps.play_cards(state, choices, chance)
        elif state.step is ADD:
            steps.add_jewelry(state, choices, chance)
        else:
            steps.steal_card(state, choices[state.asked[0]], chance)
        return state

    def default(self, state: State, seat: Seat) -> ShadowThiefAction:
        """The first legal action; of additions that is to add nothing."""
        return self.legal(state, seat)[0]

    def forced(self, state: State) -> Mapping[Seat, ShadowThiefAction]:
        """See `Game.forced`: the only theft that is possible, and no addition from an empty hand."""
        if state.step is ADD:
            return {seat: ADD_NOTHING for seat in state.asked if not state.hands[seat]}
        if state.step is STEAL:
            owner = state.asked[0]
            loot = loot_for(state.front[owner][0], state.front)
            return {owner: STEALS[loot[0]]} if len(loot) == 1 else {}
        return {}

    def view(self, state: State, seat: Seat | None, choice: ShadowThiefAction | None = None) -> ShadowThiefView:
        """See `Game.view`."""
        return view_for(state, seat, choice)

    def happenings(
        self, before: State, chosen: Mapping[Seat, ShadowThiefAction], after: State
    ) -> tuple[Happening, ...]:
        """See `Game.happenings`."""
        return tuple(happenings_between(before, chosen, after))

    def result(self, state: State) -> Result | None:
        """See `Game.result`; every match is COMPLETED."""
        return score(state.scores) if state.step is OVER else None

    def parse(self, text: str) -> ShadowThiefAction:
        """See `Game.parse`; all notations are known by heart, so nothing else can slip through."""
        action = ACTIONS.get(text)
        if action is None:
            raise Malformed(f"{text[:_SHOWN_OF_A_BAD_TEXT]!r} is no action of {self.id}")
        return action

    def fingerprint(self, state: State) -> bytes:
        """See `Game.fingerprint`."""
        return state.fingerprint()

    def _setup(self, config: Config) -> Setup:
        cards = multiset_of(self.composition(config, "deck"), CARDS)
        deals: int = config.options["deals"]
        numbers = _CONFIGURATION.pack(config.players, config.options["auto_play_forced"], deals)
        # A zero byte, which no component is, ends the multiset.
        fingerprint = b"".join((numbers, cards, b"\x00"))
        seats = tuple(map(Seat, range(config.players)))
        return Setup(config.players, seats, cards, tuple(notations(cards, CARDS)), deals, fingerprint)


def _verify_steal(state: State, seat: Seat, steal: Steal) -> None:
    if bytes((steal.card,)) not in state.front:
        raise Illegal(Reason.NOTHING_TO_TAKE)
    if steal.card not in loot_for(state.front[seat][0], state.front):
        # A specialist takes nothing but its own type.
        raise Illegal(Reason.NOT_ALLOWED_NOW)


def _verify_add(state: State, seat: Seat, add: Add) -> None:
    if any(add.cards.count(card) > state.hands[seat].count(card) for card in add.cards):
        raise Illegal(Reason.CARD_NOT_HELD)
    if add.cards and TYPE[add.cards[0]] != TYPE[state.front[seat][0]]:
        raise Illegal(Reason.NOT_ALLOWED_NOW)
