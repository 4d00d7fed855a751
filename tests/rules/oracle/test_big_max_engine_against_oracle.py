"""The engine's traces of random matches, over all player counts, options and styles of play, hold before the oracle."""

import random
from typing import Any

import pytest

from cutpurse_rules.chance import Draw, ScriptedChance, StreamChance, key_of_seed
from tests.rules.oracle.big_max_matches import Choose, trace
from tests.rules.oracle.big_max_oracle import CARDS, HAND, PAGE_DECK, Mismatch, check

VERBS = ["discard", "display", "challenge", "sharp", "counter", "gunman", "decline", "lay"]


def style_of(chooser: random.Random) -> Choose:
    """A way to choose in which some verbs are much likelier than others; within a verb all actions are alike."""
    weights = {verb: 10 ** chooser.uniform(-2, 2) for verb in VERBS}

    def choose(seat: int, legal: list[str]) -> str:
        verbs = sorted({action.split()[0] for action in legal})
        (verb,) = chooser.choices(verbs, [weights[each] for each in verbs])
        return chooser.choice([action for action in legal if action.split()[0] == verb])

    return choose


def small_deck(players: int, chooser: random.Random) -> dict[str, int]:
    """A deck of a few cards more than are dealt, so that pile and discards run out; any kind may be lacking."""
    weights = [chooser.choice([0, 1, 1, 2, 4]) * count for count in PAGE_DECK.values()]
    weights[0] += 1
    size = HAND * players + chooser.choice([0, 1, 2, 5, 10, 30])
    drawn = chooser.choices(CARDS, weights, k=size)
    return {card: drawn.count(card) for card in CARDS}


def random_options(players: int, chooser: random.Random) -> dict[str, Any]:
    """Options of a match, the page's own values often among them."""
    options: dict[str, Any] = {}
    if chooser.random() < 0.5:
        options["master_thief_must_be_laid"] = True
    if chooser.random() < 0.3:
        options["auto_play_forced"] = False
    if chooser.random() < 0.9:
        options["turn_limit"] = chooser.choice([1, 10, 40, 40, 90, 160])
    if chooser.random() < 0.7:
        options["deck"] = small_deck(players, chooser)
    return options


def random_trace(players: int, seed: str) -> list[str]:
    """A match in which everything depends on the seed."""
    chooser = random.Random(seed)
    options = random_options(players, chooser)
    return trace(players, options, StreamChance(key_of_seed(seed)), style_of(chooser))


@pytest.mark.parametrize("players", range(3, 9))
def test_random_matches_agree_line_by_line(players: int) -> None:
    for number in range(5):
        check(random_trace(players, f"{players}/{number}"))


@pytest.mark.slow
@pytest.mark.parametrize("players", range(3, 9))
def test_twenty_random_matches_agree_line_by_line(players: int) -> None:
    for number in range(100, 120):
        check(random_trace(players, f"{players}/{number}"))


@pytest.mark.long
@pytest.mark.parametrize("players", range(3, 9))
def test_five_hundred_random_matches_agree_line_by_line(players: int) -> None:
    for number in range(100, 600):
        check(random_trace(players, f"{players}/{number}"))


@pytest.mark.parametrize("players", [3, 5, 8])
def test_matches_with_a_scripted_deck_agree(players: int) -> None:
    cards = [card for card in CARDS for _ in range(PAGE_DECK[card])]
    for number, order in enumerate([cards, cards[::-1], random.Random(players).sample(cards, len(cards))]):
        seed = f"scripted/{players}/{number}"
        script = ScriptedChance([Draw("deck", "shuffle", tuple(order))], StreamChance(key_of_seed(seed)))
        check(trace(players, {"turn_limit": 60}, script, style_of(random.Random(seed))))


def test_the_random_matches_bring_out_what_is_rare() -> None:
    text = "\n".join(line for number in range(12) for line in random_trace(3, f"3/{number}"))

    for what in ('"WON"', '"STALLED"', '"sharp/', '"reshuffle/2"', '"gunmen":2', '"counter 2 '):
        assert what in text, what


def test_a_match_under_another_limit_does_not_hold() -> None:
    lines = trace(3, {"turn_limit": 9}, StreamChance(key_of_seed("limit")), lambda seat, legal: legal[0])
    check(lines)
    lines[0] = lines[0].replace('"turn_limit":9', '"turn_limit":10')

    with pytest.raises(Mismatch, match="line 21: a line of type decision is due"):
        check(lines)
