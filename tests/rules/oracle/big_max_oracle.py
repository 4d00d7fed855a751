"""A second, independent reading of the page of Big Max's Inheritance, which checks whole traces.

It was written from the rule pages alone and shares no code with the engine. It is slow and plain on purpose: cards are
the page's own strings, everything lies in lists, the rules run as one program that stops at each decision to read it,
and a win breaks off whatever was going on. From a trace it takes only the configuration, the outcomes of the draws, and
the choices; it recomputes the rest and compares it byte for byte.

Run it with ``python tests/rules/oracle/big_max_oracle.py FILE…``: exit code 0 if every trace holds, 1 if one does not,
2 if it was called wrongly or a file cannot be read.
"""

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
from tests.rules.oracle.trace_lines import Mismatch, Reader, dump

__all__ = ["CARDS", "Mismatch", "check", "check_file"]

CARDS = ["SC", "MT", "H2", "H3", "H4", "H6", "T2", "T3", "T4", "T5", "T6", "CS", "GM"]
"""The kinds of card in canonical order (table Cards)."""
PAGE_DECK = dict(zip(CARDS, [20, 4, 6, 6, 5, 3, 6, 6, 5, 4, 3, 12, 8], strict=True))
HAND = 6
SUITCASES = 5
"""So many lie on display at most, and so many win."""
DEFENDERS = CARDS[1:6]
THIEVES = CARDS[6:11]
OPTIONS = {"auto_play_forced": bool, "master_thief_must_be_laid": bool, "turn_limit": int}

Thief = dict[str, Any]
"""A standing thief as trace.md writes it: card, employer, number of gunmen."""


def check(lines: Iterable[str]) -> None:
    """Check one whole trace, given as its lines (all with their line feed or all without).

    Raises Mismatch at the first line that differs from the pages.
    """
    reader = Reader(lines)
    Match(reader).play()
    reader.finish()


def check_file(path: Path) -> None:
    """Check the trace in a file; raises as ``trace_files.check_file`` does."""
    trace_files.check_file(path, check)


def value(card: str) -> int:
    """Tell the value of a thief or of a defender."""
    return 10 if card == "MT" else int(card[1:])


class Won(Exception):
    """A seat has just won, in the middle of whatever happens."""

    def __init__(self, seat: int) -> None:
        """Keep the winner."""
        super().__init__(f"seat {seat} wins")
        self.seat = seat


class Match:
    """One match, played along its trace."""

    def __init__(self, reader: Reader) -> None:
        """Read the configuration and lay out the table before the deal."""
        self.reader = reader
        players, self.options = read_match_line(reader, "big_max", range(3, 9), OPTIONS, {"deck"})
        self.deck = read_counts(reader, self.options, "deck", PAGE_DECK)
        if len(self.deck) < HAND * players:
            reader.refuse(f"match.options.deck has {len(self.deck)} cards, too few to deal {HAND} to {players} seats")
        self.seats = list(range(players))
        self.pile: list[str] = []
        self.discards: list[str] = []
        self.hands: list[list[str]] = [[] for _ in self.seats]
        self.displays = [0 for _ in self.seats]
        self.standing: list[list[Thief]] = [[] for _ in self.seats]
        self.sharps: list[list[dict[str, Any]]] = [[] for _ in self.seats]
        self.challenge: dict[str, Any] | None = None
        self.turn = self.turn_seat = self.decisions = self.reshuffles = self.sharps_played = 0
        self.step = "TURN"

    def play(self) -> None:
        """Play from the deal to the result line."""
        winner = None
        try:
            self.deal()
            for turn in range(1, self.options["turn_limit"] + 1):  # R8
                self.turn = turn
                self.turn_seat = (turn - 1) % len(self.seats)
                if self.hands[self.turn_seat]:  # R10
                    self.play_turn(self.turn_seat)
        except Won as won:
            winner = won.seat
        self.step = "OVER"
        self.check_conservation()
        scores, placements = self.rank(winner)
        self.reader.expect(
            {
                "type": "result",
                "scores": scores,
                "placements": placements,
                "reason": "STALLED" if winner is None else "WON",
                "views": self.views([]),
            }
        )

    def rank(self, winner: int | None) -> tuple[list[int], list[int]]:
        """Return scores and placements: the winner before all others, these by their suitcases alone (R7, R8, G9)."""
        scores = [count + (5 if seat == winner else 0) for seat, count in enumerate(self.displays)]
        merits = [(seat == winner, count) for seat, count in enumerate(self.displays)]
        return scores, [1 + sum(other > own for other in merits) for own in merits]

    def deal(self) -> None:
        """Shuffle and deal one card at a time in seat order."""
        self.pile = self.reader.shuffle("deck", self.deck)
        for _ in range(HAND):
            for seat in self.seats:
                self.hands[seat].append(self.pile.pop(0))

    def play_turn(self, seat: int) -> None:
        """Play exactly one card, with all that follows from it."""
        verb, *words = self.decide(seat, self.turn_actions(seat), forced=False).split()
        if verb == "discard":
            self.hands[seat].remove(words[0])
            self.discards.append(words[0])
            self.refill(seat)
        elif verb == "display":
            self.hands[seat].remove("SC")
            self.displays[seat] += 1
            self.look_for_a_winner()
            self.refill(seat)
        elif verb == "challenge":
            self.play_challenge(seat, int(words[0]), words[1])
        elif verb == "sharp":
            self.play_sharp(seat, int(words[0]))
        elif verb == "counter":
            thief = self.standing[seat].pop(int(words[0]))
            self.hands[seat].remove(words[1])
            self.discards += [words[1], *cards_of(thief)]
            self.refill(seat)
        else:
            assert verb == "lay"
            self.hands[seat].remove("MT")
            self.discards.append("MT")
            raise Won(seat)

    def turn_actions(self, seat: int) -> list[str]:
        """List what a seat may do on its turn in the order of the table Actions and notation (G4, G6)."""
        held = [card for card in CARDS if card in self.hands[seat]]
        others = [other for other in self.seats if other != seat]
        actions = [f"discard {card}" for card in held]
        if "SC" in held and not self.standing[seat] and self.displays[seat] < SUITCASES:
            actions.append("display")
        actions += [f"challenge {other} {card}" for other in others for card in held if card in THIEVES]
        if "CS" in held:
            actions += [f"sharp {other}" for other in others if self.hands[other]]
        for position, thief in enumerate(self.standing[seat]):
            # G4: the same again as the one before it; only the first of such a row is named.
            if position > 0 and thief == self.standing[seat][position - 1]:
                continue
            actions += [f"counter {position} {card}" for card in held if defends(card, thief)]
        if self.options["master_thief_must_be_laid"] and self.displays[seat] == SUITCASES and "MT" in held:
            actions.append("lay")
        return actions

    def play_challenge(self, challenger: int, target: int, card: str) -> None:
        """Lay the thief down, draw, and let the targets reply until the challenge is over (R1)."""
        self.hands[challenger].remove(card)
        challenge = {"card": card, "challenger": challenger, "employer": challenger, "target": target, "gunmen": 0}
        self.challenge, self.step = challenge, "REPLY"
        self.refill(challenger)
        while self.step == "REPLY":
            self.reply(challenge)

    def reply(self, challenge: dict[str, Any]) -> None:
        """Let the target of the running challenge reply once."""
        target, employer = challenge["target"], challenge["employer"]
        hand = self.hands[target]
        actions = [f"counter {card}" for card in DEFENDERS if card in hand and defends(card, challenge)]
        actions += ["gunman"] if "GM" in hand else []
        actions.append("decline")
        verb, *words = self.decide(target, actions, forced=not hand).split()
        if verb == "counter":
            hand.remove(words[0])
            self.challenge, self.step = None, "TURN"
            self.discards += [words[0], *cards_of(challenge)]
            self.refill(target)
        elif verb == "gunman":
            hand.remove("GM")
            challenge["gunmen"] += 1
            challenge["target"], challenge["employer"] = employer, target
            self.refill(target)
        elif self.displays[target] > 0:
            self.challenge, self.step = None, "TURN"
            self.discards += cards_of(challenge)
            self.displays[target] -= 1
            self.look_for_a_winner()
            self.gain_suitcase(employer)
        else:
            self.challenge, self.step = None, "TURN"
            self.standing[target].append({key: challenge[key] for key in ("card", "employer", "gunmen")})

    def gain_suitcase(self, receiver: int) -> None:
        """Hand a suitcase on along the oldest standing thieves (R5) to the one who keeps it, or loses it (R3)."""
        while self.standing[receiver]:
            thief = self.standing[receiver].pop(0)
            self.discards += cards_of(thief)
            receiver = thief["employer"]
        if self.displays[receiver] < SUITCASES:
            self.displays[receiver] += 1
        else:
            self.discards.append("SC")
        self.look_for_a_winner()

    def play_sharp(self, seat: int, victim: int) -> None:
        """Take a card unseen; the victim alone draws, and exactly one (R9, R11)."""
        self.hands[seat].remove("CS")
        self.discards.append("CS")
        self.sharps_played += 1
        card = self.pick(f"sharp/{self.sharps_played}", ordered(self.hands[victim], CARDS))
        self.hands[victim].remove(card)
        self.hands[seat].append(card)
        for concerned in (seat, victim):
            self.sharps[concerned].append({"from": victim, "to": seat, "card": card})
        self.look_for_a_winner()
        self.draw(victim)

    def refill(self, seat: int) -> None:
        """Draw up to six, as long as there is something to draw (R1, R12)."""
        while len(self.hands[seat]) < HAND and (self.pile or self.discards):
            self.draw(seat)

    def draw(self, seat: int) -> None:
        """Draw one card, from the discards if the pile is empty (R13: whatever was just discarded is among them)."""
        if not self.pile and self.discards:
            self.reshuffles += 1
            self.pile = self.reader.shuffle(f"reshuffle/{self.reshuffles}", ordered(self.discards, CARDS))
            self.discards = []
        if self.pile:
            self.hands[seat].append(self.pile.pop(0))
            self.look_for_a_winner()

    def look_for_a_winner(self) -> None:
        """Break off if somebody has five suitcases on display and holds a Master Thief (R6)."""
        if self.options["master_thief_must_be_laid"]:
            return
        winners = [seat for seat in self.seats if self.displays[seat] == SUITCASES and "MT" in self.hands[seat]]
        assert len(winners) <= 1, "at most one seat can qualify at a time"
        for winner in winners:
            raise Won(winner)

    def pick(self, label: str, cards: list[str]) -> str:
        """Read the pick that is due now and return its card (G3)."""
        assert cards, "nobody picks from an empty hand"
        line = self.reader.read("draw")
        card = line.get("outcome")
        self.reader.compare({"type": "draw", "label": label, "kind": "pick", "outcome": card}, line)
        if not isinstance(card, str) or card not in cards:
            self.reader.refuse(f"{label} picks {dump(card)} from the hand {cards}")
        return card

    def decide(self, seat: int, legal: list[str], *, forced: bool) -> str:
        """Check the decision line of one asked seat and read its choice, FORCED if the engine may take it (G5)."""
        self.check_conservation()
        self.decisions += 1
        self.reader.expect(
            {
                "type": "decision",
                "number": self.decisions,
                "asked": [seat],
                "legal": {str(seat): legal},
                "views": self.views([seat]),
            }
        )
        default = [action for action in legal if action == "decline" or action.startswith("discard")][-1]
        forced_seats = [seat] if forced and self.options["auto_play_forced"] else []
        return self.reader.choices(self.decisions, {seat: legal}, forced_seats, {seat: default})[seat]

    def views(self, asked: list[int]) -> dict[str, Any]:
        """Build everybody's view of the table as it is now (G11)."""
        return {"spectator" if seat is None else str(seat): self.view(seat, asked) for seat in [*self.seats, None]}

    def view(self, seat: int | None, asked: list[int]) -> dict[str, Any]:
        """Build the view of a seat, or of the spectator for None, key by key as trace.md lists them."""
        return {
            "game": "big_max",
            "seat": seat,
            "hand": None if seat is None else ordered(self.hands[seat], CARDS),
            "hand_sizes": [len(hand) for hand in self.hands],
            "asked": asked,
            "turn": self.turn,
            "turn_seat": self.turn_seat,
            "step": self.step,
            "displays": self.displays,
            "standing": self.standing,
            "challenge": self.challenge,
            "discards": ordered(self.discards, CARDS),
            "pile_size": len(self.pile),
            "sharps": None if seat is None else self.sharps[seat],
        }

    def check_conservation(self) -> None:
        """Assert that this oracle itself neither loses nor makes cards, and what the page says must always hold."""
        cards = self.pile + self.discards + ["SC"] * sum(self.displays)
        for hand in self.hands:
            assert len(hand) <= HAND
            cards += hand
        for seat, thieves in enumerate(self.standing):
            # R5: a seat with a standing thief never has a suitcase on display.
            assert not (thieves and self.displays[seat])
            for thief in thieves:
                assert thief["employer"] != seat
                cards += cards_of(thief)
        if self.challenge is not None:
            assert self.challenge["employer"] != self.challenge["target"]
            cards += cards_of(self.challenge)
        assert all(0 <= count <= SUITCASES for count in self.displays)
        assert Counter(cards) == Counter(self.deck)


def cards_of(thief: Thief) -> list[str]:
    """The thief, standing or in a challenge, with the gunmen under it."""
    return [thief["card"], *["GM"] * thief["gunmen"]]


def defends(card: str, thief: Thief) -> bool:
    """Say whether a card is a defender that is strong enough against a thief, standing or in a challenge."""
    return card in DEFENDERS and value(card) >= value(thief["card"])


if __name__ == "__main__":
    sys.exit(trace_files.run("big_max_oracle.py", sys.argv[1:], check))
