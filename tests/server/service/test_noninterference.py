"""Two matches that differ only in what a viewer cannot know: it receives the same bytes, to the last one."""

import random
from hashlib import sha256

import pytest

from cutpurse_server.log.chain import commitment
from tests.server.service.arena import open_arena
from tests.server.service.observed import BOTS, Shown, show
from tests.server.service.twins import Play, deal_cards, played_deal, twin_of

DECISIONS = 14
DICE = 8


def a_match() -> Play:
    """A match that is played as far as it is looked at."""
    return played_deal(DECISIONS, random.Random(DICE))


def assert_the_same(one: Shown, other: Shown) -> None:
    """Fails with the first thing that a viewer could tell the two by."""
    assert one.keys() == other.keys()
    for kind in one:
        assert len(one[kind]) == len(other[kind]), f"another number of {kind}"
        for place, (first, second) in enumerate(zip(one[kind], other[kind], strict=True)):
            assert first == second, f"{kind} {place}"


async def shown_on_twins(viewer: int | None) -> tuple[Shown, Shown]:
    """What a viewer receives on a deal and on its twin."""
    play = a_match()
    twin = twin_of(play, viewer, random.Random(DICE))
    with pytest.MonkeyPatch.context() as dealt:
        deal_cards(dealt, play.deal)
        one = await show(play, viewer)
        deal_cards(dealt, twin.deal)
        other = await show(twin, viewer)
    return one, other


@pytest.mark.parametrize("viewer", [0, 1, 2])
async def test_a_seat_learns_nothing_of_other_hands_and_the_pile(viewer: int) -> None:
    one, other = await shown_on_twins(viewer)

    assert_the_same(one, other)
    assert {"offers", "decisions", "accepted", "refused", "news", "WatchMatch", "GetView"} <= one.keys()
    assert len(one["WatchMatch"]) == DECISIONS + 1


async def test_a_spectator_learns_nothing_of_any_hand() -> None:
    assert_the_same(*await shown_on_twins(None))


async def test_the_public_parts_of_the_log_say_nothing_of_hidden_cards() -> None:
    one, other = await shown_on_twins(None)

    assert one["the log's public parts"] == other["the log's public parts"]


async def test_refused_answers_of_others_do_not_show() -> None:
    play = a_match()
    one, other = await show(play, 1), await show(play, 1, others_stumble=True)

    hidden, stumbled = one.pop("the log's public parts"), other.pop("the log's public parts")
    assert len(stumbled) > len(hidden)
    assert_the_same(one, other)


async def test_banks_and_latencies_of_others_do_not_show() -> None:
    play = a_match()
    one, other = await show(play, 1), await show(play, 1, others_think_ms=1_700)

    times, later = one.pop("the log's public parts"), other.pop("the log's public parts")
    assert times != later
    assert_the_same(one, other)


async def test_commitments_hide_what_they_bind() -> None:
    async with open_arena() as arena:
        match, streams = await arena.start(BOTS)
        for bot in BOTS:
            await streams[bot].answer(await streams[bot].next("decisions", match))
        stored = await arena.service.log.read(f"match/{match}")
    sealed = [event for event in stored if event.secret]
    salts = [event.salt for event in sealed]

    assert all(event.public.endswith(commitment(event.salt, event.secret)) for event in sealed)
    assert len(sealed) > 6
    assert len(set(salts)) == len(salts)
    assert all(len(set(salt)) > 8 for salt in salts), "32 random bytes do not repeat themselves like that"
    for event in sealed:
        for guess in (sha256(event.secret), sha256(b"\x04" + event.secret), sha256(b"\x04" + bytes(32) + event.secret)):
            assert guess.digest() not in event.public
