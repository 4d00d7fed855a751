"""Matches of the Shadow Thief in which what is rare elsewhere happens often: tables, styles of play, stacked decks."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.chance import Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import Choose
from tests.rules.oracle.engine_traces import engine_trace
from tests.rules.oracle.shadow_thief_oracle import CARDS, PAGE_DECK

__all__ = ["GAME", "random_trace", "stacked_trace"]

GAME = GAMES["shadow_thief"]


def random_trace(seed: str, players: int, options: Mapping[str, Any] | None = None) -> list[str]:
    """A match with a style of play that depends on the seed; without options, on a table that depends on it too."""
    dealer = random.Random(seed)
    table = random_options(dealer, players) if options is None else options
    return engine_trace(GAME, players, table, seed, styled(dealer))


def random_options(dealer: random.Random, players: int) -> dict[str, Any]:
    """Options; most decks are small, so that they are soon exhausted, and some lack whole kinds of cards."""
    options: dict[str, Any] = {"auto_play_forced": dealer.random() < 0.7, "deals": dealer.choice([1, 1, 1, 2])}
    if dealer.random() < 0.8:
        size = 4 * players + dealer.choice([0, 1, 2, 3, 5, 8, 13, 21, 34])
        weights = {"S": dealer.choice([0, 1, 2, 6]), "T": dealer.choice([0, 1, 3])}
        pool = [card for card in PAGE_DECK for _ in range(PAGE_DECK[card] * weights.get(card[0], 1))]
        options["deck"] = small_deck(dealer, pool, size)
    return options


def small_deck(dealer: random.Random, pool: Sequence[str], size: int) -> dict[str, int]:
    """The counts of so many cards of a pool, or of all if it has fewer; each thief at most once."""
    counts: Counter[str] = Counter()
    for card in dealer.sample(pool, len(pool)):
        if counts.total() < size and not (card[0] == "T" and counts[card]):
            counts[card] += 1
    return dict(counts)


def styled(dealer: random.Random) -> Choose[Any, Any]:
    """Choices at random with a leaning of the match: to lock, to steal, to play jewelry, or to add much."""
    leaning = dealer.choice(["S", "S", "T", "BRWC", "STBRWC"])
    strength, greed = dealer.choice([0.3, 0.7, 1.0]), dealer.choice([0.0, 0.3, 1.0])

    def choose(state: Any, seat: Seat) -> Any:
        legal = GAME.legal(state, seat)
        if legal[0].notation == "add" and dealer.random() < greed:
            return legal[-1]
        liked = [action for action in legal if action.notation[5:6] in leaning]
        return dealer.choice(liked if liked and dealer.random() < strength else legal)

    return choose


def stacked_trace(
    hands: Sequence[str], rest: str, plans: Sequence[str], *, returns: Mapping[str, str] | None = None, **options: Any
) -> list[str]:
    """A match of one deal in which the seats are dealt these hands and the rest lies below them, top card first.

    A plan is what a seat chooses, in order and separated by commas; forced choices are no part of it, and at its end
    the seat takes the first legal action. ``returns`` gives the order of cards that go under the deck, by label.
    """
    dealt = [card for each in zip(*(hand.split() for hand in hands), strict=True) for card in each] + rest.split()
    counts = Counter(dealt)
    draws = [Draw("deck/1", "shuffle", tuple(dealt))]
    draws += [Draw(label, "shuffle", tuple(cards.split())) for label, cards in (returns or {}).items()]
    left = [[choice.strip() for choice in plan.split(",") if choice.strip()] for plan in plans]

    def choose(state: Any, seat: Seat) -> Any:
        return GAME.parse(left[seat].pop(0)) if left[seat] else GAME.legal(state, seat)[0]

    table = {"deals": 1, "deck": {card: counts[card] for card in CARDS}, **options}
    chance = ScriptedChance(draws, StreamChance(key_of_seed("stacked")))
    lines = engine_trace(GAME, len(hands), table, "stacked", choose, chance)
    assert not any(left), f"choices that nobody asked for: {left}"
    return lines
