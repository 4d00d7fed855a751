"""What every game must fulfil, whatever its rules: one check per promise of the contract.

A game joins by one line in the table of games and one line in `SECRETS`, which says how to deal anew what a seat cannot
know. `CHECKS` are run for every number of players.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from cutpurse_rules.chance import ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Config, Game, Result, Seat
from cutpurse_rules.errors import Illegal, Malformed, Reason
from cutpurse_rules.playthrough import Ended, Resolved, play_through
from cutpurse_rules.trace import lines_of, match_line, read_draws
from tests.rules.watched_chance import WatchedChance

AnyGame: TypeAlias = Game[Any, Any, Any]
Part: TypeAlias = Resolved[Any, Any] | Ended[Any]
Resample: TypeAlias = Callable[[Any, "Seat | None", random.Random], Any]
"""(state, viewer, randomness) → a state that differs at most in what the viewer cannot know."""

MATCHES = 6
DECISIONS_MAX = 5_000
CHANGED_AT_LEAST = 0.95


@dataclass(frozen=True)
class Case:
    """A game with a configuration, and how its secrets are dealt anew."""

    game: AnyGame
    config: Config
    resample: Resample

    def __str__(self) -> str:
        return f"{self.game.id}-{self.config.players}"

    def play(self, seed: str, chance: Any = None) -> Iterator[Part]:
        """A match of random choices, all of them fixed by the seed."""
        chooser = random.Random(seed)

        def choose(state: Any, seat: Seat) -> Any:
            return chooser.choice(self.game.legal(state, seat))

        return play_through(self.game, self.config, chance or StreamChance(key_of_seed(seed)), choose)

    def decisions(self, matches: int = MATCHES) -> Iterator[Resolved[Any, Any]]:
        """All decisions of some matches."""
        for seed in range(matches):
            for part in itertools.islice(self.play(str(seed)), DECISIONS_MAX):
                if isinstance(part, Resolved):
                    yield part

    def viewers(self) -> list[Seat | None]:
        """All seats, and the spectator."""
        return [*map(Seat, range(self.config.players)), None]


def cases(game: AnyGame, resample: Resample) -> list[Case]:
    """One case for every number of players."""
    counts = range(game.min_players, game.max_players + 1)
    return [Case(game, game.configure(players), resample) for players in counts]


def check_every_match_ends_with_a_result(case: Case) -> None:
    """Every match ends after a bounded number of decisions (G10), with a result then and none before (G9)."""
    for seed in range(MATCHES):
        *decisions, last = itertools.islice(case.play(str(seed)), DECISIONS_MAX)

        assert isinstance(last, Ended), "a bound on every match (G10)"
        assert decisions
        assert case.game.asked(last.state) == ()
        assert not any(case.game.legal(last.state, Seat(seat)) for seat in range(case.config.players))
        check_placements(last.result, case.config.players)
        for part in decisions:
            assert isinstance(part, Resolved)
            assert case.game.result(part.before) is None


def check_placements(result: Result, players: int) -> None:
    """Equal seats share the better place (G9): a place is one more than the number of seats placed better."""
    assert len(result.scores) == len(result.placements) == players
    for place in result.placements:
        assert place == 1 + sum(other < place for other in result.placements)


def check_legal_lists_are_without_doubles_and_never_empty(case: Case) -> None:
    """Exactly the asked seats have legal actions, each once (G4, G5)."""
    for part in case.decisions():
        assert list(part.asked) == sorted(set(part.asked))
        for seat in range(case.config.players):
            listed = [action.notation for action in case.game.legal(part.before, Seat(seat))]
            assert len(listed) == len(set(listed))
            assert bool(listed) == (seat in part.asked)


def universe(case: Case) -> dict[str, Any]:
    """Every action that comes up in some matches, by notation."""
    return {
        action.notation: action
        for part in case.decisions()
        for seat in part.asked
        for action in case.game.legal(part.before, seat)
    }


def check_legal_and_verify_agree(case: Case) -> None:
    """What is listed passes, and of all other known actions nothing does."""
    actions = universe(case)
    for part in case.decisions():
        for seat in map(Seat, range(case.config.players)):
            listed = {action.notation for action in case.game.legal(part.before, seat)}
            for notation, action in actions.items():
                assert (refusal(case.game, part.before, seat, action) is None) == (notation in listed), notation


def refusal(game: AnyGame, state: Any, seat: Seat, action: Any) -> Reason | None:
    """Why the action is refused, or None."""
    try:
        game.verify(state, seat, action)
    except Illegal as error:
        return error.reason
    return None


def check_a_seat_that_is_not_asked_is_refused_as_such(case: Case) -> None:
    """Who is not asked, or is not at the table, gets NOT_ASKED."""
    for part in case.decisions(1):
        action = next(iter(part.chosen.values()))
        for seat in set(map(Seat, range(case.config.players))) - set(part.asked):
            assert refusal(case.game, part.before, seat, action) is Reason.NOT_ASKED
            assert refusal(case.game, part.after, Seat(case.config.players), action) is Reason.NOT_ASKED


def check_notation_reads_back_as_the_same_action(case: Case) -> None:
    """A notation is the text of one action, and reads back as it."""
    for notation, action in universe(case).items():
        read = case.game.parse(notation)
        assert read == action
        assert read.notation == notation


def misspelt(notation: str) -> Iterator[str]:
    """Texts that are nearly the notation."""
    yield from (f"{notation}\n", f" {notation}", f"{notation} ", f"{notation}\x00", notation.upper(), notation + "x")
    yield notation.replace(" ", "  ") if " " in notation else f"{notation} {notation}"
    yield notation.replace(" ", "\t") if " " in notation else f"\t{notation}"
    yield notation.replace(" ", "\u00a0") if " " in notation else f"\u00a0{notation}"
    for place, character in enumerate(notation):
        if character.isdigit():
            # An Arabic digit, which `str.isdigit` and `int` both take; a leading zero; a sign.
            yield notation[:place] + chr(0x0660 + int(character)) + notation[place + 1 :]
            yield notation[:place] + "0" + notation[place:]
            yield notation[:place] + "+" + notation[place:]
    yield notation * 100_000


def check_texts_that_are_no_notation_are_malformed(case: Case) -> None:
    """Nearly the notation is not the notation, and junk of any length gets a short refusal."""
    actions = universe(case)
    texts = {"", " ", "\n", "0", "-1", "null", "play", "\ud800", "🗡", "9" * 10_000}
    texts |= {wrong for notation in actions for wrong in misspelt(notation)} - set(actions)
    for text in texts:
        with pytest.raises(Malformed) as refused:
            case.game.parse(text)
        assert len(str(refused.value)) < 500, "a text of any length gets a short answer"


def check_states_are_values(case: Case) -> None:
    """No question and no resolution changes the state that it is given."""
    game = case.game
    for part in case.decisions(2):
        before = game.fingerprint(part.before)
        for viewer in case.viewers():
            game.view(part.before, viewer)
            if viewer is not None:
                game.legal(part.before, viewer)
        game.resolve(part.before, part.chosen, StreamChance(key_of_seed("other")))
        game.happenings(part.before, part.chosen, part.after)
        game.forced(part.before)
        assert game.fingerprint(part.before) == before


def check_fingerprints_tell_states_apart(case: Case) -> None:
    """States of a match differ in their fingerprints; the same match gives the same ones again."""
    for seed in range(MATCHES):
        parts = list(case.play(str(seed)))
        again = list(case.play(str(seed)))
        prints = [case.game.fingerprint(part.before if isinstance(part, Resolved) else part.state) for part in parts]
        assert len(set(prints)) == len(prints)
        assert prints == [
            case.game.fingerprint(part.before if isinstance(part, Resolved) else part.state) for part in again
        ]


def trace(case: Case, parts: Iterator[Part]) -> list[str]:
    """All lines of a match."""
    names = ["random"] * case.config.players
    lines = [match_line(case.game, case.config, None, names)]
    for part in parts:
        lines += lines_of(case.game, case.config.players, part)
    return lines


def check_the_same_seed_gives_the_same_trace_and_another_another(case: Case) -> None:
    """A match is a function of its seed and choices (G2), and does depend on them."""
    traces = [trace(case, case.play(seed)) for seed in ("a", "a", "b")]
    assert traces[0] == traces[1]
    assert traces[0] != traces[2]


def check_recorded_draws_replay_the_match(case: Case) -> None:
    """The draws of a trace, scripted, give the trace again."""
    for seed in range(MATCHES):
        lines = trace(case, case.play(str(seed)))
        scripted = ScriptedChance(read_draws(lines, "trace"))
        assert trace(case, case.play(str(seed), scripted)) == lines


def check_every_draw_has_its_own_label_and_canonical_cards(case: Case) -> None:
    """No label is drawn twice, and draws start from the canonical order (G3)."""
    canonical = case.game.components["cards"]
    for seed in range(MATCHES):
        chance = WatchedChance(StreamChance(key_of_seed(str(seed))), canonical)
        list(case.play(str(seed), chance))
        assert chance.labels
        assert len(set(chance.labels)) == len(chance.labels)


def check_defaults_and_forced_choices_are_legal(case: Case) -> None:
    """What is chosen on a seat's behalf is among what the seat could choose (G5, G6)."""
    for part in case.decisions():
        forced = case.game.forced(part.before)
        assert set(forced) <= set(part.asked)
        for seat in part.asked:
            assert case.game.default(part.before, seat) in case.game.legal(part.before, seat)
        for seat, action in forced.items():
            assert action in case.game.legal(part.before, seat)


def check_with_auto_play_forced_off_everything_is_asked(case: Case) -> None:
    """With the option off the engine chooses nothing (G5)."""
    config = case.game.configure(case.config.players, {"auto_play_forced": False})
    asking = Case(case.game, config, case.resample)
    for part in asking.decisions():
        assert set(part.causes.values()) == {"CHOSEN"}


def check_the_order_in_which_choices_arrive_changes_nothing(case: Case) -> None:
    """Choices of a simultaneous decision are a set (G2, G7)."""
    game = case.game
    for part in case.decisions(2):
        for order in orders(list(part.chosen.items())):
            chance = StreamChance(key_of_seed("order"))
            chosen = dict(order)
            after = game.resolve(part.before, chosen, chance)
            reference = game.resolve(part.before, part.chosen, chance)
            assert game.fingerprint(after) == game.fingerprint(reference)
            assert game.happenings(part.before, chosen, after) == game.happenings(part.before, part.chosen, reference)


def check_advancing_is_resolving(case: Case) -> None:
    """A match that only goes on comes by the same states as one in which every state is kept."""
    game = case.game
    for seed in range(MATCHES):
        kept = [part for part in case.play(str(seed)) if isinstance(part, Resolved)]
        chance = StreamChance(key_of_seed(str(seed)))
        state = game.begin(case.config, chance)
        for part in kept:
            state = game.advance(state, part.chosen, chance)
            assert game.fingerprint(state) == game.fingerprint(part.after)
            assert game.asked(state) == game.asked(part.after)
            for viewer in case.viewers():
                assert game.view(state, viewer) == game.view(part.after, viewer)


def orders(choices: list[Any]) -> Iterator[list[Any]]:
    """All orders of up to four choices; of more, each of them first and each of them last, and some by lot."""
    if len(choices) <= 4:
        yield from map(list, itertools.permutations(choices))
        return
    shuffler = random.Random("orders")
    for place in range(len(choices)):
        turned = choices[place:] + choices[:place]
        yield turned
        yield turned[::-1]
        yield shuffler.sample(choices, len(choices))


COMMON_KEYS = {"game", "seat", "hand", "hand_sizes", "asked"}


def check_views_have_one_shape_and_spectators_no_hand(case: Case) -> None:
    """All views have the same keys and are plain JSON; a spectator has no hand (G11)."""
    keys = set(case.game.view(next(case.decisions(1)).before, None).to_json())
    assert keys >= COMMON_KEYS
    for part in case.decisions(2):
        for viewer in case.viewers():
            view = case.game.view(part.before, viewer).to_json()
            assert set(view) == keys
            assert view["game"] == case.game.id
            assert view["seat"] == viewer
            assert view["asked"] == list(part.asked)
            assert (view["hand"] is None) == (viewer is None)
            assert json.loads(json.dumps(view, allow_nan=False)) == view
            assert not any(isinstance(value, float) for value in flat(view))


def flat(value: Any) -> Iterator[Any]:
    """All leaves of a JSON value."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from flat(each)
    elif isinstance(value, list):
        for each in value:
            yield from flat(each)
    else:
        yield value


def check_what_happened_is_told_in_words(case: Case) -> None:
    """Every decision has something to tell, in printable sentence parts."""
    for part in case.decisions(2):
        told = case.game.happenings(part.before, part.chosen, part.after)
        assert told
        for happening in told:
            assert happening.seat in case.viewers()
            assert happening.text.isprintable()
            assert happening.text == happening.text.strip() != ""


def check_nobody_learns_what_it_cannot_know(case: Case) -> None:
    """States that differ only in what a viewer cannot know look the same to it: views, lists, refusals, forced."""
    game, dealer = case.game, random.Random("secrets")
    actions = list(universe(case).values())
    samples = changed = 0
    for part in case.decisions(3):
        for viewer in case.viewers():
            other = case.resample(part.before, viewer, dealer)
            samples += 1
            changed += game.fingerprint(other) != game.fingerprint(part.before)
            assert game.view(other, viewer) == game.view(part.before, viewer)
            assert game.asked(other) == game.asked(part.before)
            assert game.forced(other) == game.forced(part.before)
            if viewer is None:
                continue
            assert game.legal(other, viewer) == game.legal(part.before, viewer)
            if viewer in part.asked:
                assert game.default(other, viewer) == game.default(part.before, viewer)
            for action in dealer.sample(actions, min(len(actions), 12)):
                assert refusal(game, other, viewer, action) == refusal(game, part.before, viewer, action)
            if part.asked == (viewer,):
                check_narration_keeps_secrets(case, part, other)
    assert changed >= CHANGED_AT_LEAST * samples, f"only {changed} of {samples} resampled states differ"


def check_narration_keeps_secrets(case: Case, part: Resolved[Any, Any], other: Any) -> None:
    """What the table is told about a seat's choice does not depend on what that seat cannot know."""
    chance = StreamChance(key_of_seed("narration"))
    told = [
        case.game.happenings(state, part.chosen, case.game.resolve(state, part.chosen, chance))
        for state in (part.before, other)
    ]
    assert told[0] == told[1]


CHECKS: tuple[Callable[[Case], None], ...] = (
    check_every_match_ends_with_a_result,
    check_legal_lists_are_without_doubles_and_never_empty,
    check_legal_and_verify_agree,
    check_a_seat_that_is_not_asked_is_refused_as_such,
    check_notation_reads_back_as_the_same_action,
    check_texts_that_are_no_notation_are_malformed,
    check_states_are_values,
    check_fingerprints_tell_states_apart,
    check_the_same_seed_gives_the_same_trace_and_another_another,
    check_recorded_draws_replay_the_match,
    check_every_draw_has_its_own_label_and_canonical_cards,
    check_defaults_and_forced_choices_are_legal,
    check_with_auto_play_forced_off_everything_is_asked,
    check_the_order_in_which_choices_arrive_changes_nothing,
    check_advancing_is_resolving,
    check_views_have_one_shape_and_spectators_no_hand,
    check_what_happened_is_told_in_words,
    check_nobody_learns_what_it_cannot_know,
)
