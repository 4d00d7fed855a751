"""A round: play, stalemate, thieves, additional jewelry, fill the safe, lock, draw (page: *The round*).

The steps stand here in their order, from one decision to the next. They change the state that they are given, a copy
made by `game.resolve`.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Seat
from cutpurse_rules.multisets import alone, with_one, without_one
from cutpurse_rules.shadow_thief.actions import Add, Play, Steal
from cutpurse_rules.shadow_thief.cards import LAST_JEWELRY, VALUE
from cutpurse_rules.shadow_thief.deal import deal_cards, end_match, score_deal
from cutpurse_rules.shadow_thief.drawing import draw_cards
from cutpurse_rules.shadow_thief.locking import discard_invalid_attempts, lock_safes, put_hands_back, valid_attempts
from cutpurse_rules.shadow_thief.state import ADD, PLAY, State
from cutpurse_rules.shadow_thief.thieves import ask_next_thief, discard_thieves, line_up_thieves, take_card

__all__ = [
    "add_jewelry", "begin_deal", "discard_stalemates", "fill_safes", "lay_additions", "lay_revealed_cards",
    "nobody_can_go_on", "play_cards", "steal_card",
]  # fmt: skip


def begin_deal(state: State, chance: Chance) -> None:
    """A deal, up to its first decision."""
    deal_cards(state, chance)
    begin_round(state, chance)


def begin_round(state: State, chance: Chance) -> None:
    """Step 1 asks every active seat that holds a card (R9); where none does, the round goes on without a decision."""
    state.round += 1
    assert state.round <= len(state.setup.cards) // 2, "every round uses up at least two cards (G10)"
    state.step = PLAY
    hands = state.hands
    state.asked = tuple([seat for seat in state.active if hands[seat]])
    if not state.asked:
        finish_round(state, chance)


def play_cards(state: State, chosen: Mapping[Seat, Play], chance: Chance) -> None:
    """Steps 1 and 2, then step 3 up to a thief's choice or through to its end."""
    lay_revealed_cards(state, chosen)
    discard_stalemates(state)
    line_up_thieves(state)
    let_thieves_steal(state, chance)


def steal_card(state: State, steal: Steal, chance: Chance) -> None:
    """Step 3: one thief takes what its owner chose, then it is the next thief's turn."""
    take_card(state, steal.card)
    let_thieves_steal(state, chance)


def let_thieves_steal(state: State, chance: Chance) -> None:
    """The rest of step 3, up to a thief's choice, or through to the question of step 4."""
    if not ask_next_thief(state):
        discard_thieves(state)
        if not ask_for_additions(state):
            finish_round(state, chance)


def add_jewelry(state: State, chosen: Mapping[Seat, Add], chance: Chance) -> None:
    """Step 4, then the rest of the round."""
    lay_additions(state, chosen)
    finish_round(state, chance)


def finish_round(state: State, chance: Chance) -> None:
    """The end checks C, B and A at their places, steps 5 to 7, and what comes next."""
    if nobody_can_go_on(state):
        end_deal(state, chance)
        return
    fill_safes(state)
    valid = valid_attempts(state)
    if len(valid) == len(state.active):
        # End check B: nobody locks, and the cards stay where they were revealed.
        end_deal(state, chance)
        return
    if any(state.front):
        discard_invalid_attempts(state, valid)
    if valid:
        lock_safes(state, valid)
        put_hands_back(state, valid, chance)
        if len(state.active) == 1:
            # End check A: this seat's safe stays open.
            end_deal(state, chance)
            return
    draw_cards(state)
    begin_round(state, chance)


def end_deal(state: State, chance: Chance) -> None:
    """Score, then the next deal or the end of the match."""
    score_deal(state)
    if state.deal == state.setup.deals:
        end_match(state)
    else:
        begin_deal(state, chance)


def lay_revealed_cards(state: State, chosen: Mapping[Seat, Play]) -> None:
    """Step 1: all chosen cards are revealed together."""
    for seat in state.asked:
        card = chosen[seat].card
        state.hands[seat] = without_one(state.hands[seat], card)
        state.front[seat] = alone(card)


def discard_stalemates(state: State) -> None:
    """Step 2: Jewelry goes whose value was revealed more than once, whatever its type; a Locked Safe has no part."""
    values = [VALUE[cards[0]] for cards in state.front if cards and cards[0] <= LAST_JEWELRY]
    if len(set(values)) == len(values):
        return
    for seat, cards in enumerate(state.front):
        if cards and cards[0] <= LAST_JEWELRY and values.count(VALUE[cards[0]]) > 1:
            state.discards = with_one(state.discards, cards[0])
            state.front[seat] = b""


def ask_for_additions(state: State) -> bool:
    """Step 4 asks every seat whose own Jewelry still lies in front of it, whatever its hand holds (G5)."""
    front = state.front
    state.step = ADD
    state.asked = tuple([seat for seat in state.active if front[seat] and front[seat][0] <= LAST_JEWELRY])
    return bool(state.asked)


def lay_additions(state: State, chosen: Mapping[Seat, Add]) -> None:
    """Step 4: all additions are revealed together (R4); there is no second stalemate."""
    for seat in state.asked:
        if added := chosen[seat].cards:
            hand = state.hands[seat]
            for card in added:
                hand = without_one(hand, card)
            state.hands[seat] = hand
            state.front[seat] = bytes(sorted(state.front[seat] + added))


def nobody_can_go_on(state: State) -> bool:
    """End check C: the deck is exhausted and an active seat has no card left."""
    return state.exhausted and not all(state.hands[seat] for seat in state.active)


def fill_safes(state: State) -> None:
    """Step 5: all Jewelry in front of a seat goes into its safe."""
    for seat in state.active:
        cards = state.front[seat]
        if cards and cards[0] <= LAST_JEWELRY:
            safe = state.safes[seat]
            for card in cards:
                safe = with_one(safe, card)
            state.safes[seat] = safe
            state.front[seat] = b""
