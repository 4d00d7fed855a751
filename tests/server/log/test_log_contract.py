"""What every backend of the log does in the same way; see the port."""

import asyncio

import pytest

from cutpurse_server.log.port import Append, Head, LastSign, Log, LogUnavailable, StoredEvent, Version
from tests.server.log.backends import Backend, append, chain_at, event


async def test_a_new_stream_begins_at_version_zero(log: Log) -> None:
    assert await log.flush([append("match/a", 0)]) == [True]

    assert await log.head("match/a") == Head(Version(1), chain_at(1), False)
    assert await log.read("match/a") == [event(1)]


async def test_a_stream_that_does_not_exist_has_no_head_and_no_events(log: Log) -> None:
    assert await log.head("match/a") is None
    assert await log.read("match/a") == []
    assert await log.streams("match") == []


@pytest.mark.parametrize("expected", [1, 7])
async def test_a_stream_that_does_not_exist_stands_at_no_other_version(log: Log, expected: int) -> None:
    assert await log.flush([append("match/a", expected)]) == [False]

    assert await log.head("match/a") is None
    assert await log.streams("match") == []


@pytest.mark.parametrize("expected", [0, 1, 3])
async def test_an_append_at_another_version_does_not_take_place(log: Log, expected: int) -> None:
    await log.flush([append("match/a", 0, [event(1), event(2)])])

    assert await log.flush([append("match/a", expected)]) == [False]

    assert await log.head("match/a") == Head(Version(2), chain_at(2), False)
    assert await log.read("match/a") == [event(1), event(2)]


async def test_an_append_is_taken_once(log: Log) -> None:
    assert await log.flush([append("match/a", 0)]) == [True]
    assert await log.flush([append("match/a", 0)]) == [False]
    assert await log.flush([append("match/a", 1)]) == [True]
    assert await log.flush([append("match/a", 1)]) == [False]

    assert await log.read("match/a") == [event(1), event(2)]


@pytest.mark.parametrize("before", [0, 1])
async def test_nothing_is_added_to_a_closed_stream(log: Log, before: int) -> None:
    if before:
        await log.flush([append("match/a", 0)])
    assert await log.flush([append("match/a", before, closed=True)]) == [True]

    assert await log.flush([append("match/a", before + 1)]) == [False]
    assert await log.flush([append("match/a", before + 1, closed=True)]) == [False]
    assert await log.flush([append("match/a", 0)]) == [False]

    assert await log.head("match/a") == Head(Version(before + 1), chain_at(before + 1), True)
    assert len(await log.read("match/a")) == before + 1


async def test_the_events_of_an_append_come_together_and_in_order(log: Log) -> None:
    events = [event(number) for number in (5, 3, 9, 1, 7)]

    await log.flush([append("match/a", 0, events)])

    assert await log.read("match/a") == events


async def test_the_appends_of_a_flush_do_not_affect_each_other(log: Log) -> None:
    await log.flush([append("match/a", 0), append("match/b", 0), append("match/c", 0, closed=True)])

    took_place = await log.flush(
        [
            append("match/new", 0),
            append("match/a", 0),
            append("match/b", 1),
            append("match/c", 1),
            append("match/none", 4),
            append("identity", 0, closed=True),
        ]
    )

    assert took_place == [True, False, True, False, False, True]
    heads = {name: await log.head(name) for name in ("match/new", "match/a", "match/b", "match/c", "identity")}
    versions = {name: (head.version, head.closed) for name, head in heads.items() if head}
    assert versions == {
        "match/new": (1, False),
        "match/a": (1, False),
        "match/b": (2, False),
        "match/c": (1, True),
        "identity": (1, True),
    }


async def test_one_stale_append_among_moves_leaves_the_others_whole(log: Log) -> None:
    # All streams are known and open, and only one append is stale: backends may have a fast way for this.
    streams = [f"match/{number}" for number in range(16)]
    await log.flush([append(stream, 0) for stream in streams])
    await log.flush([append("match/9", 1)])

    took_place = await log.flush([append(stream, 1, [event(7), event(8)]) for stream in streams])

    assert took_place == [stream != "match/9" for stream in streams]
    assert await log.read("match/9") == [event(1), event(2)]
    for stream in streams:
        if stream != "match/9":
            assert await log.read(stream) == [event(1), event(7), event(8)]
            assert await log.head(stream) == Head(Version(3), chain_at(3), False)


async def test_an_empty_flush_is_allowed(log: Log) -> None:
    assert list(await log.flush([])) == []


@pytest.mark.parametrize(
    "unsound",
    [
        [append("match/a", 0), append("match/a", 1)],
        [append("match/a", 0, [])],
        [Append("match/a", Version(0), [event(1)], b"short")],
        [append("match/a", -1)],
    ],
    ids=["one stream twice", "no events", "no chain value", "negative version"],
)
async def test_an_unsound_flush_is_a_fault_of_the_caller(log: Log, unsound: list[Append]) -> None:
    with pytest.raises(AssertionError):
        await log.flush(unsound)

    assert await log.head("match/a") is None


@pytest.mark.parametrize(("after", "numbers"), [(0, [1, 2, 3]), (1, [2, 3]), (2, [3]), (3, []), (9, [])])
async def test_reading_goes_on_after_a_version(log: Log, after: int, numbers: list[int]) -> None:
    await log.flush([append("match/a", 0, [event(1), event(2)]), append("match/b", 0, [event(8)] * 4)])
    await log.flush([append("match/a", 2)])

    assert await log.read("match/a", after) == [event(number) for number in numbers]


async def test_several_streams_are_read_each_after_a_version_of_its_own(log: Log) -> None:
    await log.flush([append("match/a", 0, [event(1), event(2)]), append("match/b", 0, [event(8)] * 4)])
    await log.flush([append("match/a", 2)])

    after = {"match/b": 3, "match/none": 0, "match/a": 1, "match/a\0": 0, "match": 7}

    assert await log.read_each(after) == {
        "match/b": [event(8)],
        "match/none": [],
        "match/a": [event(2), event(3)],
        "match/a\0": [],
        "match": [],
    }
    assert await log.read_each({}) == {}


async def test_what_was_read_does_not_change_later(log: Log) -> None:
    await log.flush([append("match/a", 0)])
    before = await log.read("match/a")

    await log.flush([append("match/a", 1)])

    assert before == [event(1)]


async def test_an_event_without_a_secret_part_comes_back_as_it_was(log: Log) -> None:
    open_to_all = StoredEvent(b"public", b"", b"")

    await log.flush([append("match/a", 0, [open_to_all])])

    assert await log.read("match/a") == [open_to_all]


async def test_bytes_come_back_exactly(log: Log) -> None:
    awkward = StoredEvent(bytes(range(256)), b"\x00'\";--\xff\x00", b"\x00" * 32)

    await log.flush([append("match/a", 0, [awkward])])

    assert await log.read("match/a") == [awkward]


async def test_large_events_come_back_exactly(log: Log) -> None:
    large = StoredEvent(b"p" * 3_000_000, b"s" * 3_000_000, bytes(32))

    await log.flush([append("match/a", 0, [large, event(2)])])

    assert await log.read("match/a") == [large, event(2)]


async def test_many_streams_in_one_flush(log: Log) -> None:
    streams = [f"match/{number:04}" for number in range(2_000)]

    assert all(await log.flush([append(stream, 0) for stream in streams]))
    assert all(await log.flush([append(stream, 1) for stream in streams]))

    assert await log.streams("match") == streams
    assert await log.read("match/1234") == [event(1), event(2)]


async def test_streams_are_listed_by_kind_sorted_by_code_point(log: Log) -> None:
    names = ["match/b", "match/é", "match/Z", "match/a/b", "match", "matches/x", "match.x", "match0", "identity"]
    await log.flush([append(name, 0) for name in names])

    assert await log.streams("match") == ["match", "match/Z", "match/a/b", "match/b", "match/é"]
    assert await log.streams("identity") == ["identity"]
    assert await log.streams("tournament") == []


async def test_only_open_streams_are_listed_on_request(log: Log) -> None:
    await log.flush([append("match/a", 0), append("match/b", 0), append("match/c", 0, closed=True), append("match", 0)])
    await log.flush([append("match/b", 1, closed=True)])

    assert await log.streams("match", open_only=True) == ["match", "match/a"]
    assert await log.streams("match") == ["match", "match/a", "match/b", "match/c"]


async def test_open_streams_are_told_with_their_versions(log: Log) -> None:
    await log.flush([append("match/a", 0), append("match/b", 0), append("match/c", 0, closed=True), append("match", 0)])
    await log.flush([append("match/b", 1, [event(2), event(3)]), append("tournament/x", 0)])

    assert await log.open_versions("match") == {"match/a": 1, "match/b": 3, "match": 1}


async def test_no_stream_has_a_zero_byte_in_its_name(log: Log) -> None:
    # Callers name matches, so a backend that cannot keep such a name must not fail of it.
    assert await log.read("match/a\0b") == []
    assert await log.head("match/a\0b") is None


async def test_who_takes_up_the_log_learns_of_the_last_sign_of_life(log: Log) -> None:
    async with log.taking_up() as first:
        await log.beat()
    async with log.taking_up() as second:
        pass

    assert first == LastSign(None, alone=True)
    assert second == LastSign(await log.last_beat(), alone=True)


async def test_flushes_at_the_same_time_decide_each_version_once(log: Log) -> None:
    async def race(racer: int) -> list[int]:
        won = []
        for version in range(20):
            mine = StoredEvent(f"{racer}".encode(), b"", b"")
            if (await log.flush([append("match/a", version, [mine]), append(f"match/of-{racer}", version)]))[0]:
                won.append(version)
            await asyncio.sleep(0)
        return won

    wins = await asyncio.gather(*[race(racer) for racer in range(8)])

    assert sorted(version for won in wins for version in won) == list(range(20))
    written = [int(each.public) for each in await log.read("match/a")]
    assert [racer for version in range(20) for racer in range(8) if version in wins[racer]] == written
    for racer in range(8):
        assert len(await log.read(f"match/of-{racer}")) == 20


async def test_the_last_beat_is_told_until_the_next(log: Log) -> None:
    earliest_ms = log.now_ms()

    assert await log.last_beat() is None

    await log.beat()
    first_ms = await log.last_beat()
    await log.beat()
    second_ms = await log.last_beat()
    assert first_ms is not None
    assert second_ms is not None
    assert earliest_ms <= first_ms <= second_ms <= log.now_ms()


async def test_time_does_not_go_back(log: Log) -> None:
    times_ms = [log.now_ms() for _ in range(1_000)]

    assert times_ms == sorted(times_ms)
    assert times_ms[0] > 1_600_000_000_000


async def test_everything_is_there_after_closing_and_opening_again(backend: Backend) -> None:
    await backend.log.flush([append("match/a", 0, [event(1), event(2)]), append("match/b", 0, closed=True)])
    await backend.log.beat()
    before_ms = backend.log.now_ms()
    await backend.log.close()

    log = backend.again()
    await log.open()

    assert await log.head("match/a") == Head(Version(2), chain_at(2), False)
    assert await log.head("match/b") == Head(Version(1), chain_at(1), True)
    assert await log.read("match/a") == [event(1), event(2)]
    assert await log.flush([append("match/a", 2), append("match/b", 1)]) == [True, False]
    beat_ms = await log.last_beat()
    assert beat_ms is not None
    assert beat_ms <= before_ms


async def test_closing_twice_is_allowed_and_a_closed_log_refuses_everything(backend: Backend) -> None:
    log = backend.log
    await log.close()
    await log.close()

    for attempt in (
        log.flush([append("match/a", 0)]),
        log.read("match/a"),
        log.head("match/a"),
        log.streams("match"),
        log.beat(),
        log.last_beat(),
        log.open_versions("match"),
        log.read_each({"match/a": 0}),
        log.taking_up().__aenter__(),
    ):
        with pytest.raises(LogUnavailable, match="closed"):
            await attempt
