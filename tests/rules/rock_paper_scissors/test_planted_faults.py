"""The battery catches what it is there for: each fault below is planted into the toy game and found by its check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from cutpurse_rules.chance import Chance
from cutpurse_rules.contract import Config, EndReason, Happening, Result, Seat
from tests.rules import battery
from tests.rules.rock_paper_scissors.game import RockPaperScissors
from tests.rules.rock_paper_scissors.state import RockPaperScissorsView, Show, State
from tests.rules.rock_paper_scissors.test_rock_paper_scissors import resample


class ViewShowsTheNextStake(RockPaperScissors):
    def view(self, state: State, seat: Seat | None, choice: Show | None = None) -> RockPaperScissorsView:
        return replace(super().view(state, seat), stake=state.stakes[1])


class DefaultDependsOnHiddenStakes(RockPaperScissors):
    def default(self, state: State, seat: Seat) -> Show:
        return self.legal(state, seat)[-1 if state.stakes[1] > 1 else 0]


class RefusesMoreThanItLists(RockPaperScissors):
    def legal(self, state: State, seat: Seat) -> Sequence[Show]:
        return super().legal(state, seat)[:1]


class ListsTwice(RockPaperScissors):
    def legal(self, state: State, seat: Seat) -> Sequence[Show]:
        return [*super().legal(state, seat), *super().legal(state, seat)]


class ReadsCarelessly(RockPaperScissors):
    def parse(self, text: str) -> Show:
        return super().parse(" ".join(text.split()))


class DependsOnArrival(RockPaperScissors):
    def resolve(self, state: State, chosen: Mapping[Seat, Show], chance: Chance) -> State:
        after = super().resolve(state, chosen, chance)
        return replace(after, points=(after.points[0] + next(iter(chosen)), after.points[1]))


class ForgetsWhatDiffers(RockPaperScissors):
    def fingerprint(self, state: State) -> bytes:
        return bytes((state.rounds_left // 2,))


class DrawsTheSameLabelAgain(RockPaperScissors):
    def resolve(self, state: State, chosen: Mapping[Seat, Show], chance: Chance) -> State:
        chance.pick("stakes", ["1"])
        return super().resolve(state, chosen, chance)


class DrawsFromAnyOrder(RockPaperScissors):
    def begin(self, config: Config, chance: Chance) -> State:
        chance.pick("first", ["3", "1"])
        return super().begin(config, chance)


class GivesTheWorsePlace(RockPaperScissors):
    def result(self, state: State) -> Result | None:
        return None if state.rounds_left else Result((0, 0), (2, 2), EndReason.COMPLETED)


class DefaultsToWhatIsGone(RockPaperScissors):
    def default(self, state: State, seat: Seat) -> Show:
        return Show(1)


class ShowsSpectatorsAHand(RockPaperScissors):
    def view(self, state: State, seat: Seat | None, choice: Show | None = None) -> RockPaperScissorsView:
        return super().view(state, seat or Seat(0))


class TellsTheNextStake(RockPaperScissors):
    def happenings(self, before: State, chosen: Mapping[Seat, Show], after: State) -> tuple[Happening, ...]:
        return (Happening(None, f"{after.stakes[0]} is next\n"),)


class ListsForEverybody(RockPaperScissors):
    def legal(self, state: State, seat: Seat) -> Sequence[Show]:
        return super().legal(state, seat) or [Show(1)]


FAULTS: list[tuple[type[RockPaperScissors], Callable[[battery.Case], None]]] = [
    (ViewShowsTheNextStake, battery.check_nobody_learns_what_it_cannot_know),
    (DefaultDependsOnHiddenStakes, battery.check_nobody_learns_what_it_cannot_know),
    (RefusesMoreThanItLists, battery.check_legal_and_verify_agree),
    (ListsTwice, battery.check_legal_lists_are_without_doubles_and_never_empty),
    (ReadsCarelessly, battery.check_texts_that_are_no_notation_are_malformed),
    (DependsOnArrival, battery.check_the_order_in_which_choices_arrive_changes_nothing),
    (ForgetsWhatDiffers, battery.check_fingerprints_tell_states_apart),
    (DrawsTheSameLabelAgain, battery.check_every_draw_has_its_own_label_and_canonical_cards),
    (DrawsFromAnyOrder, battery.check_every_draw_has_its_own_label_and_canonical_cards),
    (GivesTheWorsePlace, battery.check_every_match_ends_with_a_result),
    (DefaultsToWhatIsGone, battery.check_defaults_and_forced_choices_are_legal),
    (ShowsSpectatorsAHand, battery.check_views_have_one_shape_and_spectators_no_hand),
    (TellsTheNextStake, battery.check_what_happened_is_told_in_words),
    (ListsForEverybody, battery.check_every_match_ends_with_a_result),
]


@pytest.mark.parametrize(("faulty", "check"), FAULTS, ids=lambda planted: planted.__name__)
def test_a_planted_fault_is_found(faulty: type[RockPaperScissors], check: Callable[[battery.Case], None]) -> None:
    (case,) = battery.cases(faulty(), resample)

    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check(case)


def test_a_resampling_that_changes_nothing_is_found() -> None:
    def idle(state: Any, viewer: Seat | None, dealer: Any) -> Any:
        return state

    (case,) = battery.cases(RockPaperScissors(), idle)

    with pytest.raises(AssertionError, match="resampled states differ"):
        battery.check_nobody_learns_what_it_cannot_know(case)
