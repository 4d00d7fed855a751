"""Faults of Art Robbery by which secrets are told, a state is no value, or a fingerprint misses a part."""

from typing import Final

from tests.rules.planted.fault import Fault

__all__ = ["FAULTS_OF_SECRECY"]

FAULTS_OF_SECRECY: Final = (
    Fault(
        "a spectator sees the hand of seat 0",
        "art_robbery/view.py",
        "hand=None if viewer is None else state.hands[viewer]",
        "hand=state.hands[viewer or 0]",
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_views_have_one_shape_and_spectators_no_hand]",
    ),
    Fault(
        "everybody sees the hand of the seat in turn",
        "art_robbery/view.py",
        "hand=None if viewer is None else state.hands[viewer]",
        "hand=None if viewer is None else state.hands[state.turn_seat]",
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "the size of the pile tells whether a Boss lies on top",
        "art_robbery/view.py",
        "pile_size=len(state.pile)",
        'pile_size=len(state.pile) + (state.pile[:1] == b"\\x09")',
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "a refused play tells whether another seat holds the card",
        "art_robbery/game.py",
        "        raise Illegal(Reason.CARD_NOT_HELD)",
        '        raise Illegal(Reason.NOT_ALLOWED_NOW if play.card in b"".join(state.hands) else Reason.CARD_NOT_HELD)',
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "the legal plays leave out a card that another seat holds",
        "art_robbery/game.py",
        "legal_plays(state.hands[seat], seat, state.lying)",
        "legal_plays(\n"
        "            bytes(card for card in state.hands[seat] if card not in state.hands[seat - 1])\n"
        "            or state.hands[seat],\n"
        "            seat,\n"
        "            state.lying,\n"
        "        )",
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "the default depends on the next card of the pile",
        "art_robbery/game.py",
        "else self.legal(state, seat)[0]",
        'else self.legal(state, seat)[-(state.pile[:1] > b"\\x05")]',
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "the table is told what is drawn",
        "art_robbery/happenings.py",
        'return f"plays {card} and has the dog already"',
        'return f"plays {card}, has the dog already and draws {cards.notation((before.pile or before.discards)[0])}"',
        "secrecy",
        "test_battery.py::test_battery[art_robbery-3-check_nobody_learns_what_it_cannot_know]",
    ),
    Fault(
        "resolving changes the state before",
        "art_robbery/state.py",
        "copy.hands = self.hands[:]",
        "copy.hands = self.hands",
        "G2",
        "test_battery.py::test_battery[art_robbery-3-check_states_are_values]",
    ),
    Fault(
        "the fingerprint leaves out the order of the pile",
        "art_robbery/state.py",
        "heaps = [*self.hands, self.pile, self.discards",
        "heaps = [*self.hands, bytes(sorted(self.pile)), self.discards",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_the_order_of_the_cards_to_come[art_robbery]",
    ),
    Fault(
        "the fingerprint leaves out whose turn it is",
        "art_robbery/state.py",
        "self.turn_seat,",
        "0,",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_every_part_of_a_state[art_robbery]",
    ),
    Fault(
        "the fingerprint leaves out who has the dog",
        "art_robbery/state.py",
        "self.dog + 1",
        "int(self.dog == MIDDLE)",
        "G2",
        "test_fingerprints.py::test_a_fingerprint_covers_every_part_of_a_state[art_robbery]",
    ),
)
