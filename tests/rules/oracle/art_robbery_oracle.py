"""A second, independent reading of the Art Robbery page, which checks whole traces.

It was written from the rule pages alone and shares no code with the engine. It is slow and plain on purpose: cards and
tiles are the pages' own strings, everything lies in lists, nothing is remembered between steps, and R7 is brute force.
From a trace it takes only the configuration, the outcomes of the draws, and the choices; it recomputes the rest and
compares it byte for byte.

Run it with ``python tests/rules/oracle/art_robbery_oracle.py FILE…``: exit code 0 if every trace holds, 1 if one does
not, 2 if it was called wrongly or a file cannot be read.
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
from tests.rules.oracle.art_robbery_end import TILES, SafeTile, rank, settle
from tests.rules.oracle.match_lines import ordered, read_counts, read_match_line
from tests.rules.oracle.trace_lines import Mismatch, Reader

__all__ = ["Mismatch", "check", "check_file"]

CARDS = ["N0", "N1", "N2", "N3", "N4", "N5", "GD", "GT", "BS"]
"""The kinds of card in canonical order (table Cards)."""
PAGE_DECK = {"N0": 6, "N1": 6, "N2": 6, "N3": 6, "N4": 6, "N5": 6, "GD": 6, "GT": 7, "BS": 6}
PAGE_TILES = {"0.3": 1, "0.2": 1, "1.1": 2, "2.1": 1, "3.0": 1, "4.0": 1, "5.0": 1, "BOSS": 1}
HEISTS = 4
HAND = 5


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


def read_match(reader: Reader) -> tuple[int, int, list[str], list[str]]:
    """Read the match line: number of players, turn limit of a heist, the cards, the tiles of one heist."""
    options_due = {"auto_play_forced": bool, "heist_turn_limit": int}
    players, options = read_match_line(reader, "art_robbery", range(2, 6), options_due, {"deck", "tiles"})
    deck, tiles = read_counts(reader, options, "deck", PAGE_DECK), read_counts(reader, options, "tiles", PAGE_TILES)
    if len(deck) < HAND * players:
        reader.refuse(f"match.options.deck has {len(deck)} cards, too few to deal {HAND} to {players} seats")
    if not tiles or tiles.count("BOSS") > 1:
        reader.refuse("match.options.tiles needs at least one tile and at most one BOSS")
    return players, options["heist_turn_limit"], deck, tiles


class Match:
    """One match, played along its trace."""

    def __init__(self, reader: Reader) -> None:
        """Read the configuration and lay out the table before the deal."""
        self.reader = reader
        self.players, self.limit, self.deck, self.tiles = read_match(reader)
        self.seats = list(range(self.players))
        self.pile: list[str] = []
        self.discards: list[str] = []
        self.hands: list[list[str]] = [[] for _ in self.seats]
        self.middle: list[str] = []
        self.front: list[list[str]] = [[] for _ in self.seats]
        self.safe: list[list[SafeTile]] = [[] for _ in self.seats]
        self.out: list[str] = []
        self.dog: int | None = None
        self.taking: dict[str, Any] | None = None
        self.heist = self.turn = self.turn_seat = self.reshuffles = self.decisions = 0
        self.step = "TURN"

    def play(self) -> None:
        """Play from the deal to the result line."""
        self.pile = self.reader.shuffle("deck", self.deck)
        for _ in range(HAND):
            for seat in self.seats:
                self.hands[seat].append(self.pile.pop(0))
        starter = 0  # R1
        for heist in range(1, HEISTS + 1):
            self.heist = heist
            starter = self.play_heist(starter)
        self.step = "OVER"
        kept, discarded = settle(self.safe)
        self.safe = kept
        self.out += [tile for _, tile in discarded]
        scores, placements = rank([[tile for _, tile in tiles] for tiles in kept])
        self.check_conservation()
        self.reader.expect(
            {
                "type": "result",
                "scores": scores,
                "placements": placements,
                "reason": "COMPLETED",
                "views": self.views([]),
            }
        )

    def play_heist(self, starter: int) -> int:
        """Play one heist from its first seat; return the seat that begins the next one (R5)."""
        self.middle = list(self.tiles)
        self.turn_seat = starter
        for turn in range(1, self.limit + 1):  # R9
            self.turn = turn
            self.turn_seat = (starter + turn - 1) % self.players
            self.play_turn()
            if not self.middle:
                break
        for seat in self.seats:
            held = self.front[seat]
            if "BOSS" in held and "4.0" not in held and "5.0" not in held:
                held.remove("BOSS")
                self.out.append("BOSS")
            self.safe[seat] += [(self.heist, tile) for tile in held]
            self.front[seat] = []
        self.out += self.middle
        self.middle = []
        return (self.turn_seat + 1) % self.players if self.dog is None else self.dog

    def play_turn(self) -> None:
        """Play a card, apply it, draw back to five: also when the heist is over (R4)."""
        seat = self.turn_seat
        self.check_conservation()
        words = self.decide(seat, self.legal(seat)).split()
        card = words[1]
        self.hands[seat].remove(card)
        self.discards.append(card)
        if card == "GD":
            self.dog = seat
        elif card == "BS":
            if "BOSS" in self.middle:
                self.take(seat, card, "BOSS", "middle")
            for other in self.seats:
                if other != seat and "BOSS" in self.front[other]:
                    self.take(seat, card, "BOSS", str(other))
                    break
        elif len(words) > 2:
            self.take(seat, card, tile=words[3], source=words[5])
        if not self.pile:
            # R2: the card just played lies among the discards.
            self.reshuffles += 1
            self.pile = self.reader.shuffle(f"reshuffle/{self.reshuffles}", self.discards)
            self.discards = []
        self.hands[seat].append(self.pile.pop(0))

    def legal(self, seat: int) -> list[str]:
        """List the actions of a turn in the order of the table Actions and notation (G4, G6, R3)."""
        actions = []
        for card in CARDS:
            if card not in self.hands[seat]:
                continue
            sources: list[tuple[str, list[str]]] = []
            if card == "GT":
                sources = [("middle", self.middle)]
            elif card.startswith("N"):
                sources = [("middle", of_value(card[1], self.middle))]
                if not sources[0][1]:
                    sources = [(str(s), of_value(card[1], self.front[s])) for s in self.seats if s != seat]
            takes = [
                f"play {card} take {tile} from {source}" for source, tiles in sources for tile in TILES if tile in tiles
            ]
            actions += takes or [f"play {card}"]
        return actions

    def take(self, seat: int, card: str, tile: str, source: str) -> None:
        """Move a tile to the seat in turn, unless the dog's owner gives the dog instead."""
        if source == "middle":
            self.middle.remove(tile)
            self.front[seat].append(tile)
            return
        victim = int(source)
        if self.dog == victim:
            self.step, self.taking = "ANSWER", {"card": card, "seat": seat, "from": victim, "tile": tile}
            answer = self.decide(victim, ["give tile", "give dog"])
            self.step, self.taking = "TURN", None
            if answer == "give dog":
                self.dog = seat
                return
        self.front[victim].remove(tile)
        self.front[seat].append(tile)

    def decide(self, seat: int, legal: list[str]) -> str:
        """Check the decision line of one asked seat and read its choice; the first action is always the default."""
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
        # In this game the engine takes no decision (G5).
        return self.reader.choices(self.decisions, {seat: legal})[seat]

    def views(self, asked: list[int]) -> dict[str, Any]:
        """Build everybody's view of the table as it is now (G11)."""
        return {"spectator" if seat is None else str(seat): self.view(seat, asked) for seat in [*self.seats, None]}

    def view(self, seat: int | None, asked: list[int]) -> dict[str, Any]:
        """Build the view of a seat, or of the spectator for None, key by key as trace.md lists them."""
        return {
            "game": "art_robbery",
            "seat": seat,
            "hand": None if seat is None else ordered(self.hands[seat], CARDS),
            "hand_sizes": [len(hand) for hand in self.hands],
            "asked": asked,
            "heist": self.heist,
            "turn": self.turn,
            "turn_seat": self.turn_seat,
            "step": self.step,
            "middle": ordered(self.middle, TILES),
            "front": [ordered(tiles, TILES) for tiles in self.front],
            "safe": [ordered([tile for _, tile in tiles], TILES) for tiles in self.safe],
            "out": ordered(self.out, TILES),
            "dog": self.dog,
            "taking": self.taking,
            "discards": ordered(self.discards, CARDS),
            "pile_size": len(self.pile),
        }

    def check_conservation(self) -> None:
        """Assert that this oracle itself neither loses nor makes cards and tiles."""
        cards = self.pile + self.discards + [card for hand in self.hands for card in hand]
        assert Counter(cards) == Counter(self.deck)
        tiles = self.middle + self.out + [tile for front in self.front for tile in front]
        tiles += [tile for safe in self.safe for _, tile in safe]
        assert Counter(tiles) == Counter(self.tiles * self.heist)
        assert all(len(hand) == HAND for hand in self.hands)


def of_value(number: str, tiles: list[str]) -> list[str]:
    """Pick the tiles that a Number card takes; the Boss tile is not a tile of value 5."""
    return [tile for tile in tiles if tile.split(".")[0] == number]


if __name__ == "__main__":
    sys.exit(trace_files.run("art_robbery_oracle.py", sys.argv[1:], check))
