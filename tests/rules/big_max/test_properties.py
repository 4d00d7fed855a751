"""Properties of every state that legal play reaches: nothing is lost, nothing doubled, every match ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cutpurse_rules.big_max.actions import ACTIONS
from cutpurse_rules.big_max.cards import CARDS
from cutpurse_rules.big_max.state import State, Step
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Seat
from cutpurse_rules.errors import BadConfiguration, Illegal, Malformed
from cutpurse_rules.playthrough import Ended, play_through
from tests.rules.big_max.position import GAME, check_table

TURN_VERBS = ["discard", "display", "challenge", "sharp", "counter", "lay"]
REPLY_VERBS = ["counter", "gunman", "decline"]


@st.composite
def configurations(draw: Any) -> Config:
    players = draw(st.integers(3, 8))
    deck = draw(st.fixed_dictionaries(dict.fromkeys(CARDS, st.integers(0, 12))))
    deck["SC"] += max(0, 6 * players - sum(deck.values()))
    options = {
        "deck": deck,
        "turn_limit": draw(st.integers(1, 80)),
        "master_thief_must_be_laid": draw(st.booleans()),
        "auto_play_forced": draw(st.booleans()),
    }
    return GAME.configure(players, options)


@settings(max_examples=60, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_cards_are_conserved_and_every_match_ends_in_time(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    gunmen = GAME.composition(config, "deck")["GM"]
    decisions = 0

    for part in play_through(GAME, config, chance, lambda state, seat: chooser.choice(GAME.legal(state, seat))):
        check_table(part.state if isinstance(part, Ended) else part.after)
        decisions += not isinstance(part, Ended)

    # A turn has one card, at most one reply for each gunman, and a last one.
    assert decisions <= config.options["turn_limit"] * (2 + gunmen)


class Table(RuleBasedStateMachine):
    """A match, action by action: a failure shrinks to the shortest sequence of notations that shows it."""

    state: State

    @initialize(
        players=st.integers(3, 8),
        rich=st.sampled_from(CARDS),
        limit=st.integers(10, 60),
        must_be_laid=st.booleans(),
        seed=st.integers(0, 3),
    )
    def deal(self, players: int, rich: str, limit: int, must_be_laid: bool, seed: int) -> None:
        """Few cards of each kind and many of one, so that hands, pile and discards run short."""
        deck = dict.fromkeys(CARDS, 2) | {rich: 6 * players}
        options = {"deck": deck, "turn_limit": limit, "master_thief_must_be_laid": must_be_laid}
        self.chance = StreamChance(key_of_seed(str(seed)))
        self.state = GAME.begin(GAME.configure(players, options), self.chance)

    @precondition(lambda self: self.state.step is not Step.OVER)
    @rule(data=st.data())
    def choose(self, data: st.DataObject) -> None:
        """The asked seat chooses, discards last, which shrinks to what matters."""
        (seat,) = GAME.asked(self.state)
        offered = [action.notation for action in reversed(GAME.legal(self.state, seat))]
        action = GAME.parse(data.draw(st.sampled_from(offered), label=f"seat {seat}"))
        GAME.verify(self.state, seat, action)
        before = GAME.fingerprint(self.state)
        after = GAME.resolve(self.state, {seat: action}, self.chance)
        assert GAME.fingerprint(self.state) == before != GAME.fingerprint(after)
        self.state = after

    @precondition(lambda self: self.state.step is Step.OVER)
    @rule(seat=st.integers(0, 7), notation=st.sampled_from(["discard SC", "decline", "display"]))
    def ask_after_the_end(self, seat: int, notation: str) -> None:
        """Nobody may choose any more."""
        with pytest.raises(Illegal, match="NOT_ASKED"):
            GAME.verify(self.state, Seat(seat), GAME.parse(notation))

    @invariant()
    def the_table_is_sound(self) -> None:
        """Cards conserved, nobody with suitcases behind a thief, nobody qualified who has not won."""
        check_table(self.state)

    @invariant()
    def there_is_a_result_exactly_at_the_end(self) -> None:
        """And then nobody is asked."""
        over = self.state.step is Step.OVER
        assert (GAME.result(self.state) is not None) is over is not bool(GAME.asked(self.state))


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)


def not_refused(state: State, seat: Seat) -> set[str]:
    """The notations of all actions that the seat may choose."""
    allowed = set()
    for notation, action in ACTIONS.items():
        try:
            GAME.verify(state, seat, action)
        except Illegal:
            continue
        allowed.add(notation)
    return allowed


@settings(max_examples=10, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_of_all_actions_exactly_the_legal_ones_are_not_refused(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    state = GAME.begin(config, chance)
    for _ in range(15):
        if not GAME.asked(state):
            break
        (seat,) = GAME.asked(state)
        legal = [action.notation for action in GAME.legal(state, seat)]
        assert not_refused(state, seat) == set(legal)
        places = [place(notation) for notation in legal]
        assert places == sorted(set(places)), "in the order of the page's table (G6)"
        state = GAME.resolve(state, {seat: chooser.choice(GAME.legal(state, seat))}, chance)


def place(notation: str) -> tuple[int, ...]:
    """Where the notation stands in the page's table: by its verb, then seat or position, then card."""
    verb, *rest = notation.split()
    row = 10 + REPLY_VERBS.index(verb) if verb in REPLY_VERBS and len(rest) < 2 else TURN_VERBS.index(verb)
    return (row, *(int(word) if word.isdigit() else CARDS.index(word) for word in rest))


@given(st.text() | st.sampled_from(sorted(ACTIONS)))
def test_any_text_is_an_action_or_malformed(text: str) -> None:
    if text in ACTIONS:
        assert GAME.parse(text).notation == text
    else:
        with pytest.raises(Malformed):
            GAME.parse(text)


def test_there_are_so_many_actions() -> None:
    # Discards, display, challenges by seat, card-sharps, counters by position, lay; counters, gunman, decline.
    assert len(ACTIONS) == 13 + 1 + 8 * 5 + 8 + 500 * 5 + 1 + 5 + 1 + 1


def test_a_deck_deals_six_cards_to_every_seat_or_is_refused() -> None:
    for players in range(3, 9):
        assert GAME.configure(players, {"deck": {"SC": 6 * players}}).players == players
        with pytest.raises(BadConfiguration, match=f"needs at least {6 * players} cards for {players} players"):
            GAME.configure(players, {"deck": {"SC": 6 * players - 1}})
