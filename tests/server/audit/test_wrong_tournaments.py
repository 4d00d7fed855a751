"""Every check of a tournament bites: each plants one wrong, bound again so that everything else fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from cutpurse_server.audit import audit
from cutpurse_server.matches.events import Clock, MatchBegun, MatchEnded, MatchVoided, VoidCause
from cutpurse_server.tournaments.deals import deals_secret
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    Entrant,
    EntrantEntered,
    Format,
    FormatSettings,
    TournamentCreated,
    TournamentEvent,
    TournamentFinished,
    TournamentStarted,
)
from cutpurse_server.wire.tournament_events import manifest_to_bytes
from tests.server.audit.honest import Story, honest_tournament, match_at, standings_that_follow

FIRST = match_at(1, 1, 0)
SECOND = match_at(1, 1, 1)
VOIDED = match_at(1, 2, 0)
LAST = match_at(1, 3, 1)
INVENTED = match_at(1, 9, 0)


class Wrong(NamedTuple):
    """What a plant must lead to."""

    stream: str
    text: str


Plant = Callable[[Story], Story]


def at(story: Story, kind: type, number: int = 0) -> int:
    """Where the event of that kind and number stands."""
    return [place for place, event in enumerate(story.events) if isinstance(event, kind)][number]


def event(kind: type, number: int = 0, *, rebind: bool = True, **fields: Any) -> Plant:
    """Change an event of the tournament's log; callables are given the event."""

    def plant(story: Story) -> Story:
        place = at(story, kind, number)
        before: Any = story.events[place]
        values = {name: value(before) if callable(value) else value for name, value in fields.items()}
        assert before._replace(**values) != before
        story.events[place] = before._replace(**values)
        return story.bound() if rebind else story

    return plant


def manifest(**fields: Any) -> Plant:
    """Change the manifest, its bytes, and the hash in all matches."""

    def plant(story: Story) -> Story:
        created: Any = story.events[0]
        changed = created.manifest._replace(**fields)
        story.events[0] = created._replace(manifest=changed, manifest_bytes=manifest_to_bytes(changed))
        return story.bound()

    return plant


def removed(kind: type, number: int = 0) -> Plant:
    def plant(story: Story) -> Story:
        del story.events[at(story, kind, number)]
        return story.bound()

    return plant


def doubled(kind: type, number: int = 0) -> Plant:
    def plant(story: Story) -> Story:
        place = at(story, kind, number)
        story.events.insert(place, story.events[place])
        return story.bound()

    return plant


def inserted(place: int, made: Callable[[Story], TournamentEvent]) -> Plant:
    def plant(story: Story) -> Story:
        story.events.insert(place, made(story))
        return story

    return plant


def begun(**fields: Any) -> Plant:
    """Change how the first match begins; callables are given the event."""

    def plant(story: Story) -> Story:
        events = next(iter(story.matches.values()))
        before: Any = events[0]
        values = {name: value(before) if callable(value) else value for name, value in fields.items()}
        assert before._replace(**values) != before
        events[0] = before._replace(**values)
        return story.bound()

    return plant


def completed_match(*, rebind: bool = False, **fields: Any) -> Plant:
    """Change what the log says of the first match of the first block."""

    def changed(block: BlockCompleted) -> Any:
        first = block.matches[0]
        values = {name: value(first) if callable(value) else value for name, value in fields.items()}
        assert first._replace(**values) != first
        return (first._replace(**values), *block.matches[1:])

    return event(BlockCompleted, rebind=rebind, matches=changed)


def lost_match(story: Story) -> Story:
    story.matches.pop(SECOND)
    return story


def lost_last_match(story: Story) -> Story:
    story.matches.popitem()
    return story


def lost_voided_match(story: Story) -> Story:
    story.matches.pop(VOIDED)
    return story


def match_twice(story: Story) -> Story:
    order = list(story.matches.items())
    story.matches = dict([order[1], order[0], *order[2:]])
    return story


def invented_match(story: Story) -> Story:
    first = story.matches[FIRST]
    invented: Any = first[0]
    story.matches[INVENTED] = [invented._replace(match=INVENTED), *first[1:]]
    return story


def voided_match_that_counts(story: Story) -> Story:
    events = next(iter(story.matches.values()))
    ended = events.pop()
    assert isinstance(ended, MatchEnded)
    del events[events.index(next(each for each in events if type(each).__name__ == "DecisionOpened")) + 1 :]
    events.append(MatchVoided(VoidCause.PLATFORM, "", ended.at_ms))
    return story.bound()


def swapped_seats(before: MatchBegun) -> Any:
    return before.seats[::-1]


def other_root(story: Story) -> Story:
    return manifest(deals_root=b"r" * 32)(story)


PLANTS: dict[str, tuple[Plant, Wrong]] = {
    "a log that does not begin": (
        lambda story: (story.events.pop(0), story)[1], Wrong("tournament/cup", "begins with TournamentCreated"),
    ),
    "a beginning twice": (
        inserted(1, lambda story: story.events[0]), Wrong("tournament/cup", "once"),
    ),
    "another format": (manifest(format=Format.SWISS), Wrong("tournament/cup", "no table 1 in round 1")),
    "a setting of another format": (
        manifest(settings=FormatSettings(best_of=3)), Wrong("tournament/cup", "settings are not allowed: best_of"),
    ),
    "a setting left to its default": (
        manifest(format=Format.GAUNTLET, settings=FormatSettings(challenger="bot-0")),
        Wrong("tournament/cup", "settings are not resolved"),
    ),
    "a game of no name": (manifest(game="chess"), Wrong("tournament/cup", "no game")),
    "an option that is not allowed": (manifest(options={"x": 1}), Wrong("tournament/cup", "not allowed")),
    "options left to defaults": (manifest(options={}), Wrong("tournament/cup", "not resolved")),
    "no rounds": (manifest(rounds=0), Wrong("tournament/cup", "at least 1")),
    "other slots": (manifest(deal_slots=9), Wrong("tournament/cup", "slots")),
    "another root": (other_root, Wrong("tournament/cup", "not those that were committed to")),
    "a secret that is not the seed's": (
        event(TournamentCreated, deals_secret=deals_secret("other")), Wrong("tournament/cup", "not that of the seed"),
    ),
    "a rated tournament with a seed": (
        event(TournamentCreated, manifest_bytes=lambda each: manifest_to_bytes(each.manifest._replace(seed=""))),
        Wrong("tournament/cup", "rated although"),
    ),
    "a manifest of another tournament": (manifest(tournament="other"), Wrong("tournament/cup", "'other'")),
    "an entrant twice": (doubled(EntrantEntered), Wrong("tournament/cup", "was entered before")),
    "an entry after the start": (
        inserted(5, lambda story: EntrantEntered(Entrant("late", "l"), 1_800_000_000_000)),
        Wrong("tournament/cup", "EntrantEntered cannot stand here"),
    ),
    "a start left out": (removed(TournamentStarted), Wrong("tournament/cup", "BlockCompleted cannot stand here")),
    "an entrant left out": (
        lambda story: (story.events.pop(1), story)[1], Wrong("tournament/cup", "the schedule seats"),
    ),
    "time that goes back": (event(TournamentStarted, at_ms=5), Wrong("tournament/cup", "goes back")),
    "a table that is not in the schedule": (
        event(BlockCompleted, table=7, rebind=False), Wrong("tournament/cup", "no table 7"),
    ),
    "an attempt left out": (removed(BlockVoided), Wrong("tournament/cup", "attempt 1 of the block is due")),
    "an attempt twice": (doubled(BlockVoided), Wrong("tournament/cup", "attempt 2 of the block is due")),
    "a block twice": (doubled(BlockCompleted), Wrong("tournament/cup", "has ended before")),
    "a block left out": (removed(BlockCompleted), Wrong("tournament/cup", "was not played")),
    "matches in another order": (
        event(BlockCompleted, matches=lambda each: each.matches[::-1]),
        Wrong("tournament/cup", "not those of the schedule"),
    ),
    "a match named by its place": (
        completed_match(match="cup.r1.t1.m0.a1"), Wrong("tournament/cup", "not those of the schedule"),
    ),
    "other bots in the seats": (
        completed_match(bots=lambda each: each.bots[::-1]), Wrong("tournament/cup", "the schedule seats"),
    ),
    "other standings": (
        event(TournamentFinished, rebind=False, standings=lambda each: each.standings[::-1]),
        Wrong("tournament/cup", "the standings that follow"),
    ),
    "a standing left out": (
        event(TournamentFinished, rebind=False, standings=lambda each: each.standings[:-1]),
        Wrong("tournament/cup", "have 3 rows"),
    ),
    "an interval that is a little off": (
        event(TournamentFinished, rebind=False,
              standings=lambda each: (each.standings[0]._replace(points_low=0.25), *each.standings[1:])),
        Wrong("tournament/cup", "the standings that follow"),
    ),
    "a log that stops": (removed(TournamentFinished), Wrong("tournament/cup", "stops before")),
    "another head": (completed_match(head=b"h" * 32), Wrong(f"match/{FIRST}", "does not end in the head")),
    "another length": (completed_match(version=3), Wrong(f"match/{FIRST}", "has 3 events")),
    "a match of another place": (
        begun(origin=lambda each: each.origin._replace(slot=9)), Wrong(f"match/{FIRST}", "its place in the"),
    ),
    "another manifest's match": (begun(manifest_hash=b"m" * 32), Wrong(f"match/{FIRST}", "manifest hash")),
    "other options": (
        begun(options={"auto_play_forced": True, "heist_turn_limit": 10}),
        Wrong(f"match/{FIRST}", "the options"),
    ),
    "another clock": (
        begun(clock=Clock(), warm_up_until_ms=lambda each: each.at_ms + Clock().warm_up_ms),
        Wrong(f"match/{FIRST}", "the clock"),
    ),
    "a rated match": (begun(rated=True), Wrong(f"match/{FIRST}", "it is rated")),
    "swapped seats": (begun(seats=swapped_seats), Wrong(f"match/{FIRST}", "the schedule seats")),
    "a player's rights": (
        begun(seats=lambda each: (each.seats[0]._replace(player=True), each.seats[1])),
        Wrong(f"match/{FIRST}", "the schedule seats"),
    ),
    "another deal": (begun(key=b"k" * 32), Wrong(f"match/{FIRST}", "not that of its slot")),
    "a match's own seed": (begun(seed="x", key=b"k" * 32), Wrong(f"match/{FIRST}", "not that of its slot")),
    "another request": (begun(request_digest=b"q" * 32), Wrong(f"match/{FIRST}", "the request's digest")),
    "a beginning before the start": (
        begun(at_ms=5, warm_up_until_ms=5_005), Wrong(f"match/{FIRST}", "before the tournament"),
    ),
    "a match lost": (lost_match, Wrong(f"match/{SECOND}", "missing: round 1, table 1, rotation 1, attempt 1")),
    "the last match lost": (
        lost_last_match, Wrong(f"match/{LAST}", "missing: round 1, table 3, rotation 1, attempt 1"),
    ),
    "the voided match lost": (lost_voided_match, Wrong(f"match/{VOIDED}", "its block was voided")),
    "a block voided for another cause": (
        event(BlockVoided, cause=VoidCause.ABORTED), Wrong(f"match/{VOIDED}", "its block was voided"),
    ),
    "matches out of order": (match_twice, Wrong(f"match/{FIRST}", "")),
    "a match invented": (invented_match, Wrong(f"match/{INVENTED}", "no such match")),
    "a voided match that counts": (voided_match_that_counts, Wrong(f"match/{FIRST}", "and its block counts")),
}  # fmt: skip


@pytest.fixture
def story() -> Story:
    return honest_tournament(faults=0.1)


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_wrong_is_found_where_it_stands(name: str, story: Story) -> None:
    plant, wrong = PLANTS[name]

    findings = audit(plant(story).bundle()).findings

    assert findings, "nothing was found"
    assert (findings[0].stream, True) == (wrong.stream, wrong.text in findings[0].what), findings


def test_a_result_that_the_match_does_not_have_is_found(story: Story) -> None:
    """With the standings that would follow from it."""
    block: Any = story.events[at(story, BlockCompleted)]
    outcome = block.matches[0].outcome
    changed = completed_match(outcome=outcome._replace(placements=outcome.placements[::-1]))(story)
    last: Any = changed.events[-1]
    changed.events[-1] = last._replace(standings=standings_that_follow(changed.events))

    findings = audit(changed.bundle()).findings

    assert [str(each) for each in findings] == [
        f"match/{FIRST}, event {len(changed.matches[FIRST])}: its result is not the one that the tournament's log names"
    ]
