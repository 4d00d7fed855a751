"""Properties of every state that legal play reaches: nothing is lost, nothing doubled, every match ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutpurse_rules.art_robbery.actions import ACTIONS, LYING_BITS
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_rules.art_robbery.state import MIDDLE, State, Step
from cutpurse_rules.art_robbery.tiles import TILES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Seat
from cutpurse_rules.errors import Illegal, Malformed
from cutpurse_rules.playthrough import Ended, play_through
from tests.rules.art_robbery.position import GAME


@st.composite
def configurations(draw: Any) -> Config:
    players = draw(st.integers(2, 5))
    deck = draw(st.fixed_dictionaries(dict.fromkeys(CARDS, st.integers(0, 6))))
    short = 5 * players - sum(deck.values())
    if short > 0:
        deck["N0"] += short
    tiles = draw(st.fixed_dictionaries(dict.fromkeys(TILES, st.integers(0, 2))))
    tiles["BOSS"] = min(tiles["BOSS"], 1)
    tiles["5.0"] += not any(tiles.values())
    return GAME.configure(players, {"deck": deck, "tiles": tiles, "heist_turn_limit": draw(st.integers(1, 25))})


@settings(max_examples=60, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_cards_and_tiles_are_conserved_and_every_match_ends_in_time(config: Config, chooser: Any) -> None:
    chance = StreamChance(key_of_seed(str(chooser.random())))
    decisions = 0

    for part in play_through(GAME, config, chance, lambda state, seat: chooser.choice(GAME.legal(state, seat))):
        check_table(config, part.state if isinstance(part, Ended) else part.after)
        decisions += not isinstance(part, Ended)

    # A turn has one play and at most one answer.
    assert decisions <= 4 * 2 * config.options["heist_turn_limit"]


def check_table(config: Config, state: State) -> None:
    cards = Counter(b"".join([*state.hands, state.pile, state.discards]))
    assert cards == Counter(state.setup.deck)
    for seat, hand in enumerate(state.hands):
        laid_down = state.step is Step.ANSWER and seat == state.turn_seat
        assert len(hand) == (4 if laid_down else 5)

    heaps = [state.middle, *state.front, state.out, *(tiles for heist in state.safe for tiles in heist)]
    tiles = Counter(b"".join(heaps))
    assert tiles == Counter(state.setup.tiles * (len(state.safe) + (state.step is not Step.OVER)))

    for heap in [*state.hands, state.discards, *heaps]:
        assert bytes(sorted(heap)) == heap
    lying = [
        bits[tile] for bits, heap in zip(LYING_BITS, [state.middle, *state.front], strict=False) for tile in set(heap)
    ]
    assert state.lying == sum(lying)

    assert (state.taking is None) is (state.step is not Step.ANSWER)
    assert MIDDLE <= state.dog < config.players
    assert 1 <= state.turn <= config.options["heist_turn_limit"]
    assert 1 <= state.heist <= 4
    assert bool(state.middle) is (state.step is not Step.OVER)


@settings(max_examples=40, deadline=None)
@given(configurations(), st.randoms(use_true_random=False))
def test_of_all_sixty_actions_exactly_the_legal_ones_are_not_refused(config: Config, chooser: Any) -> None:
    assert len(ACTIONS) == 60
    chance = StreamChance(key_of_seed(str(chooser.random())))
    state = GAME.begin(config, chance)
    for _ in range(20):
        if not GAME.asked(state):
            break
        for seat in map(Seat, range(config.players)):
            assert not_refused(state, seat) == {action.notation for action in GAME.legal(state, seat)}
        (seat,) = GAME.asked(state)
        state = GAME.resolve(state, {seat: chooser.choice(GAME.legal(state, seat))}, chance)


def not_refused(state: State, seat: Seat) -> set[str]:
    allowed = set()
    for notation, action in ACTIONS.items():
        try:
            GAME.verify(state, seat, action)
        except Illegal:
            continue
        allowed.add(notation)
    return allowed


@given(st.text() | st.sampled_from(sorted(ACTIONS)))
def test_any_text_is_an_action_or_malformed(text: str) -> None:
    if text in ACTIONS:
        assert GAME.parse(text).notation == text
    else:
        with pytest.raises(Malformed):
            GAME.parse(text)


def test_legal_actions_are_in_the_order_of_the_pages_table() -> None:
    by_source = {"middle": 0, **{str(seat): seat + 1 for seat in range(5)}}

    def place(notation: str) -> tuple[int, int, int]:
        words = notation.split()
        if words[0] == "give":
            return (99, ["tile", "dog"].index(words[1]), 0)
        card = CARDS.index(words[1])
        return (card, by_source[words[5]], TILES.index(words[3])) if len(words) == 6 else (card, -1, -1)

    for players in range(2, 6):
        config = GAME.configure(players)
        parts = play_through(
            GAME, config, StreamChance(key_of_seed("order")), lambda state, seat: GAME.legal(state, seat)[-1]
        )
        for part in parts:
            if isinstance(part, Ended):
                continue
            for seat in part.asked:
                places = [place(action.notation) for action in GAME.legal(part.before, seat)]
                assert places == sorted(set(places))
