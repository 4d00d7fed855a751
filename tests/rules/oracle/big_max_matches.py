"""Matches of Big Max's Inheritance that the engine plays for the oracle, random or set up card by card."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import play_through
from cutpurse_rules.trace import lines_of, match_line, numbered_names
from tests.rules.oracle.big_max_oracle import CARDS, HAND, PAGE_DECK, check

__all__ = [
    "IDLE",
    "RICH",
    "Choose",
    "Line",
    "by_intents",
    "decisions",
    "draw",
    "labels",
    "played",
    "result",
    "table",
    "trace",
]

Line = dict[str, Any]

Choose = Callable[[int, list[str]], str]
"""Chooses for a seat among the notations of its legal actions."""


def trace(players: int, options: Mapping[str, Any], chance: Chance, choose: Choose) -> list[str]:
    """The lines of a match that the engine plays."""
    game = GAMES["big_max"]

    def chosen(state: Any, seat: Seat) -> Any:
        return game.parse(choose(seat, [action.notation for action in game.legal(state, seat)]))

    config = game.configure(players, options)
    lines = [match_line(game, config, None, numbered_names(["random"] * players))]
    for part in play_through(game, config, chance, chosen):
        lines += lines_of(game, players, part)
    return lines


def by_intents(intents: Mapping[int, Sequence[str]]) -> Choose:
    """Every seat does on its turns what it means to, one after the other, and replies likewise.

    When it has no intent left, it does what is played when its time is over. An intent that is not legal when it is
    due is chosen all the same, so that the engine refuses it.
    """
    turns = {seat: [action for action in actions if not is_reply(action)] for seat, actions in intents.items()}
    replies = {seat: [action for action in actions if is_reply(action)] for seat, actions in intents.items()}

    def choose(seat: int, legal: list[str]) -> str:
        left = (replies if "decline" in legal else turns).get(seat)
        if left:
            return left.pop(0)
        return [action for action in legal if action == "decline" or action.startswith("discard")][-1]

    return choose


def is_reply(action: str) -> bool:
    """Tell a reply from the action of a turn."""
    return action in ("gunman", "decline") or (action.startswith("counter") and action.count(" ") == 1)


def played(
    hands: Sequence[str],
    pile: str,
    intents: Mapping[int, Sequence[str]],
    turns: int,
    *,
    draws: Mapping[str, str] | None = None,
    **options: Any,
) -> list[Line]:
    """Play a match of so many turns at most, let the oracle check it, and return its lines.

    Hands and pile (top card first) are cards with spaces between, and make up the whole deck. `draws` are outcomes of
    later draws by label; one card for a pick.
    """
    dealt = [hand.split() for hand in hands]
    assert all(len(hand) == HAND for hand in dealt)
    deck = [hand[place] for place in range(HAND) for hand in dealt] + pile.split()
    counts = Counter(deck)
    deck_option = {card: counts[card] for card in CARDS}
    assert deck_option != PAGE_DECK
    script = [Draw("deck", "shuffle", tuple(deck))]
    for label, outcome in (draws or {}).items():
        script.append(Draw(label, "pick" if label.startswith("sharp") else "shuffle", tuple(outcome.split())))
    chance = ScriptedChance(script, StreamChance(key_of_seed("played")))
    lines = trace(len(hands), {"deck": deck_option, "turn_limit": turns, **options}, chance, by_intents(intents))
    check(lines)
    return [json.loads(line) for line in lines]


IDLE = "H2 H2 H2 H2 H2 H2"
RICH = "SC SC SC SC SC T6"
"""Displays five suitcases, if it is let; the thief is drawn over and over."""


def table(line: Line) -> Line:
    """What everybody sees at a decision or at the end."""
    spectator: Line = line["views"]["spectator"]
    return spectator


def result(lines: list[Line]) -> tuple[str, list[int], list[int]]:
    """The reason, the scores and the placements."""
    return lines[-1]["reason"], lines[-1]["scores"], lines[-1]["placements"]


def labels(lines: list[Line]) -> list[str]:
    """The labels of all draws after the deal."""
    return [line["label"] for line in lines if line["type"] == "draw"][1:]


def draw(lines: list[Line], label: str) -> Line:
    """The draw with this label."""
    (found,) = [line for line in lines if line.get("label") == label]
    return found


def decisions(lines: list[Line], step: str) -> list[Line]:
    """The decisions of turns, or those of replies."""
    return [line for line in lines if line["type"] == "decision" and table(line)["step"] == step]
