"""Greedy at The Shadow Thief: fill the safe with what can still be locked, and lock it in time.

**What it wants.** Only a locked safe scores, so every action is judged by the *outlook* it leads to: the value of the
safe times the likelihood that it can still be locked (`_outlook`).

- A deal goes on for so many rounds until others have locked, or until the deck is exhausted and hands run empty. The
  bot expects every open safe with jewelry in it to be locked by the next round with a likelihood that grows with what
  lies in it (`_all_others_locked`).
- With a Locked Safe card in hand that is high enough, the safe can be locked next round, or filled for some more rounds
  first. Without one the bot hopes to draw one, and a safe with many cards needs a rare one (`_hope`).

**What it expects of a card.** Everything that nobody has seen is equally likely in every hand. A piece of jewelry may
meet its own value, or a thief (`_survival`); if it stays, all the jewelry of its type that helps goes with it. A thief
takes the best piece that others will probably show (`_worth_of_thief`).

**What follows from it.** It collects types, leads with a low card of a type of which it holds several, keeps the number
of cards below the lock that it holds, and locks when waiting risks more than another round brings. Once the deck is
exhausted it locks at once; if it cannot, it plays its hand empty, since then nobody else with an open safe scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cutpurse.v1.match_pb2 import Decision
from cutpurse.v1.shadow_thief_pb2 import ShadowThiefStep, ShadowThiefView
from cutpurse_bots.best_actions import best_action

__all__ = ["choose"]

NOTATIONS = (
    *(f"{letter}{value}" for letter in "BRWC" for value in range(1, 11)),
    *(f"S{value}" for value in range(4, 16)),
    "TB", "TR", "TW", "TC", "TX",
)  # fmt: skip
"""The cards in canonical order: position i has the enum number i + 1."""

CARDS = {notation: number for number, notation in enumerate(NOTATIONS, 1)}
TYPES = range(4)
LAST_JEWELRY, LAST_LOCK, SHADOW_THIEF = 40, 52, 57

DECK = Counter({card: 2 if card <= LAST_JEWELRY or 4 <= card - 37 <= 11 else 1 for card in CARDS.values()})
"""How many there are of each card."""

GROWTH, GROWTH_CARDS = 5.0, 1.2
"""What a further round adds to a safe on average, in points and in cards."""
DRAWN = 1.3
"""How many cards a seat draws in a round."""
LOCKING, LOCKING_GROWTH, LOCKING_MOST = 0.25, 0.03, 0.5
"""How likely an open safe with jewelry is locked in a round: with the least in it, for each card more, and at most."""
LOCKING_EMPTY = 0.02
"""The same of an empty safe: only a thief can fill it in time."""
HORIZON = 12
"""So many rounds ahead it looks at most."""
KEEP_JEWELRY, KEEP_LOCK, KEEP_THIEF = 0.12, 0.05, 1.0
"""What a card that stays in hand is worth: a part of jewelry's and locks' values, and a thief."""
FIRST_PIECE = 8.0
"""What an empty safe will probably begin with, in points."""
EMPTY = 0.25
"""How much of that an empty safe is worth today."""
SPECIALIST_TAKES = 0.8
"""How often a specialist that fits takes this piece and not another one."""


def choose(decision: Decision, key: bytes) -> str:
    """The notation of the action with the best outlook; between equal ones the key decides."""
    return best_action(decision, key, _Outlook(decision.view.shadow_thief).worth_of)


def _type_of(card: int) -> int:
    """Of jewelry, 0 to 3."""
    return (card - 1) // 10


def _value_of(card: int) -> int:
    """Of jewelry and locks; 0 for a thief."""
    return (card - 1) % 10 + 1 if card <= LAST_JEWELRY else card - 37 if card <= LAST_LOCK else 0


class _Outlook:
    """The table as this seat sees it, and what an action would make of its deal."""

    def __init__(self, view: ShadowThiefView) -> None:
        table = view.table
        self.hand: list[int] = list(view.hand)
        safes: list[list[int]] = [[] for _ in table.hand_sizes]
        for card, seat in zip(table.safes, table.safe_seats, strict=True):
            safes[seat].append(card)
        front = [card for card, seat in zip(table.front, table.front_seats, strict=True) if seat == view.seat]
        self.front = [card for card in front if card <= LAST_JEWELRY]
        self.cards = len(safes[view.seat])
        self.points = sum(map(_value_of, safes[view.seat]))
        open_seats = [seat for seat in range(len(safes)) if seat not in table.lock_seats and seat != view.seat]
        self.open = len(open_seats)
        self.locking = [self._locking(len(safes[seat])) for seat in open_seats]
        seen = [*self.hand, *table.safes, *table.locks, *table.front, *table.discards]
        self.unseen = DECK - Counter(seen)
        self.unseen_size = max(1, self.unseen.total())
        self.exhausted = table.exhausted
        shortest = min((table.hand_sizes[seat] for seat in (*open_seats, view.seat)), default=0)
        # In step PLAY the card that is about to be played still counts, afterwards no longer.
        about_to_be_played = table.step == ShadowThiefStep.SHADOW_THIEF_STEP_PLAY
        self.rounds = self._rounds_left(table.deck_size, shortest - about_to_be_played)

    def _locking(self, cards: int) -> float:
        return min(LOCKING_MOST, LOCKING + LOCKING_GROWTH * cards) if cards else LOCKING_EMPTY

    def _rounds_left(self, deck_size: int, cards_left: int) -> int:
        """How many rounds, this one included, can end with a lock: hands must not run empty once the deck is gone."""
        if self.exhausted:
            return max(0, cards_left)
        return min(HORIZON, 2 + int(deck_size / ((self.open + 1) * DRAWN)))

    def worth_of(self, action: str) -> float:
        """What an action promises, in points of this deal."""
        verb, *notations = action.split(" ")
        cards = [CARDS[notation] for notation in notations]
        if verb == "steal":
            return float(_value_of(cards[0]))
        if verb == "add":
            return self._worth_of_adding(cards)
        return self._worth_of_playing(cards[0])

    def _worth_of_playing(self, card: int) -> float:
        rest = _without(self.hand, [card])
        keep = _keep(rest)
        if self._hopeless():
            # Jewelry lets a seat lay more beside it, so that its hand gets empty.
            return float(sum(_is_of_type(each, card) for each in rest))
        if card > LAST_LOCK:
            return self._worth_of_thief(card, rest) + keep
        if card > LAST_JEWELRY:
            if not (self.cards and _locks(card, self.cards)):
                return self._outlook(self.cards, self.points, rest, 1.0) + keep
            if self.rounds < 1:
                return keep
            # Kept cards are worth nothing to a seat that is out of the deal.
            return self.points * (1.0 - self._all_others_locked(1))
        stays = self._survival(card)
        gained = max(self._after_adding([card, *added], rest) for added in self._additions(card, rest))
        lost = self._outlook(self.cards, self.points, rest, 1.0) + keep
        return stays * gained + (1.0 - stays) * lost

    def _worth_of_thief(self, thief: int, rest: Sequence[int]) -> float:
        worth, nothing = 0.0, 1.0
        for value in range(10, 0, -1):
            some = nothing * (1.0 - (1.0 - self._shown(thief, value)) ** self.open)
            worth += some * self._outlook(self.cards + 1, self.points + value, rest, 1.0)
            nothing -= some
        return worth + nothing * self._outlook(self.cards, self.points, rest, 1.0)

    def _shown(self, thief: int, value: int) -> float:
        """How likely another seat shows a piece of this value that the thief can take."""
        types = TYPES if thief == SHADOW_THIEF else (thief - LAST_LOCK - 1,)
        alone = (1.0 - self._meets(value)) ** max(0, self.open - 1)
        return alone * sum(self.unseen[10 * each + value] for each in types) / self.unseen_size

    def _meets(self, value: int) -> float:
        """How likely a hidden card is jewelry of this value."""
        return sum(self.unseen[10 * each + value] for each in TYPES) / self.unseen_size

    def _survival(self, card: int) -> float:
        """How likely a piece of jewelry meets neither its value nor a thief."""
        value = _value_of(card)
        specialist = self.unseen[LAST_LOCK + 1 + _type_of(card)] / self.unseen_size
        shadow = self.unseen[SHADOW_THIEF] / self.unseen_size * value / 10.0
        spared = 1.0 - self._meets(value) - SPECIALIST_TAKES * specialist - shadow
        return float(max(0.0, spared) ** self.open)

    def _additions(self, card: int, rest: Sequence[int]) -> Iterable[list[int]]:
        """The most valuable additions of each number of cards."""
        fitting = sorted((each for each in rest if _is_of_type(each, card)), reverse=True)
        return (fitting[:number] for number in range(len(fitting) + 1))

    def _after_adding(self, filled: Sequence[int], rest: Sequence[int]) -> float:
        """The outlook when these cards go into the safe, the first of which has left the hand already."""
        left = _without(rest, filled[1:])
        if self.exhausted and not left:
            return 0.0
        points = self.points + sum(map(_value_of, filled))
        return self._outlook(self.cards + len(filled), points, left, float(len(filled))) + _keep(left)

    def _worth_of_adding(self, added: Sequence[int]) -> float:
        if self._hopeless():
            return float(len(added))
        return self._after_adding([*self.front, *added], self.hand)

    def _hopeless(self) -> bool:
        """Whether this seat cannot lock its safe any more in this deal."""
        return self.exhausted and not any(_locks(card, self.cards) for card in self.hand)

    def _all_others_locked(self, rounds: int) -> float:
        """How likely all others have locked, or try to, within so many rounds: then this seat scores nothing."""
        likely = 1.0
        for each in self.locking:
            likely *= 1.0 - (1.0 - each) ** rounds
        return likely

    def _outlook(self, cards: int, points: float, hand: Sequence[int], drawn: float) -> float:
        """What the safe promises from the next round on, with so many cards and points in it."""
        if not cards:
            return EMPTY * self._hope(1, FIRST_PIECE, drawn)
        locks = [_value_of(card) for card in hand if _locks(card, cards)]
        if not locks:
            return self._hope(cards, points, drawn)
        best, room = 0.0, max(locks) - cards
        for later in range(self.rounds - 1):
            if later * GROWTH_CARDS > room:
                break
            best = max(best, (points + later * GROWTH) * (1.0 - self._all_others_locked(later + 2)))
        return best

    def _hope(self, cards: int, points: float, drawn: float) -> float:
        """What the safe promises without a lock for it: it may still be drawn, this round or later."""
        if self.exhausted:
            return 0.0
        fitting = sum(number for card, number in self.unseen.items() if _locks(card, cards))
        part = fitting / self.unseen_size
        promise, none = 0.0, 1.0
        for later in range(self.rounds - 1):
            found = none * (1.0 - (1.0 - part) ** (drawn if later == 0 else DRAWN))
            promise += found * points * (1.0 - self._all_others_locked(later + 2))
            none -= found
        return promise


def _without(hand: Sequence[int], gone: Iterable[int]) -> list[int]:
    left = list(hand)
    for card in gone:
        left.remove(card)
    return left


def _locks(card: int, cards: int) -> bool:
    """Whether a card locks a safe with so many cards."""
    return LAST_JEWELRY < card <= LAST_LOCK and _value_of(card) >= cards


def _is_of_type(card: int, other: int) -> bool:
    return card <= LAST_JEWELRY and _type_of(card) == _type_of(other)


def _keep(hand: Iterable[int]) -> float:
    """What cards that stay in hand are worth for later rounds."""
    worth = 0.0
    for card in hand:
        if card > LAST_LOCK:
            worth += KEEP_THIEF
        else:
            worth += (KEEP_JEWELRY if card <= LAST_JEWELRY else KEEP_LOCK) * _value_of(card)
    return worth
