"""Replies: all of them are found again, and a copy and its original never notice what the other one adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from cutpurse_rules.contract import Seat
from cutpurse_server.matches.replies import Accepted, Answered, Replies


def answered(number: int) -> Answered:
    return Answered(bytes([number % 256]), Accepted(number, b"%d" % number))


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 33, 100])
def test_every_reply_is_found_by_seat_and_request_and_no_other(count: int) -> None:
    replies = Replies()
    for number in range(count):
        replies.add(Seat(number % 3), b"%d" % number, answered(number))

    assert [replies.get(Seat(number % 3), b"%d" % number) for number in range(count)] == [
        answered(number) for number in range(count)
    ]
    assert [replies.get(Seat((number + 1) % 3), b"%d" % number) for number in range(count)] == [None] * count
    assert replies.get(Seat(0), b"another") is None
    assert sorted(replies) == sorted((Seat(number % 3), b"%d" % number) for number in range(count))


@given(some.lists(some.tuples(some.integers(0, 3), some.booleans()), max_size=120))
def test_copies_share_the_past_and_not_the_future(steps: list[tuple[int, bool]]) -> None:
    """As plain dictionaries that are copied whole: one of four lines goes on by a request, or becomes a copy."""
    lines = [Replies() for _ in range(4)]
    models: list[dict[tuple[Seat, bytes], Answered]] = [{} for _ in range(4)]
    for number, (line, copied) in enumerate(steps):
        if copied:
            lines[line], models[line] = Replies(lines[number % 4]), dict(models[number % 4])
        else:
            lines[line].add(Seat(0), b"%d" % number, answered(number))
            models[line][Seat(0), b"%d" % number] = answered(number)

    for replies, model in zip(lines, models, strict=True):
        assert {key: replies.get(*key) for key in replies} == model
    for one, its_model in zip(lines, models, strict=True):
        for other, other_model in zip(lines, models, strict=True):
            assert (one == other) == (its_model == other_model)
