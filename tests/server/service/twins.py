"""Two deals of Art Robbery between which a viewer cannot tell, and what the service shows of a match played on one.

A deal is an order of the deck. A twin of it leads, by the same choices, through the same hands of the viewer, while
other seats hold and will draw other cards. So what the viewer may know is the same by the rules of the game alone, and
everything that it receives has to be.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.art_robbery.state import State
from cutpurse_rules.chance import Chance, Draw, RecordedChance, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal
from cutpurse_server.matches import record

__all__ = ["SEED", "Deal", "Play", "deal_cards", "played_deal", "twin_of"]

SEED = "twins-9f31c7"
PLAYERS = 3
_GAME = GAMES["art_robbery"]

Deal = tuple[str, ...]
"""The deck, top card first."""


class Play(NamedTuple):
    """A deal, the choices made on it, and the state to which they led."""

    deal: Deal
    choices: tuple[tuple[int, str], ...]
    """Seat and notation, in order."""
    end: State


def played_deal(decisions: int, dice: random.Random) -> Play:
    """The seed's own deal, played at random for so many decisions."""
    chance = RecordedChance(StreamChance(key_of_seed(SEED)))
    state: State = _GAME.begin(_GAME.configure(PLAYERS), chance)
    (deck,) = chance.take()
    choices = []
    for _ in range(decisions):
        (seat,) = _GAME.asked(state)
        action = dice.choice(_GAME.legal(state, seat))
        choices.append((int(seat), action.notation))
        state = _GAME.resolve(state, {seat: action}, chance)
    return Play(deck.outcome, tuple(choices), state)


def twin_of(play: Play, viewer: int | None, dice: random.Random) -> Play:
    """The same choices on another deal: the viewer's hand is the same all the time, hidden cards are not."""
    hands = _hands(play.deal, play.choices, viewer)
    deck = list(play.deal)
    for _ in range(400):
        one, other = dice.sample(range(len(deck)), 2)
        deck[one], deck[other] = deck[other], deck[one]
        if _hands(deck, play.choices, viewer) != hands:
            deck[one], deck[other] = deck[other], deck[one]
    states = _states(deck, play.choices)
    assert states is not None
    twin = Play(tuple(deck), play.choices, states[-1])
    assert all(twin.end.hands[seat] != play.end.hands[seat] for seat in range(PLAYERS) if seat != viewer), (
        "every other hand should differ in the end"
    )
    assert twin.end.pile != play.end.pile
    return twin


def _hands(deck: Sequence[str], choices: Sequence[tuple[int, str]], viewer: int | None) -> list[bytes] | None:
    states = _states(deck, choices)
    if states is None:
        return None
    return [b"" if viewer is None else state.hands[viewer] for state in states]


def _states(deck: Sequence[str], choices: Sequence[tuple[int, str]]) -> list[State] | None:
    """The states through which the choices lead; None if one of them is not legal on this deal."""
    chance = _chance(deck, key_of_seed(SEED))
    states: list[State] = [_GAME.begin(_GAME.configure(PLAYERS), chance)]
    for seat, notation in choices:
        action = _GAME.parse(notation)
        try:
            _GAME.verify(states[-1], Seat(seat), action)
        except Illegal:
            return None
        states.append(_GAME.resolve(states[-1], {Seat(seat): action}, chance))
    return states


def _chance(deck: Sequence[str], key: bytes) -> Chance:
    return ScriptedChance([Draw("deck", "shuffle", tuple(deck))], StreamChance(key))


def deal_cards(monkeypatch: pytest.MonkeyPatch, deal: Deal) -> None:
    """Let every match of the service be dealt like this."""
    monkeypatch.setattr(record, "StreamChance", lambda key: _chance(deal, key))
