"""What a bot is asked: one decision, with everything that its seat may know."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from random import Random

from cutpurse.v1.bot_pb2 import MatchOffered
from cutpurse.v1.game_pb2 import Action, View
from cutpurse.v1.match_pb2 import Decision as DecisionMessage
from cutpurse_sdk.errors import DecisionUnreadable
from cutpurse_sdk.games import GameView

__all__ = ["Decision", "Randomness"]


class Randomness:
    """Where `Decision.random` comes from: one key for a whole process, one independent source per decision.

    A source depends on the seed, the match, the seat and the decision, and on nothing else. A bot that keeps no memory
    of its own therefore plays the same again when it is started anew in the middle of a match.
    """

    __slots__ = ("_key",)

    def __init__(self, seed: str | None) -> None:
        # Hashed first, so that the key has a fixed length and no seed can imitate what follows it.
        self._key = os.urandom(32) if seed is None else hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()

    def source(self, match: str, seat: int, decision: int) -> Random:
        """The source of one decision, as fresh as if nothing had been drawn from it."""
        digest = hashlib.sha256(self._key + f"{match}/{seat}/{decision}".encode()).digest()
        return Random(int.from_bytes(digest, "big"))


class Decision:
    """A decision that waits for this bot's answer. Immutable; what costs something is made when it is asked for.

    `choose` answers it with one of `legal`, with an index into `legal`, or with an action message.
    """

    __slots__ = ("_legal", "_random", "_randomness", "message", "offer")

    message: DecisionMessage
    """The message as it came, for whatever has no property here."""
    offer: MatchOffered
    """What was said about the match before it began: options, clock, the names of the seats."""

    def __init__(self, message: DecisionMessage, offer: MatchOffered, randomness: Randomness) -> None:
        # Assignment is closed below, so that no bot changes a decision that is still to be answered.
        put = object.__setattr__
        put(self, "message", message)
        put(self, "offer", offer)
        put(self, "_randomness", randomness)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a decision cannot be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a decision cannot be changed: {name}")

    def __repr__(self) -> str:
        return (
            f"Decision(match={self.match!r}, decision={self.decision}, game={self.game!r}, seat={self.seat}, "
            f"legal={list(self.legal)})"
        )

    @property
    def match(self) -> str:
        """The match's identifier."""
        return self.message.match

    @property
    def decision(self) -> int:
        """Counts this seat's own decisions in this match, from 1."""
        return self.message.decision

    @property
    def game(self) -> str:
        """The game's identifier, such as `art_robbery`."""
        return self.message.view.WhichOneof("game") or self.offer.configuration.game

    @property
    def seat(self) -> int:
        """This bot's seat, from 0."""
        return self.message.seat

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.offer.players

    @property
    def view(self) -> GameView:
        """What this seat may know: the game's own message, such as `ArtRobberyView`; `isinstance` tells which.

        Raises `DecisionUnreadable` for a game that is newer than the installed cutpurse-proto.
        """
        view: View = self.message.view
        name = view.WhichOneof("game")
        if name is None:
            raise DecisionUnreadable(f"the installed cutpurse-proto does not know {self.game!r}: upgrade it")
        # The name is one of the fields of the oneof, each of which is the view of one game.
        found: GameView = getattr(view, name)
        return found

    @property
    def legal(self) -> Sequence[str]:
        """The legal actions in notation, in canonical order; never empty."""
        try:
            return self._legal
        except AttributeError:
            legal = tuple(self.message.legal)
            object.__setattr__(self, "_legal", legal)
            return legal

    @property
    def legal_actions(self) -> Sequence[Action]:
        """The same as typed messages. Raises `DecisionUnreadable` unless they were asked for."""
        if not self.message.legal_actions:
            raise DecisionUnreadable("typed actions are sent on request only: pass legal_actions=True")
        return self.message.legal_actions

    @property
    def decision_ms_left(self) -> int:
        """Milliseconds left for this decision before the bank is used, as of when the service sent it."""
        return self.message.decision_ms_left

    @property
    def bank_ms_left(self) -> int:
        """Milliseconds left in this seat's bank."""
        return self.message.bank_ms_left

    @property
    def last_charged_ms(self) -> int:
        """What was charged for this seat's last decision, in milliseconds."""
        return self.message.last_charged_ms

    @property
    def corrections_left(self) -> int | None:
        """Refused answers that may still be corrected; None where there is no limit."""
        return self.message.corrections_left if self.message.HasField("corrections_left") else None

    @property
    def random(self) -> Random:
        """A source of chance of this decision's own: a function of the seed, the match, the seat and the decision."""
        try:
            return self._random
        except AttributeError:
            source = self._randomness.source(self.match, self.seat, self.decision)
            object.__setattr__(self, "_random", source)
            return source

    # Made on first use; declared for the type checker.
    _legal: tuple[str, ...]
    _random: Random
    _randomness: Randomness
