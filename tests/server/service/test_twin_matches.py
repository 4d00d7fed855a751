"""Whole matches of every game that differ only in what a viewer cannot know look the same to it, to the last byte."""

from __future__ import annotations

import random
from hashlib import sha256
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.servicers import matches
from cutpurse_server.servicers.rates import Rates
from cutpurse_server.wire.matches import fill_view
from tests.server.service.observed import Shown
from tests.server.service.test_noninterference import assert_the_same
from tests.server.service.twin_matches import Play, deal, played, show, twin_of

DECISIONS = {"art_robbery": 24, "big_max": 24, "shadow_thief": 24}
"""By game, how much of a match is looked at; of the Shadow Thief it is several deals."""
LONG = 400
"""More decisions than any of these matches has, or nearly."""
VIEWERS = (0, 1, 2, None)


def twins(
    game: str, viewer: int | None, decisions: int, seed: int = 5, different_at_least: float = 0.6
) -> tuple[Play, Play]:
    """A match and its twin, at least some part of whose states differ; the more is revealed, the fewer do."""
    play = played(game, decisions, seed)
    twin = twin_of(play, viewer, random.Random(seed))
    fingerprints = [[GAMES[game].fingerprint(state) for state in each.states] for each in (play, twin)]
    different = sum(one != other for one, other in zip(*fingerprints, strict=True))
    assert different >= len(play.states) * different_at_least, f"only {different} of {len(play.states)} states differ"
    return play, twin


async def shown_on(play: Play, viewer: int | None, **behaviour: Any) -> Shown:
    """What a viewer receives of a match played on the service."""
    with pytest.MonkeyPatch.context() as dealt:
        # What is asked after every answer must not be refused for its rate.
        dealt.setattr(Rates, "take", lambda *_: None)
        deal(dealt, play)
        return await show(play, viewer, **behaviour)


@pytest.mark.parametrize("viewer", [1, None])
@pytest.mark.parametrize("game", GAMES)
async def test_nothing_that_a_viewer_receives_tells_a_match_from_its_twin(game: str, viewer: int | None) -> None:
    play, twin = twins(game, viewer, DECISIONS[game])

    one, other = await shown_on(play, viewer), await shown_on(twin, viewer)

    assert_the_same(one, other)
    if viewer is not None:
        assert {"decisions", "accepted", "refused", "news", "GetView", "ListLegalActions"} <= one.keys()
    assert len(one["WatchMatch"]) == len(play.choices) + 1


@pytest.mark.slow
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("game", GAMES)
async def test_nothing_that_a_viewer_receives_tells_a_whole_match_from_its_twin(game: str, viewer: int | None) -> None:
    play, twin = twins(game, viewer, LONG, seed=8, different_at_least=0.2)

    one, other = await shown_on(play, viewer), await shown_on(twin, viewer)

    assert_the_same(one, other)


@pytest.mark.parametrize("viewer", [1, None])
async def test_in_the_middle_of_a_decision_of_several_nothing_tells_who_has_chosen_or_stumbled(
    viewer: int | None,
) -> None:
    play, twin = twins("shadow_thief", viewer, 12)
    assert sum(len(choices) > 1 for choices in play.choices) >= 3, "decisions of several seats"

    one = await shown_on(play, viewer)
    other = await shown_on(twin, viewer, backwards=True, stumbling=True)

    # The log says in which order choices came; to nobody before the end.
    hidden, later = one.pop("the log's public parts"), other.pop("the log's public parts")
    assert hidden != later
    assert_the_same(one, other)


@pytest.mark.parametrize("game", GAMES)
async def test_another_hand_of_the_viewer_s_own_is_seen(game: str) -> None:
    play, twin = twins(game, None, DECISIONS[game])

    one, other = await shown_on(play, 1), await shown_on(twin, 1)

    with pytest.raises(AssertionError):
        assert_the_same(one, other)


@pytest.mark.parametrize("game", GAMES)
async def test_a_planted_leak_is_noticed(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(record: Any, seat: Any, message: Any) -> None:
        fill_view(record, seat, message)
        # A field that no client knows: one byte that depends on all hidden cards.
        message.MergeFromString(b"\xc2\x3e\x01" + sha256(record.game.fingerprint(record.state)).digest()[:1])

    monkeypatch.setattr(matches, "fill_view", leaking)
    play, twin = twins(game, 1, 6)

    one, other = await shown_on(play, 1), await shown_on(twin, 1)

    with pytest.raises(AssertionError, match="GetView"):
        assert_the_same(one, other)
