"""Greedy at Big Max's Inheritance: display suitcases, rob whoever is ahead, and keep what wins or defends.

**What it wants.** Everything is counted in suitcases on display. Each is worth more than the one before it, since five
and a Master Thief win (`DISPLAYED`); what another seat has on display counts against this seat, shared among the others
(`_harm`). Cards in hand are worth what they may do later (`_keep`), so every action costs the card that it uses up.

**What it expects.** Everything that nobody has seen is equally likely in every hand. A challenge fails as far as its
target probably holds a defender that is high enough, or a gunman, and uses it (`_defended`). A gunman sends the thief
back, and then it is this seat that may lose (`_sent_back`).

**What follows from it.** It displays a suitcase whenever it can. High thieves go to seats with suitcases, the richest
first, low ones to seats whose display they block; its own standing thieves it counters when that frees a suitcase.
Attacked, it replies with the cheapest defender that is enough, with a gunman where the employer has something to
lose, and declines when what it would lose is worth less than the card. The Master Thief it keeps, the more so the more
it has on display. It looks one action ahead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cutpurse.v1.big_max_pb2 import BigMaxView
from cutpurse.v1.match_pb2 import Decision
from cutpurse_bots.best_actions import best_action

__all__ = ["choose"]

NOTATIONS = ("SC", "MT", "H2", "H3", "H4", "H6", "T2", "T3", "T4", "T5", "T6", "CS", "GM")
"""The cards in canonical order: position i has the enum number i + 1."""

CARDS = {notation: number for number, notation in enumerate(NOTATIONS, 1)}
DECK = Counter(dict(enumerate((20, 4, 6, 6, 5, 3, 6, 6, 5, 4, 3, 12, 8), 1)))
"""How many there are of each card."""
VALUES = (0, 0, 10, 2, 3, 4, 6, 2, 3, 4, 5, 6, 0, 0)
"""By enum number, of thieves and defenders."""

SUITCASE, MASTER_THIEF, GUNMAN = CARDS["SC"], CARDS["MT"], CARDS["GM"]
DEFENDERS = range(MASTER_THIEF, CARDS["H6"] + 1)
ENOUGH = 5
"""Suitcases that win, with a Master Thief."""

DISPLAYED = (0.0, 1.0, 2.1, 3.3, 4.7, 6.5)
"""By number of suitcases on display, what they are worth."""
WIN = 20.0
"""What it is worth to have won."""

KEEP = (0.0, 0.9, 0.7, 0.15, 0.25, 0.4, 0.6, 0.1, 0.2, 0.35, 0.5, 0.65, 0.2, 0.6)
"""By enum number, what a card in hand is worth; of the Master Thief, each but the first."""
KEEP_MASTER_THIEF, KEEP_MASTER_THIEF_GROWTH = 1.2, 0.5
"""What the first Master Thief is worth, and how much more for every suitcase on display."""
KEEP_SPARE_SUITCASE = 0.2
"""What a suitcase is worth beyond those that are still needed."""
DEFENDS = 0.8
"""How likely a seat uses a card that saves it."""
BLOCKS, BLOCKS_SUITCASE = 0.4, 0.5
"""What a standing thief costs the seat behind it, and how much more if a suitcase waits in that seat's hand."""
SHARP = 0.05
"""What it is worth to take a card from a seat, for each suitcase that the seat displays, and one more."""


def choose(decision: Decision, key: bytes) -> str:
    """The notation of the action that promises most; between equal ones the key decides."""
    return best_action(decision, key, _Table(decision.view.big_max).worth_of)


class _Table:
    """The table as this seat sees it, and what an action would make of it."""

    def __init__(self, view: BigMaxView) -> None:
        table = view.table
        self.seat = view.seat
        self.hand: list[int] = list(view.hand)
        self.hand_sizes: list[int] = list(table.hand_sizes)
        self.displays: list[int] = list(table.displays)
        self.own = self.displays[self.seat]
        self.standing = Counter(table.standing_seats)
        self.employers = dict(zip(reversed(table.standing_seats), reversed(table.standing_employers), strict=True))
        self.challenge = table.challenge if table.HasField("challenge") else None
        running = [] if self.challenge is None else [self.challenge.card, *[GUNMAN] * self.challenge.gunmen]
        lying = [*table.discards, *table.standing, *running, *[GUNMAN] * sum(table.standing_gunmen)]
        self.unseen = DECK - Counter([*self.hand, *lying, *[SUITCASE] * sum(self.displays)])
        self.unseen_size = max(1, self.unseen.total())

    def worth_of(self, action: str) -> float:
        """What an action promises, in suitcases."""
        words = action.split(" ")
        match words[0]:
            case "lay":
                return WIN
            case "display":
                return self._gain() - self._keep(SUITCASE)
            case "discard":
                return -self._keep(CARDS[words[1]])
            case "sharp":
                return SHARP * (1 + self.displays[int(words[1])]) - self._keep(CARDS["CS"])
            case "challenge":
                thief = CARDS[words[2]]
                return self._worth_of_attack(int(words[1]), VALUES[thief], thief) - self._keep(thief)
            case "counter" if len(words) == 3:
                return self._worth_of_freeing() - self._keep(CARDS[words[2]])
            case "counter":
                return -self._keep(CARDS[words[1]])
            case "gunman":
                assert self.challenge is not None, "a reply needs a challenge"
                value = VALUES[self.challenge.card]
                return self._worth_of_attack(self.challenge.employer, value, GUNMAN) - self._keep(GUNMAN)
            case _:
                return -self._loss()

    def _keep(self, card: int) -> float:
        """What it is worth to have this card of one's hand next turn."""
        held = self.hand.count(card)
        if card == MASTER_THIEF and held == 1:
            return KEEP_MASTER_THIEF + KEEP_MASTER_THIEF_GROWTH * self.own
        if card == SUITCASE and self.own + held > ENOUGH:
            return KEEP_SPARE_SUITCASE
        return KEEP[card]

    def _gain(self) -> float:
        """What one suitcase more is worth to this seat; with a thief in front of it, that is paid off by it."""
        if self.standing[self.seat]:
            return self._worth_of_freeing() - self._harm(self.employers[self.seat], 1)
        if self.own == ENOUGH:
            return 0.0
        won = WIN if self.own + 1 == ENOUGH and MASTER_THIEF in self.hand else 0.0
        return won + DISPLAYED[self.own + 1] - DISPLAYED[self.own]

    def _harm(self, seat: int, more: int) -> float:
        """What it costs this seat that another one has so many suitcases more on display."""
        before, after = self.displays[seat], min(ENOUGH, self.displays[seat] + more)
        worth = DISPLAYED[after] - DISPLAYED[before]
        if after == ENOUGH > before:
            worth += WIN * (1.0 - (1.0 - self.unseen[MASTER_THIEF] / self.unseen_size) ** self.hand_sizes[seat])
        return worth / (len(self.displays) - 1)

    def _worth_of_freeing(self) -> float:
        """What it is worth to be rid of one thief in front of this seat."""
        last = self.standing[self.seat] == 1
        return BLOCKS + (BLOCKS_SUITCASE if last and SUITCASE in self.hand else 0.0)

    def _loss(self) -> float:
        """What it costs this seat to let the running challenge have its way."""
        if not self.own:
            return BLOCKS + (BLOCKS_SUITCASE if SUITCASE in self.hand and not self.standing[self.seat] else 0.0)
        assert self.challenge is not None, "a reply needs a challenge"
        return DISPLAYED[self.own] - DISPLAYED[self.own - 1] + self._harm(self.challenge.employer, 1)

    def _worth_of_attack(self, target: int, value: int, used: int) -> float:
        """What it promises that a thief attacks a seat for this one, before the card that is used up is counted."""
        countered, turned = self._defended(target, value)
        if self.displays[target]:
            won = self._gain() - self._harm(target, -1)
        else:
            won = BLOCKS / (1 + self.standing[target])
        return (1.0 - countered - turned) * won - turned * self._sent_back(target, value, used)

    def _defended(self, seat: int, value: int) -> tuple[float, float]:
        """How likely a seat counters a thief of this value, and how likely it turns it round."""
        enough = sum(self.unseen[card] for card in DEFENDERS if VALUES[card] >= value) / self.unseen_size
        cards = self.hand_sizes[seat]
        counters = 1.0 - (1.0 - enough) ** cards
        turns = 1.0 - (1.0 - self.unseen[GUNMAN] / self.unseen_size) ** cards
        return DEFENDS * counters, DEFENDS * (1.0 - counters) * turns

    def _sent_back(self, employer: int, value: int, used: int) -> float:
        """What it costs if a gunman turns the thief against this seat: the cheapest defence, or the loss."""
        left: Sequence[int] = [card for card in set(self.hand) if card != used or self.hand.count(card) > 1]
        costs = [self._keep(card) for card in left if card == GUNMAN or (card in DEFENDERS and VALUES[card] >= value)]
        lost = DISPLAYED[self.own] - DISPLAYED[self.own - 1] + self._harm(employer, 1) if self.own else BLOCKS
        return min([lost, *costs])
