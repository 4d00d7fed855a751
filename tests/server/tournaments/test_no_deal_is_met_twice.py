"""No bot ever meets a deal that it, or a bot of its owner, has seen: so one with a memory gains nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import StreamChance
from cutpurse_rules.contract import Seat
from cutpurse_server.tournaments.blocks import ATTEMPTS_MAX, ScheduledMatch
from cutpurse_server.tournaments.deals import NO_ENTROPY, match_key, slot_secret
from cutpurse_server.tournaments.events import Format, FormatSettings
from cutpurse_server.tournaments.schedule import Schedule
from tests.server.tournaments.folded import begun, field, play_on

FORMATS = [
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 3}, id="round-robin"),
    pytest.param({"format": Format.ROUND_ROBIN, "rounds": 3, "settings": FormatSettings(tables=4)}, id="design"),
    pytest.param({"format": Format.SWISS, "rounds": 4}, id="swiss"),
    pytest.param(
        {"format": Format.SINGLE_ELIMINATION, "rounds": 1, "settings": FormatSettings(best_of=3)},
        id="single-elimination",
    ),
    pytest.param({"format": Format.LADDER, "rounds": 5}, id="ladder"),
    pytest.param(
        {"format": Format.GAUNTLET, "rounds": 4, "settings": FormatSettings(challenger="bot-001")}, id="gauntlet"
    ),
]
Key = Callable[[Schedule, ScheduledMatch], bytes]


def played(changes: dict[str, Any]) -> Schedule:
    schedule = begun(field(7, bots_per_owner=2), **changes, players=2)
    play_on(schedule, lambda bots: [1, 2], random.Random(3))
    return schedule


def matches(schedule: Schedule, attempts: int = 1) -> Iterator[ScheduledMatch]:
    for block in schedule.blocks:
        for attempt in range(1, attempts + 1):
            yield from block.matches(schedule.created, attempt)


def own_deal(schedule: Schedule, scheduled: ScheduledMatch) -> bytes:
    """The key of a match, as the service makes it."""
    origin = scheduled.origin
    return match_key(slot_secret(schedule.created.deals_secret, origin.slot), NO_ENTROPY, origin.slot, origin.attempt)


def shared_deal(schedule: Schedule, scheduled: ScheduledMatch) -> bytes:
    """What it would be if all matches of a block were played with one deal, the seats rotated."""
    first = scheduled.origin.slot - scheduled.origin.rotation
    return match_key(slot_secret(schedule.created.deals_secret, first), NO_ENTROPY, first, scheduled.origin.attempt)


@pytest.mark.parametrize("changes", FORMATS)
def test_every_match_of_every_attempt_has_a_deal_of_its_own(changes: dict[str, Any]) -> None:
    schedule = played(changes)

    keys = [own_deal(schedule, each) for each in matches(schedule, ATTEMPTS_MAX)]

    assert len(keys) > 40
    assert len(set(keys)) == len(keys)


class Memory:
    """An owner's memory: every deal that one of its bots was in, as all seats saw it, with what was hidden from them.

    The logs of its matches were opened to it, so it knows all of them.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], str] = {}

    def recalls(self, seat: int, view: str) -> str | None:
        """The whole deal that looks like this from a seat, if it has been met."""
        return self._seen.get((seat, view))

    def keep(self, views: list[str], whole: str) -> None:
        """Remember a deal."""
        self._seen.update(dict.fromkeys(enumerate(views), whole))


def recalled(schedule: Schedule, key_of: Key) -> Counter[str]:
    """By owner, how often one of its bots knew at the first decision what was hidden."""
    manifest = schedule.created.manifest
    game = GAMES[manifest.game]
    config = game.configure(manifest.players, {})
    memories: dict[str, Memory] = {}
    knew: Counter[str] = Counter()
    for scheduled in matches(schedule):
        state = game.begin(config, StreamChance(key_of(schedule, scheduled)))
        views = [repr(game.view(state, Seat(seat))) for seat in range(manifest.players)]
        whole = game.fingerprint(state).hex()
        owners = [entrant.owner for entrant in scheduled.seats]
        for seat, owner in enumerate(owners):
            knew[owner] += memories.setdefault(owner, Memory()).recalls(seat, views[seat]) == whole
        for owner in owners:
            memories[owner].keep(views, whole)
    return knew


@pytest.mark.parametrize("changes", FORMATS)
def test_a_bot_with_a_memory_never_recalls_a_deal(changes: dict[str, Any]) -> None:
    assert not any(recalled(played(changes), own_deal).values())


def test_it_would_recall_deals_that_are_played_again_with_rotated_seats() -> None:
    knew = recalled(played({"format": Format.SWISS, "rounds": 4}), shared_deal)

    assert len(knew) == 4
    assert all(knew.values())
