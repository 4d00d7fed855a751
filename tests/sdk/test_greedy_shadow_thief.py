"""Greedy at The Shadow Thief, at tables set up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutpurse.v1 import match_pb2, shadow_thief_pb2
from cutpurse_bots.greedy_shadow_thief import CARDS, choose

KEY = bytes(32)
STEPS = shadow_thief_pb2.ShadowThiefStep


def chosen(
    legal: Sequence[str],
    *,
    hand: str,
    safes: Sequence[str] = ("", "", ""),
    locks: Mapping[int, str] | None = None,
    front: str = "",
    hand_sizes: Sequence[int] = (4, 4, 4),
    deck_size: int = 60,
    exhausted: bool = False,
) -> str:
    """What greedy does as seat 0; cards in notation, `safes` by seat, `front` its own."""
    decision = match_pb2.Decision(match="m", decision=1, seat=0, legal=legal)
    view = decision.view.shadow_thief
    view.hand.extend(numbers(hand))
    table = view.table
    step = legal[0].split(" ")[0].upper()
    table.step = STEPS.Value(f"SHADOW_THIEF_STEP_{step}")
    table.deal, table.round, table.deck_size, table.exhausted = 1, 3, deck_size, exhausted
    table.hand_sizes.extend(hand_sizes)
    for seat, safe in enumerate(safes):
        table.safes.extend(numbers(safe))
        table.safe_seats.extend([seat] * len(numbers(safe)))
    for seat, lock in (locks or {}).items():
        table.locks.extend(numbers(lock))
        table.lock_seats.append(seat)
    table.front.extend(numbers(front))
    table.front_seats.extend([0] * len(numbers(front)))
    return choose(decision, KEY)


def numbers(cards: str) -> list[shadow_thief_pb2.ShadowThiefCard.ValueType]:
    """The enum numbers of cards in notation."""
    return [shadow_thief_pb2.ShadowThiefCard.ValueType(CARDS[card]) for card in cards.split()]


def plays(hand: str) -> list[str]:
    """The legal actions of step PLAY."""
    return [f"play {card}" for card in dict.fromkeys(hand.split())]


def test_its_cards_are_those_of_the_protocol() -> None:
    assert list(CARDS.values()) == shadow_thief_pb2.ShadowThiefCard.values()[1:]


def test_it_locks_a_full_safe_before_the_last_other_seat_does() -> None:
    hand = "B1 W2 S6 TB"

    played = chosen(plays(hand), hand=hand, safes=["R6 R7 R8 R9 R10 B10", "W8 W9", ""], locks={2: "S9"})

    assert played == "play S6"


def test_it_fills_its_safe_while_there_is_room_and_time() -> None:
    hand = "R9 R10 S12 TB"

    played = chosen(plays(hand), hand=hand, safes=["B4", "", ""])

    assert played in ("play R9", "play R10")


def test_it_leads_with_the_low_card_of_a_type_and_adds_the_others() -> None:
    hand = "B1 R3 R9 R10"

    played = chosen(plays(hand), hand=hand)
    added = chosen(["add", "add R9", "add R10", "add R9 R10"], hand="B1 R9 R10", front="R3", hand_sizes=(3, 3, 3))

    assert played == "play R3"
    assert added == "add R9 R10"


def test_it_adds_no_more_than_its_lock_can_hold() -> None:
    legal = ["add", "add R1", "add R10", "add R1 R10"]

    added = chosen(legal, hand="R1 R10 S6", safes=["B8 B9 W8 W9", "B1", "W1"], front="R7", hand_sizes=(3, 3, 3))

    assert added == "add R10"


def test_it_steals_the_most() -> None:
    assert chosen(["steal B3", "steal R9"], hand="B1 B2 B4") == "steal R9"


def test_with_the_deck_gone_it_locks_and_never_empties_its_hand_before() -> None:
    hand, safes = "R9 S4", ["B2 B3", "W8", ""]

    locked = chosen(plays(hand), hand=hand, safes=safes, hand_sizes=(2, 3, 3), deck_size=0, exhausted=True)
    added = chosen(
        ["add", "add R9", "add R9 R10", "add R10"],
        hand="R9 R10 S12", safes=safes, front="R2", hand_sizes=(3, 3, 3), deck_size=0, exhausted=True,
    )  # fmt: skip

    assert locked == "play S4"
    assert added == "add R9 R10"


def test_without_a_lock_and_without_a_deck_it_ends_the_deal_for_everybody() -> None:
    added = chosen(
        ["add", "add R9", "add R10", "add R9 R10"],
        hand="R9 R10", safes=["B2 B3", "W8", ""], front="R2", hand_sizes=(2, 3, 3), deck_size=0, exhausted=True,
    )  # fmt: skip

    assert added == "add R9 R10"
