"""The matches at home: which they are, and that they depend on nothing but the seed and the names."""

import pytest

from cutpurse_server.errors import ServiceError
from cutpurse_server.matches.events import Clock
from cutpurse_server.practice import home_schedule


def seated(seed: str, matches: int, bots: list[str]) -> list[tuple[str, bytes, tuple[str, ...]]]:
    schedule = home_schedule("art_robbery", {}, Clock(), bots, seed, matches)
    return [(begun.match, begun.key, tuple(seat.bot for seat in begun.seats)) for begun in schedule]


def test_in_every_block_every_bot_sits_in_every_seat_once() -> None:
    seats = [seats for _, _, seats in seated("s", 12, ["me", "greedy", "random"])]

    for first in range(0, 12, 3):
        for place in range(3):
            assert {each[place] for each in seats[first : first + 3]} == {"me", "greedy", "random"}


def test_a_match_depends_on_the_seed_and_its_number_alone() -> None:
    few, many = seated("s", 4, ["me", "random"]), seated("s", 40, ["random", "me"])

    assert many[:4] == few
    assert not {key for _, key, _ in seated("t", 4, ["me", "random"])} & {key for _, key, _ in few}
    assert len({key for _, key, _ in many}) == len({match for match, _, _ in many}) == 40


def test_what_the_game_does_not_allow_is_named() -> None:
    with pytest.raises(ServiceError, match="players"):
        seated("s", 4, ["me"])
    with pytest.raises(ServiceError, match="heist_turn_limit"):
        home_schedule("art_robbery", {"heist_turn_limit": 0}, Clock(), ["a", "b"], "s", 2)
