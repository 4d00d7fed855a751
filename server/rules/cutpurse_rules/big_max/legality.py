"""What a seat may do: the lists in canonical order (G6), and the reasons why anything else is refused.

Both look at nothing but the seat's own hand and the open table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, assert_never

from cutpurse_rules.big_max.actions import (
    CHALLENGES,
    COUNTERS,
    COUNTERS_OF_STANDING,
    DECLINE,
    DISCARDS,
    DISPLAY,
    GUNMAN_REPLY,
    LAY,
    MAX_SEATS,
    SHARPS,
    ChallengeSeat,
    Counter,
    CounterStanding,
    Decline,
    Discard,
    Display,
    Gunman,
    Lay,
    Reply,
    SharpSeat,
    TurnAction,
)
from cutpurse_rules.big_max.cards import CARD_SHARP, DEFENDERS, GUNMAN, MASTER_THIEF, SUITCASE, THIEVES, VALUES, Card
from cutpurse_rules.big_max.state import Standing, State
from cutpurse_rules.big_max.winning import SUITCASES_TO_WIN
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Reason

__all__ = ["legal_replies", "legal_turn", "verify_reply", "verify_turn"]


class _Held:
    """What the kinds of cards in a hand make possible, whatever the table looks like."""

    __slots__ = ("defenders", "discards", "replies", "thieves", "usual_turns")

    def __init__(self, kinds: bytes) -> None:
        self.discards = tuple(DISCARDS[card] for card in kinds)
        self.thieves = bytes(card for card in kinds if card in THIEVES)
        """The kinds of thieves."""
        self.defenders = bytes(card for card in kinds if card in DEFENDERS)
        """The kinds of defenders."""
        last: tuple[Reply, ...] = (GUNMAN_REPLY, DECLINE) if GUNMAN in kinds else (DECLINE,)
        self.replies: dict[Card, tuple[Reply, ...]] = {
            thief: (*(COUNTERS[card] for card in self.defenders if VALUES[card] >= VALUES[thief]), *last)
            for thief in THIEVES
        }
        """By thief, what its target may reply."""
        self.usual_turns: dict[int, tuple[TurnAction, ...]] = {}
        """What has been worked out already of turns in which everybody holds a card: by players, seat and whether the
        seat is free to display."""


class _Hands(dict[bytes, _Held]):
    """By hand: there are 27,132 of six cards or fewer, and no larger ones. Those of the same kinds share one of 4,096.

    What comes up is kept.
    """

    def __missing__(self, hand: bytes) -> _Held:
        kinds = bytes(sorted(set(hand)))
        held = self[hand] = _Held(kinds) if kinds == hand else self[kinds]
        return held


_HELD: Final = _Hands()


_OTHERS: Final = tuple(
    tuple(tuple(Seat(other) for other in range(players) if other != seat) for seat in range(players))
    for players in range(MAX_SEATS + 1)
)
"""By number of players and seat, the other seats."""


def legal_turn(state: State, seat: Seat) -> Sequence[TurnAction]:
    """What the seat may do on its turn. Any card may be discarded, so that there is always something."""
    setup, hands, thieves = state.setup, state.hands, state.standing[seat]
    hand = hands[seat]
    held = _HELD[hand]
    displayed = state.displays[seat]
    free = displayed < SUITCASES_TO_WIN and not thieves
    if all(hands):
        table = setup.players << 5 | seat << 1 | free
        legal = held.usual_turns.get(table)
        if legal is None:
            legal = held.usual_turns[table] = _against_others(hand, free, setup.players, seat, hands)
    else:
        legal = _against_others(hand, free, setup.players, seat, hands)
    if thieves and held.defenders:
        legal += _counters_of_standing(thieves, held.defenders)
    if setup.master_thief_must_be_laid and displayed == SUITCASES_TO_WIN and MASTER_THIEF in hand:
        legal += (LAY,)
    return legal


def _against_others(
    hand: bytes, free_to_display: bool, players: int, seat: Seat, hands: list[bytes]
) -> tuple[TurnAction, ...]:
    """The part of what a seat may do on its turn that comes before what it may do against thieves in front of it."""
    held = _HELD[hand]
    legal: list[TurnAction] = [*held.discards]
    if SUITCASE in hand and free_to_display:
        legal.append(DISPLAY)
    legal += [CHALLENGES[other][thief] for other in _OTHERS[players][seat] for thief in held.thieves]
    if CARD_SHARP in hand:
        legal += [SHARPS[other] for other in _OTHERS[players][seat] if hands[other]]
    return tuple(legal)


# In front of a seat the same thieves stay for several turns.
@lru_cache(maxsize=4_096)
def _counters_of_standing(thieves: tuple[Standing, ...], defenders: bytes) -> tuple[CounterStanding, ...]:
    return tuple(
        COUNTERS_OF_STANDING[position][card]
        for position, thief in enumerate(thieves)
        if not _same_as_its_neighbour(thieves, position)
        for card in defenders
        if VALUES[card] >= VALUES[thief.card]
    )


def _same_as_its_neighbour(thieves: tuple[Standing, ...], position: int) -> bool:
    """Whether the next older thief is interchangeable with this one, so that the lower position is named (G4)."""
    return position > 0 and thieves[position - 1] == thieves[position]


def legal_replies(state: State, target: Seat) -> tuple[Reply, ...]:
    """What the target of the running challenge may reply; to decline it is always free (R2)."""
    assert state.challenge is not None
    return _HELD[state.hands[target]].replies[state.challenge.card]


def verify_turn(state: State, seat: Seat, action: TurnAction) -> None:
    """Raise `Illegal` unless the seat may do that on its turn: first for its own hand, then for the open table."""
    hand = state.hands[seat]
    refused: Reason | None
    match action:
        case Discard():
            card, refused = action.card, None
        case Display():
            free = not state.standing[seat] and state.displays[seat] < SUITCASES_TO_WIN
            card, refused = SUITCASE, None if free else Reason.NOT_ALLOWED_NOW
        case ChallengeSeat():
            card, refused = action.card, None if _is_another(state, seat, action.seat) else Reason.NOTHING_TO_TAKE
        case SharpSeat():
            takes = _is_another(state, seat, action.seat) and state.hands[action.seat]
            card, refused = CARD_SHARP, None if takes else Reason.NOTHING_TO_TAKE
        case CounterStanding():
            card, refused = action.card, _refused_counter(state.standing[seat], action)
        case Lay():
            wins = state.setup.master_thief_must_be_laid and state.displays[seat] == SUITCASES_TO_WIN
            card, refused = MASTER_THIEF, None if wins else Reason.NOT_ALLOWED_NOW
        case _:
            assert_never(action)
    if card not in hand:
        raise Illegal(Reason.CARD_NOT_HELD)
    if refused is not None:
        raise Illegal(refused)


def _is_another(state: State, seat: Seat, named: Seat) -> bool:
    return named != seat and named < state.setup.players


def _refused_counter(thieves: tuple[Standing, ...], action: CounterStanding) -> Reason | None:
    if action.position >= len(thieves):
        return Reason.NOTHING_TO_TAKE
    too_weak = VALUES[action.card] < VALUES[thieves[action.position].card]
    return Reason.NOT_ALLOWED_NOW if too_weak or _same_as_its_neighbour(thieves, action.position) else None


def verify_reply(state: State, target: Seat, action: Reply) -> None:
    """Raise `Illegal` unless the target may reply so: first for its own hand, then for the thief."""
    assert state.challenge is not None
    if isinstance(action, Decline):
        return
    card = GUNMAN if isinstance(action, Gunman) else action.card
    if card not in state.hands[target]:
        raise Illegal(Reason.CARD_NOT_HELD)
    if isinstance(action, Counter) and VALUES[card] < VALUES[state.challenge.card]:
        raise Illegal(Reason.NOT_ALLOWED_NOW)
