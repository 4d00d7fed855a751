"""Faults of the Shadow Thief by which secrets are told, a state is no value, or a fingerprint misses a part."""

from typing import Final

from tests.rules.planted.fault import Fault

__all__ = ["FAULTS_OF_SECRECY"]

FAULTS_OF_SECRECY: Final = (
    Fault(
        "who holds none of its type is not asked to add",
        "shadow_thief/round.py",
        "if front[seat] and front[seat][0] <= LAST_JEWELRY])",
        "if front[seat] and front[seat][0] <= LAST_JEWELRY\n"
        "        and (front[seat][0] - 1) // 10 in [(card - 1) // 10 for card in state.hands[seat]]])",
        "secrecy",
        "shadow_thief/test_round.py::test_step_4_any_number_of_the_same_type_may_be_added",
    ),
    Fault(
        "who holds none of its type is taken to add nothing",
        "shadow_thief/game.py",
        "for seat in state.asked if not state.hands[seat]}",
        "for seat in state.asked if len(self.legal(state, seat)) == 1}",
        "secrecy",
        "test_battery.py::test_battery[shadow_thief-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "resolving changes the state before",
        "shadow_thief/state.py",
        "copy.hands = self.hands[:]",
        "copy.hands = self.hands",
        "G2",
        "test_battery.py::test_battery[shadow_thief-3-check_states_are_values]",
    ),
    Fault(
        "a spectator sees the hand of seat 0",
        "shadow_thief/view.py",
        "hand=None if viewer is None else state.hands[viewer]",
        "hand=state.hands[viewer or 0]",
        "secrecy",
        "shadow_thief/test_choices.py::test_r10_revealed_discards_are_public_and_hands_are_not",
    ),
    Fault(
        "cards discarded unseen are shown among the discards",
        "shadow_thief/view.py",
        "discards=state.discards",
        "discards=bytes(sorted(state.discards + state.unseen))",
        "R10 secrecy",
        "shadow_thief/test_drawing.py::"
        "test_when_four_are_too_many_all_draw_up_to_three_and_the_rest_is_discarded_unseen",
    ),
    Fault(
        "everybody sees what anybody put back",
        "shadow_thief/view.py",
        "else state.put_back[viewer] or state.set_aside[viewer]",
        'else bytes(sorted(b"".join(state.put_back))) or state.set_aside[viewer]',
        "G11 secrecy",
        "shadow_thief/test_choices.py::test_g11_what_was_put_back_is_remembered_by_its_own_seat_alone",
    ),
    Fault(
        "a seat forgets what it set aside",
        "shadow_thief/view.py",
        "else state.put_back[viewer] or state.set_aside[viewer]",
        "else state.put_back[viewer]",
        "G11",
        "shadow_thief/test_locking.py::test_r7_once_the_deck_is_exhausted_hands_are_set_aside_without_a_draw",
    ),
    Fault(
        "the size of the deck tells whether a Shadow thief lies on top",
        "shadow_thief/view.py",
        "deck_size=len(state.deck)",
        'deck_size=len(state.deck) + (state.deck[:1] == b"\\x39")',
        "secrecy",
        "test_battery.py::test_battery[shadow_thief-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "a refused theft tells whether somebody holds the card",
        "shadow_thief/game.py",
        "if bytes((steal.card,)) not in state.front:",
        "if bytes((steal.card,)) not in state.front and not any(steal.card in hand for hand in state.hands):",
        "secrecy",
        "shadow_thief/test_choices.py::test_what_may_not_be_chosen_is_refused_with_its_reason",
    ),
    Fault(
        "a seat does not see its own choice in an open decision",
        "shadow_thief/view.py",
        "choice=choice,",
        "choice=None,",
        "G7 G11",
        "shadow_thief/test_choices.py::test_g7_a_choice_in_an_open_decision_is_shown_to_its_own_seat_alone",
    ),
    Fault(
        "the table is told which cards are put back",
        "shadow_thief/happenings.py",
        "puts {_number(hand)} {where}",
        "puts {_list(table.hands[seat])} {where}",
        "secrecy",
        "shadow_thief/test_happenings.py::test_what_is_told_depends_on_nothing_that_the_table_cannot_see",
    ),
    Fault(
        "the fingerprint leaves out the order of the deck",
        "shadow_thief/state.py",
        "thieves, *self.hands, self.deck, *self.front",
        "thieves, *self.hands, bytes(sorted(self.deck)), *self.front",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_the_order_of_the_cards_to_come[shadow_thief]",
    ),
    Fault(
        "the fingerprint leaves out what was set aside",
        "shadow_thief/state.py",
        "*self.put_back, *self.set_aside,",
        "*self.put_back,",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_every_part_of_a_state[shadow_thief]",
    ),
    Fault(
        "the fingerprint leaves out whether the deck is exhausted",
        "shadow_thief/state.py",
        "_STEP_NUMBERS[self.step], self.exhausted)",
        "_STEP_NUMBERS[self.step], False)",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_every_part_of_a_state[shadow_thief]",
    ),
)
