"""Rock, paper, scissors on the contract (RULES.md): the smallest game that uses all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import (
    Config,
    EndReason,
    Game,
    Happening,
    Option,
    OptionKind,
    Result,
    Seat,
)
from cutpurse_rules.errors import Illegal, Malformed, Reason
from cutpurse_rules.multisets import multiset_of, notations, without_one
from tests.rules.rock_paper_scissors.names import NAMES
from tests.rules.rock_paper_scissors.state import SHAPES, STAKES, RockPaperScissorsView, Show, State, view_for

PER_KIND = 2
STAKES_PER_KIND = 3
ROUNDS = PER_KIND * len(SHAPES)
HAND = multiset_of(dict.fromkeys(SHAPES, PER_KIND), SHAPES)
PILE = multiset_of(dict.fromkeys(STAKES, STAKES_PER_KIND), STAKES)
SHOWS = {show.notation: show for show in map(Show, range(1, len(SHAPES) + 1))}


class RockPaperScissors(Game[State, Show, RockPaperScissorsView]):
    """Two seats choose at once."""

    id: ClassVar = "rock_paper_scissors"
    name: ClassVar = "Rock, Paper, Scissors"
    min_players: ClassVar = 2
    max_players: ClassVar = 2
    options: ClassVar = (
        Option("auto_play_forced", OptionKind.BOOLEAN, "The engine shows a hand's only kind itself.", True),
        Option("rounds", OptionKind.INTEGER, "How many rounds are played.", ROUNDS, minimum=1, maximum=ROUNDS),
    )
    components: ClassVar[Mapping[str, tuple[str, ...]]] = {"cards": STAKES, "shapes": SHAPES}
    names: ClassVar = NAMES

    def begin(self, config: Config, chance: Chance) -> State:
        """Shuffle the stakes; the first is turned up."""
        order = chance.shuffle("stakes", notations(PILE, STAKES))
        stakes = bytes(PILE[place] for place in order)
        return State(rounds_left=config.options["rounds"], hands=(HAND, HAND), stakes=stakes, points=(0, 0))

    def asked(self, state: State) -> tuple[Seat, ...]:
        """Both seats, round after round."""
        return state.asked()

    def legal(self, state: State, seat: Seat) -> Sequence[Show]:
        """One of each kind that the seat has left."""
        return [Show(shape) for shape in sorted(set(state.hands[seat]))] if seat in state.asked() else []

    def verify(self, state: State, seat: Seat, action: Show) -> None:
        """Any card may be shown that the seat still has."""
        if seat not in state.asked():
            raise Illegal(Reason.NOT_ASKED)
        if action.shape not in state.hands[seat]:
            raise Illegal(Reason.CARD_NOT_HELD)

    def resolve(self, state: State, chosen: Mapping[Seat, Show], chance: Chance) -> State:
        """Both cards are revealed together; the winner gets the stake."""
        shown = chosen[Seat(0)].shape, chosen[Seat(1)].shape
        won = [0, 0]
        if (winner := winner_of(shown)) is not None:
            won[winner] = state.stakes[0]
        return State(
            rounds_left=state.rounds_left - 1,
            hands=(without_one(state.hands[0], shown[0]), without_one(state.hands[1], shown[1])),
            stakes=state.stakes[1:],
            points=(state.points[0] + won[0], state.points[1] + won[1]),
        )

    def default(self, state: State, seat: Seat) -> Show:
        """The first card."""
        return self.legal(state, seat)[0]

    def forced(self, state: State) -> Mapping[Seat, Show]:
        """A hand of one kind leaves no choice, and everybody has seen the others go."""
        return {seat: Show(state.hands[seat][0]) for seat in state.asked() if len(set(state.hands[seat])) == 1}

    def view(self, state: State, seat: Seat | None, choice: Show | None = None) -> RockPaperScissorsView:
        """See `Game.view`; this is the one game with a choice to show to its owner."""
        return view_for(state, seat, choice)

    def happenings(self, before: State, chosen: Mapping[Seat, Show], after: State) -> tuple[Happening, ...]:
        """Both cards, in seat order, then who won."""
        shown = [Happening(seat, f"shows {SHAPES[chosen[seat].shape - 1]}") for seat in sorted(chosen)]
        winner = winner_of((chosen[Seat(0)].shape, chosen[Seat(1)].shape))
        if winner is None:
            return (*shown, Happening(None, "nobody wins the round"))
        return (*shown, Happening(winner, f"wins {before.stakes[0]}"))

    def result(self, state: State) -> Result | None:
        """Most points wins."""
        if state.rounds_left:
            return None
        placements = tuple(1 + (other > own) for own, other in zip(state.points, reversed(state.points), strict=True))
        return Result(state.points, placements, EndReason.COMPLETED)

    def parse(self, text: str) -> Show:
        """One of three texts."""
        if text not in SHOWS:
            raise Malformed(f"{text[:20]!r} is no action of {self.id}")
        return SHOWS[text]

    def fingerprint(self, state: State) -> bytes:
        """All there is, with a zero byte between heaps."""
        return bytes((state.rounds_left, *state.points)) + b"\x00".join((*state.hands, state.stakes))


def winner_of(shown: tuple[int, int]) -> Seat | None:
    """Each shape beats the one before it, and rock the scissors."""
    ahead = (shown[0] - shown[1]) % len(SHAPES)
    return {0: None, 1: Seat(0), 2: Seat(1)}[ahead]
