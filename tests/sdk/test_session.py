"""Frames: how much goes into one, and in which order."""

import pytest

from cutpurse.v1 import bot_pb2
from cutpurse_sdk import Backoff, Decision
from cutpurse_sdk.decision import Randomness
from cutpurse_sdk.session import CHOICES_PER_FRAME_MAX, FRAME_BYTES_MAX, READIES_PER_FRAME_MAX, Session
from tests.sdk.scripted import decision, offer


def asked(matches: int) -> tuple[Session, list[Decision]]:
    """A session with one open decision in each of so many matches."""
    session = Session(Randomness("s"))
    names = [f"match-{number}" for number in range(matches)]
    frame = bot_pb2.ConnectResponse(offers=map(offer, names), decisions=[decision(name, 1) for name in names])
    return session, [event for event in session.receive(frame) if isinstance(event, Decision)]


def frames_of(session: Session) -> list[bot_pb2.ConnectRequest]:
    frames = []
    while (frame := session.next_frame()) is not None:
        frames.append(frame)
    return frames


def test_a_frame_holds_at_most_so_many_choices() -> None:
    session, decisions = asked(CHOICES_PER_FRAME_MAX + 1)
    for each in decisions:
        session.answer(each, 0)

    frames = frames_of(session)

    assert [len(frame.choices) for frame in frames] == [CHOICES_PER_FRAME_MAX, 1]


def test_a_frame_holds_at_most_so_many_readies() -> None:
    session, _ = asked(2 * READIES_PER_FRAME_MAX + 1)
    for number in range(2 * READIES_PER_FRAME_MAX + 1):
        session.ready(f"match-{number}")

    assert [len(frame.readies) for frame in frames_of(session)] == [READIES_PER_FRAME_MAX, READIES_PER_FRAME_MAX, 1]


@pytest.mark.parametrize("bytes_max", [FRAME_BYTES_MAX, 5000])
def test_a_frame_is_no_larger_than_the_service_reads(bytes_max: int) -> None:
    session, decisions = asked(200)
    session.frame_bytes_max = bytes_max
    for each in decisions:
        session.answer(each, "x" * 1000)

    frames = frames_of(session)

    assert len(frames) > 1
    assert all(frame.ByteSize() <= bytes_max for frame in frames)
    assert [choice.match for frame in frames for choice in frame.choices] == [each.match for each in decisions]


def test_an_answer_larger_than_a_frame_is_sent_for_the_service_to_refuse() -> None:
    session, decisions = asked(2)
    session.frame_bytes_max = 100
    for each in decisions:
        session.answer(each, "x" * 1000)

    assert [len(frame.choices) for frame in frames_of(session)] == [1, 1]


def test_request_ids_of_two_processes_differ() -> None:
    ids: set[bytes] = set()
    for _ in range(2):
        session, decisions = asked(3)
        for each in decisions:
            session.answer(each, 0)
        ids.update(choice.request_id for frame in frames_of(session) for choice in frame.choices)

    assert len(ids) == 6


def test_an_answer_that_was_not_even_sent_is_sent_once_on_the_next_stream() -> None:
    session, decisions = asked(1)
    session.answer(decisions[0], 0)

    session.begin_stream()

    assert [len(frame.choices) for frame in frames_of(session)] == [1]


def test_nothing_is_owed_for_a_decision_that_the_next_one_overtook() -> None:
    session, decisions = asked(1)
    session.answer(decisions[0], 0)
    assert session.owed == 1

    session.receive(bot_pb2.ConnectResponse(decisions=[decision("match-0", 2)]))

    assert session.owed == 0
    session.begin_stream()
    assert frames_of(session) == []


def test_pauses_grow_to_a_bound_and_are_never_the_same() -> None:
    backoff = Backoff(first_s=0.1, factor=2.0, longest_s=1.0)

    pauses = {attempt: [backoff.pause_s(attempt) for _ in range(50)] for attempt in (1, 2, 4, 9, 10_000)}

    for attempt, longest in ((1, 0.1), (2, 0.2), (4, 0.8), (9, 1.0), (10_000, 1.0)):
        assert longest / 2 <= min(pauses[attempt]) < max(pauses[attempt]) <= longest
