"""Greedy at Big Max's Inheritance, at tables set up by hand."""

from __future__ import annotations

from collections.abc import Sequence

from cutpurse.v1 import big_max_pb2, match_pb2
from cutpurse_bots.greedy_big_max import CARDS, choose

KEY = bytes(32)
CHALLENGE = tuple[str, int, int]
"""The thief, who sent it, and how many gunmen lie under it; seat 0 is the target."""


def chosen(
    legal: Sequence[str],
    *,
    hand: str,
    displays: Sequence[int] = (0, 0, 0),
    standing: Sequence[tuple[str, int, int]] = (),
    challenge: CHALLENGE | None = None,
    hand_sizes: Sequence[int] = (6, 6, 6),
) -> str:
    """What greedy does as seat 0; cards in notation, `standing` as thief, seat and employer."""
    decision = match_pb2.Decision(match="m", decision=1, seat=0, legal=legal)
    view = decision.view.big_max
    view.hand.extend(number(card) for card in hand.split())
    table = view.table
    table.turn, table.pile_size = 9, 50
    table.hand_sizes.extend(hand_sizes)
    table.displays.extend(displays)
    for thief, seat, employer in standing:
        table.standing.append(number(thief))
        table.standing_seats.append(seat)
        table.standing_employers.append(employer)
        table.standing_gunmen.append(0)
    if challenge is not None:
        thief, employer, gunmen = challenge
        table.challenge.card = number(thief)
        table.challenge.challenger = table.challenge.employer = employer
        table.challenge.gunmen = gunmen
    return choose(decision, KEY)


def number(card: str) -> big_max_pb2.BigMaxCard.ValueType:
    """The enum number of a card in notation."""
    return big_max_pb2.BigMaxCard.ValueType(CARDS[card])


def test_its_cards_are_those_of_the_protocol() -> None:
    assert list(CARDS.values()) == big_max_pb2.BigMaxCard.values()[1:]


def test_it_displays_a_suitcase_rather_than_discarding() -> None:
    legal = ["discard SC", "discard H2", "discard T2", "display", "challenge 1 T2", "challenge 2 T2"]

    assert chosen(legal, hand="SC H2 H2 T2 T2 T2") == "display"


def test_it_wins_with_the_fifth_suitcase_rather_than_robbing() -> None:
    legal = ["discard T6", "display", "challenge 1 T6"]

    assert chosen(legal, hand="SC MT H2 H2 H3 T6", displays=(4, 4, 0)) == "display"


def test_it_lays_the_master_thief_when_that_wins() -> None:
    assert chosen(["discard H2", "discard MT", "lay"], hand="MT H2 H2 H3 H3 H4", displays=(5, 2, 0)) == "lay"


def test_it_robs_whoever_is_ahead() -> None:
    legal = ["discard T6", "challenge 1 T6", "challenge 2 T6"]

    assert chosen(legal, hand="T6 H2 H2 H3 H3 CS", displays=(0, 1, 4)) == "challenge 2 T6"


def test_it_discards_what_it_needs_least() -> None:
    legal = ["discard SC", "discard MT", "discard H6", "discard T2", "discard GM"]

    assert chosen(legal, hand="SC MT H6 T2 GM GM", displays=(2, 0, 0), standing=[("T6", 0, 1)]) == "discard T2"


def test_it_counters_a_standing_thief_to_display_again() -> None:
    legal = ["discard SC", "discard H3", "discard H6", "discard T2", "counter 0 H3", "counter 0 H6"]

    assert chosen(legal, hand="SC SC H3 H6 T2 T2", standing=[("T3", 0, 2)]) == "counter 0 H3"


def test_it_defends_with_the_cheapest_card_that_is_enough() -> None:
    legal = ["counter MT", "counter H4", "counter H6", "decline"]

    assert chosen(legal, hand="MT H4 H6 T2 T2 SC", displays=(2, 1, 0), challenge=("T4", 1, 0)) == "counter H4"


def test_it_keeps_the_master_thief_when_little_is_at_stake_and_spends_it_against_the_end() -> None:
    legal = ["counter MT", "decline"]

    kept = chosen(legal, hand="MT H2 H2 T2 T2 SC", displays=(1, 1, 0), challenge=("T6", 1, 0))
    spent = chosen(legal, hand="MT MT H2 H2 T2 SC", displays=(1, 4, 0), challenge=("T6", 1, 0))

    assert kept == "decline"
    assert spent == "counter MT"


def test_it_sends_a_thief_back_to_an_employer_who_has_something_to_lose() -> None:
    legal = ["counter H6", "gunman", "decline"]

    sent = chosen(legal, hand="H6 GM T2 T2 SC SC", displays=(2, 4, 0), challenge=("T6", 1, 0))

    assert sent == "gunman"
