"""What a seat may do: the lists in canonical order (G6), and the reasons why anything else is refused.

Both look at nothing but the seat's own hand and the open table.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, assert_never

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


class _Held(NamedTuple):
    """What a hand makes possible, whatever the table looks like."""

    discards: tuple[Discard, ...]
    thieves: bytes
    """The kinds of thieves in the hand."""
    defenders: bytes
    """The kinds of defenders in the hand."""
    replies: dict[Card, tuple[Reply, ...]]
    """By thief, what its target may reply."""


_HELD: Final[dict[bytes, _Held]] = {}
"""What has been worked out already, by hand: there are 27,132 hands of six cards or fewer, and no larger ones. Hands of
the same kinds share one of 4,096."""


def _held(hand: bytes) -> _Held:
    known = _HELD.get(hand)
    if known is None:
        kinds = bytes(sorted(set(hand)))
        known = _HELD[hand] = _work_out(kinds) if kinds == hand else _held(kinds)
    return known


def _work_out(kinds: bytes) -> _Held:
    defenders = bytes(card for card in kinds if card in DEFENDERS)
    last: tuple[Reply, ...] = (GUNMAN_REPLY, DECLINE) if GUNMAN in kinds else (DECLINE,)
    return _Held(
        tuple(DISCARDS[card] for card in kinds),
        bytes(card for card in kinds if card in THIEVES),
        defenders,
        {thief: (*(COUNTERS[card] for card in defenders if VALUES[card] >= VALUES[thief]), *last) for thief in THIEVES},
    )


# 31 sets of thieves for each of the 33 seats that there are at tables of three to eight.
@lru_cache(maxsize=31 * 33)
def _challenges(thieves: bytes, others: tuple[Seat, ...]) -> tuple[ChallengeSeat, ...]:
    return tuple(CHALLENGES[seat][card] for seat in others for card in thieves)


_OTHERS: Final = tuple(
    tuple(tuple(Seat(other) for other in range(players) if other != seat) for seat in range(players))
    for players in range(MAX_SEATS + 1)
)
"""By number of players and seat, the other seats."""

_SHARPS_ON: Final = tuple(tuple(tuple(SHARPS[other] for other in others) for others in by_seat) for by_seat in _OTHERS)
"""By number of players and seat, the card-sharps on seats that all hold a card."""


def legal_turn(state: State, seat: Seat) -> list[TurnAction]:
    """What the seat may do on its turn. Any card may be discarded, so that there is always something."""
    hand = state.hands[seat]
    held = _held(hand)
    players = state.setup.players
    thieves = state.standing[seat]
    displayed = state.displays[seat]
    legal: list[TurnAction] = [*held.discards]
    if SUITCASE in hand and not thieves and displayed < SUITCASES_TO_WIN:
        legal.append(DISPLAY)
    if held.thieves:
        legal += _challenges(held.thieves, _OTHERS[players][seat])
    if CARD_SHARP in hand:
        sharps = _SHARPS_ON[players][seat]
        legal += sharps if all(state.hands) else (sharp for sharp in sharps if state.hands[sharp.seat])
    if thieves and held.defenders:
        legal += _counters_of_standing(thieves, held.defenders)
    if state.setup.master_thief_must_be_laid and displayed == SUITCASES_TO_WIN and MASTER_THIEF in hand:
        legal.append(LAY)
    return legal


def _counters_of_standing(thieves: tuple[Standing, ...], defenders: bytes) -> list[CounterStanding]:
    return [
        COUNTERS_OF_STANDING[position][card]
        for position, thief in enumerate(thieves)
        if not _same_as_its_neighbour(thieves, position)
        for card in defenders
        if VALUES[card] >= VALUES[thief.card]
    ]


def _same_as_its_neighbour(thieves: tuple[Standing, ...], position: int) -> bool:
    """Whether the next older thief is interchangeable with this one, so that the lower position is named (G4)."""
    return position > 0 and thieves[position - 1] == thieves[position]


def legal_replies(state: State, target: Seat) -> tuple[Reply, ...]:
    """What the target of the running challenge may reply; to decline it is always free (R2)."""
    assert state.challenge is not None
    return _held(state.hands[target]).replies[state.challenge.card]


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
