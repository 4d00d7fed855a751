"""A second, independent reading of the Shadow Thief page, which checks whole traces.

It was written from the rule pages alone and shares no code with the engine. It is slow and plain on purpose: cards are
the page's own strings, everything lies in lists, and every round is played step by step as the page numbers them.
From a trace it takes only the configuration, the outcomes of the draws, and the choices; it recomputes the rest and
compares it byte for byte.

Run it with ``python tests/rules/oracle/shadow_thief_oracle.py FILE…``: exit code 0 if every trace holds, 1 if one does
not, 2 if it was called wrongly or a file cannot be read.
"""

import itertools
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Run as a program, it finds only its own folder; the root is where `tests` begins.
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.rules.oracle import trace_files
from tests.rules.oracle.match_lines import ordered, read_counts, read_match_line
from tests.rules.oracle.trace_lines import Mismatch, Reader

__all__ = ["CARDS", "PAGE_DECK", "Mismatch", "check", "check_and_tell", "check_file"]

PAGE_DECK = (
    {f"{kind}{value}": 2 for kind in "BRWC" for value in range(1, 11)}
    | {f"S{value}": 2 if value <= 11 else 1 for value in range(4, 16)}
    | {"TB": 1, "TR": 1, "TW": 1, "TC": 1, "TX": 1}
)
"""The page's deck (table Cards)."""
CARDS = list(PAGE_DECK)
"""The kinds of card in canonical order."""
HAND = 4


def check(lines: Iterable[str]) -> None:
    """Check one whole trace, given as its lines (all with their line feed or all without).

    Raises Mismatch at the first line that differs from the pages.
    """
    check_and_tell(lines)


def check_and_tell(lines: Iterable[str]) -> Counter[str]:
    """Check one whole trace and count the rare situations in it, by the names that ``Match.meet`` is given.

    Tests ask it whether their traces reach what they are there for. Raises as ``check`` does.
    """
    reader = Reader(lines)
    match = Match(reader)
    match.play()
    reader.finish()
    return +match.met


def check_file(path: Path) -> None:
    """Check the trace in a file; raises as ``trace_files.check_file`` does."""
    trace_files.check_file(path, check)


def is_jewelry(card: str) -> bool:
    """Say whether a card is a piece of jewelry."""
    return card[0] in "BRWC"


def value(card: str) -> int:
    """Read the value of a piece of jewelry or of a Locked Safe."""
    return int(card[1:])


class Match:
    """One match, played along its trace."""

    def __init__(self, reader: Reader) -> None:
        """Read the configuration; the tables of the deals are laid out one after the other."""
        self.reader = reader
        self.players, options = read_match_line(
            reader, "shadow_thief", range(3, 8), {"auto_play_forced": bool, "deals": int}, {"deck"}
        )
        self.deals, self.auto_play_forced = options["deals"], options["auto_play_forced"]
        self.cards = read_counts(reader, options, "deck", PAGE_DECK)
        if len(self.cards) < HAND * self.players:
            reader.refuse(f"match.options.deck has {len(self.cards)} cards, too few to deal to {self.players} seats")
        self.seats = list(range(self.players))
        self.scores = [0 for _ in self.seats]
        self.deal = self.round = self.decisions = 0
        self.step = "PLAY"
        self.met: Counter[str] = Counter()
        self.lay_out([])

    def lay_out(self, deck: list[str]) -> None:
        """Clear the table for a deal from this deck, top card first."""
        self.deck = list(deck)
        self.exhausted = False
        self.hands: list[list[str]] = [[] for _ in self.seats]
        self.front: list[list[str]] = [[] for _ in self.seats]
        self.safes: list[list[str]] = [[] for _ in self.seats]
        self.locks: list[str | None] = [None for _ in self.seats]
        self.discards: list[str] = []
        self.put_back: list[list[str]] = [[] for _ in self.seats]
        self.set_aside: list[str] = []
        self.unseen: list[str] = []
        self.put_back_count = 0

    def play(self) -> None:
        """Play from the first deal to the result line."""
        for deal in range(1, self.deals + 1):
            self.deal = deal
            self.lay_out(self.reader.shuffle(f"deck/{deal}", self.cards))
            for _ in range(HAND):  # R2
                for seat in self.seats:
                    self.hands[seat].append(self.deck.pop(0))
            self.round = 1
            while not self.round_ends_the_deal():
                self.round += 1
                assert self.round <= len(self.cards) // 2, "the page's stall limit"
            for seat in self.seats:
                if self.locks[seat] is not None:
                    self.scores[seat] += sum(value(card) for card in self.safes[seat])
        self.step = "OVER"
        self.reader.expect(
            {
                "type": "result",
                "scores": self.scores,
                "placements": [1 + sum(other > own for other in self.scores) for own in self.scores],  # R1, G9
                "reason": "COMPLETED",
                "views": self.views([]),
            }
        )

    def meet(self, situation: str, met: bool) -> None:
        """Count a rare situation if it is met."""
        self.met[situation] += met

    def active(self) -> list[int]:
        """List the seats whose safe is open."""
        return [seat for seat in self.seats if self.locks[seat] is None]

    def round_ends_the_deal(self) -> bool:
        """Play one round, step by step; say whether one of the end checks was met."""
        self.play_a_card()
        self.stalemate()
        self.thieves()
        self.additional_jewelry()
        if self.exhausted and any(not self.hands[seat] for seat in self.active()):
            self.meet("end check C", True)
            self.meet("end check C beside a locked safe", len(self.active()) < self.players)
            return True
        self.fill_the_safes()
        attempts = sum(len(cards) for cards in self.front)
        valid = self.valid_attempts()
        self.meet("an invalid attempt", attempts > len(valid))
        if valid == self.active():
            self.meet("end check B", True)
            self.meet("end check B beside a locked safe", len(self.active()) < self.players)
            return True  # Nobody locks (R5).
        self.meet("R5: one of all attempts is invalid", attempts == len(self.active()) == len(valid) + 1)
        drawn = self.lock(valid)
        if len(self.active()) == 1:
            self.meet("end check A", True)
            self.meet("R6: end check A after a return", drawn)
            return True
        if not self.exhausted:
            self.draw()
        return False

    def play_a_card(self) -> None:
        """Step 1. An active seat without a card plays nothing (R9)."""
        self.step = "PLAY"
        legal = {
            seat: [f"play {card}" for card in ordered(set(self.hands[seat]), CARDS)]
            for seat in self.active()
            if self.hands[seat]
        }
        self.meet("R9: an active seat without a card", 0 < len(legal) < len(self.active()))
        self.meet("R9: nobody active holds a card", not legal)
        for seat, choice in self.decide(legal).items():
            card = choice.split()[1]
            self.hands[seat].remove(card)
            self.front[seat].append(card)

    def stalemate(self) -> None:
        """Step 2. Values that lie there more than once are discarded; only Jewelry counts."""
        lying = [value(card) for cards in self.front for card in cards if is_jewelry(card)]
        safes = [value(card) for cards in self.front for card in cards if card[0] == "S"]
        self.meet("three equal values", max(map(lying.count, lying), default=0) > 2)
        self.meet("a Locked Safe of a value that lies there", bool(set(safes) & set(lying)))
        for seat in self.seats:
            for card in list(self.front[seat]):
                if is_jewelry(card) and lying.count(value(card)) > 1:
                    self.front[seat].remove(card)
                    self.discards.append(card)

    def thieves(self) -> None:
        """Step 3. The Shadow thief takes first, then the specialists in seat order (R3)."""
        self.step = "STEAL"
        played = [(card != "TX", seat, card) for seat in self.seats for card in self.front[seat] if card[0] == "T"]
        for _, seat, thief in sorted(played):
            owners = {
                card: owner
                for owner in self.seats
                for card in self.front[owner]
                if is_jewelry(card) and thief in ("TX", "T" + card[0])
            }
            candidates = ordered(owners, CARDS)
            self.meet("a thief with nothing to take", not candidates)
            self.meet("a theft with one candidate", len(candidates) == 1)
            self.meet("a specialist with several candidates", thief != "TX" and len(candidates) > 1)
            self.meet("R3: two thieves in one round", len(played) > 1)
            if candidates:
                forced = [seat] if len(candidates) == 1 else []
                choice = self.decide({seat: [f"steal {card}" for card in candidates]}, forced)[seat]
                card = choice.split()[1]
                self.front[owners[card]].remove(card)
                self.safes[seat].append(card)
        for _, seat, thief in played:
            self.front[seat].remove(thief)
            self.discards.append(thief)

    def additional_jewelry(self) -> None:
        """Step 4. Seats whose Jewelry still lies there may add more of its type (R4)."""
        self.step = "ADD"
        legal = {}
        for seat in self.seats:
            if any(is_jewelry(card) for card in self.front[seat]):
                (own,) = self.front[seat]
                same = [card for card in ordered(self.hands[seat], CARDS) if card[0] == own[0]]
                sizes = range(len(same) + 1)
                sets = [cards for size in sizes for cards in itertools.combinations(same, size)]
                # Two of a kind are interchangeable (G4): a set that comes again is the same action.
                legal[seat] = [" ".join(["add", *cards]) for cards in dict.fromkeys(sets)]
        forced = [seat for seat in legal if not self.hands[seat]]
        self.meet("an empty hand to add from", bool(forced))
        self.meet("an empty hand beside others to add from", 0 < len(forced) < len(legal))
        for seat, choice in self.decide(legal, forced).items():
            for card in choice.split()[1:]:
                self.hands[seat].remove(card)
                self.front[seat].append(card)

    def fill_the_safes(self) -> None:
        """Step 5. Only Locked Safe cards stay in front."""
        for seat in self.seats:
            self.safes[seat] += [card for card in self.front[seat] if is_jewelry(card)]
            self.front[seat] = [card for card in self.front[seat] if not is_jewelry(card)]

    def valid_attempts(self) -> list[int]:
        """Step 6, first half: discard the cards of invalid attempts and list the seats of valid ones."""
        valid = []
        for seat in self.seats:
            for card in list(self.front[seat]):
                assert card[0] == "S"
                if 1 <= len(self.safes[seat]) <= value(card):
                    valid.append(seat)
                else:
                    self.front[seat].remove(card)
                    self.discards.append(card)
        return valid

    def lock(self, valid: list[int]) -> bool:
        """Step 6, second half: lock, and put the remaining hands under the deck (R6) or aside (R7).

        Says whether that took a draw.
        """
        returned = []
        self.meet("R6: two hands in one return", not self.exhausted and sum(bool(self.hands[s]) for s in valid) > 1)
        for seat in valid:
            self.locks[seat] = self.front[seat].pop()
            returned += self.hands[seat]
            self.put_back[seat] += self.hands[seat]
            self.hands[seat] = []
        if self.exhausted or not returned:
            self.meet("R7: hands set aside", bool(returned))
            self.set_aside += returned
            return False
        self.put_back_count += len(returned)
        self.deck += self.reader.shuffle(f"return/{self.deal}/{self.round}", returned)
        return True

    def draw(self) -> None:
        """Step 7, with a deck that is not exhausted."""
        active = self.active()
        for goal in (4, 3):
            need = sum(max(0, goal - len(self.hands[seat])) for seat in active)
            if len(self.deck) >= need:
                self.meet(f"exactly enough to hold {goal}", len(self.deck) == need > 0)
                self.meet("cards discarded unseen", goal == 3 and len(self.deck) > need)
                self.meet("cards drawn that were put back", len(self.deck) - need < self.put_back_count)
                for seat in active:
                    while len(self.hands[seat]) < goal:
                        self.hands[seat].append(self.deck.pop(0))
                if goal == 3:
                    self.unseen += self.deck
                    self.deck = []
                self.exhausted = not self.deck
                return
        turn = self.round % self.players  # R8
        needy = [seat for seat in active if len(self.hands[seat]) < 3]
        self.meet("R8: single cards", bool(self.deck))
        self.meet("R8: no card left to deal", not self.deck)
        self.meet("R8: the first seat needs none", turn not in needy)
        self.meet("R8: the first seat has locked", turn not in active)
        self.meet("R8: once round and on", len(self.deck) > len(needy))
        while self.deck:
            if turn in active and len(self.hands[turn]) < 3:
                self.hands[turn].append(self.deck.pop(0))
            turn = (turn + 1) % self.players
        self.exhausted = True

    def decide(self, legal: dict[int, list[str]], forced: Iterable[int] = ()) -> dict[int, str]:
        """Check a decision line and read its choices; with nobody to ask there is none (G5).

        ``forced`` are the seats whose choice the page lets the engine take if it may.
        """
        if not legal:
            return {}
        self.check_conservation()
        self.decisions += 1
        self.reader.expect(
            {
                "type": "decision",
                "number": self.decisions,
                "asked": sorted(legal),
                "legal": {str(seat): actions for seat, actions in legal.items()},
                "views": self.views(sorted(legal)),
            }
        )
        return self.reader.choices(self.decisions, legal, list(forced) if self.auto_play_forced else [])

    def views(self, asked: list[int]) -> dict[str, Any]:
        """Build everybody's view of the table as it is now (G11)."""
        return {"spectator" if seat is None else str(seat): self.view(seat, asked) for seat in [*self.seats, None]}

    def view(self, seat: int | None, asked: list[int]) -> dict[str, Any]:
        """Build the view of a seat, or of the spectator for None, key by key as trace.md lists them."""
        return {
            "game": "shadow_thief",
            "seat": seat,
            "hand": None if seat is None else ordered(self.hands[seat], CARDS),
            "hand_sizes": [len(hand) for hand in self.hands],
            "asked": asked,
            "deal": self.deal,
            "round": self.round,
            "step": self.step,
            "scores": self.scores,
            "safes": [ordered(safe, CARDS) for safe in self.safes],
            "locks": self.locks,
            "front": [ordered(cards, CARDS) for cards in self.front],
            "deck_size": len(self.deck),
            "exhausted": self.exhausted,
            "discards": ordered(self.discards, CARDS),
            "put_back_count": self.put_back_count,
            "set_aside_count": len(self.set_aside),
            "unseen_count": len(self.unseen),
            "put_back": None if seat is None else ordered(self.put_back[seat], CARDS),
            "choice": None,
        }

    def check_conservation(self) -> None:
        """Assert that this oracle itself neither loses nor makes cards."""
        places = [self.deck, self.discards, self.set_aside, self.unseen, *self.hands, *self.front, *self.safes]
        cards = [card for place in places for card in place] + [lock for lock in self.locks if lock is not None]
        assert Counter(cards) == Counter(self.cards)


if __name__ == "__main__":
    sys.exit(trace_files.run("shadow_thief_oracle.py", sys.argv[1:], check))
