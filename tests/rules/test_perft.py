"""Perft: all ways to play the first decisions of small matches, counted, with their order pinned.

A number that changes says that something is legal that was not, or the other way round; a digest that changes while
the number stays says that legal actions stand in another order, or that choices lead elsewhere. A further game is a
line in `MATCHES`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat


@dataclass(frozen=True)
class Match:
    """A match whose draws are fixed, and what is known of its first decisions."""

    name: str
    game: str
    players: int
    options: Mapping[str, Any]
    shuffles: Mapping[str, str]
    """Outcomes by label, top card first; other draws come from the stream of the match's name."""
    sequences: tuple[int, ...]
    """How many sequences of 1, 2, … decisions there are; a match that ends sooner counts with its end."""
    digest: str
    """Of all sequences of the greatest length, each with what everybody sees after it, in their order."""


def seen(game: Any, state: Any, players: int) -> str:
    """A short sum of what all seats see together."""
    views = [game.view(state, Seat(seat)).to_json() for seat in range(players)]
    return sha256(json.dumps(views, sort_keys=True).encode()).hexdigest()[:8]


def ways(game: Any, players: int, state: Any, chance: Any, depth: int) -> Iterator[str]:
    """All sequences of that many decisions: in the order of the legal lists, the last asked seat's turning fastest."""
    asked = game.asked(state)
    if depth == 0 or not asked:
        yield seen(game, state, players)
        return
    for actions in itertools.product(*(game.legal(state, seat) for seat in asked)):
        chosen = dict(zip(asked, actions, strict=True))
        after = game.resolve(state, chosen, chance)
        told = ", ".join(f"{seat} {action.notation}" for seat, action in chosen.items())
        for rest in ways(game, players, after, chance, depth - 1):
            yield f"{told}; {rest}"


def begun(match: Match) -> tuple[Any, Any, Any]:
    """The game, the state before the first decision, and the chance of a match."""
    game = GAMES[match.game]
    draws = [Draw(label, "shuffle", tuple(order.split())) for label, order in match.shuffles.items()]
    chance = ScriptedChance(draws, StreamChance(key_of_seed(match.name)))
    return game, game.begin(game.configure(match.players, match.options), chance), chance


MATCHES = (
    Match(
        name="two seats rob the middle",
        game="art_robbery",
        players=2,
        options={"deck": {"N0": 2, "N1": 2, "N5": 2, "GD": 2, "GT": 2, "BS": 2}},
        shuffles={"deck": "N0 N1 N5 GD GT BS N0 N1 N5 GD GT BS"},
        sequences=(11, 33, 310, 930),
        digest="b905f5b95a1e9659",
    ),
    Match(
        name="three seats begin",
        game="big_max",
        players=3,
        options={},
        shuffles={},
        sequences=(11, 61, 416, 3316),
        digest="431fd3bbd5ace473",
    ),
    Match(
        name="three seats with few cards, gunmen and a standing thief",
        game="big_max",
        players=3,
        options={
            "deck": {"SC": 4, "MT": 1, "H2": 2, "H3": 1, "T2": 4, "T3": 2, "CS": 2, "GM": 3},
            "master_thief_must_be_laid": True,
            "turn_limit": 4,
        },
        shuffles={"deck": "T2 T2 GM T2 GM SC SC H2 T3 SC SC T3 CS T2 H3 GM MT CS H2"},
        sequences=(9, 63, 495, 3714),
        digest="4105681a9ca1986c",
    ),
    Match(
        name="four values of a type each, and thieves",
        game="shadow_thief",
        players=3,
        options={
            "deals": 1,
            "deck": {"B1": 1, "B2": 1, "B5": 1, "R1": 1, "R3": 1, "S4": 3, "S5": 1, "TX": 1, "TB": 1, "W2": 2},
        },
        shuffles={"deck/1": "B1 R1 TX B2 TB S4 B5 R3 S4 S4 W2 W2 S5"},
        sequences=(48, 309, 2747),
        digest="f91c1a28c94b7ae4",
    ),
    Match(
        name="the deck runs out and safes are locked",
        game="shadow_thief",
        players=3,
        options={"deals": 2, "deck": {"B1": 3, "R2": 3, "W3": 3, "S4": 5}},
        shuffles={"deck/1": "B1 R2 W3 B1 R2 W3 S4 S4 S4 R2 W3 B1 S4 S4"},
        sequences=(27, 92, 676, 1749),
        digest="cb6b68f5418af65c",
    ),
)


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: match.name)
def test_the_first_decisions_have_the_known_number_of_ways_in_the_known_order(match: Match) -> None:
    game, state, chance = begun(match)
    depths = range(1, len(match.sequences) + 1)

    found = {depth: list(ways(game, match.players, state, chance, depth)) for depth in depths}

    assert tuple(len(sequences) for sequences in found.values()) == match.sequences
    assert sha256("\n".join(found[len(match.sequences)]).encode()).hexdigest()[:16] == match.digest


def test_every_game_has_a_match() -> None:
    assert {match.game for match in MATCHES} == set(GAMES)
