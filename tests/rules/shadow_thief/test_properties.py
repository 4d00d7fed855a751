"""Properties of every state that legal play reaches: nothing is lost, nothing doubled, every match ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Seat
from cutpurse_rules.errors import Illegal
from cutpurse_rules.playthrough import Ended, play_through
from cutpurse_rules.shadow_thief.actions import ACTIONS
from cutpurse_rules.shadow_thief.cards import CARDS, THIEVES, VALUE
from cutpurse_rules.shadow_thief.state import State
from tests.rules.shadow_thief.position import GAME
from tests.rules.shadow_thief.tables import check_table


@st.composite
def configurations(draw: Any) -> Config:
    players = draw(st.integers(3, 7))
    deck = draw(st.dictionaries(st.sampled_from(CARDS), st.integers(0, 4), min_size=2))
    deck |= {thief: min(deck[thief], 1) for thief in THIEVES if thief in deck}
    short = 4 * players - sum(deck.values())
    if short > 0:
        deck["S9"] = deck.get("S9", 0) + short
    options = {"deck": deck, "deals": draw(st.integers(1, 3)), "auto_play_forced": draw(st.booleans())}
    return GAME.configure(players, options)


@settings(max_examples=60, deadline=None)
@given(configurations() | st.builds(GAME.configure, st.integers(3, 7)), st.randoms(use_true_random=False))
def test_cards_are_conserved_and_every_match_ends_in_time(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    decisions = 0

    for part in play_through(GAME, config, chance, lambda state, seat: chooser.choice(GAME.legal(state, seat))):
        check_table(part.state if isinstance(part, Ended) else part.after)
        decisions += not isinstance(part, Ended)

    cards = sum(GAME.composition(config, "deck").values())
    # A round has one reveal, one question about additions, and at most five thieves.
    assert decisions <= config.options["deals"] * (cards // 2) * 7


@settings(max_examples=40, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_points_come_from_locked_safes_alone(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    *_, last, ended = play_through(GAME, config, chance, lambda state, seat: chooser.choice(GAME.legal(state, seat)))
    assert isinstance(ended, Ended)
    assert not isinstance(last, Ended)

    gained = Counter(dict(enumerate(ended.state.scores)))
    gained.subtract(dict(enumerate(last.before.scores)))

    for seat in ended.state.setup.seats:
        worth = sum(VALUE[card] for card in ended.state.safes[seat])
        assert gained[seat] == (worth if ended.state.locks[seat] is not None else 0)


@settings(max_examples=12, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_of_all_actions_exactly_the_legal_ones_are_not_refused(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    state = GAME.begin(config, chance)
    for _ in range(5):
        if not GAME.asked(state):
            break
        for seat in map(Seat, range(config.players)):
            assert not_refused(state, seat) == {action.notation for action in GAME.legal(state, seat)}
        chosen = {seat: chooser.choice(GAME.legal(state, seat)) for seat in GAME.asked(state)}
        state = GAME.resolve(state, chosen, chance)


def not_refused(state: State, seat: Seat) -> set[str]:
    allowed = set()
    for notation, action in ACTIONS.items():
        try:
            GAME.verify(state, seat, action)
        except Illegal:
            continue
        allowed.add(notation)
    return allowed
