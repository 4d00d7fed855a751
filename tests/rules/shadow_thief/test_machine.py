"""A rule-based machine that plays small decks choice by choice; what it finds shrinks to a few cards and choices.

A failure is reported as the order of the deck and the choices of every decision, in notation.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from cutpurse_rules.chance import Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.shadow_thief import round as steps
from cutpurse_rules.shadow_thief.cards import CARDS, THIEVES
from cutpurse_rules.shadow_thief.state import State
from tests.rules.shadow_thief.position import GAME
from tests.rules.shadow_thief.tables import check_table

QUICK = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    # A machine that is broken on purpose must not leave its finds to the one that is not.
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
SHORT = settings(
    QUICK,
    stateful_step_count=6,
    # Without asking which parts of a find matter, which takes longer than the finding.
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
)


class ShadowThiefMachine(RuleBasedStateMachine):
    """One deal of a deck in a given order."""

    most_players: ClassVar = 5
    most_spare_cards: ClassVar = 10
    cards: ClassVar[tuple[str, ...]] = CARDS
    state: State
    chance: ScriptedChance

    @initialize(data=st.data())
    def deal(self, data: st.DataObject) -> None:
        """Any cards, each thief at most once; the first twelve or more are dealt."""
        players = data.draw(st.integers(3, self.most_players), label="players")
        size = 4 * players + data.draw(st.integers(0, self.most_spare_cards), label="spare cards")
        drawn = data.draw(st.lists(st.sampled_from(self.cards), min_size=size, max_size=size), label="deck")
        order = _with_single_thieves(drawn)
        note(f"deck/1: {' '.join(order)}")
        rest = StreamChance(key_of_seed("machine"))
        self.chance = ScriptedChance([Draw("deck/1", "shuffle", tuple(order))], rest)
        self.state = GAME.begin(GAME.configure(players, {"deck": Counter(order), "deals": 1}), self.chance)

    @precondition(lambda self: bool(self.state.asked))
    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        """All asked seats choose."""
        chosen = {}
        for seat in self.state.asked:
            chosen[seat] = data.draw(st.sampled_from(list(GAME.legal(self.state, seat))))
        note(", ".join(f"{seat} {action.notation}" for seat, action in chosen.items()))
        self.state = GAME.resolve(self.state, chosen, self.chance)

    @precondition(lambda self: not self.state.asked)
    @rule()
    def rest(self) -> None:
        """When the match is over, nobody can choose anything any more."""
        assert GAME.result(self.state) is not None
        assert not any(GAME.legal(self.state, seat) for seat in self.state.setup.seats)

    @invariant()
    def holds(self) -> None:
        """See `tables`."""
        check_table(self.state)

    def teardown(self) -> None:
        """With the defaults played from anywhere, the match ends."""
        if not hasattr(self, "state"):
            return
        state = self.state
        for _ in range(7 * len(state.setup.cards)):
            if not state.asked:
                break
            state = GAME.resolve(state, {seat: GAME.default(state, seat) for seat in state.asked}, self.chance)
        check_table(state)
        assert GAME.result(state) is not None


class SmallMachine(ShadowThiefMachine):
    """Three seats and two kinds of cards: what goes wrong there shrinks quickly."""

    most_players: ClassVar = 3
    most_spare_cards: ClassVar = 0
    cards: ClassVar = ("B1", "S4")


def _with_single_thieves(order: list[str]) -> list[str]:
    """A thief that comes again becomes a Locked Safe (R3)."""
    return ["S9" if card in THIEVES and card in order[:place] else card for place, card in enumerate(order)]


def test_the_machine_finds_nothing() -> None:
    run_state_machine_as_test(ShadowThiefMachine, settings=QUICK)


@pytest.mark.interpreted
def test_the_machine_finds_a_card_that_is_lost_and_tells_it_in_few_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    def lay_additions(state: State, chosen: Any) -> None:
        """As in the game, but what is added vanishes where it was held twice."""
        for seat in state.asked:
            for card in chosen[seat].cards:
                held = state.hands[seat]
                state.hands[seat] = held.replace(bytes((card,)), b"")
                state.front[seat] = bytes(sorted([*state.front[seat], card]))

    monkeypatch.setattr(steps, "lay_additions", lay_additions)

    with pytest.raises(AssertionError) as found:
        run_state_machine_as_test(SmallMachine, settings=SHORT)

    told = "\n".join(found.value.__notes__).splitlines()
    decisions = [line for line in told if line[:1].isdigit()]
    assert any(line.startswith("deck/1: ") for line in told)
    assert len(decisions) <= 4, "the shortest way is to play a card and to add one of two others of the same kind"
    assert "add" in decisions[-1]
